// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// TestKafka's own producing and reading: straight librdkafka, nothing of core/kafka.
#include "core/base/error.h"
#include "tests/support/test_servers.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <memory>

namespace redeliver::tests {
namespace {

using Client = std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)>;
using List = std::unique_ptr<rd_kafka_topic_partition_list_t, decltype(&rd_kafka_topic_partition_list_destroy)>;

Error failed(const std::string& what, rd_kafka_resp_err_t code) {
    return {ErrorKind::Server, fmt::format("{}: {}", what, rd_kafka_err2str(code)), "", rd_kafka_err2name(code)};
}

Client makeClient(rd_kafka_type_t type, const std::map<std::string, std::string>& properties) {
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    std::array<char, 512> text{};
    for (const auto& [key, value] : properties) {
        if (rd_kafka_conf_set(conf, key.c_str(), value.c_str(), text.data(), text.size()) != RD_KAFKA_CONF_OK) {
            rd_kafka_conf_destroy(conf);
            throw Error{ErrorKind::Internal, text.data()};
        }
    }
    rd_kafka_t* client = rd_kafka_new(type, conf, text.data(), text.size());
    if (client == nullptr) {
        rd_kafka_conf_destroy(conf);
        throw Error{ErrorKind::Internal, text.data()};
    }
    return {client, &rd_kafka_destroy};
}

List makeList() {
    return {rd_kafka_topic_partition_list_new(4), &rd_kafka_topic_partition_list_destroy};
}

rd_kafka_vu_t valueOf(rd_kafka_vtype_t type) {
    rd_kafka_vu_t value{};
    value.vtype = type;
    return value;
}

void produceOne(rd_kafka_t* client, const OutgoingRecord& record) {
    std::vector<rd_kafka_vu_t> parts;
    parts.push_back(valueOf(RD_KAFKA_VTYPE_TOPIC));
    parts.back().u.cstr = record.topic.value().c_str();
    parts.push_back(valueOf(RD_KAFKA_VTYPE_PARTITION));
    parts.back().u.i32 = record.partition ? record.partition->value() : 0;
    parts.push_back(valueOf(RD_KAFKA_VTYPE_MSGFLAGS));
    parts.back().u.i = RD_KAFKA_MSG_F_COPY;
    const auto bytes = [&](rd_kafka_vtype_t type, const std::optional<std::string>& text) {
        parts.push_back(valueOf(type));
        parts.back().u.mem.ptr = text ? const_cast<char*>(text->data()) : nullptr;
        parts.back().u.mem.size = text ? text->size() : 0;
    };
    bytes(RD_KAFKA_VTYPE_KEY, record.key);
    bytes(RD_KAFKA_VTYPE_VALUE, record.value);
    if (record.timestamp) {
        parts.push_back(valueOf(RD_KAFKA_VTYPE_TIMESTAMP));
        parts.back().u.i64 = toUnixMillis(*record.timestamp);
    }
    for (const Header& header : record.headers) {
        parts.push_back(valueOf(RD_KAFKA_VTYPE_HEADER));
        parts.back().u.header.name = header.name.c_str();
        parts.back().u.header.val = header.value ? header.value->data() : nullptr;
        parts.back().u.header.size = header.value ? static_cast<ssize_t>(header.value->size()) : 0;
    }
    while (true) {
        rd_kafka_error_t* error = rd_kafka_produceva(client, parts.data(), parts.size());
        const auto code = error != nullptr ? rd_kafka_error_code(error) : RD_KAFKA_RESP_ERR_NO_ERROR;
        rd_kafka_error_destroy(error);
        if (code == RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            rd_kafka_poll(client, 10);
            continue;
        }
        if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            throw failed("produce", code);
        }
        return;
    }
}

Record recordOf(const rd_kafka_message_t& read) {
    Record record;
    record.tp = {Topic{rd_kafka_topic_name(read.rkt)}, Partition{read.partition}};
    record.offset = Offset{read.offset};
    rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    const std::int64_t millis = rd_kafka_message_timestamp(&read, &type);
    if (millis >= 0) {
        record.timestamp = fromUnixMillis(millis);
        record.timestampType =
            type == RD_KAFKA_TIMESTAMP_LOG_APPEND_TIME ? TimestampType::LogAppendTime : TimestampType::CreateTime;
    }
    if (read.key != nullptr) {
        record.key = std::string(static_cast<const char*>(read.key), read.key_len);
    }
    if (read.payload != nullptr) {
        record.value = std::string(static_cast<const char*>(read.payload), read.len);
    }
    rd_kafka_headers_t* headers = nullptr;
    if (rd_kafka_message_headers(&read, &headers) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        const char* name = nullptr;
        const void* value = nullptr;
        std::size_t size = 0;
        for (std::size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
             ++i) {
            record.headers.push_back({name, value != nullptr ? std::optional<std::string>(
                                                                   std::in_place, static_cast<const char*>(value), size)
                                                             : std::nullopt});
        }
    }
    return record;
}

