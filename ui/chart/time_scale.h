// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/time_range.h"

#include <QtGlobal>

namespace redeliver::ui {

/// The one home of pixel ↔ time. Logical pixels, so that a device pixel ratio of 1.25, 1.5 or 1.75 changes nothing; a
/// value. `width` > 0 and the range not empty, else everything maps to `left`.
class TimeScale {
  public:
    TimeScale() = default;
    TimeScale(TimeRange range, qreal left, qreal width) : m_range(range), m_left(left), m_width(width) {}

    [[nodiscard]] const TimeRange& range() const noexcept { return m_range; }
    [[nodiscard]] qreal left() const noexcept { return m_left; }
    [[nodiscard]] qreal width() const noexcept { return m_width; }
    [[nodiscard]] qreal toPixel(TimePoint at) const noexcept;
    /// Clamped to the range.
    [[nodiscard]] TimePoint toTime(qreal pixel) const noexcept;
    /// Between two pixels in either order.
    [[nodiscard]] TimeRange between(qreal a, qreal b) const noexcept;

  private:
    TimeRange m_range;
    qreal m_left = 0;
    qreal m_width = 0;
};

}  // namespace redeliver::ui
