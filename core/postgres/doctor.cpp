// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/doctor.h"

#include "core/postgres/connection_string.h"
#include "core/postgres/doctor_checks.h"
#include "core/postgres/doctor_tls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace redeliver::postgres {
namespace {

using std::chrono::steady_clock;
using Options = std::map<std::string, std::string>;

std::string valueOf(const Options& options, const std::string& name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string{} : found->second;
}

// Host names to resolve: no socket folders, no addresses given beside them.
std::vector<std::string> hostNames(const Options& options) {
    std::vector<std::string> out;
    if (!valueOf(options, "hostaddr").empty()) {
        return out;
    }
    const std::string hosts = valueOf(options, "host");
    std::string_view rest = hosts;
    while (!rest.empty()) {
        const auto end = std::min(rest.find(','), rest.size());
        const auto host = rest.substr(0, end);
        if (!host.empty() && host.front() != '/' && host.front() != '@') {
            out.emplace_back(host);
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return out;
}

std::string serverText(const Options& options) {
    const std::string host = valueOf(options, "host");
    const std::string port = valueOf(options, "port");
    return fmt::format("{}{}", host.empty() ? "the local socket" : host, port.empty() ? "" : " port " + port);
}

std::string loginHint(const ConnectProbe& probe) {
    const std::string& code = probe.sqlState();
    if (probe.error().find("unsupported startup parameter") != std::string::npos) {
        return "A pooler refuses a parameter of the connection string. Either take it out of the string (options=…), "
               "or "
               "add it to ignore_startup_parameters of the pooler, which then swallows it: set it with ALTER ROLE "
               "instead.";
    }
    if (code == "28P01") {
        return "The password is wrong for this user. Give it by passfile, environment, file or keyring.";
    }
    if (probe.needsPassword()) {
        return "The server wants a password and none was given: use ~/.pgpass, PGPASSWORD, or the profile's password.";
    }
    if (code == "28000") {
        return "The user doesn't exist, or pg_hba.conf doesn't let it in from here.";
    }
    if (code == "3D000") {
        return "There is no database of that name on this server; name it with dbname=….";
    }
    if (code == "53300") {
        return "All connections are taken: raise max_connections, or close some.";
    }
    if (code.starts_with("57P03")) {
        return "The server starts up or shuts down; try again in a moment.";
    }
    return "Look at user, database and pg_hba.conf, and at the server's log.";
}

DiagnosisStep failedStep(ConnectProbe::Phase phase, const ConnectProbe& probe, const Options& effective,
                         std::chrono::milliseconds limit) {
    const std::string why = probe.timedOut() ? fmt::format("no answer from {} within {:.1f} s", serverText(effective),
                                                           static_cast<double>(limit.count()) / 1000)
                                             : probe.error();
    if (phase == ConnectProbe::Phase::Tcp) {
        return {"tcp", false, why,
                "Is the server running there, and does a firewall let us through? Check host and port."};
    }
    if (phase == ConnectProbe::Phase::Tls) {
        const TlsAdvice advice = tlsAdvice(effective);
        return {"tls", false, advice.text.empty() ? why : fmt::format("{} ({})", advice.text, why), advice.hint};
    }
    return {"login", false, why, loginHint(probe)};
}

void addPassed(std::vector<DiagnosisStep>& steps, ConnectProbe::Phase phase, const ConnectProbe& probe,
               const Options& effective) {
    if (phase != ConnectProbe::Phase::Tcp) {
        steps.push_back({"tcp", true, fmt::format("{} answers", serverText(effective)), {}});
    }
    if (phase == ConnectProbe::Phase::Login || phase == ConnectProbe::Phase::Done) {
        const std::string text = probe.usesTls() ? "encrypted" : "not encrypted";
        steps.push_back({"tls", true, fmt::format("{} (sslmode={})", text, valueOf(effective, "sslmode")), {}});
    }
    if (phase == ConnectProbe::Phase::Done) {
        steps.push_back(
            {"login", true, fmt::format("as {} to {}", valueOf(effective, "user"), valueOf(effective, "dbname")), {}});
    }
}

// dns to login. True: we are in.
bool connectSteps(const ConnectOptions& connect, std::chrono::milliseconds limit, ConnectProbe& probe,
                  std::vector<DiagnosisStep>& steps) {
    std::string string;
    Options given;
    try {
        given = parseDsn(connect.dsn);
        string = connectionString(connect);
    } catch (const Error& error) {
        steps.push_back({"dsn", false, error.text(), error.hint()});
        return false;
    }
    const auto began = steady_clock::now();
    const auto names = hostNames(given);
    // A name may take half of the time, so that a slow resolver isn't mistaken for a slow server.
    const auto bad = unresolvable(names, began + limit / 2);
    if (!bad.empty()) {
        steps.push_back({"dns", bad.size() < names.size(), fmt::format("{}", fmt::join(bad, "; ")),
                         "Check the spelling of the host, and the resolver of this machine."});
    } else if (!names.empty()) {
        steps.push_back({"dns", true, fmt::format("{} resolves", fmt::join(names, ", ")), {}});
    }
    if (!bad.empty() && bad.size() == names.size()) {
        return false;
    }
    const auto phase = probe.connect(string, began + limit);
    const Options effective = probe.effective();
    addPassed(steps, phase, probe, effective);
    if (phase != ConnectProbe::Phase::Done) {
        steps.push_back(failedStep(phase, probe, effective, limit));
    }
    return phase == ConnectProbe::Phase::Done;
}

}  // namespace

std::vector<DiagnosisStep> diagnose(const ConnectOptions& connect, const DiagnosisOptions& options,
                                    const std::stop_token& stop) {
    std::vector<DiagnosisStep> steps;
    ConnectProbe probe{stop};
    if (!connectSteps(connect, options.connectLimit, probe, steps)) {
        return steps;
    }
    const CheckContext context{probe, connect.schema, options.writes, steady_clock::now() + options.queryLimit};
    checkPrivileges(context, steps);
    checkVersion(context, steps);
    checkSettings(context, steps);
    checkReplica(context, steps);
    checkClock(context, steps);
    return steps;
}

Error connectError(const ConnectOptions& connect, const Error& original) {
    std::vector<DiagnosisStep> steps;
    ConnectProbe probe{{}};
    if (connectSteps(connect, std::chrono::seconds{2}, probe, steps) || steps.empty()) {
        return original;  // it works by now
    }
    const DiagnosisStep& step = steps.back();
    const std::string& code = probe.sqlState();
    const bool hopeless = code.starts_with("28") || code == "3D000" || probe.needsPassword();
    return {ErrorKind::Connection, fmt::format("connect ({}): {}", step.step, step.text), step.hint, code, !hopeless};
}

bool reached(const std::vector<DiagnosisStep>& steps) noexcept {
    return std::ranges::any_of(steps, [](const DiagnosisStep& step) { return step.step == "login" && step.ok; });
}

}  // namespace redeliver::postgres
