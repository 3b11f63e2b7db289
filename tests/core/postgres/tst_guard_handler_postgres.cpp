// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/core/postgres/guard_bench.h"

#include <QtTest>

using namespace redeliver;
using namespace redeliver::tests;
using Kind = ports::CommitResult::Kind;
using State = ports::TransactionState;

/// Handlers that end their transaction, swallow errors, or leave things behind.
class GuardHandlerTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
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
};

QTEST_GUILESS_MAIN(GuardHandlerTest)
#include "tst_guard_handler_postgres.moc"
