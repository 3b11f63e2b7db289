// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/model/delivery.h"
#include "core/model/histogram.h"
#include "core/model/snapshot.h"
#include "core/model/time_range.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

/// What postgres::TelemetryStore answers and the logic of this folder eats. Sums are made in the database.
namespace redeliver::telemetry {

/// All workers' rows of one consumer whose own bucket begins inside one bucket of the asked grid, added up.
struct BucketRow {
    ConsumerName consumer;
    TimePoint bucket;  ///< begin of the grid's bucket
    Counts counts;
    Histogram latency;
};

/// Deliveries and duplicates of one consumer in a 5-minute span (an hour where rolled up so far). `duplicates` leaves
/// the replayed ones out: a planned replay is no spike and not usual either.
struct RatioRow {
    ConsumerName consumer;
    TimePoint bucket;
    std::chrono::seconds length{300};
    std::int64_t deliveries = 0;
    std::int64_t duplicates = 0;
};

struct RefreshRequest {
    TimeRange range;              ///< grid-aligned
    std::chrono::seconds step{};  ///< of the grid
    /// 0: everything. Else only what any row with `changed` above it touches: those whole grid buckets (and whole
    /// 5-minute spans for the ratios), summed again, so that the reader replaces and never adds.
    std::int64_t changedAfter = 0;
    TimePoint ratiosFrom;  ///< 5-minute ratios from here to now
};

struct Refresh {
    TimePoint now;                      ///< the database's clock_timestamp()
    std::int64_t watermark = 0;         ///< highest `changed` seen anywhere; what was asked when there is none
    std::chrono::seconds coarsest{10};  ///< largest bucket_s of a row inside the range
    std::vector<BucketRow> buckets;
    std::vector<RatioRow> ratios;
    std::map<ConsumerName, TimePoint> firstSeen;  ///< first bucket ever, per consumer
    std::map<ConsumerName, TimePoint> lastSeen;   ///< end of the newest bucket, not after now
    std::optional<TimePoint> firstAckFailure;     ///< first bucket in the range with one
    std::vector<ConsumerInfo> consumers;          ///< the registry
    std::vector<StoppedPartition> stopped;
    std::vector<ReplayBand> replays;  ///< that overlap the range
    std::optional<std::int64_t> markersEstimate;
    std::optional<TimePoint> lastMaintenance;
    bool generated = false;  ///< rows of the range are generated
};

}  // namespace redeliver::telemetry
