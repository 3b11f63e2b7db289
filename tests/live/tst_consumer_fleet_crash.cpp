// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/private_kafka.h"
#include "core/lab/private_postgres.h"
#include "tests/live/worker_stage.h"
#include "tests/support/run_servers.h"

#include <QtTest>

#include <vector>

using namespace redeliver;
using namespace redeliver::tests;

namespace {

constexpr auto patient = std::chrono::seconds(60);

std::string stopCode(const WorkerStage& stage) {
    return stage.db.execute(
        "SELECT coalesce(max(stop_code), '') FROM redeliver.consumer_offsets WHERE state = 'stopped'");
}

}  // namespace

/// Several real workers and consumers, servers that crash under them, logs and groups that change behind their back.
class ConsumerFleetTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void twoConsumersBothProcessOneTopic() {  // crash point 6
        WorkerStage stage(3, {"c", "d"});
        stage.send(0, 300);
        const auto first = stage.start("c-1");
        const auto second = stage.start("d-1", {}, "d");
        QVERIFY(stage.caughtUp("c"));
        QVERIFY(stage.caughtUp("d"));
        for (const char* name : {"c", "d"}) {
            const auto verdict = verify(stage.kafka, stage.db, stage.topic, name);
            QVERIFY2(verdict.good(), verdict.text().c_str());
        }
        QCOMPARE(stage.counted("processed"), 600);
    }

    void fourWorkersComeAndGoWithCopiesEverywhere() {  // crash points 1 and 4
        WorkerStage stage(4);
        stage.send(0, 400);
        std::vector<OutgoingRecord> copies;
        for (int i = 0; i < 400; ++i) {
            copies.push_back(message(stage.topic, "m" + std::to_string(i), (i + 1) % 4));  // in another partition
        }
        std::vector<lab::Process> workers;
        for (int i = 0; i < 4; ++i) {
            workers.push_back(stage.start("w" + std::to_string(i), {"--batch", "40"}));
        }
        stage.kafka.produce(copies);
        workers[0].signal(SIGKILL);
        stage.send(400, 800);
        QVERIFY(QTest::qWaitFor(
            [&] { return stage.db.count("SELECT count(*) FROM redeliver.consumer_offsets WHERE worker = 'w1'") > 0; },
            60'000));
        QCOMPARE(workers[1].stop(patient), 0);
        workers.push_back(stage.start("w4", {"--batch", "40"}));
        QVERIFY(stage.caughtUp());
        for (std::size_t i = 2; i < workers.size(); ++i) {
            QCOMPARE(workers[i].stop(patient), 0);
        }
        const auto verdict = verify(stage.kafka, stage.db, stage.topic, "c");
        QVERIFY2(verdict.good(), verdict.text().c_str());
        QCOMPARE(stage.counted("processed"), 800);
        QVERIFY(stage.counted("duplicate") >= 400);
        QCOMPARE(stage.counted("duplicate"),
                 stage.counted("redelivered + published_again + replayed + concurrent + unknown_kind"));
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver.consumer_offsets WHERE state = 'stopped'"), 0);
    }

    void postgresCrashesUnderTheWorkers() {
        const auto own = startTestPostgres();
        WorkerStage stage;
        own->createDatabase("orders", templateDatabase);
        stage.use(own->dsn("orders"), stage.kafka.bootstrap());
        stage.send(0, 300, {{"lab-sleep-ms", "5"}});
        const auto worker = stage.start("w", {"--batch", "20"});
        const auto effects = [&] {
            try {
                return std::stoi("0" + own->execute("orders", "SELECT count(*) FROM redeliver_lab.effects"));
            } catch (const Error&) {
                return 0;
            }
        };
        QVERIFY(QTest::qWaitFor([&] { return effects() > 40; }, 60'000));
        own->stopImmediate();
        QVERIFY(QTest::qWaitFor(
            [&] { return lab::tailOf(stage.logOf("w")).find("database_trouble") != std::string::npos; }, 30'000));
        own->start();
        QVERIFY2(stage.caughtUp("c", 120), lab::tailOf(stage.logOf("w")).c_str());
        QCOMPARE(worker.stop(patient), 0);
        QCOMPARE(
            own->execute("orders", "SELECT count(*) || ' ' || count(DISTINCT message_id) FROM redeliver_lab.effects"),
            std::string("300 300"));
        QCOMPARE(own->execute("orders", "SELECT count(*) FROM redeliver.processed_messages"), std::string("300"));
        QCOMPARE(own->execute("orders", "SELECT sum(processed) FROM redeliver.delivery_counts"), std::string("300"));
        QCOMPARE(own->execute("orders", "SELECT count(*) FROM redeliver.consumer_offsets WHERE state = 'stopped'"),
                 std::string("0"));
    }

    void aRangeDeletedUnreadStopsAndIsNamed() {
        WorkerStage stage(1);
        stage.send(0, 10);
        {
            const auto worker = stage.start("w");
            QVERIFY(stage.caughtUp());
            QCOMPARE(worker.stop(patient), 0);
        }
        stage.send(10, 30);
        stage.kafka.deleteRecordsBelow(stage.topic, 0, 20);
        {
            const auto worker = stage.start("w");
            QVERIFY(stage.until("SELECT count(*) FROM redeliver.consumer_offsets WHERE state = 'stopped'", 1));
            QCOMPARE(stopCode(stage), std::string("offset-out-of-range"));
            QCOMPARE(stage.db.count(
                         "SELECT count(*) FROM redeliver.consumer_offsets WHERE stop_reason LIKE '%10 to 19%' AND "
                         "stop_suggests = 20"),
                     1);
            stage.db.execute("UPDATE redeliver.consumer_offsets SET requested = 'skip-to', requested_offset = 20");
            QVERIFY(stage.caughtUp());
            QCOMPARE(worker.stop(patient), 0);
        }
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver_lab.effects"), 20);
    }

    void theGroupMovedBehindOurBack_data() {
        QTest::addColumn<int>("group");
        QTest::addColumn<QString>("event");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("duplicates");
        QTest::newRow("one behind (PC-26)") << 9 << QStringLiteral("group_behind") << QString() << 1;
        QTest::newRow("far behind") << 0 << QStringLiteral("group_behind") << QString() << 10;
        QTest::newRow("ahead") << 15 << QString() << QStringLiteral("group-ahead") << 0;
    }

    void theGroupMovedBehindOurBack() {
        QFETCH(int, group);
        QFETCH(QString, event);
        QFETCH(QString, code);
        QFETCH(int, duplicates);
        WorkerStage stage(1);
        stage.send(0, 10);
        {
            const auto worker = stage.start("w");
            QVERIFY(stage.caughtUp());
            QCOMPARE(worker.stop(patient), 0);
        }
        stage.send(10, 20);
        stage.kafka.commitOffsets(stage.groupOf("c"), stage.topic, {{0, group}});
        const auto worker = stage.start("w");
        if (code.isEmpty()) {
            QVERIFY(stage.caughtUp());
        } else {
            QVERIFY(stage.until("SELECT count(*) FROM redeliver.consumer_offsets WHERE state = 'stopped'", 1));
        }
        QCOMPARE(worker.stop(patient), 0);
        QCOMPARE(QString::fromStdString(stopCode(stage)), code);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver.delivery_events WHERE outcome = '" +
                                event.toStdString() + "'"),
                 event.isEmpty() ? 0 : 1);
        QCOMPARE(stage.counted("duplicate"), duplicates);
        QCOMPARE(stage.counted("redelivered"), duplicates);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver_lab.effects"), code.isEmpty() ? 20 : 10);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver.marker_horizon WHERE lost_before IS NOT NULL"),
                 code.isEmpty() ? 0 : 1);
    }

    void theBrokerRestartsUnderTheWorkers() {
        const auto own = startTestKafka();
        WorkerStage stage(1);
        // This stage's own topic lies on the shared broker; the worker reads an equally named one on its own broker.
        stage.use(stage.db.dsn(), own->bootstrap());
        const auto send = [&](int from, int to) {
            std::string lines;
            for (int i = from; i < to; ++i) {
                lab::ProcessOptions options;
                options.command = {"sh", "-c",
                                   "printf x | kcat -P -b " + own->bootstrap() + " -t " + stage.topic +
                                       " -H message-id=m" + std::to_string(i) + " -H lab-sleep-ms=20"};
                lab::runToEnd(options, patient);
            }
        };
        for (const auto& name : {stage.topic, stage.deadLetter}) {
            own->runTool({"org.apache.kafka.tools.TopicCommand", "--bootstrap-server", own->bootstrap(), "--create",
                          "--topic", name, "--partitions", "1", "--replication-factor", "1"});
        }
        send(0, 30);
        const auto worker = stage.start("w", {"--batch", "5"});
        QVERIFY(stage.until("SELECT (count(*) >= 10)::int FROM redeliver_lab.effects", 1));
        own->kill();
        own->start();
        send(30, 40);
        QVERIFY2(stage.until("SELECT count(DISTINCT message_id) FROM redeliver_lab.effects", 40, 120),
                 lab::tailOf(stage.logOf("w")).c_str());
        QCOMPARE(worker.stop(patient), 0);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver_lab.effects"), 40);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver.processed_messages"), 40);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver.consumer_offsets WHERE state = 'stopped'"), 0);
    }
};

QTEST_GUILESS_MAIN(ConsumerFleetTest)
#include "tst_consumer_fleet_crash.moc"
