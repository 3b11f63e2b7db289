// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/commands.h"

namespace redeliver::ctl {

void addCommands(CLI::App& app, Action& action) {
    addDoctor(app, action);
    addMaintain(app, action);
    addConsumers(app, action);
    addSeries(app, action);
    addSearch(app, action);
    addRecords(app, action);
    addPartition(app, action);
    addReplay(app, action);
    addOutbox(app, action);
    addLab(app, action);
}

}  // namespace redeliver::ctl
