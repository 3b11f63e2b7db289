// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "core/base/log.h"
#include "core/workspace/maintenance.h"

#include <fmt/format.h>

#include <condition_variable>
#include <memory>
#include <mutex>

namespace redeliver::ctl {
namespace {

constexpr std::chrono::seconds pause{60};

void print(Context& context, const postgres::MaintenanceReport& report) {
    context.print({{"ran", report.ran},
                   {"rolled_up", report.rolledUp},
                   {"counts_purged", report.countsPurged},
                   {"events_purged", report.eventsPurged},
                   {"outbox_purged", report.outboxPurged},
                   {"more", report.more},
                   {"text", report.text}},
                  report.text + "\n");
}

Exit runMaintain(Context& context, bool once) {
    Maintenance maintenance{context.workspace().connections()};
    if (once) {
        const auto report = maintenance.runOnce(context.stop());
        print(context, report);
        return report.more ? Exit::Stopped : Exit::Done;
    }
    std::mutex mutex;
    std::condition_variable_any woken;
    const std::stop_token stop = context.stop();
    while (!stop.stop_requested()) {
        try {
            const auto report = maintenance.runOnce(stop);
            log(LogLevel::Info, fmt::format("maintenance=\"{}\"", report.text));
        } catch (const Error& error) {
            // A service outlives a database that is away; anything else won't mend itself.
            if (error.kind() != ErrorKind::Connection) {
                throw;
            }
            log(LogLevel::Warn, fmt::format("maintenance waits: {}", error.text()));
        }
        std::unique_lock lock{mutex};
        woken.wait_for(lock, stop, pause, [] { return false; });
    }
    return Exit::Done;
}

}  // namespace

void addMaintain(CLI::App& app, Action& action) {
    auto* sub = app.add_subcommand("maintain", "roll-ups and purges of telemetry; one at a time across the fleet");
    const auto once = std::make_shared<bool>(false);
    sub->add_flag("--once", *once, "once, instead of every minute until stopped");
    sub->callback([&action, once] { action = [once](Context& context) { return runMaintain(context, *once); }; });
}

}  // namespace redeliver::ctl
