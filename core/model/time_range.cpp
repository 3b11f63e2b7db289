// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/time_range.h"

#include <array>

namespace redeliver {
namespace {

TimePoint floorTo(TimePoint at, Duration step) noexcept {
    const auto since = at.time_since_epoch().count();
    const auto size = step.count();
    const auto rest = ((since % size) + size) % size;
    return at - Duration{rest};
}

}  // namespace

std::int64_t TimeGrid::bucketOf(TimePoint instant) const noexcept {
    if (count <= 0 || instant < from || instant >= to()) {
        return -1;
    }
    return (instant - from).count() / Duration{step}.count();
}

TimeGrid gridOf(TimeRange range, std::chrono::seconds step) noexcept {
    TimeGrid grid;
    grid.step = step;
    grid.from = floorTo(range.from, step);
    const Duration span = range.to - grid.from;
    const auto size = Duration{step}.count();
    grid.count = span.count() <= 0 ? 0 : (span.count() + size - 1) / size;
    return grid;
}

std::chrono::seconds stepFor(TimeRange range, std::int64_t mostBuckets) noexcept {
    constexpr std::array<std::int64_t, 12> steps{10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21'600, 86'400};
    for (const std::int64_t step : steps) {
        if (gridOf(range, std::chrono::seconds{step}).count <= mostBuckets) {
            return std::chrono::seconds{step};
        }
    }
    return std::chrono::seconds{steps.back()};
}

}  // namespace redeliver
