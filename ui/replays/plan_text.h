// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/plan.h"
#include "core/model/replay.h"

#include <QCoreApplication>
#include <QString>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver::ui {

/// The words of a plan and a report, in domain.md's sense. Pure; any thread.
class PlanText {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::PlanText)
  public:
    [[nodiscard]] static QString className(MessageClass klass);
    /// What this consumer will do with messages of that class.
    [[nodiscard]] static QString willDo(const ConsumerForecast& forecast, MessageClass klass);
    /// Why they are in that class, with the reasons' counts for unprotected ones.
    [[nodiscard]] static QString evidence(const ConsumerForecast& forecast, MessageClass klass);
    [[nodiscard]] static QString reason(std::string_view code);
    [[nodiscard]] static QString consumerName(const ConsumerForecast& forecast);
    /// "1,117,696 protected, 71,287 never processed", in the classes' order; an unguarded group "will process N of N".
    [[nodiscard]] static QString counts(const ConsumerForecast& forecast, std::int64_t records,
                                        const QString& separator);
    [[nodiscard]] static QString stateName(ReplayState state);
    [[nodiscard]] static QString targetName(const std::string& target);
    [[nodiscard]] static QString sourceName(const PlanSource& source, const std::function<QString(TimePoint)>& time);
};

enum class BannerTone { Good, Warn, Refuse };

/// What the guard says in one box.
struct GuardBanner {
    BannerTone tone = BannerTone::Good;
    QString headline;
    std::vector<Finding> findings;  ///< refusals first, then warnings, then infos
};
[[nodiscard]] GuardBanner bannerOf(const ReplayPlan& plan);

[[nodiscard]] constexpr std::size_t indexOf(MessageClass klass) noexcept {
    return static_cast<std::size_t>(klass);
}

}  // namespace redeliver::ui
