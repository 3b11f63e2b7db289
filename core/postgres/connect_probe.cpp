// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/connect_probe.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>

#include <algorithm>
#include <future>
#include <libpq-fe.h>
#include <thread>

namespace redeliver::postgres {
namespace {

using std::chrono::steady_clock;

std::string trimmed(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.remove_suffix(1);
    }
    return std::string{text};
}

// The one of a server's message in verbose form, "FATAL:  28P01: …": whatever the server's language.
std::string sqlStateIn(std::string_view message) {
    for (auto at = message.find(":  "); at != std::string_view::npos; at = message.find(":  ", at + 1)) {
        const auto code = message.substr(at + 3, 5);
        const bool fits = code.size() == 5 && std::ranges::all_of(code, [](char c) {
                              return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                          });
        if (fits && message.substr(at + 8, 2) == ": ") {
            return std::string{code};
        }
    }
    return {};
}

// Leaves out "LOCATION: …" and the code that the verbose form adds.
std::string readable(std::string_view message, const std::string& code) {
    std::string out;
    while (!message.empty()) {
        const auto end = std::min(message.find('\n'), message.size());
        const auto line = message.substr(0, end);
        if (line.find("auth.c") == std::string_view::npos && line.find(".c:") == std::string_view::npos) {
            out += (out.empty() ? "" : "\n") + std::string{line};
        }
        message.remove_prefix(std::min(end + 1, message.size()));
    }
    if (const auto at = out.find(code + ": "); !code.empty() && at != std::string::npos) {
        out.erase(at, code.size() + 2);
    }
    return trimmed(out);
}

std::string resolve(const std::string& host) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int result = getaddrinfo(host.c_str(), nullptr, &hints, &found);
    if (result != 0) {
        return gai_strerror(result);
    }
    freeaddrinfo(found);
    return {};
}

}  // namespace

ConnectProbe::~ConnectProbe() {
    PQfinish(m_connection);
}

bool ConnectProbe::awaitSocket(bool forWriting, Deadline deadline) {
    pollfd socket{PQsocket(m_connection), static_cast<short>(forWriting ? POLLOUT : POLLIN), 0};
    while (!m_stop.stop_requested()) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now()).count();
        if (left <= 0) {
            break;
        }
        // Short waits, so that a requested stop is noticed.
        if (poll(&socket, 1, static_cast<int>(std::min<std::int64_t>(left, 100))) > 0) {
            return true;
        }
    }
    m_timedOut = true;
    return false;
}

void ConnectProbe::readConnectionError() {
    const std::string message = PQerrorMessage(m_connection);
    m_sqlState = sqlStateIn(message);
    m_error = readable(message, m_sqlState);
}

ConnectProbe::Phase ConnectProbe::connect(const std::string& connectionString, Deadline deadline) {
    m_connection = PQconnectStart(connectionString.c_str());
    if (m_connection == nullptr) {
        m_error = "out of memory";
        return Phase::Tcp;
    }
    PQsetErrorVerbosity(m_connection, PQERRORS_VERBOSE);
    PQsetNoticeProcessor(
        m_connection, [](void*, const char*) {}, nullptr);
    Phase phase = Phase::Tcp;
    auto wants = PQstatus(m_connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    while (wants != PGRES_POLLING_OK) {
        if (wants == PGRES_POLLING_FAILED) {
            readConnectionError();
            return phase;
        }
        if (!awaitSocket(wants == PGRES_POLLING_WRITING, deadline)) {
            return phase;
        }
        switch (PQstatus(m_connection)) {
            case CONNECTION_STARTED:
            case CONNECTION_NEEDED:
                phase = Phase::Tcp;
                break;
            case CONNECTION_MADE:
            case CONNECTION_SSL_STARTUP:
                phase = Phase::Tls;
                break;
            default:
                phase = Phase::Login;
        }
        wants = PQconnectPoll(m_connection);
    }
    return Phase::Done;
}

std::optional<ConnectProbe::Rows> ConnectProbe::query(const std::string& sql, Deadline deadline) {
    m_error.clear();
    m_sqlState.clear();
    m_timedOut = false;
    if (PQsendQuery(m_connection, sql.c_str()) == 0) {
        m_error = trimmed(PQerrorMessage(m_connection));
        return std::nullopt;
    }
    std::optional<Rows> rows{std::in_place};
    for (;;) {
        while (PQisBusy(m_connection) != 0) {
            if (!awaitSocket(false, deadline)) {
                return std::nullopt;
            }
            if (PQconsumeInput(m_connection) == 0) {
                m_error = trimmed(PQerrorMessage(m_connection));
                return std::nullopt;
            }
        }
        const std::unique_ptr<PGresult, decltype(&PQclear)> result{PQgetResult(m_connection), &PQclear};
        if (!result) {
            return m_error.empty() ? rows : std::nullopt;
        }
        const auto status = PQresultStatus(result.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
            const char* code = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
            const char* text = PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY);
            m_sqlState = code == nullptr ? "" : code;
            m_error = text == nullptr ? trimmed(PQresultErrorMessage(result.get())) : text;
            continue;
        }
        rows->clear();
        for (int r = 0; r < PQntuples(result.get()); ++r) {
            auto& row = rows->emplace_back();
            for (int c = 0; c < PQnfields(result.get()); ++c) {
                row.push_back(PQgetisnull(result.get(), r, c) != 0
                                  ? std::nullopt
                                  : std::optional<std::string>{PQgetvalue(result.get(), r, c)});
            }
        }
    }
}

bool ConnectProbe::needsPassword() const noexcept {
    return m_connection != nullptr && PQconnectionNeedsPassword(m_connection) != 0;
}

bool ConnectProbe::usesTls() const noexcept {
    return m_connection != nullptr && PQsslInUse(m_connection) != 0;
}

std::map<std::string, std::string> ConnectProbe::effective() const {
    std::map<std::string, std::string> out;
    if (m_connection == nullptr) {
        return out;
    }
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{PQconninfo(m_connection),
                                                                               &PQconninfoFree};
    for (const auto* option = options.get(); option != nullptr && option->keyword != nullptr; ++option) {
        if (option->val != nullptr && std::string_view{option->keyword} != "password") {
            out[option->keyword] = option->val;
        }
    }
    return out;
}

std::vector<std::string> unresolvable(const std::vector<std::string>& hosts, ConnectProbe::Deadline deadline) {
    std::vector<std::pair<std::string, std::future<std::string>>> pending;
    for (const auto& host : hosts) {
        // getaddrinfo can't be interrupted: it runs on a thread that nobody waits for after the deadline.
        std::packaged_task<std::string()> task{[host] { return resolve(host); }};
        pending.emplace_back(host, task.get_future());
        std::thread{std::move(task)}.detach();
    }
    std::vector<std::string> out;
    for (auto& [host, answer] : pending) {
        if (answer.wait_until(deadline) != std::future_status::ready) {
            out.push_back(fmt::format("{}: the resolver doesn't answer", host));
        } else if (const std::string error = answer.get(); !error.empty()) {
            out.push_back(fmt::format("{}: {}", host, error));
        }
    }
    return out;
}

}  // namespace redeliver::postgres
