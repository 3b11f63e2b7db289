// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/maintenance.h"
#include "core/postgres/pqxx_session.h"
#include "core/postgres/telemetry_sql.h"
#include "core/postgres/telemetry_store.h"
#include "tests/core/postgres/database.h"

#include <QtTest/QTest>

#include <map>
#include <random>

using namespace redeliver;
using namespace redeliver::postgres;
using namespace std::chrono_literals;
using tests::Database;
using tests::errorOf;

namespace {

const ConsumerName alpha{"alpha"};
const ConsumerName beta{"beta"};
constexpr TimePoint noon = std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 12h;

ports::TelemetryBatch batchAt(TimePoint at, std::int64_t processed, const std::string& worker = "w") {
    ports::TelemetryBatch batch;
    batch.at = at;
    batch.worker = WorkerName{worker};
    batch.counts.of(Outcome::Processed) = processed;
    batch.latency.add(5ms, processed);
    return batch;
}

Counts sumOf(const std::vector<SeriesRow>& rows) {
    Counts sum;
    for (const auto& row : rows) {
        sum += row.counts;
    }
    return sum;
}

using State = std::map<std::pair<TimePoint, std::string>, std::int64_t>;

void replace(State& state, const SeriesRead& read) {
    for (const auto& row : read.rows) {
        state[{row.at, row.consumer.value()}] = row.counts.of(Outcome::Processed);
    }
}

}  // namespace

class TelemetryStoreTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void batchesAddUpPerWorkerAndTenSeconds();
    void seriesOnAnyGridHasTheSameSum();
    void latencyIsMergedOverWorkers();
    void liveChangesReplaceWholeBuckets();
    void liveChangesMissNoTransactionThatWasInFlight();
    void rollUpsKeepEverySum();
    void lateTelemetryIsAddedToItsRollUp();
    void purgeKeepsWhatProves();
    void oneMaintainerAtATime();
    void eventsSurviveUglyTexts();
    void fleetKnowsWhoIsThere();
    void factsOfThePrimary();
    void errorsWithoutSchema();
};

void TelemetryStoreTest::batchesAddUpPerWorkerAndTenSeconds() {
    Database database;
    PgTelemetryStore store{database.session()};
    store.write(alpha, batchAt(noon, 3));
    store.write(alpha, batchAt(noon + 9'999'999us, 4));
    store.write(alpha, batchAt(noon + 10s, 5));
    store.write(alpha, batchAt(noon, 6, "other"));
    QCOMPARE(
        database.sql("SELECT string_agg(concat_ws(' ', worker, extract(epoch FROM bucket)::bigint % 60, processed, "
                     "latency_counts), ', ' ORDER BY bucket, worker) FROM redeliver.delivery_counts"),
        std::string("other 0 6 {6}, w 0 7 {7}, w 10 5 {5}"));
    store.write(alpha, {});  // nothing to say writes nothing
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.delivery_counts"), std::string("3"));
}

void TelemetryStoreTest::seriesOnAnyGridHasTheSameSum() {
    Database database;
    PgTelemetryStore store{database.session()};
    std::mt19937 random{7};
    for (int i = 0; i < 60; ++i) {
        auto batch = batchAt(noon + std::chrono::seconds{random() % 3600}, static_cast<std::int64_t>(random() % 9 + 1));
        batch.counts.of(Outcome::Duplicate) = 2;
        batch.counts.of(DuplicateKind::Redelivered) = 1;
        batch.counts.of(DuplicateKind::Unknown) = 1;
        batch.counts.ackFailed = 1;
        batch.counts.inDoubt = 3;
        store.write(i % 2 == 0 ? alpha : beta, batch);
    }
    const TimeRange hour{noon, noon + 1h};
    const auto all = sumOf(store.series(gridOf(hour, 10s), {}, false, {}).rows);
    QCOMPARE(all.of(Outcome::Duplicate), 120);
    QCOMPARE(all.of(DuplicateKind::Redelivered), 60);
    QCOMPARE(all.of(DuplicateKind::Unknown), 60);
    QCOMPARE(all.ackFailed, 60);
    QCOMPARE(all.inDoubt, 180);
    for (const auto step : {30s, 60s, 300s, 3600s}) {
        const auto grid = gridOf(hour, step);
        const auto read = store.series(grid, {}, false, {});
        QCOMPARE(sumOf(read.rows), all);
        for (const auto& row : read.rows) {
            QVERIFY(grid.bucketOf(row.at) >= 0 && grid.at(grid.bucketOf(row.at)) == row.at);
        }
    }
    auto one = sumOf(store.series(gridOf(hour, 60s), alpha, false, {}).rows);
    one += sumOf(store.series(gridOf(hour, 60s), beta, false, {}).rows);
    QCOMPARE(one, all);
    QVERIFY(store.series(gridOf({noon - 1h, noon}, 60s), {}, false, {}).rows.empty());
    QCOMPARE(store.series(gridOf(hour, 60s), {}, false, {}).newest.value() - noon <= 1h, true);
}

