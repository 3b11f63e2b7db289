// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/marker_reader.h"

#include "core/postgres/event_reader.h"
#include "core/postgres/marker_reader_sql.h"
#include "core/postgres/pqxx_session.h"
#include "core/postgres/telemetry_sql.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::postgres {
namespace {

const TransactionOptions reading{.statementTimeout = std::chrono::minutes{2}};
constexpr int pageSize = 50'000;

std::vector<std::string> namesOf(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly) {
    std::vector<std::string> names{consumer.value()};
    for (const ConsumerName& name : formerly) {
        names.push_back(name.value());
    }
    return names;
}

std::vector<std::string> topicsOf(const std::vector<TopicPartition>& partitions) {
    std::set<std::string> topics;
    for (const TopicPartition& tp : partitions) {
        topics.insert(tp.topic.value());
    }
    return {topics.begin(), topics.end()};
}

std::optional<Offset> maybeOffset(const pqxx::field& field, std::int64_t add = 0) {
    const auto value = maybeInt64(field);
    return value ? std::optional(Offset{*value + add}) : std::nullopt;
}

TopicPartition tpOf(const pqxx::row& row) {
    return {Topic{textOf(row[0])}, Partition{int32Of(row[1])}};
}

using Entries = std::map<TopicPartition, ports::LedgerEntry>;

ports::LedgerEntry& entryOf(Entries& entries, const pqxx::row& row) {
    const TopicPartition tp = tpOf(row);
    ports::LedgerEntry& entry = entries[tp];
    entry.tp = tp;
    return entry;
}

Marker readMarker(const pqxx::row& row) {
    Marker marker;
    marker.consumer = ConsumerName{textOf(row[0])};
    marker.messageId = MessageId{textOf(row[1])};
    marker.processedAt = timeOf(row[2]);
    marker.at = readCoordinates(row, 3);
    marker.recordTimestamp = maybeTime(row[7]);
    if (const auto replay = maybeText(row[8])) {
        marker.replay = ReplayId{*replay};
    }
    marker.lastSeenAt = maybeTime(row[9]);
    return marker;
}

// One pass over the consumer's markers; times that can't be true are left out of the oldest and newest.
std::string summarySql(bool hasCoordinates, bool hasTimestamp, bool hasCluster) {
    constexpr std::string_view credible =
        "isfinite(processed_at) AND processed_at >= 'epoch' AND processed_at <= clock_timestamp()";
    return fmt::format(
        "SELECT {0}, {1}, max({2}), count(*), count(*) FILTER (WHERE NOT ({3})), "
        "{4}, {5}, {6}, {7} FROM :schema.processed_messages WHERE consumer_name = ANY ($1::text[]) AND $2::text IS "
        "NOT "
        "NULL AND $3::text[] IS NOT NULL GROUP BY 1, 2",
        hasCoordinates ? fmt::format("CASE WHEN topic = ANY ($3::text[]) {} THEN topic END",
                                     hasCluster ? "AND coalesce(cluster_id, '') IN ('', $2)" : "")
                       : std::string("NULL::text"),
        hasCoordinates ? fmt::format("CASE WHEN topic = ANY ($3::text[]) {} THEN partition END",
                                     hasCluster ? "AND coalesce(cluster_id, '') IN ('', $2)" : "")
                       : std::string("NULL::int"),
        hasCoordinates ? "\"offset\"" : "NULL::bigint", credible,
        microsOf(fmt::format("min(processed_at) FILTER (WHERE {})", credible)),
        microsOf(fmt::format("max(processed_at) FILTER (WHERE {})", credible)),
        hasTimestamp ? microsOf("max(record_timestamp - processed_at) FILTER (WHERE isfinite(processed_at) AND "
                                "isfinite(record_timestamp))")
                     : std::string("NULL::bigint"),
        microsOf("max(processed_at - clock_timestamp()) FILTER (WHERE isfinite(processed_at))"));
}

}  // namespace

const PgMarkerReader::Shape& PgMarkerReader::shape() {
    if (m_shape) {
        return *m_shape;
    }
    Shape found;
    PinnedTransaction transaction{m_session, reading};
    for (const auto& row : transaction.run(marker_sql::shape, SqlParams{}.add(m_session.options().schema))) {
        const std::string table = textOf(row[0]);
        if (table == "processed_messages") {
            found.table = true;
            found.columns.insert(textOf(row[1]));
        } else if (boolOf(row[2])) {
            found.tables.insert(table);
        } else if (std::find(found.unreadable.begin(), found.unreadable.end(), table) == found.unreadable.end()) {
            found.unreadable.push_back(table);
        }
    }
    m_shape = std::move(found);
    return *m_shape;
}

