// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/fleet_plan.h"
#include "core/model/delivery.h"
#include "core/model/histogram.h"
#include "core/model/record.h"
#include "core/model/time_range.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace redeliver::lab {

/// A message of the demo: what the live producer and the generated history both send.
class MessageMaker {
  public:
    explicit MessageMaker(std::uint64_t seed) : m_random(seed) {}
    /// A new message of `topic`; its ID is unique and sorts by time.
    [[nodiscard]] OutgoingRecord make(const DemoTopic& topic, TimePoint at);
    /// The message that order-payment-handler's outbox sends for `payment`.
    [[nodiscard]] OutgoingRecord derived(const DemoTopic& topic, const OutgoingRecord& payment, TimePoint at);
    [[nodiscard]] static std::string idOf(const OutgoingRecord& record);

  private:
    std::mt19937_64 m_random;
    std::uint64_t m_sequence = 0;
};

/// A record of the generated history at its place in the log.
struct HistoryRecord {
    OutgoingRecord record;
    std::string id;
    Offset offset;
    bool again = false;  ///< published again by its producer: a second record with the same ID
};

/// What one consumer did with its topic's records.
struct ConsumerHistory {
    const DemoConsumer* consumer = nullptr;
    struct Processed {
        std::size_t record = 0;  ///< index into the topic's records
        TimePoint at;
        Duration latency{};
    };
    std::vector<Processed> processed;
    std::vector<DeliveryEvent> events;
};

/// Everything that happened in the generated span.
struct History {
    TimeRange span;
    std::map<std::string, std::vector<HistoryRecord>> topics;  ///< by time; offsets count per partition from 0
    std::vector<ConsumerHistory> consumers;
};

/// A day of history, deterministic for a seed: a daily wave, a usual share of duplicates, a few spikes, failures and
/// ack failures. Pure: about a second for 200,000 messages.
[[nodiscard]] History makeHistory(TimeRange span, std::int64_t messages, std::uint64_t seed);

/// Messages per second of the whole demo at an instant, for a mean of `mean`: the same wave in history and live.
[[nodiscard]] double demoRate(TimePoint at, double mean) noexcept;

}  // namespace redeliver::lab
