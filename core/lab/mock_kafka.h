// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace redeliver::lab {

/// Kafka's protocol requests by number, those one wants to fail.
enum class KafkaApi : std::int16_t {
    Produce = 0,
    Fetch = 1,
    ListOffsets = 2,
    Metadata = 3,
    OffsetCommit = 8,
    OffsetFetch = 9,
    FindCoordinator = 10,
    JoinGroup = 11,
    Heartbeat = 12,
    LeaveGroup = 13,
    SyncGroup = 14,
    InitProducerId = 22,
    AddPartitionsToTxn = 24,
    AddOffsetsToTxn = 25,
    EndTxn = 26,
    TxnOffsetCommit = 28,
};

/// librdkafka's mock cluster on real TCP ports of 127.0.0.1: produces, consumes, groups, commits, transactions. It has
/// no time look-up (always −1), no group, topic or config admin, no compaction, no control records, and keeps 5 MB per
/// partition. For injected faults, and the demo's fallback without Java. Any thread.
class MockKafka {
  public:
    explicit MockKafka(int brokers = 1);  ///< throws Error
    ~MockKafka();
    MockKafka(const MockKafka&) = delete;
    MockKafka& operator=(const MockKafka&) = delete;

    [[nodiscard]] std::string bootstrap() const;
    void createTopic(const std::string& topic, int partitions, int replication = 1);
    /// The next requests of this kind fail with these codes (rd_kafka_resp_err_t, Kafka's numbers), one each, on any
    /// broker; 0 lets one through; −195 (`_TRANSPORT`) closes the connection instead of answering.
    void pushErrors(KafkaApi api, const std::vector<int>& codes);
    void clearErrors(KafkaApi api);
    void setTopicError(const std::string& topic, int code);  ///< in metadata; 0 ends it
    void brokerDown(int broker = 1);                         ///< brokers are numbered from 1
    void brokerUp(int broker = 1);
    void setDelay(std::chrono::milliseconds roundTrip, int broker = 1);
    void setLeader(const std::string& topic, int partition, int broker);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace redeliver::lab
