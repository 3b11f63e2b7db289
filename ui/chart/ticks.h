// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/chart/time_scale.h"

#include <QString>

#include <functional>
#include <vector>

namespace redeliver::ui {

class Zone;

struct TimeTick {
    TimePoint at;
    qreal pixel = 0;      ///< of the tick
    qreal labelLeft = 0;  ///< the label's rectangle lies inside the scale and overlaps no other
    qreal labelWidth = 0;
    QString label;
};

/// Round instants of the zone (midnights and hours of its own clock, also across a change to summer time) with labels
/// that fit. `measure` answers a label's width in the same pixels as the scale.
[[nodiscard]] std::vector<TimeTick> timeTicks(const TimeScale& scale, const Zone& zone,
                                              const std::function<qreal(const QString&)>& measure);

struct ValueTicks {
    double top = 1;   ///< end of the axis, at least the largest value
    double step = 1;  ///< 1, 2, 2.5 or 5 times a power of ten; top is a multiple of it
};

/// A zero-based axis for values up to `largest` with at most `most` steps; 0 gives the axis 0 to 1.
[[nodiscard]] ValueTicks valueTicks(double largest, int most);

}  // namespace redeliver::ui
