// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/kafka/client.h"
#include "core/model/ids.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

/// Look-ups that any client can make; they block up to `limit` and answer the broker's error as a value.
namespace redeliver::kafka {

/// Partitions of a topic, ascending. NotFound when the topic is missing (it is never created by asking).
[[nodiscard]] Result<std::vector<Partition>> partitionsOf(const Client& client, const Topic& topic,
                                                          std::chrono::milliseconds limit);

/// The first offset with a timestamp ≥ millis per partition; −1 (Kafka's "end") when there is none.
/// `earliest` and `latest` give the log's start and (read_committed) last stable offset instead.
inline constexpr std::int64_t earliest = -2;
inline constexpr std::int64_t latest = -1;
[[nodiscard]] Result<std::map<Partition, std::int64_t>> offsetsFor(const Client& client, const Topic& topic,
                                                                   const std::vector<Partition>& partitions,
                                                                   std::int64_t millis,
                                                                   std::chrono::milliseconds limit);

/// The topic's ID as text; empty where the linked library can't tell it (before 2.4).
[[nodiscard]] Result<std::string> topicIdOf(const Client& client, const Topic& topic, std::chrono::milliseconds limit);

}  // namespace redeliver::kafka
