// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/maintenance.h"

#include "core/postgres/pqxx_session.h"

#include <fmt/format.h>

namespace redeliver::postgres {
namespace {

constexpr TransactionOptions slow{.readOnly = false, .statementTimeout = std::chrono::minutes{5}};

constexpr Sql tryLock{"maintenance.lock",
                      "SELECT pg_try_advisory_xact_lock(hashtextextended('redeliver.maintain.' || $1, 0))"};

// $1 finer, $2 coarser bucket in seconds, $3 age of what is rolled up, $4 rows. Only whole coarser buckets that are
// over that long: a row that comes later (a recorder's spool) is added by the next run. Oldest first, and every finer
// row of a chosen bucket, so that one bucket is never torn by the limit.
constexpr Sql rollUp{
    "maintenance.roll_up",
    "WITH old AS (SELECT consumer_name, worker, bucket FROM :schema.delivery_counts WHERE bucket_s = $1::int "
    "AND bucket < to_timestamp(floor(extract(epoch FROM clock_timestamp() - $3::interval) / $2::int) * $2::int) "
    "ORDER BY bucket LIMIT $4::bigint), "
    "gone AS (DELETE FROM :schema.delivery_counts d USING old o WHERE d.consumer_name = o.consumer_name "
    "AND d.worker = o.worker AND d.bucket = o.bucket AND d.bucket_s = $1::int RETURNING d.*), "
    "placed AS (SELECT *, to_timestamp(floor(extract(epoch FROM bucket) / $2::int) * $2::int) AS b FROM gone), "
    "sums AS (SELECT consumer_name, worker, b, sum(processed)::bigint AS processed, sum(duplicate)::bigint AS "
    "duplicate, "
    "sum(stale)::bigint AS stale, sum(not_addressed)::bigint AS not_addressed, sum(rejected)::bigint AS rejected, "
    "sum(transaction_failed)::bigint AS transaction_failed, sum(redelivered)::bigint AS redelivered, "
    "sum(published_again)::bigint AS published_again, sum(replayed)::bigint AS replayed, "
    "sum(concurrent)::bigint AS concurrent, sum(unknown_kind)::bigint AS unknown_kind, "
    "sum(ack_failed)::bigint AS ack_failed, sum(in_doubt)::bigint AS in_doubt, bool_or(generated) AS generated "
    "FROM placed GROUP BY consumer_name, worker, b), "
    "slots AS (SELECT consumer_name, worker, b, array_agg(slot ORDER BY slot) AS slots, array_agg(n ORDER BY slot) AS "
    "counts FROM (SELECT p.consumer_name, p.worker, p.b, u.slot, sum(u.n)::bigint AS n FROM placed p "
    "CROSS JOIN unnest(p.latency_slots, p.latency_counts) AS u (slot, n) GROUP BY 1, 2, 3, 4) AS s GROUP BY 1, 2, 3), "
    "added AS (INSERT INTO :schema.delivery_counts AS t (consumer_name, worker, bucket, bucket_s, processed, "
    "duplicate, "
    "stale, not_addressed, rejected, transaction_failed, redelivered, published_again, replayed, concurrent, "
    "unknown_kind, ack_failed, in_doubt, latency_slots, latency_counts, generated) "
    "SELECT s.consumer_name, s.worker, s.b, $2::int, processed, duplicate, stale, not_addressed, rejected, "
    "transaction_failed, redelivered, published_again, replayed, concurrent, unknown_kind, ack_failed, in_doubt, "
    "coalesce(l.slots, '{}'), coalesce(l.counts, '{}'), generated FROM sums s LEFT JOIN slots l USING (consumer_name, "
    "worker, b) "
    "ON CONFLICT (consumer_name, bucket, bucket_s, worker) DO UPDATE SET processed = t.processed + excluded.processed, "
    "duplicate = t.duplicate + excluded.duplicate, stale = t.stale + excluded.stale, "
    "not_addressed = t.not_addressed + excluded.not_addressed, rejected = t.rejected + excluded.rejected, "
    "transaction_failed = t.transaction_failed + excluded.transaction_failed, "
    "redelivered = t.redelivered + excluded.redelivered, "
    "published_again = t.published_again + excluded.published_again, replayed = t.replayed + excluded.replayed, "
    "concurrent = t.concurrent + excluded.concurrent, unknown_kind = t.unknown_kind + excluded.unknown_kind, "
    "ack_failed = t.ack_failed + excluded.ack_failed, in_doubt = t.in_doubt + excluded.in_doubt, "
    "generated = t.generated OR excluded.generated, (latency_slots, latency_counts) = (SELECT m.slots, m.counts FROM "
    ":schema.merge_slots(t.latency_slots, t.latency_counts, excluded.latency_slots, excluded.latency_counts) AS m), "
    "changed = excluded.changed) "
    "SELECT count(*) FROM gone"};

constexpr Sql purgeCounts{
    "maintenance.purge_counts",
    "WITH gone AS (DELETE FROM :schema.delivery_counts WHERE (consumer_name, bucket, bucket_s, worker) IN "
    "(SELECT consumer_name, bucket, bucket_s, worker FROM :schema.delivery_counts "
    "WHERE bucket < clock_timestamp() - $1::interval ORDER BY bucket LIMIT $2::bigint) RETURNING 1) "
    "SELECT count(*) FROM gone"};

// Kept at least as long as the consumer's markers, and as fine-print "evidence" says.
constexpr Sql purgeEvents{
    "maintenance.purge_events",
    "WITH candidates AS (SELECT e.event_id FROM :schema.delivery_events e "
    "LEFT JOIN :schema.consumers c ON c.consumer_name = e.consumer_name "
    "WHERE e.at < clock_timestamp() - greatest($1::interval, c.marker_retention) "
    "AND NOT EXISTS (SELECT 1 FROM :schema.processed_messages m WHERE m.message_id = e.message_id "
    "AND m.consumer_name = ANY(coalesce(c.formerly, '{}') || e.consumer_name)) "
    "AND NOT (e.outcome IN ('rejected', 'transaction_failed', 'stale', 'not_addressed') AND e.\"offset\" IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM :schema.marker_horizon h WHERE h.consumer_name = e.consumer_name "
    "AND h.cluster_id IN (coalesce(e.cluster_id, ''), '') AND h.topic = e.topic AND h.partition = e.partition "
    "AND h.\"offset\" > e.\"offset\")) "
    "ORDER BY e.at LIMIT $2::bigint), "
    "gone AS (DELETE FROM :schema.delivery_events e USING candidates c WHERE e.event_id = c.event_id RETURNING 1) "
    "SELECT count(*) FROM gone"};

constexpr Sql purgeOutbox{
    "maintenance.purge_outbox",
    "WITH gone AS (DELETE FROM :schema.outbox WHERE outbox_id IN (SELECT outbox_id FROM :schema.outbox "
    "WHERE published_at < clock_timestamp() - $1::interval ORDER BY outbox_id LIMIT $2::bigint) RETURNING 1) "
    "SELECT count(*) FROM gone"};

constexpr Sql remember{
    "maintenance.remember",
    "INSERT INTO :schema.maintenance (last_run, last_text) VALUES (clock_timestamp(), $1) "
    "ON CONFLICT (only_row) DO UPDATE SET last_run = excluded.last_run, last_text = excluded.last_text"};

// Runs a step until it finds nothing more, a transaction each; false: another program has the lock.
class Steps {
  public:
    Steps(Session& session, std::int64_t rows, const std::stop_token& stop)
        : m_session(session), m_rows(rows), m_stop(stop) {}

