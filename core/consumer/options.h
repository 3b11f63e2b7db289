// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/consumer/assignment.h"
#include "core/model/consumer_info.h"
#include "core/model/record.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace redeliver::consumer {

/// A message's identity, or why it has none. Made by core/identity's rules.
struct Identified {
    std::optional<MessageId> id;
    std::string reason;  ///< set when there is no ID
};
using Identify = std::function<Identified(const Record&)>;

/// Places at which a test or the lab can stop a worker dead (fine-print, "crash points").
namespace point {
inline constexpr std::string_view beforeBegin = "before-begin";
inline constexpr std::string_view afterClaim = "after-claim";
inline constexpr std::string_view afterHandler = "after-handler";
inline constexpr std::string_view deadLetterProduced = "dead-letter-produced";  ///< acknowledged, not yet committed
inline constexpr std::string_view beforeCommit = "before-commit";
inline constexpr std::string_view afterCommit = "after-commit";  ///< committed, not yet acked
inline constexpr std::string_view afterAck = "after-ack";
}  // namespace point
inline constexpr std::string_view allPoints[] = {
    point::beforeBegin,  point::afterClaim,  point::afterHandler, point::deadLetterProduced,
    point::beforeCommit, point::afterCommit, point::afterAck};

struct RetryPolicy {
    int tries = 8;  ///< then the dead-letter topic
    Duration first = std::chrono::milliseconds(200);
    Duration most = std::chrono::seconds(30);
};

struct Options {
    ConsumerInfo consumer;  ///< name, group, topics, dead letter, former names, retention …
    WorkerName worker;
    std::size_t batchRecords = 1000;
    std::chrono::milliseconds batchWindow{50};
    std::chrono::milliseconds maxPollInterval{300'000};  ///< as configured in Kafka; a batch may take a quarter
    RetryPolicy retry;
    /// No rows in processed_messages: a row that the handler changes is the marker, in one statement that checks and
    /// changes (applyOnce). The handler then sees every delivery.
    bool rowIsMarker = false;
    OnGroupAhead onGroupAhead = OnGroupAhead::Stop;
    OnOutOfRange onOutOfRange = OnOutOfRange::Stop;
    int logEveryProcessed = 1;  ///< one line per delivery; N: every Nth processed one, 0: none of them
    std::chrono::milliseconds housekeeping{1000};  ///< requests of persons, telemetry, idle acks
    std::chrono::seconds logCheck{30};             ///< how often a log's end is compared with our position
    std::filesystem::path spool;                   ///< telemetry while the database is away; empty: memory only
    std::size_t spoolBytes = std::size_t{64} * 1024 * 1024;
    /// Called at each named point; a worker's crash points or the simulator's.
    std::function<void(std::string_view)> atPoint;
};

}  // namespace redeliver::consumer
