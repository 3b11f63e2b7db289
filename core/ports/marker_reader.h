// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/delivery.h"
#include "core/model/marker.h"
#include "core/model/time_range.h"

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::ports {

/// What rule 10 needs to know of the reader itself: does it see every marker?
struct MarkerVisibility {
    bool complete = true;
    std::vector<std::string> reasons;  ///< row-level security, a view with invoker rights, a missing privilege …
    bool unique = true;                ///< the table's key stops a second copy of an ID at one consumer
    bool replica = false;
    std::optional<Duration> replicaLag;
};

/// The ledger and offsets of one consumer in one log, former names included.
struct LedgerEntry {
    TopicPartition tp;
    std::optional<Offset> horizon;  ///< below it markers may be gone
    std::optional<Offset> highest;  ///< highest offset the consumer is known to have passed (exclusive)
    std::optional<Offset> next;
    std::optional<Offset> highestMarker;  ///< highest marker or event coordinate + 1
};

struct ConsumerLedger {
    std::vector<LedgerEntry> partitions;
    std::optional<TimePoint> lostBefore;
    bool anyLedger = false;
    bool anyMarker = false;
    std::optional<TimePoint> oldestMarker;  ///< processed_at; times that can't be true left out
    std::optional<TimePoint> newestMarker;
    std::int64_t impossibleTimes = 0;  ///< rows left out (domain rule 11)
    Duration recordAhead{};            ///< largest record_timestamp − processed_at seen, ≥ 0
    Duration futureBy{};               ///< largest processed_at − now seen, ≥ 0
    bool ownedByUs = false;            ///< a worker of this library runs it: no identity is dead-lettered, sweeps wait
};

/// Reads markers, ledger and evidence for classification. One connection, one thread.
/// Implementations: postgres::PgMarkerReader, the tests' model.
class MarkerReader {
  public:
    virtual ~MarkerReader() = default;
    virtual MarkerVisibility visibility() = 0;
    virtual ConsumerLedger ledger(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                                  const ClusterId& cluster, const std::vector<TopicPartition>& partitions) = 0;
    /// The markers of these IDs, under the consumer's name or a former one.
    virtual std::map<std::string, Marker> find(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                                               std::span<const MessageId> ids, const std::stop_token& stop) = 0;
    /// Streams every marker last seen at or after `since` (nothing: all); `sink` returns false to end early.
    virtual void stream(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                        std::optional<TimePoint> since, const std::function<bool(Marker&&)>& sink,
                        const std::stop_token& stop) = 0;
    virtual std::int64_t estimate(const ConsumerName& consumer) = 0;
    /// Offsets inside [from, to) at which an event says why nothing was applied (fine-print, "evidence"), later than
    /// lost_before.
    virtual std::vector<Offset> evidence(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                                         const ClusterId& cluster, const TopicPartition& tp, Offset from,
                                         Offset to) = 0;
    /// What happened to the records of one replay: events that carry its ID.
    virtual std::vector<DeliveryEvent> replayEvents(const ReplayId& replay, const ConsumerName& consumer,
                                                    const std::vector<ConsumerName>& formerly) = 0;
    virtual TimePoint now() = 0;  ///< the database's clock
};

}  // namespace redeliver::ports