void TelemetryStoreTest::latencyIsMergedOverWorkers() {
    Database database;
    PgTelemetryStore store{database.session()};
    Histogram expected;
    for (int i = 1; i <= 40; ++i) {
        auto batch = batchAt(noon + std::chrono::seconds{i}, 1, i % 2 == 0 ? "a" : "b");
        batch.latency.clear();
        batch.latency.add(Duration{i * i * 1000}, i);
        expected.add(Duration{i * i * 1000}, i);
        store.write(alpha, batch);
    }
    const auto read = store.series(gridOf({noon, noon + 1min}, 60s), alpha, true, {});
    QCOMPARE(read.rows.size(), std::size_t{1});
    QCOMPARE(read.rows[0].latency.slots(), expected.slots());
    QCOMPARE(read.rows[0].latency.quantile(0.99), expected.quantile(0.99));
    QVERIFY(store.series(gridOf({noon, noon + 1min}, 60s), alpha, false, {}).rows[0].latency.slots().empty());
}

void TelemetryStoreTest::liveChangesReplaceWholeBuckets() {
    Database database;
    PgTelemetryStore store{database.session()};
    const auto grid = gridOf({noon, noon + 1h}, 60s);
    store.write(alpha, batchAt(noon, 3));
    store.write(beta, batchAt(noon + 10s, 2));
    store.write(alpha, batchAt(noon + 5min, 9));
    State state;
    auto read = store.series(grid, {}, true, {});
    replace(state, read);
    store.write(alpha, batchAt(noon + 20s, 4));
    read = store.changedSince(read.watermark, grid, true, {});
    // The first minute with both its consumers; the sixth is as it was.
    QCOMPARE(read.rows.size(), std::size_t{2});
    replace(state, read);
    QCOMPARE(state.at({noon, "alpha"}), 7);
    QCOMPARE(state.at({noon, "beta"}), 2);
    QCOMPARE(state.at({noon + 5min, "alpha"}), 9);
    QCOMPARE(read.rows[0].latency.count(), 7);
    QVERIFY(store.changedSince(read.watermark, grid, false, {}).rows.empty());
    // Outside the grid nothing is brought.
    store.write(alpha, batchAt(noon + 2h, 1));
    QVERIFY(store.changedSince(read.watermark, grid, false, {}).rows.empty());
}

void TelemetryStoreTest::liveChangesMissNoTransactionThatWasInFlight() {
    Database database;
    Session other{database.options()};
    PgTelemetryStore store{database.session()};
    PgTelemetryStore second{other};
    const auto grid = gridOf({noon, noon + 1h}, 60s);
    State state;
    std::int64_t watermark = store.series(grid, {}, false, {}).watermark;
    std::mt19937 random{11};
    for (int round = 0; round < 15; ++round) {
        // A writer begins, others write and commit, the reader reads, the writer commits.
        PinnedTransaction late{database.session(), {.readOnly = false}};
        const auto batch = batchAt(noon + std::chrono::minutes{random() % 3}, 1, "late");
        late.run(addCounts, addCountsParams(alpha, batch.worker, batch.at, batch.counts, batch.latency));
        second.write(alpha, batchAt(noon + std::chrono::minutes{random() % 3}, 1, "quick"));
        auto read = second.changedSince(watermark, grid, false, {});
        replace(state, read);
        if (random() % 3 == 0) {
            late.rollback();
        } else {
            late.commit();
        }
        if (random() % 2 == 0) {
            read = second.changedSince(read.watermark, grid, false, {});
            replace(state, read);
        }
        watermark = read.watermark;
    }
    replace(state, second.changedSince(watermark, grid, false, {}));
    State truth;
    replace(truth, second.series(grid, {}, false, {}));
    QCOMPARE(state, truth);
}

