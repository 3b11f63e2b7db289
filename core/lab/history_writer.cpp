// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/history_writer.h"

#include "core/model/content_hash.h"
#include "core/postgres/pqxx_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace redeliver::lab {
namespace {

using postgres::PinnedTransaction;
using postgres::Sql;
using postgres::SqlParams;

constexpr std::size_t chunk = 10'000;
const postgres::TransactionOptions writing{false, std::chrono::minutes{1}, std::chrono::seconds{5},
                                           std::chrono::minutes{1}};

constexpr Sql insertConsumer{"history_consumer", R"(
INSERT INTO :schema.consumers (consumer_name, group_name, topics, dead_letter, message_id_rules, marker_retention, replay_horizon)
VALUES ($1, $2, ARRAY[$3], $4, ARRAY['header:message-id', 'json:/message_id'], $5::interval, $6::interval)
ON CONFLICT (consumer_name) DO NOTHING)"};

constexpr Sql insertOffset{"history_offset", R"(
INSERT INTO :schema.consumer_offsets (consumer_name, cluster_id, topic, partition, next_offset, highest_offset, acked_offset,
    last_record_offset, last_record_timestamp, last_record_crc)
VALUES ($1, $2, $3, $4::int, $5::bigint, $5::bigint, $5::bigint, $6::bigint, $7::timestamptz, $8::bigint))"};

constexpr Sql insertLedger{"history_ledger", R"(
INSERT INTO :schema.marker_horizon (consumer_name, cluster_id, topic, partition, "offset") VALUES ($1, $2, $3, $4::int, $5::bigint))"};

constexpr Sql insertMarkers{"history_markers", R"(
INSERT INTO :schema.processed_messages (consumer_name, message_id, processed_at, topic, partition, "offset", record_timestamp,
    worker, cluster_id, content_hash)
SELECT $1, id, at::timestamptz, $2, part::int, off::bigint, ts::timestamptz, $3, $4, hash::bytea
FROM unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[]) AS t(id, at, part, off, ts, hash)
ORDER BY id ON CONFLICT DO NOTHING)"};

constexpr Sql insertEvent{"history_event", R"(
INSERT INTO :schema.delivery_events (at, consumer_name, outcome, kind, message_id, cluster_id, topic, partition, "offset", worker,
    error_code, error_text, latency, since_first_processed, identical_content, generated)
VALUES ($1::timestamptz, $2, $3, $4, $5, $6, $7, $8::int, $9::bigint, $10, nullif($11, ''), nullif($12, ''), $13::interval, $14::interval,
    $15::boolean, true))"};

constexpr Sql insertCounts{"history_counts", R"(
INSERT INTO :schema.delivery_counts (consumer_name, worker, bucket, bucket_s, processed, duplicate, transaction_failed, redelivered,
    published_again, ack_failed, latency_slots, latency_counts, generated, changed)
VALUES ($1, $2, $3::timestamptz, $4::int, $5::bigint, $6::bigint, $7::bigint, $8::bigint, $9::bigint, $10::bigint, $11::smallint[],
    $12::bigint[], true, pg_current_xact_id()::text::bigint) ON CONFLICT DO NOTHING)"};

Record asRecord(const HistoryRecord& record) {
    Record read;
    read.key = record.record.key;
    read.value = record.record.value;
    return read;
}

// Newer than six hours counts stay in buckets of 10 s, older ones are rolled up to a minute (contract.md,
// delivery_counts).
std::chrono::seconds bucketLength(TimePoint at, TimePoint end) {
    return at >= end - std::chrono::hours{6} ? std::chrono::seconds{10} : std::chrono::seconds{60};
}

struct Bucket {
    Counts counts;
    Histogram latency;
};

}  // namespace

HistoryWriter::HistoryWriter(const History& history, postgres::Session& session, ClusterId cluster)
    : m_history(history), m_session(session), m_cluster(std::move(cluster)) {}

