// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/ids.h"
#include "core/model/record.h"

#include <chrono>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace redeliver::ports {

/// What poll gives besides records: errors of one partition or of the connection. Connection errors are for show; the
/// source reconnects by itself.
struct SourceError {
    std::optional<TopicPartition> tp;
    std::string code;  ///< librdkafka's name without prefix, e.g. "_AUTO_OFFSET_RESET", "TOPIC_AUTHORIZATION_FAILED"
    std::string text;
    bool fatal = false;
};

/// Which log a partition is, and how far it reaches now.
struct LogInfo {
    ClusterId cluster;
    std::string topicId;  ///< empty where the library doesn't tell it (before 2.4)
    Offset start;
    Offset end;            ///< last stable offset
    Offset highWatermark;  ///< 0: not known. Above `end` while a producer's transaction is open
};

struct GroupOffset {
    TopicPartition tp;
    std::optional<Offset> next;  ///< nothing committed
    std::string metadata;
};

/// Called from inside poll() and close(), on the same thread.
class AssignmentListener {
  public:
    virtual ~AssignmentListener() = default;
    /// Answers where to start each partition; one left out is assigned but paused (stopped).
    virtual std::vector<Position> assigned(const std::vector<TopicPartition>& partitions) = 0;
    /// Finish or roll back, ack what is committed, drop buffered records; then the source gives the partitions up.
    /// `lost`: they already belong to somebody else, nothing may be acked.
    virtual void revoked(const std::vector<TopicPartition>& partitions, bool lost) = 0;
};

/// The consumer's side of Kafka: one group member, one thread. Auto commit and auto offset store are off.
/// Implementations: kafka::GroupConsumer and the simulator's log.
class RecordSource {
  public:
    virtual ~RecordSource() = default;
    virtual void subscribe(const std::vector<Topic>& topics, AssignmentListener& listener) = 0;
    /// One record, one error, or nothing within `timeout`.
    virtual std::variant<std::monostate, Record, SourceError> poll(std::chrono::milliseconds timeout) = 0;
    virtual void pause(const TopicPartition& tp) = 0;  ///< also drops what the library has buffered for it
    virtual void resume(const TopicPartition& tp) = 0;
    /// Where reading goes on; the loop calls it for a paused partition and then resume(). A partition that assigned()
    /// left out is paused and has no position yet: seek() gives it one.
    virtual void seek(const Position& position) = 0;
    /// Synchronous offset commit (the ack) with the library's code on failure. Positions are next offsets.
    virtual Result<void> commit(const std::vector<Position>& positions) = 0;
    virtual Result<std::vector<GroupOffset>> committed(const std::vector<TopicPartition>& partitions) = 0;
    virtual Result<LogInfo> logInfo(const TopicPartition& tp) = 0;
    /// Every partition that the topics have now: the ledger of a first assignment covers them all.
    virtual Result<std::vector<TopicPartition>> partitions(const std::vector<Topic>& topics) = 0;
    /// The record exactly at this offset, or nothing when it is gone (deleted, compacted). Doesn't move the group.
    virtual Result<std::optional<Record>> recordAt(const TopicPartition& tp, Offset offset) = 0;
    /// True when the membership was lost (max.poll, fenced): nothing may be acked.
    virtual bool assignmentLost() const = 0;
    virtual void close() = 0;  ///< leaves the group; calls revoked() first
};

}  // namespace redeliver::ports
