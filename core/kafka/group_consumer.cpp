// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/group_consumer.h"

#include "core/kafka/convert.h"
#include "core/kafka/errors.h"
#include "core/kafka/log_lookup.h"
#include "core/kafka/topic_reader.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <array>

namespace redeliver::kafka {
namespace {

using Polled = std::variant<std::monostate, Record, ports::SourceError>;
constexpr std::size_t mostErrorsKept = 16;

Properties memberProperties(const GroupConsumerOptions& options) {
    return {{"group.id", options.group.value()},
            {"client.id", options.clientId},
            {"enable.auto.commit", "false"},
            {"enable.auto.offset.store", "false"}};
}

int millisOf(std::chrono::milliseconds limit) {
    return static_cast<int>(limit.count());
}

std::string nameOf(const TopicPartition& tp) {
    return fmt::format("{}/{}", tp.topic.value(), tp.partition.value());
}

}  // namespace

GroupConsumer::GroupConsumer(const Config& config, GroupConsumerOptions options)
    : m_config(config),
      m_options(std::move(options)),
      m_client(ClientRole::GroupMember, m_config, memberProperties(m_options), [this] {
          auto events = std::make_unique<ClientEvents>();
          events->rebalance = [this](int code, rd_kafka_topic_partition_list_s* list) { onRebalance(code, list); };
          events->failed = [this](int code, const std::string& text) {
              if (m_errors.size() < mostErrorsKept) {
                  m_errors.push_back({std::nullopt, codeName(code), text, false});
              }
          };
          return events;
      }()) {}

GroupConsumer::~GroupConsumer() {
    m_listener = nullptr;
    if (!m_closed && !hasFatalError(m_client.get())) {
        rd_kafka_consumer_close(m_client.get());
    }
}

void GroupConsumer::subscribe(const std::vector<Topic>& topics, ports::AssignmentListener& listener) {
    m_listener = &listener;
    const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(topics.size())));
    for (const Topic& topic : topics) {
        rd_kafka_topic_partition_list_add(list.get(), topic.value().c_str(), RD_KAFKA_PARTITION_UA);
    }
    if (const auto code = rd_kafka_subscribe(m_client.get(), list.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw m_client.error(code, "subscribing");
    }
}

Polled GroupConsumer::poll(std::chrono::milliseconds timeout) {
    const MessageHandle message(rd_kafka_consumer_poll(m_client.get(), millisOf(timeout)));
    if (m_thrown) {
        std::rethrow_exception(std::exchange(m_thrown, nullptr));
    }
    return message ? take(*message) : nextError();
}

Polled GroupConsumer::take(const rd_kafka_message_s& message) {
    TopicPartition tp = topicPartitionOf(message);
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        ports::SourceError error{std::nullopt, codeName(message.err), rd_kafka_message_errstr(&message), false};
        if (message.rkt != nullptr && message.partition >= 0) {
            error.tp = std::move(tp);
        }
        if (message.err == RD_KAFKA_RESP_ERR__FATAL) {
            std::array<char, 512> text{};
            error.code = codeName(rd_kafka_fatal_error(m_client.get(), text.data(), text.size()));
            error.text = text.data();
        }
        error.fatal = rd_kafka_fatal_error(m_client.get(), nullptr, 0) != RD_KAFKA_RESP_ERR_NO_ERROR;
        return error;
    }
    m_client.connection().worked();
    const auto assigned = m_next.find(tp);
    // Paused partitions have nothing to say: what the library had ready would be read again after the resume.
    if (assigned == m_next.end() || !assigned->second || m_paused.contains(tp)) {
        return std::monostate{};
    }
    assigned->second = Offset(message.offset + 1);
    return toRecord(message, tp.topic);
}

Polled GroupConsumer::nextError() {
    if (m_errors.empty()) {
        return std::monostate{};
    }
    ports::SourceError error = std::move(m_errors.front());
    m_errors.pop_front();
    return error;
}

void GroupConsumer::pause(const TopicPartition& tp) {
    if (!m_next.contains(tp) || !m_paused.insert(tp).second) {
        return;
    }
    const ListHandle list = toList(std::span(&tp, 1));
    rd_kafka_pause_partitions(m_client.get(), list.get());
}

void GroupConsumer::resume(const TopicPartition& tp) {
    const auto assigned = m_next.find(tp);
    // Resuming what isn't paused makes older libraries read records twice.
    if (assigned == m_next.end() || !assigned->second || m_paused.erase(tp) == 0) {
        return;
    }
    seek({tp, *assigned->second});
    const ListHandle list = toList(std::span(&tp, 1));
    rd_kafka_resume_partitions(m_client.get(), list.get());
}