void HistoryWriter::publish(ports::RecordSink& sink) const {
    for (const auto& [topic, records] : m_history.topics) {
        for (std::size_t from = 0; from < records.size(); from += chunk) {
            const std::span part(records.data() + from, std::min(chunk, records.size() - from));
            std::vector<OutgoingRecord> out;
            out.reserve(part.size());
            for (const HistoryRecord& record : part) {
                out.push_back(record.record);
            }
            const auto answers = sink.publish(out);
            for (std::size_t i = 0; i < part.size(); ++i) {
                if (!answers[i]) {
                    throw answers[i].error();
                }
                if (answers[i]->offset != part[i].offset) {
                    throw Error{ErrorKind::Internal,
                                fmt::format("generated history: {} lies at {} instead of {}", part[i].id,
                                            answers[i]->offset.value(), part[i].offset.value())};
                }
            }
        }
    }
}

HistoryWriter::LedgerOffsets HistoryWriter::ledgerOf(const ConsumerHistory& consumer) const {
    const DemoTopic& topic = demoTopic(consumer.consumer->topic);
    const TimePoint cut = m_history.span.to - parseSpan(consumer.consumer->retention).value();
    LedgerOffsets ledger;
    for (int partition = 0; partition < topic.partitions; ++partition) {
        ledger[{Topic{topic.name}, Partition{partition}}] = Offset{0};
    }
    for (const HistoryRecord& record : m_history.topics.at(topic.name)) {
        if (*record.record.timestamp < cut) {
            Offset& below = ledger[{Topic{topic.name}, *record.record.partition}];
            below = std::max(below, Offset{record.offset.value() + 1});
        }
    }
    return ledger;
}

void HistoryWriter::writePositions() {
    for (const ConsumerHistory& consumer : m_history.consumers) {
        writePositions(consumer);
    }
}

void HistoryWriter::writePositions(const ConsumerHistory& consumer) {
    const DemoConsumer& plan = *consumer.consumer;
    PinnedTransaction transaction(m_session, writing);
    transaction.run(insertConsumer, SqlParams{}
                                        .add(plan.name)
                                        .add(plan.group)
                                        .add(plan.topic)
                                        .add(plan.topic + ".dlt")
                                        .add(Duration{parseSpan(plan.retention).value()})
                                        .add(Duration{parseSpan(plan.replayHorizon).value()}));
    std::map<std::int32_t, const HistoryRecord*> last;
    for (const HistoryRecord& record : m_history.topics.at(plan.topic)) {
        last[record.record.partition->value()] = &record;
    }
    for (const auto& [tp, offset] : ledgerOf(consumer)) {
        transaction.run(insertLedger, SqlParams{}
                                          .add(plan.name)
                                          .add(m_cluster.value())
                                          .add(tp.topic.value())
                                          .add(tp.partition.value())
                                          .add(offset.value()));
        const auto found = last.find(tp.partition.value());
        SqlParams params;
        params.add(plan.name).add(m_cluster.value()).add(tp.topic.value()).add(tp.partition.value());
        if (found == last.end()) {
            params.add(std::int64_t{0}).addNull().addNull().addNull();
        } else {
            const HistoryRecord& record = *found->second;
            params.add(record.offset.value() + 1).add(record.offset.value()).add(*record.record.timestamp);
            params.add(std::int64_t{contentCrc(asRecord(record))});
        }
        transaction.run(insertOffset, params);
    }
    transaction.commit();
}

void HistoryWriter::writeSpan(const TimeRange& span, const std::stop_token& stop) {
    for (const ConsumerHistory& consumer : m_history.consumers) {
        writeCounts(consumer, span);
        writeEvents(consumer, span);
        writeMarkers(consumer, span, stop);
        if (stop.stop_requested()) {
            return;
        }
    }
}

