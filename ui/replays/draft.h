// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/profile.h"
#include "core/workspace/replay_desk.h"

#include <QCoreApplication>
#include <QString>

#include <functional>
#include <optional>
#include <vector>

namespace redeliver::ui {

/// What stands between a person and the next step: empty means nothing does. Each entry is a sentence for a tooltip.
using Obstacles = std::vector<QString>;

/// Pure rules of the replay's steps, on core values; any thread. No rule of the guard is repeated here: the desk
/// decides again, these only grey out what can't succeed and say what would enable it.
class DraftRules {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::DraftRules)
  public:
    [[nodiscard]] static Obstacles source(const PlanRequest& request);
    [[nodiscard]] static Obstacles target(const PlanRequest& request);
    /// After the preview: refused findings without an answer, nothing to send, a read-only profile.
    [[nodiscard]] static Obstacles preview(const ReplayPlan& plan, const Profile& profile);
    [[nodiscard]] static Obstacles confirm(const ReplayPlan& plan, const Profile& profile, const Confirmation& answers);

    /// Production asks for the profile's name.
    [[nodiscard]] static bool needsProfileName(const Profile& profile) noexcept;
    /// Findings that `--accept CODE` answers, each code once.
    [[nodiscard]] static std::vector<Finding> acceptable(const ReplayPlan& plan);
};

/// A one-click change of the request that a finding suggests; the plan is made again afterwards.
struct Mend {
    QString label;
    QString tooltip;
    PlanRequest request;
};

/// The mends that fit this plan, most useful first; none when nothing can be changed here.
class Mends {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::Mends)
  public:
    /// `time` writes an instant in the window's zone.
    [[nodiscard]] static std::vector<Mend> of(const ReplayPlan& plan, const std::function<QString(TimePoint)>& time);

    /// The request that made this plan.
    [[nodiscard]] static PlanRequest requestOf(const ReplayPlan& plan);
    /// The plan's ranges without the offsets that are unprotected at any consumer; joined where they touch.
    [[nodiscard]] static std::vector<PlanRange> withoutUnprotected(const ReplayPlan& plan);
    /// The latest horizon in time among consumers with messages older than it; nothing when no shortening helps.
    [[nodiscard]] static std::optional<TimePoint> shortenTo(const ReplayPlan& plan);
};

}  // namespace redeliver::ui
