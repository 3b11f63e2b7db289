// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/telemetry_store.h"

#include "core/postgres/pqxx_session.h"

#include <fmt/format.h>

#include <map>

namespace redeliver::postgres {
namespace {

constexpr std::string_view sums =
    "sum(processed)::bigint, sum(duplicate)::bigint, sum(stale)::bigint, sum(not_addressed)::bigint, "
    "sum(rejected)::bigint, sum(transaction_failed)::bigint, sum(redelivered)::bigint, sum(published_again)::bigint, "
    "sum(replayed)::bigint, sum(concurrent)::bigint, sum(unknown_kind)::bigint, sum(ack_failed)::bigint, "
    "sum(in_doubt)::bigint, bool_or(generated)";

// Which bucket of the grid: $1 is its start, $3 its step in seconds.
constexpr std::string_view bucketIndex = "floor(extract(epoch FROM c.bucket - $1::timestamptz) / $3::bigint)::bigint";

constexpr std::string_view countsTable = "FROM :schema.delivery_counts c";
constexpr std::string_view inRange =
    "WHERE c.bucket >= $1::timestamptz AND c.bucket < $2::timestamptz AND ($4 = '' OR c.consumer_name = $4)";

// All rows of the grid's buckets in which a row changed; $4 is the watermark.
constexpr std::string_view touched =
    "FROM (SELECT DISTINCT {} AS i FROM :schema.delivery_counts c WHERE c.changed >= $4::bigint "
    "AND c.bucket >= $1::timestamptz AND c.bucket < $2::timestamptz) t "
    "JOIN :schema.delivery_counts c ON c.bucket >= $1::timestamptz + t.i * $3::bigint * interval '1 second' "
    "AND c.bucket < $1::timestamptz + (t.i + 1) * $3::bigint * interval '1 second'";

constexpr std::string_view headText =
    "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint, {}, "
    "(SELECT {} + bucket_s * 1000000::bigint FROM :schema.delivery_counts ORDER BY bucket DESC LIMIT 1)";

using Key = std::pair<std::int64_t, std::string>;  // bucket, consumer: the order of the answer

Counts countsOf(const pqxx::row& row, pqxx::row::size_type first) {
    Counts counts;
    for (auto& outcome : counts.outcomes) {
        outcome = int64Of(row[first++]);
    }
    for (auto& kind : counts.duplicates) {
        kind = int64Of(row[first++]);
    }
    counts.ackFailed = int64Of(row[first++]);
    counts.inDoubt = int64Of(row[first]);
    return counts;
}

// The watermark is taken before the counts: what changes between is read twice, and replaced.
SeriesRead readHead(PinnedTransaction& transaction) {
    const std::string text = fmt::format(headText, microsOf("clock_timestamp()"), microsOf("bucket"));
    const auto row = transaction.run({"telemetry.head", text})[0];
    return {{}, int64Of(row[0]), timeOf(row[1]), maybeTime(row[2]), true};
}

struct Source {
    std::string_view name;
    std::string from;
    std::string_view where;
    SqlParams params;
};

using RowsByKey = std::map<Key, SeriesRow>;

// The heaviest read of all over a long range: counts without percentiles are better than none.
bool readLatencies(PinnedTransaction& transaction, const Source& source, RowsByKey& rows) {
    const std::string text = fmt::format(
        "SELECT g, consumer_name, array_agg(slot), array_agg(n) FROM (SELECT {} AS g, c.consumer_name, u.slot, "
        "sum(u.n)::bigint AS n {} CROSS JOIN unnest(c.latency_slots, c.latency_counts) AS u (slot, n) {} "
        "GROUP BY 1, 2, 3) AS s GROUP BY 1, 2",
        bucketIndex, source.from, source.where);
    try {
        transaction.runScript("telemetry.limit", "SET LOCAL statement_timeout = 5000");
        for (const auto& row : transaction.run({source.name, text}, source.params)) {
            const auto found = rows.find(Key{int64Of(row[0]), textOf(row[1])});
            const auto slots = int64ArrayOf(row[2]);
            const auto numbers = int64ArrayOf(row[3]);
            for (std::size_t i = 0; found != rows.end() && i < slots.size(); ++i) {
                found->second.latency.addSlot(static_cast<std::int16_t>(slots[i]), numbers[i]);
            }
        }
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Limit) {
            throw;
        }
        return false;
    }
    return true;
}

void readRows(PinnedTransaction& transaction, const Source& source, const TimeGrid& grid, bool withLatency,
              SeriesRead& read) {
    RowsByKey rows;
    const std::string counts = fmt::format("SELECT {} AS g, c.consumer_name, {} {} {} GROUP BY 1, 2", bucketIndex, sums,
                                           source.from, source.where);
    for (const auto& row : transaction.run({source.name, counts}, source.params)) {
        const std::int64_t index = int64Of(row[0]);
        std::string consumer = textOf(row[1]);
        SeriesRow out{ConsumerName{consumer}, grid.at(index), countsOf(row, 2), {}, boolOf(row[15])};
        rows.emplace(Key{index, std::move(consumer)}, std::move(out));
    }
    read.latencyComplete = !withLatency || readLatencies(transaction, source, rows);
    for (auto& [key, row] : rows) {
        read.rows.push_back(std::move(row));
    }
}

}  // namespace

SeriesRead PgTelemetryStore::series(const TimeGrid& grid, const ConsumerName& consumer, bool withLatency,
                                    const std::stop_token& stop) {
    PinnedTransaction transaction{m_session, {}, stop};
    SeriesRead read = readHead(transaction);
    SqlParams params;
    params.add(grid.from).add(grid.to()).add(std::int64_t{grid.step.count()}).add(consumer.value());
    readRows(transaction, {"telemetry.series", std::string{countsTable}, inRange, params}, grid, withLatency, read);
    return read;
}

SeriesRead PgTelemetryStore::changedSince(std::int64_t watermark, const TimeGrid& grid, bool withLatency,
                                          const std::stop_token& stop) {
    PinnedTransaction transaction{m_session, {}, stop};
    SeriesRead read = readHead(transaction);
    SqlParams params;
    params.add(grid.from).add(grid.to()).add(std::int64_t{grid.step.count()}).add(watermark);
    readRows(transaction, {"telemetry.changed", fmt::format(touched, bucketIndex), "", params}, grid, withLatency,
             read);
    return read;
}

}  // namespace redeliver::postgres
