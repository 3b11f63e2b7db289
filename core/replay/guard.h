// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/plan.h"
#include "core/model/replay.h"
#include "core/replay/planner.h"

#include <optional>
#include <string>

namespace redeliver::replay {

/// A plan that the guard let through, with the answers that were given. The engine takes nothing else, and only the
/// guard can make one (architecture rule 7).
class ApprovedPlan {
  public:
    [[nodiscard]] const ReplayPlan& plan() const noexcept { return m_plan; }
    [[nodiscard]] const Confirmation& confirmation() const noexcept { return m_confirmation; }
    [[nodiscard]] std::int64_t rate() const noexcept { return m_confirmation.rate.value_or(m_plan.options.rate); }

  private:
    friend class Guard;
    ApprovedPlan(ReplayPlan plan, Confirmation confirmation)
        : m_plan(std::move(plan)), m_confirmation(std::move(confirmation)) {}

    ReplayPlan m_plan;
    Confirmation m_confirmation;
};

/// What the guard needs to know of the profile.
struct GuardContext {
    std::string profile;
    bool production = false;
    std::optional<bool> readOnly;  ///< as written in the profile
};

/// Decides whether a plan may run. Each refusal is an Error(Refused) whose code is the finding's; a missing reason is
/// BadInput. Nothing is sent before it says yes.
class Guard {
  public:
    /// Before anything is read again: reason, digest, target, read-only and production lock.
    [[nodiscard]] static Result<void> admits(const ReplayPlan& plan, const Confirmation& confirmation,
                                             const GuardContext& context);

    /// `fresh`: the same plan made again just now, on the primary. Refuses when it is another log, when something is
    /// worse than planned, or when a finding is unanswered.
    [[nodiscard]] static Result<ApprovedPlan> approve(const ReplayPlan& plan, const Planned& fresh,
                                                      const Confirmation& confirmation, const GuardContext& context);

    /// For a resume: the answers were given and recorded when the run began.
    [[nodiscard]] static Result<ApprovedPlan> approveResume(const ReplayPlan& plan, const Planned& fresh,
                                                            const Confirmation& recorded);
};

/// What got worse since `plan`: one line each, capped; empty when nothing did.
[[nodiscard]] std::vector<std::string> worseThanPlanned(const ReplayPlan& plan, const ReplayPlan& fresh);

}  // namespace redeliver::replay
