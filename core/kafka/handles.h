// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

struct rd_kafka_s;
struct rd_kafka_conf_s;
struct rd_kafka_queue_s;
struct rd_kafka_op_s;
struct rd_kafka_message_s;
struct rd_kafka_topic_s;
struct rd_kafka_topic_partition_list_s;
struct rd_kafka_headers_s;
struct rd_kafka_AdminOptions_s;

/// Owning pointers to librdkafka's objects; each C handle is wrapped once, here, and only forward-declared.
namespace redeliver::kafka {

struct HandleDeleter {
    void operator()(rd_kafka_s* handle) const noexcept;  ///< blocks until its threads ended
    void operator()(rd_kafka_conf_s* conf) const noexcept;
    void operator()(rd_kafka_queue_s* queue) const noexcept;
    void operator()(rd_kafka_op_s* event) const noexcept;
    void operator()(rd_kafka_message_s* message) const noexcept;
    void operator()(rd_kafka_topic_s* topic) const noexcept;
    void operator()(rd_kafka_topic_partition_list_s* list) const noexcept;
    void operator()(rd_kafka_headers_s* headers) const noexcept;
    void operator()(rd_kafka_AdminOptions_s* options) const noexcept;
};

using KafkaHandle = std::unique_ptr<rd_kafka_s, HandleDeleter>;
using ConfHandle = std::unique_ptr<rd_kafka_conf_s, HandleDeleter>;
using QueueHandle = std::unique_ptr<rd_kafka_queue_s, HandleDeleter>;
using EventHandle = std::unique_ptr<rd_kafka_op_s, HandleDeleter>;
using MessageHandle = std::unique_ptr<rd_kafka_message_s, HandleDeleter>;
using TopicHandle = std::unique_ptr<rd_kafka_topic_s, HandleDeleter>;
using ListHandle = std::unique_ptr<rd_kafka_topic_partition_list_s, HandleDeleter>;
using HeadersHandle = std::unique_ptr<rd_kafka_headers_s, HandleDeleter>;
using AdminOptionsHandle = std::unique_ptr<rd_kafka_AdminOptions_s, HandleDeleter>;

/// The library gave this client up (a fenced member, say): it can only be destroyed.
[[nodiscard]] bool hasFatalError(rd_kafka_s* handle) noexcept;

}  // namespace redeliver::kafka
