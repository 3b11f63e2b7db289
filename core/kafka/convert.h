// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/handles.h"
#include "core/model/record.h"

#include <span>
#include <vector>

namespace redeliver::kafka {

/// A consumed message as a Record, byte-exact: null and empty key, value and header values differ, header names keep
/// order and doubles (a NUL inside a header name ends the name: the library's API has no length for it).
[[nodiscard]] Record toRecord(const rd_kafka_message_s& message, const Topic& topic);
[[nodiscard]] TopicPartition topicPartitionOf(const rd_kafka_message_s& message);

[[nodiscard]] ListHandle toList(std::span<const TopicPartition> partitions);
[[nodiscard]] ListHandle toList(std::span<const Position> positions);  ///< offsets set
[[nodiscard]] std::vector<TopicPartition> toPartitions(const rd_kafka_topic_partition_list_s& list);

/// Headers for producing; null when there are none.
[[nodiscard]] HeadersHandle toHeaders(const std::vector<Header>& headers);

}  // namespace redeliver::kafka
