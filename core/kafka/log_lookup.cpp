// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/log_lookup.h"

#include "core/kafka/convert.h"
#include "core/kafka/errors.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>

namespace redeliver::kafka {
namespace {

struct MetadataDeleter {
    void operator()(const struct rd_kafka_metadata* metadata) const noexcept { rd_kafka_metadata_destroy(metadata); }
};
using MetadataHandle = std::unique_ptr<const struct rd_kafka_metadata, MetadataDeleter>;

int millisOf(std::chrono::milliseconds limit) {
    return static_cast<int>(limit.count());
}

std::string partitionText(const Topic& topic, std::int32_t partition) {
    return fmt::format("topic {}, partition {}", topic.value(), partition);
}

}  // namespace

Result<std::vector<Partition>> partitionsOf(const Client& client, const Topic& topic, std::chrono::milliseconds limit) {
    const std::string what = fmt::format("topic {}", topic.value());
    const TopicHandle handle(rd_kafka_topic_new(client.get(), topic.value().c_str(), nullptr));
    if (!handle) {
        return failure(client.error(rd_kafka_last_error(), what));
    }
    const struct rd_kafka_metadata* raw = nullptr;
    if (const auto code = rd_kafka_metadata(client.get(), 0, handle.get(), &raw, millisOf(limit));
        code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(client.error(code, what));
    }
    const MetadataHandle metadata(raw);
    client.connection().worked();
    if (metadata->topic_cnt != 1) {
        return failure(client.error(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, what));
    }
    const rd_kafka_metadata_topic& found = metadata->topics[0];
    if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(client.error(found.err, what));
    }
    std::vector<Partition> partitions;
    partitions.reserve(static_cast<std::size_t>(found.partition_cnt));
    for (int i = 0; i < found.partition_cnt; ++i) {
        partitions.emplace_back(found.partitions[i].id);
    }
    std::ranges::sort(partitions);
    return partitions;
}

Result<std::map<Partition, std::int64_t>> offsetsFor(const Client& client, const Topic& topic,
                                                     const std::vector<Partition>& partitions, std::int64_t millis,
                                                     std::chrono::milliseconds limit) {
    const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
    for (const Partition partition : partitions) {
        rd_kafka_topic_partition_list_add(list.get(), topic.value().c_str(), partition.value())->offset = millis;
    }
    const auto code = rd_kafka_offsets_for_times(client.get(), list.get(), millisOf(limit));
    std::map<Partition, std::int64_t> offsets;
    for (int i = 0; i < list->cnt; ++i) {
        const rd_kafka_topic_partition_t& element = list->elems[i];
        if (element.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            return failure(client.error(element.err, partitionText(topic, element.partition)));
        }
        offsets.emplace(element.partition, element.offset);
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(client.error(code, fmt::format("topic {}", topic.value())));
    }
    client.connection().worked();
    return offsets;
}

#if RD_KAFKA_VERSION >= 0x020400ff
Result<std::string> topicIdOf(const Client& client, const Topic& topic, std::chrono::milliseconds limit) {
    const char* names[] = {topic.value().c_str()};
    rd_kafka_TopicCollection_t* topics = rd_kafka_TopicCollection_of_topic_names(names, 1);
    const QueueHandle queue(rd_kafka_queue_new(client.get()));
    const AdminOptionsHandle options(rd_kafka_AdminOptions_new(client.get(), RD_KAFKA_ADMIN_OP_DESCRIBETOPICS));
    rd_kafka_AdminOptions_set_request_timeout(options.get(), millisOf(limit), nullptr, 0);
    rd_kafka_DescribeTopics(client.get(), topics, options.get(), queue.get());
    rd_kafka_TopicCollection_destroy(topics);
    const EventHandle event(rd_kafka_queue_poll(queue.get(), millisOf(limit)));
    const std::string what = fmt::format("topic {}", topic.value());
    if (!event) {
        return failure(client.error(RD_KAFKA_RESP_ERR__TIMED_OUT, what));
    }
    if (const auto code = rd_kafka_event_error(event.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(client.error(code, what));
    }
    std::size_t count = 0;
    const auto** found =
        rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event.get()), &count);
    if (count != 1) {
        return failure(client.error(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, what));
    }
    if (const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(found[0]);
        error != nullptr && rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(client.error(rd_kafka_error_code(error), what));
    }
    return std::string(rd_kafka_Uuid_base64str(rd_kafka_TopicDescription_topic_id(found[0])));
}
#else
Result<std::string> topicIdOf(const Client& /*client*/, const Topic& /*topic*/, std::chrono::milliseconds /*limit*/) {
    return std::string();
}
#endif

}  // namespace redeliver::kafka