    bool until(const Sql& sql, const SqlParams& params, std::int64_t& total) {
        for (std::int64_t count = m_rows; count > 0;) {
            if (m_stop.stop_requested()) {
                return true;
            }
            PinnedTransaction transaction{m_session, slow};
            if (!locked(transaction)) {
                return false;
            }
            count = int64Of(transaction.run(sql, SqlParams{params}.add(m_rows))[0][0]);
            transaction.commit();
            total += count;
        }
        return true;
    }

    bool finish(const std::string& text) {
        PinnedTransaction transaction{m_session, slow};
        if (!locked(transaction)) {
            return false;
        }
        transaction.run(remember, SqlParams{}.add(text));
        transaction.commit();
        return true;
    }

  private:
    bool locked(PinnedTransaction& transaction) const {
        return boolOf(transaction.run(tryLock, SqlParams{}.add(m_session.options().schema))[0][0]);
    }

    Session& m_session;
    std::int64_t m_rows;
    const std::stop_token& m_stop;
};

SqlParams spans(int finer, int coarser, std::chrono::seconds age) {
    return SqlParams{}.add(finer).add(coarser).add(Duration{age});
}

}  // namespace

MaintenanceReport maintain(Session& session, const MaintenanceOptions& options, const std::stop_token& stop) {
    MaintenanceReport report;
    Steps steps{session, options.rowsPerStep, stop};
    report.ran = steps.until(rollUp, spans(10, 60, options.minutesAfter), report.rolledUp) &&
                 steps.until(rollUp, spans(60, 3600, options.hoursAfter), report.rolledUp) &&
                 steps.until(purgeCounts, SqlParams{}.add(Duration{options.countsKept}), report.countsPurged) &&
                 steps.until(purgeEvents, SqlParams{}.add(Duration{options.eventsKept}), report.eventsPurged) &&
                 steps.until(purgeOutbox, SqlParams{}.add(Duration{options.outboxKept}), report.outboxPurged);
    report.more = stop.stop_requested();
    report.text = report.ran ? fmt::format("rolled up {} rows, purged {} counts, {} events and {} outbox rows{}",
                                           report.rolledUp, report.countsPurged, report.eventsPurged,
                                           report.outboxPurged, report.more ? ", stopped early" : "")
                             : "another program is at it";
    if (report.ran && !report.more) {
        report.ran = steps.finish(report.text);
    }
    return report;
}

}  // namespace redeliver::postgres
