// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/markers/horizon.h"
#include "core/model/consumer_info.h"
#include "core/model/plan.h"
#include "core/ports/marker_reader.h"

#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::replay {

/// A consumer, or a group nobody named, that will see the records.
struct Seer {
    ConsumerInfo info;
    bool markersKnown = true;  ///< false: a group of the broker that no profile names; info.name is "group:NAME"
    bool readsSource = true;   ///< false: the records' own offsets mean nothing for it (target topic:NAME)
    std::map<Partition, Offset> committed;  ///< its group's offsets in the source topic
};

/// A chosen record, as far as classes need it. IDs are kept beside, one list per rule set.
struct ChosenRecord {
    Partition partition;
    Offset offset;
    std::optional<TimePoint> timestamp;
    bool isCopy = false;
    std::optional<Coordinates> origin;
    std::optional<TimePoint> originTimestamp;
};

struct ClassifyInput {
    ClusterId cluster;
    Topic topic;
    const std::vector<ChosenRecord>& records;          ///< in the order in which they will be sent
    const std::vector<std::optional<MessageId>>& ids;  ///< by this consumer's rules; absent: no identity
    const Seer& seer;
    TimePoint at;  ///< the instant that "declared" and "expiring" refer to
    std::int64_t rate = 500;
    Duration skew{};
};

struct Classified {
    std::vector<MessageClass> classes;                      ///< one per record
    std::vector<std::optional<UnprotectedReason>> reasons;  ///< set where unprotected
    Horizon horizon;
    ports::ConsumerLedger ledger;
    ports::MarkerVisibility visibility;
    bool standKnown = false;  ///< some position of the consumer is known: what it has passed can be told
};

/// The seven classes of domain.md by the rules of fine-print.md (passed, evidence, mixed, copies, declared, expiring).
/// Errs only towards "unprotected". Throws Error when the database is lost or `stop` is requested.
[[nodiscard]] Classified classify(const ClassifyInput& input, ports::MarkerReader& markers,
                                  const std::stop_token& stop);

/// How much worse a class is for whoever replays; a plan is stale when any record's rank grew.
[[nodiscard]] int badness(MessageClass klass) noexcept;

}  // namespace redeliver::replay
