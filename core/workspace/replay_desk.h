// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/plan.h"
#include "core/model/replay.h"
#include "core/workspace/progress.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver {

/// Plans, runs and reports guarded replays. `run` blocks until the replay ended; it takes the plan through the guard
/// again and answers Refused with the reasons when something is worse than planned. One thread.
class ReplayDesk {
  public:
    virtual ~ReplayDesk() = default;
    virtual Result<ReplayPlan> plan(const PlanRequest& request, const ProgressSink& progress,
                                    const std::stop_token& stop) = 0;
    virtual Result<ReplayReport> run(const ReplayPlan& plan, const Confirmation& confirmation,
                                     const ReplayWatcher& watcher, const std::stop_token& stop) = 0;
    /// Goes on with a paused, killed or stopped replay: takes it over when its engine is gone, else tells that engine
    /// to go on and watches it. Classifies again first. Refused after an abort.
    virtual Result<ReplayReport> resume(const ReplayId& id, const ReplayWatcher& watcher,
                                        const std::stop_token& stop) = 0;
    virtual std::vector<ReplayLine> list(int limit) = 0;
    virtual Result<ReplayReport> report(const ReplayId& id) = 0;
    virtual Result<void> control(const ReplayId& id,
                                 ReplayControl control) = 0;  ///< pause, go on, abort from any process
    virtual std::vector<std::string> topics() = 0;            ///< for the source step
};

}  // namespace redeliver
