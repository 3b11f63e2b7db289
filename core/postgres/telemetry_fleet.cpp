// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/event_reader.h"
#include "core/postgres/rows.h"
#include "core/postgres/telemetry_sql.h"
#include "core/postgres/telemetry_store.h"

#include <fmt/format.h>

namespace redeliver::postgres {
namespace {

constexpr std::string_view deliveriesText =
    "SELECT n, (SELECT {0} FROM :schema.delivery_counts c WHERE c.consumer_name = n "
    "ORDER BY c.bucket LIMIT 1), "
    "(SELECT {0} + c.bucket_s * 1000000::bigint FROM :schema.delivery_counts c WHERE c.consumer_name = n "
    "AND c.processed + c.duplicate + c.stale + c.not_addressed + c.rejected + c.transaction_failed > 0 "
    "ORDER BY c.bucket DESC LIMIT 1) FROM unnest($1::text[]) AS n";

constexpr std::string_view smallThings =
    "SELECT {0}, (SELECT {1} + bucket_s * 1000000::bigint FROM :schema.delivery_counts ORDER BY bucket DESC LIMIT 1), "
    "(SELECT {2} FROM :schema.delivery_counts WHERE ack_failed > 0 AND bucket >= $1::timestamptz "
    "AND bucket < $2::timestamptz), "
    "(SELECT CASE WHEN reltuples >= 0 THEN reltuples::bigint END FROM pg_class "
    "WHERE oid = to_regclass(':schema.processed_messages'))";

constexpr std::string_view bandsText =
    "SELECT replay_id, consumer_name, topic, {0}, {1} FROM :schema.replays WHERE started_at IS NOT NULL "
    "AND started_at < $2::timestamptz AND coalesce(ended_at, 'infinity') >= $1::timestamptz "
    "ORDER BY started_at DESC LIMIT 200";

constexpr std::string_view factsText =
    "SELECT current_setting('server_version'), {0}, pg_is_in_recovery(), "
    "CASE WHEN NOT pg_is_in_recovery() THEN NULL WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0 "
    "ELSE {1} END";

constexpr std::string_view eventsText =
    "SELECT {} FROM :schema.delivery_events e WHERE e.at >= $1::timestamptz AND e.at < $2::timestamptz "
    "AND ($3 = '' OR e.consumer_name = $3) ORDER BY e.at DESC, e.event_id DESC LIMIT $4::int";

std::vector<FleetState::Last> readDeliveries(PinnedTransaction& transaction,
                                             const std::vector<ConsumerInfo>& consumers) {
    std::vector<std::string> names;
    names.reserve(consumers.size());
    for (const auto& info : consumers) {
        names.push_back(info.name.value());
    }
    const std::string text = fmt::format(deliveriesText, microsOf("c.bucket"));
    std::vector<FleetState::Last> out;
    for (const auto& row : transaction.run({"telemetry.deliveries", text}, SqlParams{}.addArray(names))) {
        out.push_back({ConsumerName{textOf(row[0])}, maybeTime(row[1]), maybeTime(row[2])});
    }
    return out;
}

std::vector<ReplayBand> readBands(PinnedTransaction& transaction, const SqlParams& range, TimePoint now) {
    const std::string text = fmt::format(bandsText, microsOf("started_at"), microsOf("ended_at"));
    std::vector<ReplayBand> out;
    for (const auto& row : transaction.run({"telemetry.replays", text}, range)) {
        out.push_back({ReplayId{textOf(row[0])}, fmt::format("{} · {}", textOf(row[1]), textOf(row[2])),
                       TimeRange{timeOf(row[3]), maybeTime(row[4]).value_or(now)}});
    }
    return out;
}

}  // namespace

FleetState PgTelemetryStore::fleet(const TimeRange& range, const std::stop_token& stop) {
    PinnedTransaction transaction{m_session, {}, stop};
    const SqlParams params = SqlParams{}.add(range.from).add(range.to);
    const std::string small =
        fmt::format(smallThings, microsOf("clock_timestamp()"), microsOf("bucket"), microsOf("min(bucket)"));
    const auto row = transaction.run({"telemetry.fleet", small}, params)[0];
    FleetState state;
    state.now = timeOf(row[0]);
    state.newest = maybeTime(row[1]);
    state.firstAckFailure = maybeTime(row[2]);
    state.markersEstimate = maybeInt64(row[3]);
    state.consumers = readConsumers(transaction);
    state.deliveries = readDeliveries(transaction, state.consumers);
    state.stopped = readStopped(transaction);
    state.partitions = readPartitions(transaction);
    state.replays = readBands(transaction, params, state.now);
    return state;
}

ServerFacts PgTelemetryStore::facts() {
    PinnedTransaction transaction{m_session};
    const std::string text = fmt::format(factsText, microsOf("clock_timestamp()"),
                                         microsOf("clock_timestamp() - pg_last_xact_replay_timestamp()"));
    const auto row = transaction.run({"server.facts", text})[0];
    ServerFacts facts;
    const std::string version = textOf(row[0]);
    facts.version = "PostgreSQL " + version.substr(0, version.find(' '));
    facts.now = timeOf(row[1]);
    facts.replica = boolOf(row[2]);
    facts.replicaLag = maybeDuration(row[3]);
    const std::string maintenance = fmt::format("SELECT {}, last_text FROM :schema.maintenance", microsOf("last_run"));
    const auto rows = transaction.run({"maintenance.last", maintenance});
    if (!rows.empty()) {
        facts.maintainedAt = maybeTime(rows[0][0]);
        facts.maintainedText = textOf(rows[0][1]);
    }
    return facts;
}

std::chrono::seconds PgTelemetryStore::resolution(const TimeRange& range) {
    PinnedTransaction transaction{m_session};
    constexpr Sql coarsest{"telemetry.resolution",
                           "SELECT coalesce(max(bucket_s), 10) FROM :schema.delivery_counts "
                           "WHERE bucket >= $1::timestamptz AND bucket < $2::timestamptz"};
    const auto rows = transaction.run(coarsest, SqlParams{}.add(range.from).add(range.to));
    return std::chrono::seconds{int32Of(rows[0][0])};
}

std::vector<DeliveryEvent> PgTelemetryStore::events(const TimeRange& range, const ConsumerName& consumer, int limit,
                                                    const std::stop_token& stop) {
    PinnedTransaction transaction{m_session, {}, stop};
    const std::string text = fmt::format(eventsText, eventColumns("e."));
    const SqlParams params = SqlParams{}.add(range.from).add(range.to).add(consumer.value()).add(limit);
    std::vector<DeliveryEvent> out;
    for (const auto& row : transaction.run({"telemetry.events", text}, params)) {
        out.push_back(readEvent(row));
    }
    return out;
}

void PgTelemetryStore::write(const ConsumerName& consumer, const ports::TelemetryBatch& batch) {
    PinnedTransaction transaction{m_session, {.readOnly = false}};
    if (batch.counts != Counts{} || batch.latency.count() > 0) {
        transaction.run(addCounts, addCountsParams(consumer, batch.worker, batch.at, batch.counts, batch.latency));
    }
    if (!batch.events.empty()) {
        transaction.run(addEvents, addEventsParams(batch.events));
    }
    transaction.commit();
}

}  // namespace redeliver::postgres
