// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/core/postgres/guard_bench.h"

#include <QtTest>

#include <future>
#include <random>

using namespace redeliver;
using namespace redeliver::tests;
using Kind = ports::CommitResult::Kind;
using State = ports::TransactionState;

class GuardStoreTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void markersEffectsAndOffsetsCommitTogether() {
        TestPostgres db;
        db.execute("CREATE TABLE effects(id text)");
        Owner owner(db.dsn());
        auto tx = owner.store.begin(std::chrono::seconds(5));
        const auto claims = claimsOf({"b", "a", "é", "日本", "it's \"\\,{}"});
        const auto result = tx->claim(claims);
        QCOMPARE(std::count(result.isNew.begin(), result.isNew.end(), true), 5);
        handle(*tx, "INSERT INTO effects VALUES ('a')");
        QCOMPARE(tx->check(), State::Open);
        tx->afterHandlers();
        QVERIFY(tx->advance(std::vector{moveTo(0, 5)}).empty());
        ports::TelemetryBatch batch;
        batch.at = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        batch.worker = WorkerName{"w"};
        batch.counts.of(Outcome::Processed) = 5;
        batch.latency.add(Duration(1500), 5);
        tx->record(batch);
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages"), 0);
        QCOMPARE(tx->commit().kind, Kind::Committed);
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages"), 5);
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages WHERE message_id = 'it''s \"\\,{}'"), 1);
        QCOMPARE(db.count("SELECT count(*) FROM effects"), 1);
        QCOMPARE(db.count("SELECT next_offset FROM redeliver.consumer_offsets"), 5);
        QCOMPARE(db.count("SELECT highest_offset FROM redeliver.consumer_offsets"), 5);
        QCOMPARE(db.count("SELECT last_record_crc FROM redeliver.consumer_offsets"), 4'000'000'000);
        QCOMPARE(db.count("SELECT sum(processed) FROM redeliver.delivery_counts"), 5);
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.transaction_seal"), 0);
    }

    void aDestroyedTransactionLeavesNothing() {
        TestPostgres db;
        Owner owner(db.dsn());
        {
            auto tx = owner.store.begin(std::chrono::seconds(5));
            tx->claim(claimsOf({"a"}));
        }
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages"), 0);
        auto tx = owner.store.begin(std::chrono::seconds(5));
        QVERIFY(tx->claim(claimsOf({"a"})).isNew.front());
    }

    void theSecondWorkerWaitsAndSeesADuplicateThatIsConcurrent() {
        TestPostgres db;
        Owner first(db.dsn());
        auto tx = first.store.begin(std::chrono::seconds(5));
        QVERIFY(tx->claim(claimsOf({"a"})).isNew.front());
        PgGuardStore second(optionsOf(db.dsn()), ConsumerName{"c"}, {}, WorkerName{"w2"});
        auto later = second.begin(std::chrono::seconds(5));
        auto waiting = std::async(std::launch::async, [&] { return later->claim(claimsOf({"a"})); });
        while (db.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == 0) {
            QTest::qWait(5);
        }
        tx->afterHandlers();
        QCOMPARE(tx->commit().kind, Kind::Committed);
        const auto result = waiting.get();
        QVERIFY(!result.isNew.front());
        QVERIFY(result.existing.at("a").concurrent);
        later.reset();
        auto third = second.begin(std::chrono::seconds(5));
        const auto again = third->claim(claimsOf({"a"}));
        QVERIFY(!again.existing.at("a").concurrent);
        QCOMPARE(again.existing.at("a").marker.at->offset.value(), 0);
        QCOMPARE(again.existing.at("a").marker.contentHash.value(), std::string("hash"));
    }

