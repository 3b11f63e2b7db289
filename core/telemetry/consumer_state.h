// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/snapshot.h"
#include "core/telemetry/usual_rate.h"

#include <optional>
#include <span>
#include <string>

namespace redeliver::telemetry {

/// What one consumer is judged by. All instants are the database's.
struct ConsumerFacts {
    TimePoint now;
    std::span<const RatioBucket> lastDay;  ///< 5-minute buckets, oldest first, the one that isn't over yet included
    Usual usual;
    Counts lastMinutes;                     ///< the newest 5 to 10 minutes
    std::optional<TimePoint> lastDelivery;  ///< end of the newest bucket with a delivery
    std::optional<std::int64_t> lag;
    std::span<const StoppedPartition> stopped;
};

struct Judgement {
    ConsumerState state = ConsumerState::NoData;
    std::string text;  ///< one plain sentence with its numbers, times in UTC
};

/// Stopped: any partition is. Failing: in the last minutes at least 5 transactions failed, and 5 % of the deliveries.
/// Spike, Elevated: judge(). Without deliveries for longer than 10 min (or three times the usual distance): Idle when
/// Kafka says that nothing waits, else NoData. Learning: no usual rate yet.
[[nodiscard]] Judgement judgeConsumer(const ConsumerFacts& facts);

/// Need for attention: state first, then what is worst within it, then the name.
[[nodiscard]] bool needsMoreAttention(const ConsumerRow& a, const ConsumerRow& b) noexcept;

}  // namespace redeliver::telemetry
