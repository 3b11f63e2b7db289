// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/snapshot.h"
#include "core/telemetry/bucket_cache.h"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace redeliver::telemetry {

/// Deliveries and duplicates of one consumer in 5 minutes (or longer, where rolled up so far). Replayed duplicates are
/// left out: a planned replay is neither a spike nor usual.
struct RatioBucket {
    TimePoint at;
    std::int64_t deliveries = 0;
    std::int64_t duplicates = 0;
};
[[nodiscard]] RatioBucket ratioOf(TimePoint at, const Counts& counts) noexcept;

/// Where the usual rate comes from; the text of a spike names it.
enum class UsualFrom { LastDay, SameTimeInWeeksBefore };

struct Usual {
    std::optional<UsualRate> rate;  ///< spread = 1.48 · median absolute deviation
    UsualFrom from = UsualFrom::LastDay;
    std::string reason;  ///< why there is none, e.g. "no usual rate yet (1 h of 24 h)"
};

/// The expected ratio b: the larger of the median over the last 24 h without the last 15 min, and of the median at the
/// same time ± 15 min in the last 3 weeks. Buckets without a delivery are gaps, not zeros. Less than 24 h since
/// `firstSeen`: none yet.
[[nodiscard]] Usual usualRate(std::span<const RatioBucket> lastDay, std::span<const RatioBucket> weeksBefore,
                              TimePoint now, std::optional<TimePoint> firstSeen);

/// True for a bucket far above the usual: d ≥ 10, n ≥ 50, d > 2nb and (d − nb) / √(max(nb, 1) + (n·spread)²/4) > 4.
[[nodiscard]] bool isHot(std::int64_t duplicates, std::int64_t deliveries, const UsualRate& usual) noexcept;

/// What the rule says at one instant.
struct Spike {
    bool firing = false;
    bool elevated = false;        ///< far above the usual, but not for long enough to fire
    bool hourly = false;          ///< judged by hours, because 5 minutes hold too few deliveries
    TimePoint since;              ///< begin of the first hot bucket
    std::int64_t deliveries = 0;  ///< of the newest hot bucket
    std::int64_t duplicates = 0;
    std::chrono::seconds length{};  ///< of that bucket
};

/// Walks the 5-minute buckets of the last 3 hours: fires when 2 of 3 are hot, clears after 3 cool ones. Where they hold
/// too few deliveries, hours are judged instead. The bucket that isn't over yet can be hot, never cool.
[[nodiscard]] Spike judge(std::span<const RatioBucket> lastDay, TimePoint now, const UsualRate& usual);

inline constexpr std::chrono::seconds ratioStep{300};

}  // namespace redeliver::telemetry
