// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/model/delivery.h"
#include "core/model/histogram.h"
#include "core/model/time_range.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver {

/// In order of need for attention: Stopped first, NoData last.
/// Learning: deliveries come, but there is no usual rate yet to judge them by (less than 24 h of history).
enum class ConsumerState { Stopped, Failing, Spike, Elevated, Learning, Usual, Idle, NoData };
[[nodiscard]] std::string_view toText(
    ConsumerState state) noexcept;  ///< stopped failing spike elevated no_usual_rate usual idle no_data

/// The usual duplicate rate (edge-cases.md 5): median and spread as fractions; absent until there is enough history.
struct UsualRate {
    double median = 0;
    double spread = 0;
    friend bool operator==(const UsualRate&, const UsualRate&) = default;
};

/// A number that can't always be observed: the value, or why there is none. Never 0 for unknown.
struct Observed {
    std::optional<std::int64_t> value;
    std::string reason;  ///< set when value is absent, or to qualify it
};

struct ConsumerRow {
    ConsumerInfo info;
    ConsumerState state = ConsumerState::NoData;
    std::string stateText;        ///< one plain sentence: why this state, with its numbers
    Counts counts;                ///< over the range
    std::vector<Counts> buckets;  ///< on the snapshot's grid (sparkline and consumer chart)
    double rate = 0;              ///< deliveries per second over the observed part of the range
    std::optional<double> duplicateRate;
    std::optional<UsualRate> usual;
    std::string usualReason;  ///< why `usual` is absent, e.g. "no usual rate yet (1 h of 24 h)"
    std::optional<Duration> p50, p95, p99;
    Observed lag;
    std::optional<TimePoint> lastDelivery;
    std::vector<StoppedPartition> stopped;
};

/// A replay drawn as a band on every time chart.
struct ReplayBand {
    ReplayId id;
    std::string label;
    TimeRange range;
};

/// One immutable refresh of the Overview: what crosses the thread border, and the one shape that charts draw.
struct Snapshot {
    TimePoint takenAt;  ///< the database's clock
    TimeRange range;
    TimeGrid grid;
    std::vector<Counts> buckets;  ///< all consumers, one per grid bucket
    Counts total;
    std::optional<TimePoint> newest;  ///< newest count seen: the data's age
    std::optional<TimePoint> firstAckFailure;
    std::optional<UsualRate> usual;
    std::vector<ConsumerRow> consumers;  ///< sorted by need for attention
    std::vector<ReplayBand> replays;
    std::optional<std::int64_t> markersEstimate;
    bool generated = false;  ///< part of the data is the demo's generated history
};

using SnapshotPtr = std::shared_ptr<const Snapshot>;

}  // namespace redeliver