void TelemetryStoreTest::rollUpsKeepEverySum() {
    Database database;
    PgTelemetryStore store{database.session()};
    const std::string everything =
        "SELECT concat_ws(' ', sum(processed), sum(duplicate), sum(stale), sum(not_addressed), sum(rejected), "
        "sum(transaction_failed), sum(redelivered), sum(published_again), sum(replayed), sum(concurrent), "
        "sum(unknown_kind), sum(ack_failed), sum(in_doubt), (SELECT string_agg(slot || ':' || n, ',' ORDER BY slot) "
        "FROM "
        "(SELECT slot, sum(n) AS n FROM redeliver.delivery_counts, unnest(latency_slots, latency_counts) AS u (slot, "
        "n) "
        "GROUP BY slot) s)) FROM redeliver.delivery_counts";
    database.sql(
        "SELECT redeliver.add_counts('c' || n % 3, 'w' || n % 2, now() - n * interval '97 seconds' * (n % 7), "
        "ARRAY[n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], ARRAY[n % 900]::smallint[], ARRAY[n]) FROM "
        "generate_series(1, "
        "2000) n");
    const std::string before = database.sql(everything);
    MaintenanceOptions options;
    options.rowsPerStep = 150;
    auto report = maintain(database.session(), options, {});
    QVERIFY(report.ran);
    QVERIFY2(report.rolledUp > 500, report.text.c_str());
    QCOMPARE(database.sql(everything), before);
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.delivery_counts WHERE bucket_s = 10 AND bucket < now() - "
                          "interval '6 hours 1 minute'"),
             std::string("0"));
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.delivery_counts WHERE bucket_s = 60 AND extract(epoch FROM "
                          "bucket)::bigint % 60 <> 0"),
             std::string("0"));
    // Hours, then nothing more to do.
    options.hoursAfter = 24h;
    QVERIFY(maintain(database.session(), options, {}).rolledUp > 0);
    QCOMPARE(database.sql(everything), before);
    QVERIFY(database.sql("SELECT count(*) FROM redeliver.delivery_counts WHERE bucket_s = 3600") != "0");
    QCOMPARE(maintain(database.session(), options, {}).rolledUp, 0);
    const TimePoint now = store.facts().now;
    QCOMPARE(store.resolution({now - 20 * 24h, now}), 3600s);
    QCOMPARE(store.resolution({now - 1h, now}), 10s);
    // By grids that are not finer than the rows the sums are the same, too.
    const auto hours = sumOf(store.series(gridOf({now - 40 * 24h, now}, 3600s), {}, false, {}).rows);
    const auto days = sumOf(store.series(gridOf({now - 40 * 24h, now}, 86400s), {}, false, {}).rows);
    QCOMPARE(hours, days);
    QCOMPARE(fmt::format("{} {}", hours.of(Outcome::Processed), hours.of(Outcome::Duplicate)),
             before.substr(0, before.find(' ', before.find(' ') + 1)));
}

void TelemetryStoreTest::lateTelemetryIsAddedToItsRollUp() {
    Database database;
    PgTelemetryStore store{database.session()};
    const TimePoint old = std::chrono::floor<std::chrono::minutes>(store.facts().now - 10h);
    store.write(alpha, batchAt(old, 3));
    maintain(database.session(), {}, {});
    store.write(alpha, batchAt(old + 20s, 4));
    QCOMPARE(maintain(database.session(), {}, {}).rolledUp, 1);
    QCOMPARE(database.sql("SELECT concat_ws(' ', bucket_s, processed, latency_counts) FROM redeliver.delivery_counts"),
             std::string("60 7 {7}"));
}

