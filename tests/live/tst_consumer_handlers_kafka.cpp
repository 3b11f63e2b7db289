// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/service/sequence_guard.h"
#include "tests/live/service_stage.h"
#include "tests/support/tcp_proxy.h"

#include <QtTest>

#include <atomic>
#include <pqxx/pqxx>

using namespace redeliver;
using namespace redeliver::tests;
using consumer::Answer;
using consumer::Message;

namespace {

void applyEffect(pqxx::transaction_base& tx, const Message& message) {
    tx.exec("INSERT INTO redeliver_lab.effects(consumer_name, message_id, worker) VALUES ('c', " +
            tx.quote(message.id.value()) + ", 'test')");
}

std::string stopCode(const WorkerStage& stage) {
    return stage.db.execute(
        "SELECT coalesce(max(stop_code), '') FROM redeliver.consumer_offsets WHERE state = 'stopped'");
}

}  // namespace

/// Handlers that behave badly, on real servers: no marker without its effect, no effect without its marker.
class ConsumerHandlersTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void oneOfTenFails() {
        WorkerStage stage;
        stage.send(0, 100);
        Service service(serviceOptions(stage), [](pqxx::transaction_base& tx, const Message& message) -> Answer {
            applyEffect(tx, message);
            if (message.id.value().ends_with("7")) {
                tx.exec("INSERT INTO redeliver_lab.entities VALUES ('x'), ('x')");  // its own unique violation
            }
            return consumer::done();
        });
        QVERIFY(stage.caughtUp());
        service.stop();
        std::set<std::string> failing;
        for (int i = 7; i < 100; i += 10) {
            failing.insert("m" + std::to_string(i));
        }
        const auto verdict = verify(stage.kafka, stage.db, stage.topic, "c", failing);
        QVERIFY2(verdict.good(), verdict.text().c_str());
        QCOMPARE(stage.counted("processed"), 90);
        QCOMPARE(stage.counted("rejected"), 10);
        QCOMPARE(stage.counted("transaction_failed"), 20);
        // The library may hand an offset out twice after a seek (PC-26): absorbed, and named for what it is.
        QCOMPARE(stage.counted("duplicate"), stage.counted("redelivered"));
        QCOMPARE(stage.kafka.readAll(stage.deadLetter).size(), std::size_t{10});
        QCOMPARE(
            stage.db.count("SELECT count(*) FROM redeliver.delivery_events WHERE outcome = 'rejected' AND error_code = "
                           "'23505'"),
            10);
    }

    void aHandlerThatEndsItsTransactionStopsItsPartition_data() {
        QTest::addColumn<QString>("sql");
        QTest::newRow("COMMIT") << QStringLiteral("COMMIT");
        QTest::newRow("COMMIT; BEGIN") << QStringLiteral("COMMIT; BEGIN");
        QTest::newRow("ROLLBACK") << QStringLiteral("ROLLBACK");
        QTest::newRow("ROLLBACK; BEGIN") << QStringLiteral("ROLLBACK; BEGIN");
        QTest::newRow("tx.commit()") << QStringLiteral("pqxx");
    }

    void aHandlerThatEndsItsTransactionStopsItsPartition() {
        QFETCH(QString, sql);
        WorkerStage stage;
        stage.send(0, 30);
        Service service(serviceOptions(stage),
                        [sql = sql.toStdString()](pqxx::transaction_base& tx, const Message& message) -> Answer {
                            applyEffect(tx, message);
                            if (message.id.value() == "m10" && sql == "pqxx") {
                                tx.commit();
                            } else if (message.id.value() == "m10") {
                                tx.exec(sql);
                            }
                            return consumer::done();
                        });
        QVERIFY(stage.until("SELECT count(*) FROM redeliver.consumer_offsets WHERE state = 'stopped'", 1));
        QVERIFY(stage.until("SELECT count(*) FROM redeliver_lab.effects", 23));  // 20 of the others, 3 before it
        service.stop();
        QCOMPARE(stopCode(stage), std::string("handler-ended-transaction"));
        std::set<std::string> waiting;
        for (int i = 10; i < 30; i += 3) {
            waiting.insert("m" + std::to_string(i));
        }
        const auto verdict = verify(stage.kafka, stage.db, stage.topic, "c", waiting);
        QVERIFY2(verdict.good(), verdict.text().c_str());
        QVERIFY(stage.db.count("SELECT count(*) FROM redeliver.consumer_offsets WHERE stop_reason LIKE '%m10%'") == 1);
    }

    void aPersonReleasesAStoppedPartition() {
        WorkerStage stage(1, {"c"}, false);
        stage.send(0, 10);
        auto options = serviceOptions(stage);
        options.deadLetter.clear();
        Service service(options, [](pqxx::transaction_base& tx, const Message& message) -> Answer {
            applyEffect(tx, message);
            return message.id.value() == "m4" ? consumer::reject("no good") : consumer::done();
        });
        QVERIFY(stage.until("SELECT count(*) FROM redeliver.consumer_offsets WHERE state = 'stopped'", 1));
        QCOMPARE(stopCode(stage), std::string("no-dead-letter-topic"));
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver_lab.effects"), 4);
        stage.db.execute(
            "UPDATE redeliver.consumer_offsets SET requested = 'skip-to', requested_offset = 5, requested_by = "
            "'alice', requested_reason = 'known bad'");
        QVERIFY(stage.until("SELECT count(*) FROM redeliver_lab.effects", 9));
        QVERIFY(stage.caughtUp());
        service.stop();
        const auto verdict = verify(stage.kafka, stage.db, stage.topic, "c", {"m4"});
        QVERIFY2(verdict.good(), verdict.text().c_str());
        QCOMPARE(stage.db.count(
                     "SELECT count(*) FROM redeliver.delivery_events WHERE outcome = 'released' AND error_text LIKE "
                     "'%alice%known bad%'"),
                 1);
    }

    void aCutConnectionDuringCommitIsInDoubt_data() {
        QTest::addColumn<bool>("arrived");
        QTest::newRow("COMMIT never arrived") << false;
        QTest::newRow("its answer never came back") << true;
    }

    void aCutConnectionDuringCommitIsInDoubt();

    void theBatchFormAndTheSequenceGuard() {
        WorkerStage stage(1);
        stage.db.execute("CREATE TABLE accounts(name text PRIMARY KEY, seq bigint, note text)");
        const auto sequenced = [&](const std::string& id, int sequence) {
            return message(stage.topic, id, 0, {{"seq", std::to_string(sequence)}});
        };
        stage.kafka.produce({sequenced("a", 1), sequenced("b", 3), sequenced("c", 2), sequenced("d", 4)});
        Service service(serviceOptions(stage),
                        [](pqxx::transaction_base& tx, std::span<const Message> messages) -> std::vector<Answer> {
                            std::vector<Answer> answers;
                            for (const auto& one : messages) {
                                const auto seq = std::stoll(std::string(*lastHeader(one.record, "seq")));
                                answers.push_back(applyIfNewer(tx, {"", "accounts", "name", "seq"}, "acme", seq,
                                                               {{"note", one.id.value()}}));
                            }
                            return answers;
                        });
        QVERIFY(stage.caughtUp());
        service.stop();
        QCOMPARE(stage.db.execute("SELECT note || seq FROM accounts"), std::string("d4"));
        QCOMPARE(stage.counted("stale"), 1);
        QCOMPARE(stage.counted("processed"), 3);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver.processed_messages"), 4);  // a stale one is settled too
    }

    void theRowItselfIsTheMarker() {
        WorkerStage stage(1);
        stage.db.execute("CREATE TABLE accounts(name text PRIMARY KEY, seq bigint)");
        for (const int sequence : {1, 2, 2, 1, 3}) {
            stage.kafka.produce(
                {message(stage.topic, "s" + std::to_string(sequence), 0, {{"seq", std::to_string(sequence)}})});
        }
        auto options = serviceOptions(stage);
        options.tuning.rowIsMarker = true;
        Service service(options, [](pqxx::transaction_base& tx, const Message& one) -> Answer {
            return applyOnce(tx, {"", "accounts", "name", "seq"}, "acme",
                             std::stoll(std::string(*lastHeader(one.record, "seq"))), {});
        });
        QVERIFY(stage.caughtUp());
        service.stop();
        QCOMPARE(stage.counted("processed"), 3);
        QCOMPARE(stage.counted("duplicate"), 1);
        QCOMPARE(stage.counted("stale"), 1);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver.processed_messages"), 0);
    }

    void keysThatAGuardMustOwnAreRefused() {
        WorkerStage stage(1);
        for (const char* key : {"enable.auto.commit", "enable.auto.offset.store"}) {
            auto options = serviceOptions(stage);
            options.kafka[key] = "true";
            IdempotentConsumer refused(options,
                                       [](pqxx::transaction_base&, const Message&) { return consumer::done(); });
            try {
                refused.run({});
                QFAIL("taken");
            } catch (const Error& error) {
                QCOMPARE(error.kind(), ErrorKind::BadInput);
                QVERIFY(error.text().find(key) != std::string::npos);
            }
        }
    }
};

