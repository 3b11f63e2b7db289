// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/handles.h"

#include <librdkafka/rdkafka.h>

#include <array>

namespace redeliver::kafka {

bool hasFatalError(rd_kafka_s* handle) noexcept {
    std::array<char, 128> text{};
    return rd_kafka_fatal_error(handle, text.data(), text.size()) != RD_KAFKA_RESP_ERR_NO_ERROR;
}

void HandleDeleter::operator()(rd_kafka_s* handle) const noexcept {
    // Closing a fenced member never ends in librdkafka 2.0.2; the group has given it up anyway.
    rd_kafka_destroy_flags(handle, hasFatalError(handle) ? RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE : 0);
}
void HandleDeleter::operator()(rd_kafka_conf_s* conf) const noexcept {
    rd_kafka_conf_destroy(conf);
}
void HandleDeleter::operator()(rd_kafka_queue_s* queue) const noexcept {
    rd_kafka_queue_destroy(queue);
}
void HandleDeleter::operator()(rd_kafka_op_s* event) const noexcept {
    rd_kafka_event_destroy(event);
}
void HandleDeleter::operator()(rd_kafka_message_s* message) const noexcept {
    rd_kafka_message_destroy(message);
}
void HandleDeleter::operator()(rd_kafka_topic_s* topic) const noexcept {
    rd_kafka_topic_destroy(topic);
}
void HandleDeleter::operator()(rd_kafka_topic_partition_list_s* list) const noexcept {
    rd_kafka_topic_partition_list_destroy(list);
}
void HandleDeleter::operator()(rd_kafka_headers_s* headers) const noexcept {
    rd_kafka_headers_destroy(headers);
}
void HandleDeleter::operator()(rd_kafka_AdminOptions_s* options) const noexcept {
    rd_kafka_AdminOptions_destroy(options);
}

}  // namespace redeliver::kafka
