// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/topic_reader.h"

#include "core/base/clock.h"
#include "core/kafka/errors.h"
#include "core/kafka/log_lookup.h"
#include "core/kafka/scan.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::kafka {
namespace {

Properties readerProperties(const TopicReaderOptions& options) {
    return {{"group.id", "redeliver-reader-" + randomUuid(*systemEntropy())},
            {"client.id", options.clientId},
            {"enable.auto.commit", "false"},
            {"enable.auto.offset.store", "false"},
            {"enable.partition.eof", "true"},
            {"auto.offset.reset", "error"},
            {"isolation.level", "read_committed"},
            {"max.poll.interval.ms", "86400000"}};
}

std::int64_t millisAtOrAfter(TimePoint at) {
    const std::int64_t floor = toUnixMillis(at);
    return fromUnixMillis(floor) == at ? floor : floor + 1;
}

}  // namespace

TopicReader::TopicReader(const Config& config, TopicReaderOptions options)
    : m_config(config),
      m_options(std::move(options)),
      m_client(ClientRole::Reader, m_config, readerProperties(m_options)) {}

TopicReader::~TopicReader() = default;

ClusterId TopicReader::clusterId() {
    return m_client.clusterId(m_options.callLimit);
}

Result<std::map<Partition, ports::LogInfo>> TopicReader::logs(const Topic& topic) {
    const auto partitions = partitionsOf(m_client, topic, m_options.callLimit);
    if (!partitions) {
        return failure(partitions.error());
    }
    if (!m_uncommitted) {
        m_uncommitted =
            std::make_unique<Client>(ClientRole::Admin, m_config, Properties{{"isolation.level", "read_uncommitted"}});
    }
    // The start last and the high watermark after the stable end: start ≤ end ≤ high can't be contradicted by a log
    // that grows or is cut meanwhile.
    const auto ends = offsetsFor(m_client, topic, *partitions, latest, m_options.callLimit);
    const auto highs = offsetsFor(*m_uncommitted, topic, *partitions, latest, m_options.callLimit);
    const auto starts = offsetsFor(m_client, topic, *partitions, earliest, m_options.callLimit);
    const auto topicId = topicIdOf(m_client, topic, m_options.callLimit);
    for (const auto* answer : {&ends, &highs, &starts}) {
        if (!*answer) {
            return failure(answer->error());
        }
    }
    if (!topicId) {
        return failure(topicId.error());
    }
    const ClusterId cluster = clusterId();
    std::map<Partition, ports::LogInfo> logs;
    for (const Partition partition : *partitions) {
        const std::int64_t end = std::max(ends->at(partition), starts->at(partition));
        logs.emplace(partition, ports::LogInfo{cluster, *topicId, Offset(starts->at(partition)), Offset(end),
                                               Offset(std::max(highs->at(partition), end))});
    }
    return logs;
}

Result<std::map<Partition, Offset>> TopicReader::offsetsAt(const Topic& topic, TimePoint at) {
    const auto known = logs(topic);
    if (!known) {
        return failure(known.error());
    }
    std::map<Partition, Offset> offsets;
    std::vector<Partition> partitions;
    for (const auto& [partition, log] : *known) {
        offsets.emplace(partition, log.start);
        partitions.push_back(partition);
    }
    const std::int64_t millis = millisAtOrAfter(at);
    if (millis <= 0) {
        return offsets;  // numbers below 0 ask Kafka for something else
    }
    const auto found = offsetsFor(m_client, topic, partitions, millis, m_options.callLimit);
    if (!found) {
        return failure(found.error());
    }
    for (const auto& [partition, offset] : *found) {
        const ports::LogInfo& log = known->at(partition);
        if (offset >= 0) {
            offsets[partition] = Offset(offset);
            continue;
        }
        const auto newest = newestRecord({topic, partition}, log.start, log.end);
        if (!newest) {
            return failure(newest.error());
        }
        const bool nothingSince = !*newest || ((*newest)->timestamp && *(*newest)->timestamp < at);
        offsets[partition] = nothingSince ? log.end : log.start;
    }
    return offsets;
}

Result<std::optional<Record>> TopicReader::newestRecord(const TopicPartition& tp, Offset start, Offset end) {
    // The last offsets may hold control records or aborted data: look back further and further.
    std::optional<Record> newest;
    for (std::int64_t back = 1; end > start; back *= 16) {
        const Offset from(std::max(start.value(), end.value() - back));
        const auto read = scan(tp.topic, {{tp.partition, from, end}},
                               [&newest](Record&& record) {
                                   newest = std::move(record);
                                   return true;
                               },
                               {});
        if (!read) {
            return failure(read.error());
        }
        if (newest || from <= start) {
            break;
        }
    }
    return newest;
}

Result<std::optional<Record>> TopicReader::recordAt(const TopicPartition& tp, Offset offset) {
    const auto starts = offsetsFor(m_client, tp.topic, {tp.partition}, earliest, m_options.callLimit);
    const auto ends = offsetsFor(m_client, tp.topic, {tp.partition}, latest, m_options.callLimit);
    for (const auto* answer : {&starts, &ends}) {
        if (!*answer) {
            return failure(answer->error());
        }
    }
    std::optional<Record> found;
    if (offset.value() < starts->at(tp.partition) || offset.value() >= ends->at(tp.partition)) {
        return found;
    }
    const auto read = scan(tp.topic, {{tp.partition, offset, Offset(offset.value() + 1)}},
                           [&found](Record&& record) {
                               found = std::move(record);
                               return false;
                           },
                           {});
    if (!read) {
        return failure(read.error());
    }
    return found;
}

Result<ports::TopicReader::ScanEnd> TopicReader::scan(const Topic& topic, const std::vector<ports::OffsetRange>& ranges,
                                                      const std::function<bool(Record&&)>& sink,
                                                      const std::stop_token& stop) {
    Scan scan(m_client, topic, ranges, {m_options.callLimit, m_options.idleLimit});
    return scan.run(sink, stop);
}

}  // namespace redeliver::kafka