void ConsumerHandlersTest::aCutConnectionDuringCommitIsInDoubt() {
    QFETCH(bool, arrived);
    WorkerStage stage(1);
    stage.send(0, 10);
    const auto socket = stage.db.execute(
        "SELECT split_part(current_setting('unix_socket_directories'), ',', 1) || "
        "'/.s.PGSQL.' || current_setting('port')");
    TcpProxy proxy(socket);
    auto options = serviceOptions(stage);
    options.dsn = "host=127.0.0.1 port=" + std::to_string(proxy.port()) +
                  " sslmode=disable user=" + stage.db.execute("SELECT current_user") + " dbname=" + stage.db.name();
    std::atomic<int> calls = 0;
    Service service(options, [&](pqxx::transaction_base& tx, const Message& message) -> Answer {
        if (calls++ == 5) {
            proxy.cutOn(arrived ? TcpProxy::Cut::AfterPattern : TcpProxy::Cut::BeforePattern, "SELECT 1;COMMIT");
        }
        applyEffect(tx, message);
        return consumer::done();
    });
    QVERIFY(stage.caughtUp());
    QVERIFY(stage.until("SELECT coalesce(sum(in_doubt), 0) FROM redeliver.delivery_counts WHERE in_doubt > 0", 10));
    service.stop();
    QCOMPARE(proxy.cuts(), 1);
    const auto verdict = verify(stage.kafka, stage.db, stage.topic, "c");
    QVERIFY2(verdict.good(), verdict.text().c_str());
    QCOMPARE(stage.counted("processed"), 10);
    QCOMPARE(stage.counted("duplicate"), arrived ? 10 : 0);
}

QTEST_GUILESS_MAIN(ConsumerHandlersTest)
#include "tst_consumer_handlers_kafka.moc"
