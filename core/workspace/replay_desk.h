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

struct PlanRequest {
    ConsumerName consumer;
    Topic topic;
    PlanSource source;
    std::string target = "same";
    PlanOptions options;
};

/// What a person answered at the confirm step.
struct Confirmation {
    std::string reason;
    std::string phrase;  ///< for unprotected messages, exact
    std::vector<std::string> acceptedCodes;
    std::string confirmedProfile;  ///< production: the profile's name
};

/// Called from the engine's thread, at most ten times a second. Answers whether to go on, pause or abort.
enum class ReplayControl { Go, Pause, Abort };
using ReplayWatcher = std::function<ReplayControl(const ReplayProgress&)>;

/// Plans, runs and reports guarded replays. `run` blocks until the replay ended; it takes the plan through the guard
/// again and answers Refused with the reasons when something is worse than planned. One thread.
class ReplayDesk {
  public:
    virtual ~ReplayDesk() = default;
    virtual Result<ReplayPlan> plan(const PlanRequest& request, const ProgressSink& progress,
                                    const std::stop_token& stop) = 0;
    virtual Result<ReplayReport> run(const ReplayPlan& plan, const Confirmation& confirmation,
                                     const ReplayWatcher& watcher, const std::stop_token& stop) = 0;
    virtual std::vector<ReplayLine> list(int limit) = 0;
    virtual Result<ReplayReport> report(const ReplayId& id) = 0;
    virtual Result<void> control(const ReplayId& id,
                                 ReplayControl control) = 0;  ///< pause, go on, abort from any process
    virtual std::vector<std::string> topics() = 0;            ///< for the source step
};

}  // namespace redeliver
