// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/model/ids.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver {

/// A row of `consumers`, with what the profile overrides for display. The sweep uses only the database's retention.
struct ConsumerInfo {
    ConsumerName name;
    std::optional<GroupName> group;
    std::vector<Topic> topics;
    std::optional<Topic> deadLetter;
    std::vector<ConsumerName> formerly;
    std::vector<std::string> messageId;
    std::optional<std::chrono::seconds> markerRetention;
    std::optional<std::chrono::seconds> replayHorizon;
    bool registered = false;  ///< has a row in the database
};

/// Why a partition doesn't go on until a person says so (domain rule 16); codes are stable.
struct StoppedPartition {
    ConsumerName consumer;
    ClusterId cluster;
    TopicPartition tp;
    std::string
        code;  ///< e.g. handler-ended-transaction, offset-out-of-range, group-ahead, other-log, no-dead-letter-topic
    std::string reason;
    Offset next;
    std::optional<Offset> suggestedSkip;  ///< the offset that `skip-to` would most likely take
    TimePoint since;
    std::string requested;  ///< what a person asked for and the worker hasn't done yet: "", "retry", "skip-to N"
};

/// A row of `consumer_offsets`.
struct PartitionState {
    ConsumerName consumer;
    ClusterId cluster;
    TopicPartition tp;
    std::optional<Offset> next;
    std::optional<Offset> highest;
    std::optional<Offset> ackedHighest;  ///< highest group offset known acked
    WorkerName worker;
    TimePoint updatedAt;
    bool stopped = false;
};

}  // namespace redeliver
