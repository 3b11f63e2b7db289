// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/publish.h"

#include "core/kafka/convert.h"
#include "core/kafka/errors.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <optional>

namespace redeliver::kafka {
namespace {

constexpr int serveMillis = 100;

struct Slot {
    bool reported = false;
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    std::int32_t partition = -1;
    std::int64_t offset = -1;
    std::string text;
    std::size_t* pending = nullptr;
};

void* mutableBytes(const std::optional<std::string>& bytes) {
    // librdkafka's type has no const; with RD_KAFKA_MSG_F_COPY it only reads. Null and empty differ by the address.
    return bytes ? const_cast<char*>(bytes->data()) : nullptr;
}

/// One produce call; the returned error is the library's own refusal.
rd_kafka_error_t* produce(rd_kafka_t* handle, const OutgoingRecord& record, Slot& slot) {
    std::array<rd_kafka_vu_t, 8> arguments{};
    std::size_t count = 0;
    const auto add = [&](rd_kafka_vtype_t type) -> rd_kafka_vu_t& {
        arguments[count].vtype = type;
        return arguments[count++];
    };
    add(RD_KAFKA_VTYPE_TOPIC).u.cstr = record.topic.value().c_str();
    add(RD_KAFKA_VTYPE_PARTITION).u.i32 = record.partition ? record.partition->value() : RD_KAFKA_PARTITION_UA;
    add(RD_KAFKA_VTYPE_MSGFLAGS).u.i = RD_KAFKA_MSG_F_COPY;
    rd_kafka_vu_t& value = add(RD_KAFKA_VTYPE_VALUE);
    value.u.mem.ptr = mutableBytes(record.value);
    value.u.mem.size = record.value ? record.value->size() : 0;
    rd_kafka_vu_t& key = add(RD_KAFKA_VTYPE_KEY);
    key.u.mem.ptr = mutableBytes(record.key);
    key.u.mem.size = record.key ? record.key->size() : 0;
    add(RD_KAFKA_VTYPE_OPAQUE).u.ptr = &slot;
    if (record.timestamp) {
        add(RD_KAFKA_VTYPE_TIMESTAMP).u.i64 = toUnixMillis(*record.timestamp);
    }
    HeadersHandle headers = toHeaders(record.headers);
    if (headers) {
        add(RD_KAFKA_VTYPE_HEADERS).u.headers = headers.get();
    }
    rd_kafka_error_t* error = rd_kafka_produceva(handle, arguments.data(), count);
    if (error == nullptr) {
        (void)headers.release();  // the message owns them now
    }
    return error;
}

void refuse(Slot& slot, rd_kafka_error_t* error) {
    slot.reported = true;
    slot.code = rd_kafka_error_code(error);
    slot.text = rd_kafka_error_string(error);
    rd_kafka_error_destroy(error);
    --*slot.pending;
}

void enqueue(const Client& client, const OutgoingRecord& record, Slot& slot) {
    for (;;) {
        rd_kafka_error_t* error = produce(client.get(), record, slot);
        if (error == nullptr) {
            return;
        }
        if (rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__QUEUE_FULL) {
            refuse(slot, error);
            return;
        }
        rd_kafka_error_destroy(error);
        rd_kafka_poll(client.get(), serveMillis);
    }
}

bool sendable(const OutgoingRecord& record) {
    return !record.timestamp || toUnixMillis(*record.timestamp) > 0;
}

Result<ports::Published> resultOf(const Client& client, const OutgoingRecord& record, const Slot& slot) {
    if (!sendable(record)) {
        return failure(Error(ErrorKind::BadInput,
                             fmt::format("timestamp {} ms can't be sent: the client library would send the present "
                                         "time instead",
                                         toUnixMillis(*record.timestamp)),
                             "send it without keeping its time", "timestamp-not-sendable"));
    }
    if (slot.code == RD_KAFKA_RESP_ERR_NO_ERROR) {
        return ports::Published{{record.topic, Partition(slot.partition)}, Offset(slot.offset)};
    }
    int code = slot.code;
    std::string text = slot.text;
    // A fatal error throws the queue away: what was in it says "purged", the cause is the fatal one.
    std::array<char, 512> fatal{};
    if (const auto cause = rd_kafka_fatal_error(client.get(), fatal.data(), fatal.size());
        cause != RD_KAFKA_RESP_ERR_NO_ERROR &&
        (code == RD_KAFKA_RESP_ERR__FATAL || code == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
         code == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT)) {
        code = cause;
        text = fatal.data();
    }
    return failure(client.error(code, fmt::format("publishing to {}", record.topic.value()), text));
}

}  // namespace

void onDelivered(rd_kafka_s* /*handle*/, const rd_kafka_message_s* message, void* /*opaque*/) {
    Slot& slot = *static_cast<Slot*>(message->_private);
    slot.reported = true;
    slot.code = message->err;
    slot.partition = message->partition;
    slot.offset = message->offset;
    --*slot.pending;
}

std::vector<Result<ports::Published>> publishAll(const Client& client, std::span<const OutgoingRecord> records) {
    std::vector<Slot> slots(records.size());
    std::size_t pending = 0;
    for (std::size_t i = 0; i < records.size(); ++i) {
        if (sendable(records[i])) {
            slots[i].pending = &pending;
            ++pending;
            enqueue(client, records[i], slots[i]);
        }
    }
    // Every record ends by message.timeout.ms; flush() also takes away the linger.
    while (pending > 0) {
        rd_kafka_flush(client.get(), serveMillis);
    }
    std::vector<Result<ports::Published>> results;
    results.reserve(records.size());
    bool worked = false;
    for (std::size_t i = 0; i < records.size(); ++i) {
        results.push_back(resultOf(client, records[i], slots[i]));
        worked = worked || results.back().has_value();
    }
    if (worked) {
        client.connection().worked();
    }
    return results;
}

}  // namespace redeliver::kafka