void TelemetryStoreTest::purgeKeepsWhatProves() {
    Database database;
    database.sql(
        "INSERT INTO redeliver.consumers (consumer_name, marker_retention, formerly) VALUES ('long', '60 days', "
        "'{was}'), "
        "('short', '1 day', '{}');"
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id, processed_at) VALUES "
        "('short', 'marked', now() - interval '90 days'), ('was', 'renamed', now() - interval '90 days');"
        "INSERT INTO redeliver.marker_horizon (consumer_name, topic, partition, \"offset\") VALUES ('short', 't', 0, "
        "100);"
        "INSERT INTO redeliver.delivery_events (at, consumer_name, outcome, message_id, topic, partition, \"offset\") "
        "VALUES "
        "(now() - interval '31 days', 'short', 'duplicate', 'gone', NULL, NULL, NULL),"     // purged
        "(now() - interval '29 days', 'short', 'duplicate', 'young', NULL, NULL, NULL),"    // too young
        "(now() - interval '40 days', 'short', 'duplicate', 'marked', NULL, NULL, NULL),"   // its ID has a marker
        "(now() - interval '70 days', 'long', 'duplicate', 'renamed', NULL, NULL, NULL),"   // under a former name
        "(now() - interval '40 days', 'long', 'duplicate', 'retained', NULL, NULL, NULL),"  // 60 days of retention
        "(now() - interval '40 days', 'short', 'rejected', 'below', 't', 0, 99),"           // the ledger is above
        "(now() - interval '40 days', 'short', 'rejected', 'evidence', 't', 0, 100),"       // still evidence
        "(now() - interval '40 days', 'short', 'not_addressed', 'elsewhere', 't', 1, 5),"   // no ledger there
        "(now() - interval '40 days', 'short', 'ack_failed', 'noise', 't', 1, 5);"          // no evidence
        "INSERT INTO redeliver.outbox (message_id, topic, created_at, published_at) VALUES "
        "('old', 't', now() - interval '9 days', now() - interval '8 days'),"
        "('recent', 't', now() - interval '7 days', now() - interval '6 days'),"
        "('waiting', 't', now() - interval '90 days', NULL)");
    const auto report = maintain(database.session(), {}, {});
    QCOMPARE(database.sql("SELECT string_agg(message_id, ' ' ORDER BY message_id) FROM redeliver.delivery_events"),
             std::string("elsewhere evidence marked renamed retained young"));
    QCOMPARE(report.eventsPurged, 3);
    QCOMPARE(database.sql("SELECT string_agg(message_id, ' ' ORDER BY message_id) FROM redeliver.outbox"),
             std::string("recent waiting"));
    QCOMPARE(report.outboxPurged, 1);
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.processed_messages"), std::string("2"));
    QVERIFY(database.sql("SELECT last_text FROM redeliver.maintenance WHERE last_run > now() - interval '1 minute'")
                .find("3 events") != std::string::npos);
}

void TelemetryStoreTest::oneMaintainerAtATime() {
    Database database;
    Session other{database.options()};
    PinnedTransaction busy{other, {.readOnly = false}};
    busy.run({"lock", "SELECT pg_advisory_xact_lock(hashtextextended('redeliver.maintain.redeliver', 0))"});
    auto report = maintain(database.session(), {}, {});
    QVERIFY(!report.ran);
    QCOMPARE(database.sql("SELECT last_run IS NULL FROM redeliver.maintenance"), std::string("t"));
    busy.rollback();
    report = maintain(database.session(), {}, {});
    QVERIFY(report.ran);
}

void TelemetryStoreTest::eventsSurviveUglyTexts() {
    Database database;
    PgTelemetryStore store{database.session()};
    ports::TelemetryBatch batch;
    DeliveryEvent event;
    event.at = noon;
    event.consumer = alpha;
    event.outcome = "transaction_failed";
    event.messageId = MessageId{"é \"quoted\" \\ {,}"};
    event.at_record = Coordinates{ClusterId{"k"}, Topic{"t"}, Partition{2}, Offset{77}};
    event.worker = WorkerName{"w"};
    event.attempt = 4;
    event.errorCode = "23505";
    event.errorText = std::string{"bad \xff\xfe byte, NUL \0 here, ", 28} + std::string(5000, 'x');
    event.latency = 1234us;
    event.sinceFirstProcessed = -5s;
    event.replay = ReplayId{"not a uuid; drop table"};
    event.identicalContent = false;
    batch.events.push_back(event);
    event.replay = ReplayId{"00000000-0000-4000-8000-00000000000a"};
    event.kind = DuplicateKind::PublishedAgain;
    event.outcome = "duplicate";
    event.at_record.reset();
    event.messageId.reset();
    event.latency.reset();
    event.identicalContent.reset();
    event.at = noon + 1s;
    batch.events.push_back(event);
    store.write(alpha, batch);
    const auto read = store.events({noon, noon + 1h}, alpha, 10, {});
    QCOMPARE(read.size(), std::size_t{2});
    QCOMPARE(read[0].kind, std::optional(DuplicateKind::PublishedAgain));
    QCOMPARE(read[0].replay->value(), std::string("00000000-0000-4000-8000-00000000000a"));
    QVERIFY(!read[0].messageId && !read[0].at_record && !read[0].latency && !read[0].identicalContent);
    QCOMPARE(read[1].messageId->value(), std::string("é \"quoted\" \\ {,}"));
    QCOMPARE(*read[1].at_record, *batch.events[0].at_record);
    QVERIFY(!read[1].replay);
    QVERIFY(read[1].errorText.starts_with("bad ?? byte, NUL ? here"));
    QCOMPARE(read[1].errorText.size(), std::size_t{2000});
    QCOMPARE(*read[1].latency, Duration{1234});
    QCOMPARE(*read[1].sinceFirstProcessed, Duration{-5s});
    QCOMPARE(read[1].identicalContent, std::optional(false));
    QVERIFY(store.events({noon, noon + 1h}, beta, 10, {}).empty());
    QCOMPARE(store.events({noon, noon + 1h}, {}, 1, {}).size(), std::size_t{1});
}