int partitionsOf(rd_kafka_t* client, const std::string& topic) {
    const std::unique_ptr<rd_kafka_topic_t, decltype(&rd_kafka_topic_destroy)> handle(
        rd_kafka_topic_new(client, topic.c_str(), nullptr), &rd_kafka_topic_destroy);
    const struct rd_kafka_metadata* metadata = nullptr;
    if (const auto code = rd_kafka_metadata(client, 0, handle.get(), &metadata, 10'000);
        code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw failed("metadata", code);
    }
    const int count = metadata->topic_cnt == 1 ? metadata->topics[0].partition_cnt : 0;
    rd_kafka_metadata_destroy(metadata);
    return count;
}

}  // namespace

void TestKafka::produce(const std::vector<OutgoingRecord>& records) const {
    auto properties = this->properties();
    properties.insert({{"enable.idempotence", "true"}, {"linger.ms", "1"}});
    const Client client = makeClient(RD_KAFKA_PRODUCER, properties);
    for (const OutgoingRecord& record : records) {
        produceOne(client.get(), record);
    }
    if (const auto code = rd_kafka_flush(client.get(), 30'000); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw failed("flush", code);
    }
}

std::vector<Record> TestKafka::readAll(const std::string& topic) const {
    auto properties = this->properties();
    properties.insert({{"group.id", unique("reader")},
                       {"enable.auto.commit", "false"},
                       {"enable.partition.eof", "true"},
                       {"isolation.level", "read_committed"},
                       {"auto.offset.reset", "earliest"},
                       {"fetch.wait.max.ms", "50"}});
    const Client client = makeClient(RD_KAFKA_CONSUMER, properties);
    rd_kafka_poll_set_consumer(client.get());
    const int partitions = partitionsOf(client.get(), topic);
    const List list = makeList();
    for (int partition = 0; partition < partitions; ++partition) {
        rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = RD_KAFKA_OFFSET_BEGINNING;
    }
    rd_kafka_assign(client.get(), list.get());
    std::vector<std::vector<Record>> read(static_cast<std::size_t>(partitions));
    for (int ended = 0; ended < partitions;) {
        const std::unique_ptr<rd_kafka_message_t, decltype(&rd_kafka_message_destroy)> got(
            rd_kafka_consumer_poll(client.get(), 10'000), &rd_kafka_message_destroy);
        if (!got) {
            throw Error{ErrorKind::Limit, "reading " + topic + ": nothing within 10 s"};
        }
        if (got->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
            ++ended;
        } else if (got->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            throw failed("reading " + topic, got->err);
        } else {
            read[static_cast<std::size_t>(got->partition)].push_back(recordOf(*got));
        }
    }
    rd_kafka_consumer_close(client.get());
    std::vector<Record> all;
    for (auto& part : read) {
        std::move(part.begin(), part.end(), std::back_inserter(all));
    }
    return all;
}

std::map<int, std::int64_t> TestKafka::committed(const std::string& group, const std::string& topic,
                                                 int partitions) const {
    auto properties = this->properties();
    properties["group.id"] = group;
    const Client client = makeClient(RD_KAFKA_CONSUMER, properties);
    const List list = makeList();
    for (int partition = 0; partition < partitions; ++partition) {
        rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition);
    }
    if (const auto code = rd_kafka_committed(client.get(), list.get(), 15'000); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw failed("committed", code);
    }
    std::map<int, std::int64_t> offsets;
    for (int i = 0; i < list->cnt; ++i) {
        offsets[list->elems[i].partition] = list->elems[i].offset >= 0 ? list->elems[i].offset : -1;
    }
    return offsets;
}

void TestKafka::commitOffsets(const std::string& group, const std::string& topic,
                              const std::map<int, std::int64_t>& offsets) const {
    auto properties = this->properties();
    properties["group.id"] = group;
    const Client client = makeClient(RD_KAFKA_CONSUMER, properties);
    const List list = makeList();
    for (const auto& [partition, offset] : offsets) {
        rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
    }
    if (const auto code = rd_kafka_commit(client.get(), list.get(), 0); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw failed("commit", code);
    }
}

void TestKafka::deleteRecordsBelow(const std::string& topic, int partition, std::int64_t offset) const {
    const Client client = makeClient(RD_KAFKA_PRODUCER, properties());
    const List list = makeList();
    rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), partition)->offset = offset;
    rd_kafka_DeleteRecords_t* request = rd_kafka_DeleteRecords_new(list.get());
    const std::unique_ptr<rd_kafka_queue_t, decltype(&rd_kafka_queue_destroy)> queue(rd_kafka_queue_new(client.get()),
                                                                                     &rd_kafka_queue_destroy);
    rd_kafka_DeleteRecords(client.get(), &request, 1, nullptr, queue.get());
    rd_kafka_DeleteRecords_destroy(request);
    const std::unique_ptr<rd_kafka_event_t, decltype(&rd_kafka_event_destroy)> event(
        rd_kafka_queue_poll(queue.get(), 15'000), &rd_kafka_event_destroy);
    if (!event || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw failed("delete records", event ? rd_kafka_event_error(event.get()) : RD_KAFKA_RESP_ERR__TIMED_OUT);
    }
}

}  // namespace redeliver::tests
