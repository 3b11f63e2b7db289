// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/scan.h"

#include "core/kafka/convert.h"
#include "core/kafka/errors.h"
#include "core/kafka/log_lookup.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>

namespace redeliver::kafka {
namespace {

/// A hole smaller than this is read through; a seek throws away what was fetched.
constexpr std::int64_t seekGap = 20'000;
constexpr int pollMillis = 100;

std::vector<ports::OffsetRange> merged(std::vector<ports::OffsetRange> ranges) {
    std::ranges::sort(ranges, {}, [](const ports::OffsetRange& range) { return range.from; });
    std::vector<ports::OffsetRange> out;
    for (const ports::OffsetRange& range : ranges) {
        if (range.to <= range.from) {
            continue;
        }
        if (!out.empty() && range.from <= out.back().to) {
            out.back().to = std::max(out.back().to, range.to);
        } else {
            out.push_back(range);
        }
    }
    return out;
}

}  // namespace

Scan::Scan(const Client& client, const Topic& topic, const std::vector<ports::OffsetRange>& ranges, ScanLimits limits)
    : m_client(client), m_topic(topic), m_limits(limits) {
    for (const ports::OffsetRange& range : ranges) {
        m_parts[range.partition.value()].ranges.push_back(range);
    }
    for (auto& [partition, part] : m_parts) {
        const Offset asked = part.ranges.front().from;
        part.ranges = merged(std::move(part.ranges));
        part.done = part.ranges.empty();
        part.position = part.done ? asked.value() : part.ranges.front().from.value();
        m_open += part.done ? 0 : 1;
    }
}

void Scan::note(const std::string& why) {
    if (!m_why.empty()) {
        m_why += "; ";
    }
    m_why += why;
}

void Scan::assign() {
    const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(m_parts.size())));
    for (const auto& [partition, part] : m_parts) {
        if (!part.done) {
            rd_kafka_topic_partition_list_add(list.get(), m_topic.value().c_str(), partition)->offset = part.position;
        }
    }
    if (const auto code = rd_kafka_assign(m_client.get(), list.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw m_client.error(code, fmt::format("reading topic {}", m_topic.value()));
    }
    // What an earlier scan of this client paused stays paused across assignments.
    rd_kafka_resume_partitions(m_client.get(), list.get());
}

Result<ports::TopicReader::ScanEnd> Scan::run(const std::function<bool(Record&&)>& sink, const std::stop_token& stop) {
    struct Unassign {
        rd_kafka_t* handle;
        ~Unassign() { rd_kafka_assign(handle, nullptr); }
    };
    if (m_open > 0) {
        assign();
        const Unassign unassign{m_client.get()};
        std::chrono::milliseconds idle{0};
        while (m_open > 0 && !m_ended && !m_error && !stop.stop_requested()) {
            MessageHandle message(rd_kafka_consumer_poll(m_client.get(), 0));
            if (!message) {
                message.reset(rd_kafka_consumer_poll(m_client.get(), pollMillis));
            }
            if (message) {
                idle = {};
                take(*message, sink);
            } else if (idle += std::chrono::milliseconds(pollMillis); idle > m_limits.idle) {
                throw m_client.error(RD_KAFKA_RESP_ERR__TIMED_OUT, fmt::format("reading topic {}", m_topic.value()),
                                     "no broker answered");
            }
        }
    }
    if (m_error) {
        return failure(*m_error);
    }
    if (m_open > 0 || m_ended) {
        note(m_ended ? "ended early" : "stopped");
    }
    ports::TopicReader::ScanEnd end;
    for (const auto& [partition, part] : m_parts) {
        end.reached.emplace(partition, Offset(part.position));
    }
    end.complete = m_why.empty();
    end.why = std::move(m_why);
    return end;
}

void Scan::finish(std::int32_t partition, Part& part) {
    part.done = true;
    --m_open;
    if (m_open > 0) {
        const TopicPartition tp{m_topic, Partition(partition)};
        const ListHandle list = toList(std::span(&tp, 1));
        rd_kafka_pause_partitions(m_client.get(), list.get());
    }
}