    void theSecondWorkerTakesOverWhenTheFirstRollsBack() {
        TestPostgres db;
        Owner first(db.dsn());
        auto tx = first.store.begin(std::chrono::seconds(5));
        tx->claim(claimsOf({"a"}));
        PgGuardStore second(optionsOf(db.dsn()), ConsumerName{"c"}, {}, WorkerName{"w2"});
        auto later = second.begin(std::chrono::seconds(5));
        auto waiting = std::async(std::launch::async, [&] { return later->claim(claimsOf({"a"})); });
        while (db.count("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == 0) {
            QTest::qWait(5);
        }
        tx.reset();
        QVERIFY(waiting.get().isNew.front());
    }

    void overlappingBatchesDontDeadlock() {
        TestPostgres db;
        std::vector<std::string> ids;
        for (int i = 0; i < 500; ++i) {
            ids.push_back("m" + std::to_string(i));
        }
        const auto work = [&](unsigned seed) {
            PgGuardStore store(optionsOf(db.dsn()), ConsumerName{"c"}, {}, WorkerName{"w" + std::to_string(seed)});
            auto mine = ids;
            std::shuffle(mine.begin(), mine.end(), std::mt19937(seed));
            int fresh = 0;
            for (std::size_t from = 0; from < mine.size(); from += 100) {
                auto tx = store.begin(std::chrono::seconds(20));
                const auto result = tx->claim(
                    claimsOf({mine.begin() + static_cast<std::ptrdiff_t>(from),
                              mine.begin() + static_cast<std::ptrdiff_t>(std::min(from + 300, mine.size()))}));
                tx->afterHandlers();
                if (tx->commit().kind == Kind::Committed) {
                    fresh += static_cast<int>(std::count(result.isNew.begin(), result.isNew.end(), true));
                }
            }
            return fresh;
        };
        std::vector<std::future<int>> workers;
        for (unsigned seed = 1; seed <= 4; ++seed) {
            workers.push_back(std::async(std::launch::async, work, seed));
        }
        int sum = 0;
        for (auto& worker : workers) {
            sum += worker.get();  // a deadlock would throw
        }
        QCOMPARE(sum, 500);
    }

    void aZombieMovesNothing() {
        TestPostgres db;
        Owner owner(db.dsn());
        PgGuardStore heir(optionsOf(db.dsn()), ConsumerName{"c"}, {}, WorkerName{"w2"});
        heir.takeOwnership(cluster, {p0}, "fresh");
        auto tx = owner.store.begin(std::chrono::seconds(5));
        tx->claim(claimsOf({"a"}));
        tx->afterHandlers();
        const auto refused = tx->advance(std::vector{moveTo(0, 1)});
        QCOMPARE(refused.size(), std::size_t{1});
        QVERIFY(!refused.front().owned);
    }

    void aDatabaseThatMovedIsToldFromALostOwner() {
        TestPostgres db;
        Owner owner(db.dsn());
        db.execute("UPDATE redeliver.consumer_offsets SET next_offset = 7");
        auto tx = owner.store.begin(std::chrono::seconds(5));
        const auto refused = tx->advance(std::vector{moveTo(0, 9)});
        QVERIFY(refused.front().owned);
        QCOMPARE(refused.front().stored->value(), 7);
        auto move = moveTo(0, 9);
        move.alsoExpected = Offset{7};  // after an in-doubt COMMIT either value
        QVERIFY(tx->advance(std::vector{move}).empty());
    }

    void formerNamesCountAsOwn() {
        TestPostgres db;
        {
            Owner old(db.dsn(), "old");
            auto tx = old.store.begin(std::chrono::seconds(5));
            tx->claim(claimsOf({"a"}));
            tx->afterHandlers();
            QVERIFY(tx->advance(std::vector{moveTo(0, 12)}).empty());
            QCOMPARE(tx->commit().kind, Kind::Committed);
        }
        Owner renamed(db.dsn(), "c", {ConsumerName{"old"}});
        QCOMPARE(renamed.found.next->value(), 12);
        QCOMPARE(renamed.found.ledger->value(), 0);
        QCOMPARE(db.execute("SELECT owner FROM redeliver.consumer_offsets WHERE consumer_name = 'old'"),
                 std::string("token-c"));
        auto tx = renamed.store.begin(std::chrono::seconds(5));
        const auto result = tx->claim(claimsOf({"a", "b"}));
        QVERIFY(!result.isNew[0] && result.isNew[1]);
        QCOMPARE(result.existing.at("a").marker.consumer.value(), std::string("old"));
    }

    void offsetsOfAnotherClusterAreAnotherLog() {
        TestPostgres db;
        Owner owner(db.dsn());
        PgGuardStore elsewhere(optionsOf(db.dsn()), ConsumerName{"c"}, {}, WorkerName{"w"});
        const auto state = elsewhere.takeOwnership(ClusterId{"other"}, {p0}, "x");
        QVERIFY(state.partitions.front().otherCluster);
        QVERIFY(!state.partitions.front().next);
        QVERIFY(state.anyRow);
    }

    void aStopIsKeptUntilAPersonReleasesIt() {
        TestPostgres db;
        Owner owner(db.dsn());
        StoppedPartition stop;
        stop.cluster = cluster;
        stop.tp = p0;
        stop.code = "group-ahead";
        stop.reason = "both numbers";
        stop.suggestedSkip = Offset{9};
        stop.since = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        owner.store.stopPartition(stop, WorkerName{"w"});
        QVERIFY(owner.store.requests().empty());
        QVERIFY(owner.store.takeOwnership(cluster, {p0}, "t2").partitions.front().stopped);
        db.execute(
            "UPDATE redeliver.consumer_offsets SET requested = 'skip-to', requested_offset = 9, "
            "requested_by = 'alice', requested_reason = 'known bad'");
        const auto requests = owner.store.requests();
        QCOMPARE(requests.size(), std::size_t{1});
        QCOMPARE(requests.front().requested, std::string("skip-to 9"));
        owner.store.released(requests.front(), Offset{9}, WorkerName{"w"});
        QVERIFY(!owner.store.takeOwnership(cluster, {p0}, "t3").partitions.front().stopped);
        QCOMPARE(
            db.count("SELECT count(*) FROM redeliver.delivery_events WHERE outcome = 'released' AND error_text LIKE "
                     "'%alice%known bad%'"),
            1);
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.delivery_events WHERE outcome = 'stopped'"), 1);
    }

    void aLossIsRememberedAndMarkersWithoutLedgerHaveALimit() {
        TestPostgres db;
        Owner owner(db.dsn());
        owner.store.recordLoss(cluster, p0, Offset{40});
        QCOMPARE(db.count("SELECT highest_offset FROM redeliver.consumer_offsets"), 40);
        QCOMPARE(
            db.count("SELECT count(*) FROM redeliver.marker_horizon WHERE partition = -1 AND lost_before > now() - "
                     "interval '1 minute'"),
            1);
        db.execute(
            "INSERT INTO redeliver.processed_messages(consumer_name, message_id, processed_at) VALUES ('d', 'x', now() "
            "- interval '3 days')");
        Owner other(db.dsn(), "d");
        QCOMPARE(
            db.count("SELECT count(*) FROM redeliver.marker_horizon WHERE consumer_name = 'd' AND partition = -1 AND "
                     "lost_before < now() - interval '2 days'"),
            1);
    }

    void aBareMarkerOfAnotherProgramIsADuplicateOfUnknownKind() {
        TestPostgres db;
        Owner owner(db.dsn());
        db.execute(
            "INSERT INTO redeliver.processed_messages(consumer_name, message_id, processed_at) VALUES ('c', 'a', "
            "'infinity'), ('c', 'b', now())");
        auto tx = owner.store.begin(std::chrono::seconds(5));
        const auto result = tx->claim(claimsOf({"a", "b"}));
        QVERIFY(!result.isNew[0] && !result.isNew[1]);
        QVERIFY(!result.existing.at("b").marker.at);
    }

    void telemetryInDoubtCanBeAskedFor() {
        TestPostgres db;
        Owner owner(db.dsn());
        ports::TelemetryBatch batch;
        batch.at = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
        batch.worker = WorkerName{"w"};
        batch.counts.ackFailed = 3;
        std::string transaction;
        QCOMPARE(owner.store.writeTelemetry(batch, [&](const std::string& id) { transaction = id; }).kind,
                 Kind::Committed);
        QCOMPARE(owner.store.wasCommitted(transaction), std::optional(true));
        QCOMPARE(db.count("SELECT sum(ack_failed) FROM redeliver.delivery_counts"), 3);
        QCOMPARE(owner.store.wasCommitted("999999999"), std::nullopt);
    }

    void aRoleWithOpinionsChangesNothing() {  // PC-27
        TestPostgres db;
        db.execute(
            "DROP ROLE IF EXISTS opinionated; CREATE ROLE opinionated LOGIN SUPERUSER;"
            "ALTER ROLE opinionated SET datestyle = 'German, DMY'; ALTER ROLE opinionated SET timezone = "
            "'Asia/Kathmandu';"
            "ALTER ROLE opinionated SET intervalstyle = 'sql_standard'; ALTER ROLE opinionated SET bytea_output = "
            "'escape';"
            "ALTER ROLE opinionated SET extra_float_digits = -5; ALTER ROLE opinionated SET search_path = '';"
            "ALTER ROLE opinionated SET default_transaction_isolation = 'serializable';"
            "ALTER ROLE opinionated SET synchronous_commit = off;"
            "ALTER ROLE opinionated SET standard_conforming_strings = off;"
            "ALTER ROLE opinionated SET statement_timeout = '150ms'; ALTER ROLE opinionated SET lock_timeout = '50ms';"
            "ALTER ROLE opinionated SET client_encoding = 'LATIN1'; ALTER ROLE opinionated SET client_min_messages = "
            "'debug1'");
        Owner plain(db.dsn());
        const auto run = [&](PgGuardStore& store, const std::string& id, std::int64_t from) {
            auto tx = store.begin(std::chrono::seconds(5));
            auto claim = claimOf(id, from);
            claim.recordTimestamp = fromUnixMillis(1'700'000'000'123);
            tx->claim(std::vector{claim});
            handle(*tx, "SELECT pg_sleep(0.3)");
            QCOMPARE(tx->check(), State::Open);
            tx->afterHandlers();
            QVERIFY(tx->advance(std::vector{moveTo(from, from + 1)}).empty());
            QCOMPARE(tx->commit().kind, Kind::Committed);
        };
        run(plain.store, "plain é", 0);
        Owner opinionated(db.dsn() + " user=opinionated");
        run(opinionated.store, "role é 日本", 1);
        QCOMPARE(db.count("SELECT count(DISTINCT record_timestamp) FROM redeliver.processed_messages"), 1);
        QCOMPARE(db.count("SELECT count(DISTINCT content_hash) FROM redeliver.processed_messages"), 1);
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages WHERE message_id = 'role é 日本'"), 1);
        auto tx = opinionated.store.begin(std::chrono::seconds(5));
        const auto found = tx->claim(claimsOf({"role é 日本"})).existing.at("role é 日本");
        QCOMPARE(found.marker.contentHash.value(), std::string("hash"));
        QVERIFY(std::chrono::abs(found.marker.processedAt - std::chrono::system_clock::now()) <
                std::chrono::minutes(5));
        tx.reset();
        db.execute("DROP ROLE opinionated");
    }
};

QTEST_GUILESS_MAIN(GuardStoreTest)
#include "tst_guard_store_postgres.moc"