// Ten columns in the order of readMarker; what the table doesn't have is NULL.
std::string PgMarkerReader::markerColumns() {
    const Shape& known = shape();
    const auto column = [&](std::string_view name, std::string_view type) {
        return known.columns.contains(std::string(name)) ? quoteName(name) : fmt::format("NULL::{}", type);
    };
    return fmt::format("consumer_name, message_id, {}, {}, {}, {}, {}, {}, {}::text, {}", microsOf("processed_at"),
                       column("cluster_id", "text"), column("topic", "text"), column("partition", "int"),
                       column("offset", "bigint"), microsOf(column("record_timestamp", "timestamptz")),
                       column("replay_id", "uuid"), microsOf(column("last_seen_at", "timestamptz")));
}

ports::MarkerVisibility PgMarkerReader::visibility() {
    ports::MarkerVisibility seen;
    const Shape& known = shape();
    PinnedTransaction transaction{m_session, reading};
    const auto rows = transaction.run(marker_sql::visibility, SqlParams{}.add(m_session.options().schema));
    const auto hide = [&](std::string reason) {
        seen.complete = false;
        seen.reasons.push_back(std::move(reason));
    };
    if (rows.empty()) {
        hide("there is no table processed_messages in schema " + m_session.options().schema);
        return seen;
    }
    const auto row = rows[0];
    const std::string kind = textOf(row[0]);
    if (kind == "v" || kind == "m") {
        hide("processed_messages is a view: what it leaves out isn't known");
    } else if (kind == "f") {
        hide("processed_messages is a foreign table: what the other server hides isn't known");
    }
    if (maybeBool(row[1]).value_or(false)) {
        hide("row-level security is active for this role");
    }
    if (!boolOf(row[2])) {
        hide("this role may not read processed_messages");
    }
    for (const std::string& table : known.unreadable) {
        hide("this role may not read " + table);
    }
    seen.unique = boolOf(row[3]) && !boolOf(row[4]);
    seen.replica = boolOf(row[5]);
    if (seen.replica) {
        const auto lag = maybeInt64(row[6]);
        seen.replicaLag = lag ? std::optional<Duration>(std::chrono::seconds{*lag}) : std::nullopt;
    }
    return seen;
}

ports::ConsumerLedger PgMarkerReader::ledger(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                                             const ClusterId& cluster, const std::vector<TopicPartition>& partitions) {
    const Shape known = shape();
    ports::ConsumerLedger found;
    Entries entries;
    const auto names = namesOf(consumer, formerly);
    const auto topics = topicsOf(partitions);
    const auto params = [&] { return SqlParams{}.addArray(names).add(cluster.value()).addArray(topics); };
    PinnedTransaction transaction{m_session, reading};
    if (known.tables.contains("marker_horizon")) {
        for (const auto& row : transaction.run(marker_sql::horizon, params())) {
            if (textOf(row[0]).empty()) {
                found.lostBefore = maybeTime(row[3]);
            } else {
                entryOf(entries, row).horizon = maybeOffset(row[2]);
                found.anyLedger = true;
            }
        }
    }
    if (known.tables.contains("consumer_offsets")) {
        for (const auto& row : transaction.run(marker_sql::offsets, params())) {
            ports::LedgerEntry& entry = entryOf(entries, row);
            entry.highest = maybeOffset(row[2]);
            entry.next = maybeOffset(row[3]);
            found.ownedByUs = found.ownedByUs || maybeBool(row[4]).value_or(false);
        }
    }
    const auto raise = [](ports::LedgerEntry& entry, std::optional<Offset> offset) {
        entry.highestMarker = std::max(entry.highestMarker, offset);
    };
    if (known.tables.contains("delivery_events")) {
        std::vector<std::string> eachTopic;
        std::vector<std::int64_t> eachPartition;
        for (const TopicPartition& tp : partitions) {
            eachTopic.push_back(tp.topic.value());
            eachPartition.push_back(tp.partition.value());
        }
        const auto rows = transaction.run(
            marker_sql::eventStand,
            SqlParams{}.addArray(names).add(cluster.value()).addArray(eachTopic).addArray(eachPartition));
        for (const auto& row : rows) {
            raise(entryOf(entries, row), maybeOffset(row[2], 1));
        }
    }
    if (known.table) {
        const std::string sql =
            summarySql(known.columns.contains("offset") && known.columns.contains("topic"),
                       known.columns.contains("record_timestamp"), known.columns.contains("cluster_id"));
        for (const auto& row : transaction.run(Sql{"markers.summary", sql}, params())) {
            found.anyMarker = true;
            found.impossibleTimes += int64Of(row[4]);
            if (const auto oldest = maybeTime(row[5])) {
                found.oldestMarker = found.oldestMarker ? std::min(*found.oldestMarker, *oldest) : *oldest;
            }
            found.newestMarker = std::max(found.newestMarker, maybeTime(row[6]));
            found.recordAhead = std::max(found.recordAhead, maybeDuration(row[7]).value_or(Duration{}));
            found.futureBy = std::max(found.futureBy, maybeDuration(row[8]).value_or(Duration{}));
            if (!row[0].is_null() && !row[1].is_null()) {
                raise(entryOf(entries, row), maybeOffset(row[2], 1));
            }
        }
    }
    for (auto& [tp, entry] : entries) {
        found.partitions.push_back(std::move(entry));
    }
    return found;
}