void Scan::seek(std::int32_t partition, std::int64_t offset) {
    const Position position{{m_topic, Partition(partition)}, Offset(offset)};
    const ListHandle list = toList(std::span(&position, 1));
    if (rd_kafka_error_t* error =
            rd_kafka_seek_partitions(m_client.get(), list.get(), static_cast<int>(m_limits.call.count()))) {
        throw toError(error, fmt::format("reading topic {}, partition {}", m_topic.value(), partition));
    }
    if (list->elems[0].err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        assign();
    }
}

/// Everything below `offset` has been passed: on to the range that it belongs to.
void Scan::moveTo(std::int32_t partition, Part& part, std::int64_t offset, bool seekAhead) {
    while (part.current < part.ranges.size() && part.ranges[part.current].to.value() <= offset) {
        part.position = part.ranges[part.current].to.value();
        ++part.current;
    }
    if (part.current == part.ranges.size()) {
        finish(partition, part);
        return;
    }
    const std::int64_t from = part.ranges[part.current].from.value();
    part.position = std::max(offset, from);
    if (seekAhead && from - offset > seekGap) {
        seek(partition, from);
    }
}

void Scan::take(const rd_kafka_message_s& message, const std::function<bool(Record&&)>& sink) {
    if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        takeError(message);
        return;
    }
    const auto it = m_parts.find(message.partition);
    if (it == m_parts.end() || it->second.done || message.offset < it->second.ranges[it->second.current].from.value()) {
        return;
    }
    Part& part = it->second;
    moveTo(message.partition, part, message.offset, true);
    if (part.done || message.offset < part.ranges[part.current].from.value()) {
        return;
    }
    m_ended = !sink(toRecord(message, m_topic));
    moveTo(message.partition, part, message.offset + 1, true);
    m_ended = m_ended && m_open > 0;
}

void Scan::takeError(const rd_kafka_message_s& message) {
    const auto it = m_parts.find(message.partition);
    switch (message.err) {
        case RD_KAFKA_RESP_ERR__PARTITION_EOF:
            if (it != m_parts.end() && !it->second.done) {
                atEnd(message.partition, it->second, message.offset);
            }
            return;
        case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
        case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
            if (it != m_parts.end() && !it->second.done) {
                wasDeleted(message.partition, it->second);
            }
            return;
        case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
            return;  // about the throw-away group, which is never used
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
        case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
        case RD_KAFKA_RESP_ERR__FATAL:
            m_error = m_client.error(message.err, fmt::format("reading topic {}", m_topic.value()),
                                     rd_kafka_message_errstr(&message));
            return;
        default:
            return;  // the library tries again; idleLimit ends it
    }
}

/// The library has read all there is: nothing that a range wants may be left above.
void Scan::atEnd(std::int32_t partition, Part& part, std::int64_t offset) {
    moveTo(partition, part, offset, true);
    if (part.done || part.position > offset) {
        if (!part.done) {
            note(fmt::format("partition {} ends at {}, before {}", partition, offset, part.position));
            finish(partition, part);
        }
        return;
    }
    const auto ends = offsetsFor(m_client, m_topic, {Partition(partition)}, latest, m_limits.call);
    if (ends && ends->begin()->second > offset) {
        return;  // it has grown meanwhile: there is more to come
    }
    note(fmt::format("partition {} can be read up to {} only, not to {}: an open transaction, or the log ends there",
                     partition, offset, part.ranges.back().to.value()));
    finish(partition, part);
}

/// The position fell out of the log: name what is gone, go on at the log's new start.
void Scan::wasDeleted(std::int32_t partition, Part& part) {
    const auto starts = offsetsFor(m_client, m_topic, {Partition(partition)}, earliest, m_limits.call);
    if (!starts) {
        m_error = starts.error();
        return;
    }
    const std::int64_t start = starts->begin()->second;
    const std::int64_t lost = part.position;
    const std::int64_t last = part.ranges.back().to.value();
    if (start <= lost) {
        note(fmt::format("partition {} ends before {}", partition, lost));
        finish(partition, part);
        return;
    }
    note(fmt::format("partition {}: offsets {} to {} were deleted", partition, lost, std::min(start, last)));
    moveTo(partition, part, start, false);
    if (!part.done) {
        assign();  // the library gave the partition up: no seek brings it back, only another assignment
    }
}

}  // namespace redeliver::kafka
