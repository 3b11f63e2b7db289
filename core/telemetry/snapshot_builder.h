// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/snapshot.h"
#include "core/telemetry/bucket_cache.h"
#include "core/telemetry/usual_rate.h"

#include <map>
#include <optional>
#include <vector>

namespace redeliver::telemetry {

/// Everything that one refresh knows beside the counts.
struct SnapshotFacts {
    TimePoint now;
    TimeRange range;
    TimeGrid grid;  ///< covers the range, on the cache's step
    std::optional<TimePoint> newest;
    std::optional<TimePoint> firstAckFailure;
    std::vector<ConsumerInfo> consumers;  ///< every known one, with the profile's overrides
    std::map<ConsumerName, TimePoint> firstSeen;
    std::map<ConsumerName, TimePoint> lastSeen;
    std::map<ConsumerName, Observed> lag;
    std::vector<StoppedPartition> stopped;
    std::vector<ReplayBand> replays;
    std::optional<std::int64_t> markersEstimate;
};

/// Same time in the weeks before, per consumer; read seldom.
using WeeksBefore = std::map<ConsumerName, std::vector<RatioBucket>>;

/// Puts one snapshot together: rates over the observed part of the range, quantiles, usual rates, states, order.
/// `lastDay` is a cache on a 5-minute grid over the last 24 h. Pure; any thread.
[[nodiscard]] Snapshot buildSnapshot(const SnapshotFacts& facts, const BucketCache& counts, const BucketCache& lastDay,
                                     const WeeksBefore& weeksBefore);

}  // namespace redeliver::telemetry
