// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart/time_scale.h"

#include <algorithm>
#include <cmath>

namespace redeliver::ui {

qreal TimeScale::toPixel(TimePoint at) const noexcept {
    const auto length = static_cast<qreal>(m_range.length().count());
    if (length <= 0) {
        return m_left;
    }
    return m_left + m_width * static_cast<qreal>((at - m_range.from).count()) / length;
}

TimePoint TimeScale::toTime(qreal pixel) const noexcept {
    if (m_width <= 0) {
        return m_range.from;
    }
    const qreal part = std::clamp((pixel - m_left) / m_width, 0.0, 1.0);
    return m_range.from + Duration(std::llround(part * static_cast<qreal>(m_range.length().count())));
}

TimeRange TimeScale::between(qreal a, qreal b) const noexcept {
    return {toTime(std::min(a, b)), toTime(std::max(a, b))};
}

}  // namespace redeliver::ui
