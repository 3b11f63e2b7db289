// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/convert.h"

#include <librdkafka/rdkafka.h>

namespace redeliver::kafka {
namespace {

std::optional<std::string> bytes(const void* data, std::size_t size) {
    if (data == nullptr) {
        return std::nullopt;
    }
    return std::string(static_cast<const char*>(data), size);
}

void addHeaders(const rd_kafka_message_t& message, std::vector<Header>& out) {
    rd_kafka_headers_t* headers = nullptr;
    if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return;
    }
    out.reserve(rd_kafka_header_cnt(headers));
    const char* name = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    for (std::size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         ++i) {
        out.push_back({name, bytes(value, size)});
    }
}

}  // namespace

Record toRecord(const rd_kafka_message_s& message, const Topic& topic) {
    Record record;
    record.tp = {topic, Partition(message.partition)};
    record.offset = Offset(message.offset);
    rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    const std::int64_t millis = rd_kafka_message_timestamp(&message, &type);
    if (type != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE && millis != -1) {
        record.timestamp = fromUnixMillis(millis);
        record.timestampType =
            type == RD_KAFKA_TIMESTAMP_CREATE_TIME ? TimestampType::CreateTime : TimestampType::LogAppendTime;
    }
    record.key = bytes(message.key, message.key_len);
    record.value = bytes(message.payload, message.len);
    addHeaders(message, record.headers);
    return record;
}

TopicPartition topicPartitionOf(const rd_kafka_message_s& message) {
    return {Topic(message.rkt != nullptr ? rd_kafka_topic_name(message.rkt) : ""), Partition(message.partition)};
}

ListHandle toList(std::span<const TopicPartition> partitions) {
    ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions.size())));
    for (const TopicPartition& tp : partitions) {
        rd_kafka_topic_partition_list_add(list.get(), tp.topic.value().c_str(), tp.partition.value());
    }
    return list;
}

ListHandle toList(std::span<const Position> positions) {
    ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(positions.size())));
    for (const Position& position : positions) {
        rd_kafka_topic_partition_list_add(list.get(), position.tp.topic.value().c_str(), position.tp.partition.value())
            ->offset = position.next.value();
    }
    return list;
}

std::vector<TopicPartition> toPartitions(const rd_kafka_topic_partition_list_s& list) {
    std::vector<TopicPartition> partitions;
    partitions.reserve(static_cast<std::size_t>(list.cnt));
    for (int i = 0; i < list.cnt; ++i) {
        partitions.push_back({Topic(list.elems[i].topic), Partition(list.elems[i].partition)});
    }
    return partitions;
}

HeadersHandle toHeaders(const std::vector<Header>& headers) {
    if (headers.empty()) {
        return nullptr;
    }
    HeadersHandle out(rd_kafka_headers_new(headers.size()));
    for (const Header& header : headers) {
        // A null value has size 0 and no address; an empty one must have an address.
        rd_kafka_header_add(out.get(), header.name.data(), static_cast<ssize_t>(header.name.size()),
                            header.value ? header.value->data() : nullptr,
                            header.value ? static_cast<ssize_t>(header.value->size()) : 0);
    }
    return out;
}

}  // namespace redeliver::kafka
