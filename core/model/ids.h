// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/strong.h"

#include <compare>
#include <cstdint>
#include <string>

namespace redeliver {

using ConsumerName =
    Strong<struct ConsumerNameTag, std::string>;  ///< a named responsibility, e.g. order-payment-handler
using MessageId =
    Strong<struct MessageIdTag, std::string>;  ///< a logical message's identity: UTF-8, 1 to 1,024 bytes, no NUL
using Topic = Strong<struct TopicTag, std::string>;
using GroupName = Strong<struct GroupNameTag, std::string>;
using ClusterId = Strong<struct ClusterIdTag, std::string>;  ///< Kafka's cluster ID; empty when not known
using WorkerName = Strong<struct WorkerNameTag, std::string>;
using ReplayId = Strong<struct ReplayIdTag, std::string>;  ///< UUID text; equals the plan's ID
using Partition = Strong<struct PartitionTag, std::int32_t>;
using Offset = Strong<struct OffsetTag, std::int64_t>;  ///< a position, exclusive at ends, as Kafka's

inline constexpr std::size_t maxMessageIdBytes = 1024;

struct TopicPartition {
    Topic topic;
    Partition partition;
    friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

/// The next offset to read of one partition.
struct Position {
    TopicPartition tp;
    Offset next;
    friend auto operator<=>(const Position&, const Position&) = default;
};

/// Where a record lies, and in which log: offsets of two clusters are never compared (domain rule 15).
struct Coordinates {
    ClusterId cluster;  ///< empty: written without a cluster, counts in every log
    Topic topic;
    Partition partition;
    Offset offset;
    friend auto operator<=>(const Coordinates&, const Coordinates&) = default;
};

/// True when both name the same record; an empty cluster on either side matches any.
[[nodiscard]] bool sameRecord(const Coordinates& a, const Coordinates& b) noexcept;

/// "topic/partition/offset", the `coordinates` message ID and the redeliver-source header.
[[nodiscard]] std::string toText(const Coordinates& at);

}  // namespace redeliver

template <>
struct std::hash<redeliver::TopicPartition> {
    std::size_t operator()(const redeliver::TopicPartition& tp) const noexcept {
        return std::hash<std::string>{}(tp.topic.value()) * 31U + static_cast<std::size_t>(tp.partition.value());
    }
};