void TelemetryStoreTest::fleetKnowsWhoIsThere() {
    Database database;
    PgTelemetryStore store{database.session()};
    database.sql(
        "INSERT INTO redeliver.consumers (consumer_name, topics, marker_retention) VALUES ('registered', '{t,\"a "
        "b\"}', "
        "'7 days');"
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id) VALUES ('marked', 'm');"
        "INSERT INTO redeliver.consumer_offsets (consumer_name, topic, partition, next_offset, state, stop_code, "
        "stop_reason, stopped_at) VALUES ('stopped', 't', 3, 42, 'stopped', 'group-ahead', 'why', now());"
        "INSERT INTO redeliver.replays (replay_id, state, consumer_name, topic, target, plan, reason, started_at) "
        "VALUES "
        "('00000000-0000-4000-8000-00000000000a', 'running', 'registered', 't', 'same', '{}', 'r', '2026-11-30 "
        "12:10:00Z')");
    auto batch = batchAt(noon + 15s, 3);
    batch.counts.ackFailed = 1;
    store.write(ConsumerName{"counted"}, batch);
    const auto fleet = store.fleet({noon, noon + 1h}, {});
    std::vector<std::string> names;
    for (const auto& info : fleet.consumers) {
        names.push_back(info.name.value() + (info.registered ? "!" : ""));
    }
    QCOMPARE(names, (std::vector<std::string>{"counted", "marked", "registered!", "stopped"}));
    QCOMPARE(fleet.consumers[2].topics, (std::vector{Topic{"t"}, Topic{"a b"}}));
    QCOMPARE(fleet.consumers[2].markerRetention, std::optional(std::chrono::seconds{7 * 86400}));
    QCOMPARE(fleet.stopped.size(), std::size_t{1});
    QCOMPARE(fleet.stopped[0].next.value(), 42);
    QCOMPARE(fleet.partitions.size(), std::size_t{1});
    QCOMPARE(fleet.replays.size(), std::size_t{1});
    QCOMPARE(fleet.replays[0].range.from, noon + 10min);
    QCOMPARE(fleet.replays[0].range.to, fleet.now);
    QCOMPARE(fleet.firstAckFailure, std::optional(TimePoint{noon + 10s}));
    QCOMPARE(fleet.newest, std::optional(TimePoint{noon + 20s}));
    QCOMPARE(fleet.deliveries[0].last, std::optional(TimePoint{noon + 20s}));
    QCOMPARE(fleet.deliveries[0].first, std::optional(TimePoint{noon + 10s}));
    QVERIFY(!fleet.deliveries[1].last);
    QVERIFY(store.fleet({noon - 2h, noon - 1h}, {}).replays.empty());
}

void TelemetryStoreTest::factsOfThePrimary() {
    Database database;
    const auto facts = PgTelemetryStore{database.session()}.facts();
    QVERIFY(facts.version.starts_with("PostgreSQL 1"));
    QVERIFY(!facts.replica);
    QVERIFY(!facts.replicaLag);
    QVERIFY(!facts.maintainedAt);
    const auto away = std::chrono::system_clock::now() - facts.now;
    QVERIFY(away < 60s && away > -60s);
}

void TelemetryStoreTest::errorsWithoutSchema() {
    Database database{Database::Schema::None};
    PgTelemetryStore store{database.session()};
    const auto grid = gridOf({noon, noon + 1h}, 60s);
    QCOMPARE(errorOf([&] { (void)store.series(grid, {}, false, {}); }).kind(), ErrorKind::Schema);
    QCOMPARE(errorOf([&] { (void)store.fleet({noon, noon + 1h}, {}); }).kind(), ErrorKind::Schema);
}

QTEST_APPLESS_MAIN(TelemetryStoreTest)
#include "tst_telemetry_store_postgres.moc"
