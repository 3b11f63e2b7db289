// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/guard_store.h"
#include "tests/support/test_servers.h"

#include <QtTest>

#include <future>
#include <pqxx/pqxx>
#include <random>

using namespace redeliver;
using postgres::PgGuardStore;
using tests::TestPostgres;
using Kind = ports::CommitResult::Kind;
using State = ports::TransactionState;

namespace {

const ClusterId cluster{"K"};
const TopicPartition p0{Topic{"t"}, Partition{0}};

postgres::ConnectOptions optionsOf(const std::string& dsn) {
    postgres::ConnectOptions options;
    options.dsn = dsn;
    return options;
}

/// A store of consumer "c" that owns t/0 at offset 0.
struct Owner {
    explicit Owner(const std::string& dsn, const std::string& name = "c", std::vector<ConsumerName> formerly = {})
        : store(optionsOf(dsn), ConsumerName{name}, std::move(formerly), WorkerName{"w"}) {
        const auto state = store.takeOwnership(cluster, {p0}, "token-" + name);
        found = state.partitions.front();
        store.adopt(cluster, "token-" + name, {{{p0, found.next.value_or(Offset{0})}, true, "", Offset{0}}}, {});
    }
    PgGuardStore store;
    ports::StoredPosition found;
};

ports::MarkerClaim claimOf(const std::string& id, std::int64_t offset = 0) {
    return {MessageId{id}, {cluster, p0.topic, p0.partition, Offset{offset}}, std::nullopt, std::nullopt, "hash"};
}

std::vector<ports::MarkerClaim> claimsOf(const std::vector<std::string>& ids) {
    std::vector<ports::MarkerClaim> claims;
    for (const auto& id : ids) {
        claims.push_back(claimOf(id));
    }
    return claims;
}

ports::Advance moveTo(std::int64_t expected, std::int64_t next) {
    ports::Advance move;
    move.tp = p0;
    move.expected = Offset{expected};
    move.next = Offset{next};
    move.lastRecordOffset = Offset{next - 1};
    move.lastRecordCrc = 4'000'000'000U;
    return move;
}

void handle(ports::Transaction& tx, const std::string& sql) {
    postgres::handlersTransaction(tx).exec(sql);
}

/// Runs SQL as a handler would and gives the SQLSTATE it failed with.
std::string handleFailing(ports::Transaction& tx, const std::string& sql) {
    try {
        handle(tx, sql);
    } catch (...) {
        return postgres::handlersError(tx).code();
    }
    return {};
}

}  // namespace

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

    void theHandlersCommitFailsOnTheSealByAnyRoad_data() {
        QTest::addColumn<QString>("sql");
        QTest::newRow("COMMIT") << QStringLiteral("COMMIT");
        QTest::newRow("END") << QStringLiteral("END");
        QTest::newRow("COMMIT AND CHAIN") << QStringLiteral("COMMIT AND CHAIN");
        QTest::newRow("COMMIT; BEGIN") << QStringLiteral("COMMIT; BEGIN");
        QTest::newRow("PREPARE TRANSACTION") << QStringLiteral("PREPARE TRANSACTION 'x'");
        QTest::newRow("hidden in one string") << QStringLiteral("SELECT 1; COMMIT; SELECT 2");
    }

    void theHandlersCommitFailsOnTheSealByAnyRoad() {
        QFETCH(QString, sql);
        TestPostgres db;
        db.execute("CREATE TABLE effects(id text)");
        Owner owner(db.dsn());
        {
            auto tx = owner.store.begin(std::chrono::seconds(5));
            tx->claim(claimsOf({"a"}));
            handle(*tx, "INSERT INTO effects VALUES ('a')");
            const auto code = handleFailing(*tx, sql.toStdString());
            QVERIFY(!code.empty());
            QCOMPARE(tx->check(), State::Ended);
        }
        QCOMPARE(db.count("SELECT count(*) FROM effects"), 0);
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages"), 0);
        auto tx = owner.store.begin(std::chrono::seconds(5));  // and the next batch works
        QVERIFY(tx->claim(claimsOf({"a"})).isNew.front());
        tx->afterHandlers();
        QCOMPARE(tx->commit().kind, Kind::Committed);
    }

    void libpqxxsOwnCommitAndAbortAreNoticedToo_data() {
        QTest::addColumn<bool>("commits");
        QTest::newRow("commit()") << true;
        QTest::newRow("abort()") << false;
    }

    void libpqxxsOwnCommitAndAbortAreNoticedToo() {
        QFETCH(bool, commits);
        TestPostgres db;
        Owner owner(db.dsn());
        auto tx = owner.store.begin(std::chrono::seconds(5));
        tx->claim(claimsOf({"a"}));
        auto& open = postgres::handlersTransaction(*tx);
        commits ? open.commit() : open.abort();
        QCOMPARE(tx->check(), State::Ended);
        tx.reset();
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages"), 0);
    }

    void theHandlersRollbackIsNoticedByAnyRoad_data() {
        QTest::addColumn<QString>("sql");
        QTest::newRow("ROLLBACK") << QStringLiteral("ROLLBACK");
        QTest::newRow("ABORT") << QStringLiteral("ABORT");
        QTest::newRow("ROLLBACK; BEGIN") << QStringLiteral("ROLLBACK; BEGIN");
        QTest::newRow("ROLLBACK; BEGIN; a write") << QStringLiteral("ROLLBACK; BEGIN; CREATE TABLE x(i int)");
        QTest::newRow("ROLLBACK AND CHAIN") << QStringLiteral("ROLLBACK AND CHAIN");
    }

    void theHandlersRollbackIsNoticedByAnyRoad() {
        QFETCH(QString, sql);
        TestPostgres db;
        Owner owner(db.dsn());
        auto tx = owner.store.begin(std::chrono::seconds(5));
        tx->claim(claimsOf({"a"}));
        handle(*tx, sql.toStdString());
        QCOMPARE(tx->check(), State::Ended);
        tx.reset();
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages"), 0);
    }

    void aSwallowedErrorIsSeenAndTheSavepointMendsIt() {
        TestPostgres db;
        db.execute("CREATE TABLE effects(id text PRIMARY KEY)");
        Owner owner(db.dsn());
        auto tx = owner.store.begin(std::chrono::seconds(5));
        tx->claim(claimsOf({"a", "b"}));
        tx->setSavepoint();
        handle(*tx, "INSERT INTO effects VALUES ('a')");
        QCOMPARE(tx->check(), State::Open);
        tx->setSavepoint();
        handle(*tx, "INSERT INTO effects VALUES ('b')");
        QCOMPARE(handleFailing(*tx, "INSERT INTO effects VALUES ('a')"), std::string("23505"));
        QCOMPARE(tx->check(), State::Failed);
        tx->rollbackToSavepoint();
        tx->withdraw(std::vector{MessageId{"b"}});
        tx->afterHandlers();
        QCOMPARE(tx->commit().kind, Kind::Committed);
        QCOMPARE(db.count("SELECT count(*) FROM effects"), 1);
        QCOMPARE(db.execute("SELECT string_agg(message_id, ',') FROM redeliver.processed_messages"), std::string("a"));
    }

    void aDeferredConstraintSpeaksBeforeOurCommit() {
        TestPostgres db;
        db.execute("CREATE TABLE effects(id text, UNIQUE (id) DEFERRABLE INITIALLY DEFERRED)");
        Owner owner(db.dsn());
        auto tx = owner.store.begin(std::chrono::seconds(5));
        tx->claim(claimsOf({"a"}));
        handle(*tx, "INSERT INTO effects VALUES ('a'), ('a')");
        QCOMPARE(tx->check(), State::Open);
        try {
            tx->afterHandlers();
            QFAIL("the violation stayed silent");
        } catch (const Error& error) {
            QCOMPARE(error.code(), std::string("23505"));
        }
    }

    void whatAHandlerLeavesDoesntReachTheNextBatch_data() {
        QTest::addColumn<bool>("committed");
        QTest::newRow("after a commit") << true;
        QTest::newRow("after a rollback") << false;
    }

    void whatAHandlerLeavesDoesntReachTheNextBatch() {
        QFETCH(bool, committed);
        TestPostgres db;
        db.execute("DROP ROLE IF EXISTS lowly");
        db.execute("CREATE ROLE lowly");
        Owner owner(db.dsn());
        const auto backend = [&] {
            auto tx = owner.store.begin(std::chrono::seconds(5));
            return postgres::handlersTransaction(*tx).exec("SELECT pg_backend_pid()")[0][0].as<int>();
        }();
        {
            auto tx = owner.store.begin(std::chrono::seconds(5));
            tx->claim(claimsOf({"a"}));
            handle(*tx,
                   "SET synchronous_commit = off; SET search_path = nowhere; SET statement_timeout = 1234;"
                   "SET TimeZone = 'Asia/Kathmandu'; PREPARE leftover AS SELECT 1;"
                   "DECLARE held CURSOR WITH HOLD FOR SELECT 1; LISTEN something;"
                   "CREATE TEMP TABLE scratch(i int); SELECT pg_advisory_lock(42); SET ROLE lowly");
            QCOMPARE(tx->check(), State::Open);
            if (committed) {
                tx->afterHandlers();
                QVERIFY(tx->advance(std::vector{moveTo(0, 1)}).empty());
                QCOMPARE(tx->commit().kind, Kind::Committed);
            }
        }
        QCOMPARE(db.count("SELECT count(*) FROM redeliver.processed_messages"), committed ? 1 : 0);
        auto tx = owner.store.begin(std::chrono::seconds(5));
        auto& next = postgres::handlersTransaction(*tx);
        const auto value = [&](const std::string& sql) {
            return QString::fromStdString(next.exec(sql)[0][0].as<std::string>());
        };
        QCOMPARE(next.exec("SELECT pg_backend_pid()")[0][0].as<int>(), backend);  // the same session, cleaned
        QCOMPARE(value("SHOW synchronous_commit"), QStringLiteral("on"));
        QCOMPARE(value("SHOW statement_timeout"), QStringLiteral("5s"));
        QCOMPARE(value("SELECT current_user"), value("SELECT session_user"));
        QCOMPARE(value("SHOW search_path"), QStringLiteral("\"$user\", public"));
        QCOMPARE(value("SELECT count(*) FROM pg_prepared_statements WHERE name = 'leftover'"), QStringLiteral("0"));
        QCOMPARE(value("SELECT count(*) FROM pg_cursors WHERE name = 'held'"), QStringLiteral("0"));
        QCOMPARE(value("SELECT count(*) FROM pg_listening_channels()"), QStringLiteral("0"));
        QCOMPARE(value("SELECT (to_regclass('pg_temp.scratch') IS NULL)::text"), QStringLiteral("true"));
        QCOMPARE(value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"), QStringLiteral("0"));
        db.execute("DROP ROLE lowly");
    }

    void anAckIsAnExternalActionSoCommitsAreSynchronous() {
        TestPostgres db;
        db.execute("ALTER DATABASE \"" + db.name() + "\" SET synchronous_commit = off");
        Owner owner(db.dsn());
        auto tx = owner.store.begin(std::chrono::seconds(5));
        tx->claim(claimsOf({"a"}));
        handle(*tx, "SELECT 1");
        tx->afterHandlers();
        auto& open = postgres::handlersTransaction(*tx);
        QCOMPARE(open.exec("SHOW synchronous_commit")[0][0].as<std::string>(), std::string("on"));
        QCOMPARE(open.exec("SHOW transaction_isolation")[0][0].as<std::string>(), std::string("read committed"));
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
