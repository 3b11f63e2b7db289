// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"
#include "core/workspace/action_desk.h"

#include <fmt/format.h>

#include <memory>

namespace redeliver::ctl {
namespace {

Exit runDoctor(Context& context) {
    const auto report = context.workspace().actions()->doctor(context.progress(), context.stop());
    std::string text;
    Json steps = Json::array();
    for (const DoctorStep& step : report.steps) {
        steps.push_back({{"server", step.server},
                         {"step", step.step},
                         {"ok", step.ok},
                         {"text", step.text},
                         {"hint", step.hint.empty() ? Json(nullptr) : Json(step.hint)}});
        text += fmt::format("{}  {:<8}  {:<10}  {}\n", step.ok ? "ok  " : "FAIL", step.server, step.step, step.text);
        if (!step.ok && !step.hint.empty()) {
            text += fmt::format("      → {}\n", step.hint);
        }
    }
    context.print({{"ok", report.ok()}, {"steps", steps}}, text);
    return !report.reachable ? Exit::NoConnection : report.ok() ? Exit::Done : Exit::Partial;
}

Json jsonOf(const MigrationStep& step) {
    return {{"version", step.version}, {"name", step.name}, {"oldest_client", step.oldestClient}, {"sql", step.sql}};
}

Exit runMigrate(Context& context, bool dryRun) {
    const auto desk = context.workspace().actions();
    const auto steps = dryRun ? desk->pendingMigrations() : desk->migrate(context.progress());
    std::vector<Json> items;
    std::string text;
    for (const MigrationStep& step : steps) {
        items.push_back(jsonOf(step));
        if (dryRun) {
            text += fmt::format("-- migration {} {}, usable by clients of schema {} and newer\n{}\n", step.version,
                                step.name, step.oldestClient, step.sql);
        } else {
            text += fmt::format("applied {} {}\n", step.version, step.name);
        }
    }
    if (steps.empty()) {
        text = "The schema is up to date.\n";
    }
    context.printList("migrations", items, {{"dry_run", dryRun}}, text);
    return Exit::Done;
}

}  // namespace

void addDoctor(CLI::App& app, Action& action) {
    app.add_subcommand("doctor", "tests each step of both connections and says what failed and what to do")
        ->callback([&action] { action = runDoctor; });

    auto* migrate = app.add_subcommand("migrate", "brings the schema up");
    const auto dryRun = std::make_shared<bool>(false);
    migrate->add_flag("--dry-run", *dryRun, "only show the SQL");
    migrate->callback(
        [&action, dryRun] { action = [dryRun](Context& context) { return runMigrate(context, *dryRun); }; });
}

}  // namespace redeliver::ctl
