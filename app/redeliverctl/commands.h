// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/redeliverctl/context.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace redeliver::ctl {

/// What the parsed command line asks for; set by the chosen subcommand's callback, run by main() afterwards.
using Action = std::function<Exit(Context&)>;

void addCommands(CLI::App& app, Action& action);  ///< all of them, in the order of the help

/// Each adds its subcommands to `app` and, in their callbacks, sets `action`. Options live in a shared_ptr that the
/// callback captures, e.g.
///     auto* sub = app.add_subcommand("doctor", "tests each step of both connections");
///     sub->callback([&action] { action = [](Context& context) { return runDoctor(context); }; });
void addDoctor(CLI::App& app, Action& action);     ///< doctor, migrate
void addMaintain(CLI::App& app, Action& action);   ///< maintain
void addPartition(CLI::App& app, Action& action);  ///< partition list | retry | skip-to
void addConsumers(CLI::App& app, Action& action);  ///< consumers, consumers set
void addSeries(CLI::App& app, Action& action);     ///< series
void addSearch(CLI::App& app, Action& action);     ///< search, message
void addRecords(CLI::App& app, Action& action);    ///< records
void addReplay(CLI::App& app, Action& action);     ///< replay plan | run | pause | resume | abort | list | report
void addOutbox(CLI::App& app, Action& action);     ///< outbox publish | status
void addLab(CLI::App& app, Action& action);        ///< lab serve, demo

}  // namespace redeliver::ctl