std::map<std::string, Marker> PgMarkerReader::find(const ConsumerName& consumer,
                                                   const std::vector<ConsumerName>& formerly,
                                                   std::span<const MessageId> ids, const std::stop_token& stop) {
    std::map<std::string, Marker> found;
    if (!shape().table || ids.empty()) {
        return found;
    }
    std::vector<std::string> texts;
    texts.reserve(ids.size());
    for (const MessageId& id : ids) {
        texts.push_back(id.value());
    }
    const std::string sql = fmt::format(
        "SELECT {} FROM :schema.processed_messages WHERE consumer_name = ANY ($1::text[]) AND message_id = ANY "
        "($2::text[])",
        markerColumns());
    PinnedTransaction transaction{m_session, reading, stop};
    const auto rows =
        transaction.run(Sql{"markers.find", sql}, SqlParams{}.addArray(namesOf(consumer, formerly)).addArray(texts));
    for (const auto& row : rows) {
        Marker marker = readMarker(row);
        const auto [place, isNew] = found.try_emplace(marker.messageId.value(), marker);
        if (!isNew && place->second.lastSeen() < marker.lastSeen()) {
            place->second = std::move(marker);
        }
    }
    return found;
}

void PgMarkerReader::stream(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                            std::optional<TimePoint> since, const std::function<bool(Marker&&)>& sink,
                            const std::stop_token& stop) {
    if (!shape().table) {
        return;
    }
    const std::string lastSeen =
        shape().columns.contains("last_seen_at") ? "coalesce(last_seen_at, processed_at)" : "processed_at";
    // Pages by the key: no cursor, so that it works behind a transaction pooler.
    const std::string sql = fmt::format(
        "SELECT {} FROM :schema.processed_messages WHERE consumer_name = $1 AND message_id > $2 AND ($3::timestamptz "
        "IS "
        "NULL OR {} >= $3::timestamptz) ORDER BY message_id LIMIT {}",
        markerColumns(), lastSeen, pageSize);
    for (const std::string& name : namesOf(consumer, formerly)) {
        std::string after;
        for (;;) {
            PinnedTransaction transaction{m_session, reading, stop};
            const auto rows = transaction.run(Sql{"markers.stream", sql}, SqlParams{}.add(name).add(after).add(since));
            for (const auto& row : rows) {
                Marker marker = readMarker(row);
                after = marker.messageId.value();
                if (!sink(std::move(marker))) {
                    return;
                }
            }
            if (rows.size() < pageSize) {
                break;
            }
        }
    }
}

std::int64_t PgMarkerReader::estimate(const ConsumerName&) {
    PinnedTransaction transaction{m_session, reading};
    return int64Of(transaction.run(marker_sql::estimate, SqlParams{}.add(m_session.options().schema))[0][0]);
}

std::vector<Offset> PgMarkerReader::evidence(const ConsumerName& consumer, const std::vector<ConsumerName>& formerly,
                                             const ClusterId& cluster, const TopicPartition& tp, Offset from,
                                             Offset to) {
    std::vector<Offset> offsets;
    const Shape& known = shape();
    if (!known.tables.contains("delivery_events")) {
        return offsets;
    }
    const auto names = namesOf(consumer, formerly);
    PinnedTransaction transaction{m_session, reading};
    std::optional<TimePoint> lostBefore;
    if (known.tables.contains("marker_horizon")) {
        lostBefore = maybeTime(transaction.run(marker_sql::lostBefore, SqlParams{}.addArray(names))[0][0]);
    }
    SqlParams params;
    params.addArray(names).add(cluster.value()).add(tp.topic.value()).add(tp.partition.value());
    params.add(from.value()).add(to.value()).add(lostBefore);
    for (const auto& row : transaction.run(marker_sql::evidence, params)) {
        offsets.emplace_back(int64Of(row[0]));
    }
    return offsets;
}

std::vector<DeliveryEvent> PgMarkerReader::replayEvents(const ReplayId& replay, const ConsumerName& consumer,
                                                        const std::vector<ConsumerName>& formerly) {
    std::vector<DeliveryEvent> events;
    const auto id = uuidText(replay.value());
    if (!shape().tables.contains("delivery_events") || !id) {
        return events;
    }
    const std::string sql = fmt::format(
        "SELECT {} FROM :schema.delivery_events e WHERE e.replay_id = $1::uuid AND e.consumer_name = ANY ($2::text[]) "
        "ORDER BY e.event_id",
        eventColumns("e."));
    PinnedTransaction transaction{m_session, reading};
    for (const auto& row : transaction.run(Sql{"markers.replay_events", sql},
                                           SqlParams{}.add(*id).addArray(namesOf(consumer, formerly)))) {
        events.push_back(readEvent(row));
    }
    return events;
}

TimePoint PgMarkerReader::now() {
    PinnedTransaction transaction{m_session, reading};
    return timeOf(transaction.run(marker_sql::now)[0][0]);
}

}  // namespace redeliver::postgres
