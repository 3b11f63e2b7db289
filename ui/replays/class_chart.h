// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/plan.h"
#include "ui/replays/models.h"

#include <QWidget>

#include <optional>
#include <vector>

class QPainter;

namespace redeliver::ui {

struct Palette;

/// How a class looks: its colour, and a hatch or shape so that colour is never alone.
struct ClassLook {
    QColor colour;
    Qt::BrushStyle hatch = Qt::SolidPattern;
};
[[nodiscard]] ClassLook lookOf(MessageClass klass, const Palette& palette);
/// A small mark in the class's look: a disc, ring, diamond, square or triangle.
void paintClassMark(QPainter& painter, const QRectF& box, MessageClass klass, const Palette& palette);

/// Messages by class over time, stacked, with the marker horizon as a dashed line. One paint per forecast; the plan's
/// grid has about as many buckets as there are pixels to show.
class ClassChart : public QWidget {
    Q_OBJECT
  public:
    explicit ClassChart(QWidget* parent = nullptr);

    void setForecast(const ConsumerForecast& forecast, const TimeGrid& grid);
    /// `axis` for the labels below, short; `full` for the horizon and tooltips.
    void setTimeText(TimeText axis, TimeText full);
    [[nodiscard]] QSize sizeHint() const override { return {600, 140}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {240, 120}; }

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    [[nodiscard]] QRectF plot() const;
    [[nodiscard]] double xOf(TimePoint at) const;
    [[nodiscard]] std::int64_t highest() const;
    void paintBars(QPainter& painter, const QRectF& area, const Palette& palette) const;
    void paintHorizon(QPainter& painter, const QRectF& area, const Palette& palette) const;
    void paintAxis(QPainter& painter, const QRectF& area, const Palette& palette) const;
    [[nodiscard]] QString tipAt(double x) const;

    std::vector<ClassCounts> m_buckets;
    TimeGrid m_grid;
    std::optional<TimePoint> m_horizon;
    bool m_byOffset = false;  ///< a ledger decides: there is no one instant to draw
    TimeText m_axisText;
    TimeText m_timeText;
};

}  // namespace redeliver::ui
