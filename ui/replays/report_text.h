// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/replay.h"

#include <QCoreApplication>
#include <QString>

#include <vector>

namespace redeliver::ui {

/// One line of "predicted against found": what the plan said must or may happen, and what did.
struct ReportLine {
    QString what;
    std::int64_t least = 0;  ///< predicted
    std::int64_t most = 0;   ///< predicted; more than least where unprotected or expiring messages could go either way
    std::int64_t found = 0;
    [[nodiscard]] bool asPredicted() const noexcept { return least <= found && found <= most; }
};

/// Pure; any thread.
class ReportText {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::ReportText)
  public:
    [[nodiscard]] static std::vector<ReportLine> lines(const ConsumerReport& consumer);
    [[nodiscard]] static QString predicted(const ReportLine& line);
    /// "As predicted at both consumers", or how many messages went otherwise.
    [[nodiscard]] static QString sentence(const ReplayReport& report);
    [[nodiscard]] static std::int64_t differences(const ReplayReport& report);
};

}  // namespace redeliver::ui
