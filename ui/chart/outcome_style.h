// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/delivery.h"
#include "ui/common/palette.h"

#include <QBrush>
#include <QCoreApplication>
#include <QString>

#include <array>

class QPainter;
class QRectF;

namespace redeliver::ui {

/// How an outcome looks and is called wherever it is drawn: colour and hatch together, never colour alone.
class OutcomeStyle {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::OutcomeStyle)
  public:
    /// From the bottom of a stack to its top.
    static constexpr std::array<Outcome, outcomeCount> stackOrder{Outcome::Processed, Outcome::Duplicate,
                                                                  Outcome::Stale,     Outcome::NotAddressed,
                                                                  Outcome::Rejected,  Outcome::TransactionFailed};

    [[nodiscard]] static QString name(Outcome outcome);
    [[nodiscard]] static QString name(SideEvent event);
    [[nodiscard]] static QBrush brush(Outcome outcome, const Palette& palette);
    /// The swatch of a legend or read-out: a square with the outcome's hatch.
    static void drawSwatch(QPainter& painter, const QRectF& rect, Outcome outcome, const Palette& palette);
    /// A diamond for ack failed, a triangle for in doubt: they are beside the outcomes, not in their sum.
    static void drawSwatch(QPainter& painter, const QRectF& rect, SideEvent event, const Palette& palette);
};

}  // namespace redeliver::ui
