// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <chrono>
#include <cstdint>

namespace redeliver {

/// from inclusive, to exclusive, UTC.
struct TimeRange {
    TimePoint from;
    TimePoint to;
    [[nodiscard]] Duration length() const noexcept { return to - from; }
    [[nodiscard]] bool contains(TimePoint at) const noexcept { return from <= at && at < to; }
    friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// Buckets aligned to `step` in UTC; the range is widened to whole buckets (fine-print, series).
struct TimeGrid {
    TimePoint from;
    std::chrono::seconds step{};
    std::int64_t count = 0;
    [[nodiscard]] TimePoint at(std::int64_t bucket) const noexcept { return from + step * bucket; }
    [[nodiscard]] TimePoint to() const noexcept { return at(count); }
    /// Bucket of an instant, or −1 outside.
    [[nodiscard]] std::int64_t bucketOf(TimePoint instant) const noexcept;
    friend bool operator==(const TimeGrid&, const TimeGrid&) = default;
};

[[nodiscard]] TimeGrid gridOf(TimeRange range, std::chrono::seconds step) noexcept;

/// The smallest step of 10 s, 30 s, 1 min, 2 min, 5 min, 10 min, 15 min, 30 min, 1 h, 2 h, 6 h, 1 d that needs at most
/// `mostBuckets`.
[[nodiscard]] std::chrono::seconds stepFor(TimeRange range, std::int64_t mostBuckets) noexcept;

}  // namespace redeliver
