// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/client.h"
#include "core/ports/record_source.h"

#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <set>
#include <unordered_map>

namespace redeliver::kafka {

class TopicReader;

struct GroupConsumerOptions {
    GroupName group;
    std::string clientId = "redeliver";
    std::chrono::milliseconds callLimit{10'000};  ///< of each look-up and commit
};

/// A member of a consumer group. Eager rebalancing, consumer_poll only (the batch API can lose records around seek,
/// pause and rebalance), synchronous commits, auto commit and auto offset store off. One thread; the listener is called
/// inside poll() and close(). What a listener throws comes out of poll(), after the partitions were assigned paused or
/// given up.
class GroupConsumer final : public ports::RecordSource {
  public:
    /// Throws Error(BadInput) for a bad property. Makes no connection yet.
    GroupConsumer(const Config& config, GroupConsumerOptions options);
    ~GroupConsumer() override;  ///< leaves the group without calling the listener
    GroupConsumer(const GroupConsumer&) = delete;
    GroupConsumer& operator=(const GroupConsumer&) = delete;

    void subscribe(const std::vector<Topic>& topics, ports::AssignmentListener& listener) override;
    std::variant<std::monostate, Record, ports::SourceError> poll(std::chrono::milliseconds timeout) override;
    void pause(const TopicPartition& tp) override;
    void resume(const TopicPartition& tp) override;
    void seek(const Position& position) override;
    Result<void> commit(const std::vector<Position>& positions) override;
    Result<std::vector<ports::GroupOffset>> committed(const std::vector<TopicPartition>& partitions) override;
    Result<ports::LogInfo> logInfo(const TopicPartition& tp) override;
    Result<std::vector<TopicPartition>> partitions(const std::vector<Topic>& topics) override;
    Result<std::optional<Record>> recordAt(const TopicPartition& tp, Offset offset) override;
    [[nodiscard]] bool assignmentLost() const override;
    void close() override;

    [[nodiscard]] const ConnectionState& connection() const noexcept { return m_client.connection(); }

  private:
    void onRebalance(int code, rd_kafka_topic_partition_list_s* partitions);
    void assign(rd_kafka_topic_partition_list_s* partitions);
    void revoke(rd_kafka_topic_partition_list_s* partitions);
    void restart(const TopicPartition& tp);
    [[nodiscard]] bool cooperative() const;
    std::variant<std::monostate, Record, ports::SourceError> take(const rd_kafka_message_s& message);
    std::variant<std::monostate, Record, ports::SourceError> nextError();

    Config m_config;
    GroupConsumerOptions m_options;
    Client m_client;
    std::unique_ptr<TopicReader> m_reader;  ///< for recordAt, made when first needed
    ClusterId m_cluster;
    ports::AssignmentListener* m_listener = nullptr;
    std::exception_ptr m_thrown;  ///< by the listener, to be rethrown outside librdkafka's frames
    std::unordered_map<TopicPartition, std::optional<Offset>> m_next;  ///< assigned ones; nothing: left out
    std::set<TopicPartition> m_paused;
    std::deque<ports::SourceError> m_errors;
    bool m_closed = false;
};

}  // namespace redeliver::kafka
