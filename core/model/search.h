// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/delivery.h"
#include "core/model/marker.h"
#include "core/model/record.h"

#include <optional>
#include <string>
#include <vector>

namespace redeliver {

/// One line of a message search: a marker (outcome processed) or a delivery event.
struct SearchHit {
    TimePoint at;
    std::string consumer;
    std::string outcome;  ///< as DeliveryEvent::outcome
    std::optional<DuplicateKind> kind;
    std::string messageId;
    std::optional<Coordinates> record;
    std::string worker;
    std::optional<Duration> latency;
    bool isMarker = false;
};

struct SearchResult {
    std::vector<SearchHit> hits;
    bool complete = true;  ///< false: the limit was reached
    std::string plan;      ///< how it was answered: "exact by primary key", "prefix by key range", …
    Duration took{};
};

struct ConsumerMarker {
    ConsumerName consumer;
    std::optional<Marker> marker;
    std::optional<TimePoint> keptUntil;  ///< last seen + retention, where a retention is set
    std::string note;                    ///< e.g. "under its former name payment-handler"
};

/// Everything known of one message ID.
struct MessageDetail {
    MessageId id;
    std::vector<ConsumerMarker> markers;   ///< one per known consumer, also those without
    std::vector<DeliveryEvent> attempts;   ///< by time
    std::vector<Coordinates> occurrences;  ///< where this ID is known to lie in Kafka
};

/// One record fetched from the broker, or why not.
struct RecordView {
    std::optional<Record> record;
    std::string why;  ///< "deleted by retention", "not reachable", …
};

}  // namespace redeliver