void HistoryWriter::writeMarkers(const ConsumerHistory& consumer, const TimeRange& span, const std::stop_token& stop) {
    const auto& records = m_history.topics.at(consumer.consumer->topic);
    const LedgerOffsets ledger = ledgerOf(consumer);
    std::array<std::vector<std::string>, 6> columns;
    const auto flush = [&] {
        if (columns[0].empty()) {
            return;
        }
        PinnedTransaction transaction(m_session, writing, stop);
        SqlParams params;
        params.add(consumer.consumer->name)
            .add(consumer.consumer->topic)
            .add(consumer.consumer->name + "-1")
            .add(m_cluster.value());
        for (auto& column : columns) {
            params.addArray(std::span<const std::string>(column));
            column.clear();
        }
        transaction.run(insertMarkers, params);
        transaction.commit();
    };
    for (const auto& processed : consumer.processed) {
        const HistoryRecord& record = records[processed.record];
        const Partition partition = *record.record.partition;
        if (!span.contains(processed.at) || record.offset < ledger.at({record.record.topic, partition})) {
            continue;
        }
        columns[0].push_back(record.id);
        columns[1].push_back(postgres::timeText(processed.at));
        columns[2].push_back(fmt::format("{}", partition.value()));
        columns[3].push_back(fmt::format("{}", record.offset.value()));
        columns[4].push_back(postgres::timeText(*record.record.timestamp));
        columns[5].push_back(postgres::byteaText(contentHash(asRecord(record))));
        if (columns[0].size() >= chunk) {
            flush();
        }
    }
    flush();
}

void HistoryWriter::writeEvents(const ConsumerHistory& consumer, const TimeRange& span) {
    PinnedTransaction transaction(m_session, writing);
    for (const DeliveryEvent& event : consumer.events) {
        if (!span.contains(event.at)) {
            continue;
        }
        SqlParams params;
        params.add(event.at).add(event.consumer.value()).add(event.outcome);
        event.kind ? params.add(toText(*event.kind)) : params.addNull();
        params.add(event.messageId->value()).add(m_cluster.value()).add(event.at_record->topic.value());
        params.add(event.at_record->partition.value()).add(event.at_record->offset.value()).add(event.worker.value());
        params.add(event.errorCode)
            .add(event.errorText)
            .add(event.latency)
            .add(event.sinceFirstProcessed)
            .add(event.identicalContent);
        transaction.run(insertEvent, params);
    }
    transaction.commit();
}

void HistoryWriter::writeCounts(const ConsumerHistory& consumer, const TimeRange& span) {
    std::map<TimePoint, Bucket> buckets;
    const auto at = [&](TimePoint instant) -> Bucket& {
        const auto length = bucketLength(instant, m_history.span.to);
        return buckets[gridOf({instant, instant + Duration{1}}, length).from];
    };
    for (const auto& processed : consumer.processed) {
        if (span.contains(processed.at)) {
            Bucket& bucket = at(processed.at);
            ++bucket.counts.of(Outcome::Processed);
            bucket.latency.add(processed.latency);
        }
    }
    for (const DeliveryEvent& event : consumer.events) {
        if (!span.contains(event.at)) {
            continue;
        }
        Counts& counts = at(event.at).counts;
        if (const auto outcome = parseOutcome(event.outcome)) {
            ++counts.of(*outcome);
        } else {
            ++counts.ackFailed;
        }
        if (event.kind) {
            ++counts.of(*event.kind);
        }
    }
    PinnedTransaction transaction(m_session, writing);
    for (const auto& [start, bucket] : buckets) {
        std::vector<std::int64_t> slots;
        std::vector<std::int64_t> slotCounts;
        for (const auto& [slot, count] : bucket.latency.slots()) {
            slots.push_back(slot);
            slotCounts.push_back(count);
        }
        const Counts& counts = bucket.counts;
        SqlParams params;
        params.add(consumer.consumer->name).add(consumer.consumer->name + "-1").add(start);
        params.add(std::int64_t{bucketLength(start, m_history.span.to).count()});
        params.add(counts.of(Outcome::Processed))
            .add(counts.of(Outcome::Duplicate))
            .add(counts.of(Outcome::TransactionFailed));
        params.add(counts.of(DuplicateKind::Redelivered))
            .add(counts.of(DuplicateKind::PublishedAgain))
            .add(counts.ackFailed);
        params.addArray(std::span<const std::int64_t>(slots)).addArray(std::span<const std::int64_t>(slotCounts));
        transaction.run(insertCounts, params);
    }
    transaction.commit();
}

}  // namespace redeliver::lab