void GroupConsumer::seek(const Position& position) {
    const auto assigned = m_next.find(position.tp);
    if (assigned == m_next.end()) {
        throw Error(ErrorKind::Server, fmt::format("seek: {} isn't assigned", nameOf(position.tp)), {}, "_STATE");
    }
    // librdkafka 2.0.2 was seen to lose the answer of a seek under load; a seek may be asked for again.
    constexpr int tries = 5;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR__TIMED_OUT;
    for (int i = 0; i < tries && code == RD_KAFKA_RESP_ERR__TIMED_OUT; ++i) {
        const ListHandle list = toList(std::span(&position, 1));
        rd_kafka_error_t* error =
            rd_kafka_seek_partitions(m_client.get(), list.get(), millisOf(m_options.callLimit / tries));
        code = error != nullptr ? rd_kafka_error_code(error) : list->elems[0].err;
        if (error != nullptr) {
            rd_kafka_error_destroy(error);
        }
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR && code != RD_KAFKA_RESP_ERR__STATE) {
        throw m_client.error(code, fmt::format("seek in {}", nameOf(position.tp)));
    }
    assigned->second = position.next;
    if (code == RD_KAFKA_RESP_ERR__STATE) {
        restart(position.tp);
    }
}

Result<void> GroupConsumer::commit(const std::vector<Position>& positions) {
    if (positions.empty()) {
        return {};
    }
    const ListHandle list = toList(positions);
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    if (const auto code = rd_kafka_commit_queue(m_client.get(), list.get(), queue.get(), nullptr, nullptr);
        code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(m_client.error(code, "committing offsets"));
    }
    // rd_kafka_commit would wait for a lost coordinator as long as the library likes.
    const EventHandle event(rd_kafka_queue_poll(queue.get(), millisOf(m_options.callLimit)));
    if (!event) {
        return failure(m_client.error(RD_KAFKA_RESP_ERR__TIMED_OUT, "committing offsets"));
    }
    if (const auto code = rd_kafka_event_error(event.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(m_client.error(code, "committing offsets"));
    }
    const rd_kafka_topic_partition_list_t* done = rd_kafka_event_topic_partition_list(event.get());
    for (int i = 0; done != nullptr && i < done->cnt; ++i) {
        if (const auto code = done->elems[i].err; code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            return failure(
                m_client.error(code, fmt::format("committing {}/{}", done->elems[i].topic, done->elems[i].partition)));
        }
    }
    return {};
}

Result<std::vector<ports::GroupOffset>> GroupConsumer::committed(const std::vector<TopicPartition>& partitions) {
    std::vector<ports::GroupOffset> offsets;
    if (partitions.empty()) {
        return offsets;
    }
    const ListHandle list = toList(partitions);
    if (const auto code = rd_kafka_committed(m_client.get(), list.get(), millisOf(m_options.callLimit));
        code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(m_client.error(code, "reading committed offsets"));
    }
    for (int i = 0; i < list->cnt; ++i) {
        const rd_kafka_topic_partition_t& element = list->elems[i];
        ports::GroupOffset offset{{Topic(element.topic), Partition(element.partition)}, std::nullopt, {}};
        if (element.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            return failure(m_client.error(element.err, "reading the committed offset of " + nameOf(offset.tp)));
        }
        if (element.offset >= 0) {
            offset.next = Offset(element.offset);
        }
        if (element.metadata != nullptr) {
            offset.metadata.assign(static_cast<const char*>(element.metadata), element.metadata_size);
        }
        offsets.push_back(std::move(offset));
    }
    return offsets;
}

Result<ports::LogInfo> GroupConsumer::logInfo(const TopicPartition& tp) {
    std::int64_t start = 0;
    std::int64_t end = 0;
    if (const auto code =
            rd_kafka_query_watermark_offsets(m_client.get(), tp.topic.value().c_str(), tp.partition.value(), &start,
                                             &end, millisOf(m_options.callLimit));
        code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(m_client.error(code, "reading the ends of " + nameOf(tp)));
    }
    if (m_cluster.value().empty()) {
        m_cluster = m_client.clusterId(m_options.callLimit);
    }
    Result<std::string> topicId = topicIdOf(m_client, tp.topic, m_options.callLimit);
    if (!topicId) {
        return failure(topicId.error());
    }
    return ports::LogInfo{m_cluster, std::move(*topicId), Offset(start), Offset(end), Offset(0)};
}

Result<std::vector<TopicPartition>> GroupConsumer::partitions(const std::vector<Topic>& topics) {
    std::vector<TopicPartition> all;
    for (const Topic& topic : topics) {
        const Result<std::vector<Partition>> found = partitionsOf(m_client, topic, m_options.callLimit);
        if (!found) {
            return failure(found.error());
        }
        for (const Partition partition : *found) {
            all.push_back({topic, partition});
        }
    }
    return all;
}

Result<std::optional<Record>> GroupConsumer::recordAt(const TopicPartition& tp, Offset offset) {
    if (!m_reader) {
        m_reader = std::make_unique<TopicReader>(m_config, TopicReaderOptions{m_options.clientId, m_options.callLimit});
    }
    return m_reader->recordAt(tp, offset);
}

bool GroupConsumer::assignmentLost() const {
    return rd_kafka_assignment_lost(m_client.get()) != 0;
}

void GroupConsumer::close() {
    if (m_closed) {
        return;
    }
    m_closed = true;
    if (!hasFatalError(m_client.get())) {
        rd_kafka_consumer_close(m_client.get());
    }
    m_next.clear();
    m_paused.clear();
    if (m_thrown) {
        std::rethrow_exception(std::exchange(m_thrown, nullptr));
    }
}

}  // namespace redeliver::kafka
