// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "core/base/log.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

namespace redeliver::ctl {

Exit exitOf(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::BadInput:
            return Exit::Usage;
        case ErrorKind::Connection:
            return Exit::NoConnection;
        case ErrorKind::Refused:
            return Exit::Refused;
        case ErrorKind::NotFound:
            return Exit::NotFound;
        case ErrorKind::Limit:
            return Exit::Stopped;
        default:
            return Exit::Other;
    }
}

namespace {

void complain(std::string_view text, std::string_view hint) {
    fmt::print(stderr, "redeliverctl: {}\n", text);
    if (!hint.empty()) {
        fmt::print(stderr, "  {}\n", hint);
    }
}

void addGlobals(CLI::App& app, Globals& globals) {
    app.add_option("--profile", globals.profile,
                   "a profile's name or file (default: $REDELIVER_PROFILE, or the only one there is)");
    app.add_flag("--json", globals.json, "one JSON document instead of a table");
    app.add_flag("--jsonl", globals.jsonl, "one JSON object per line, for lists");
    app.set_version_flag("--version", "redeliverctl " REDELIVER_VERSION);
    app.set_help_all_flag("--help-all", "help of every command");
    app.fallthrough();
    app.require_subcommand(1);
    app.footer(
        "Exit status: 0 done, 2 usage, 3 can't connect, 4 refused by a guard, 5 not found, 6 partial, 7 stopped by a\n"
        "limit, 1 anything else. Times: from inclusive, to exclusive; RFC 3339 with a zone, now, -15m, -3d.");
}

Exit run(const Globals& globals, const Action& action) {
    const StopSignals signals;
    Context context{globals, signals};
    try {
        return action(context);
    } catch (const Error& error) {
        const std::string code = error.code().empty() ? "" : fmt::format(" [{}]", error.code());
        complain(error.text() + code, error.hint());
        return exitOf(error.kind());
    }
}

int parseAndRun(int argc, char** argv) {
    CLI::App app{"Shows idempotent consumers at work, searches their messages, and replays with a guard.",
                 "redeliverctl"};
    Globals globals;
    Action action;
    addGlobals(app, globals);
    addCommands(app, action);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& done) {
        return app.exit(done);
    } catch (const CLI::ParseError& error) {
        complain(error.what(), "See redeliverctl --help, or redeliverctl COMMAND --help.");
        return static_cast<int>(Exit::Usage);
    }
    const Exit status = run(globals, action);
    if (std::fflush(stdout) != 0) {
        return static_cast<int>(Exit::Other);
    }
    return static_cast<int>(status);
}

}  // namespace
}  // namespace redeliver::ctl

int main(int argc, char** argv) {
    try {
        return redeliver::ctl::parseAndRun(argc, argv);
    } catch (const std::exception& error) {
        std::fputs("redeliverctl: ", stderr);
        std::fputs(error.what(), stderr);
        std::fputs("\n", stderr);
        return static_cast<int>(redeliver::ctl::Exit::Other);
    }
}
