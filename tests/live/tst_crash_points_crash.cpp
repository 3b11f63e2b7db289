// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/live/worker_stage.h"

#include <QtTest>

using namespace redeliver;
using namespace redeliver::tests;

namespace {

constexpr int killed = 128 + 9;
constexpr auto patient = std::chrono::seconds(60);

}  // namespace

/// domain.md, "The crash points that every release must survive", with real workers and kill -9.
class CrashPointsTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void deathAtAPointRepeatsAndLosesNothing_data() {
        QTest::addColumn<QString>("point");
        QTest::addColumn<bool>("comesAgain");
        QTest::newRow("before begin") << QStringLiteral("before-begin") << false;
        QTest::newRow("after the claim") << QStringLiteral("after-claim") << false;
        QTest::newRow("after the handler") << QStringLiteral("after-handler") << false;
        QTest::newRow("before commit (crash point 2)") << QStringLiteral("before-commit") << false;
        QTest::newRow("after commit, before ack (crash point 3)") << QStringLiteral("after-commit") << true;
        QTest::newRow("after ack") << QStringLiteral("after-ack") << false;
    }

    void deathAtAPointRepeatsAndLosesNothing() {
        QFETCH(QString, point);
        QFETCH(bool, comesAgain);
        WorkerStage stage;
        stage.send(0, 30);
        {
            const auto first = stage.start("first");
            QVERIFY(stage.caughtUp());
            QCOMPARE(first.stop(patient), 0);
        }
        stage.send(30, 60);
        {
            const auto dying = stage.start("dying", {"--crash-at", point.toStdString()});
            QCOMPARE(dying.wait(patient).value_or(-1), killed);
        }
        const auto heir = stage.start("heir");
        QVERIFY2(stage.caughtUp(), lab::tailOf(stage.logOf("heir")).c_str());
        QCOMPARE(heir.stop(patient), 0);
        const auto verdict = verify(stage.kafka, stage.db, stage.topic, "c");
        QVERIFY2(verdict.good(), verdict.text().c_str());
        QCOMPARE(stage.counted("processed"), 60);
        QCOMPARE(stage.counted("duplicate") > 0, comesAgain);
        QCOMPARE(stage.counted("duplicate"), stage.counted("redelivered"));
    }

    void deathBetweenDeadLetterAndCommitLosesNone() {
        WorkerStage stage(1);
        stage.kafka.produce({message(stage.topic, "bad", 0, {{"lab-reject", "1"}}), message(stage.topic, "good")});
        {
            const auto dying = stage.start("dying", {"--crash-at", "dead-letter-produced"});
            QCOMPARE(dying.wait(patient).value_or(-1), killed);
        }
        const auto heir = stage.start("heir");
        QVERIFY(stage.caughtUp());
        QCOMPARE(heir.stop(patient), 0);
        const auto verdict = verify(stage.kafka, stage.db, stage.topic, "c", {"bad"});
        QVERIFY2(verdict.good(), verdict.text().c_str());
        QCOMPARE(stage.kafka.readAll(stage.deadLetter).size(), std::size_t{2});
        QCOMPARE(stage.counted("rejected"), 1);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver.processed_messages WHERE message_id = 'bad'"), 0);
    }

    void aSecondSignalStopsAtOnce() {
        WorkerStage stage(1);
        stage.send(0, 1, {{"lab-sleep-ms", "60000"}});
        const auto worker = stage.start("w");
        QVERIFY(QTest::qWaitFor(
            [&] {
                return stage.db.count(
                           "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = "
                           "'idle in transaction' AND state_change < clock_timestamp() - interval '1 second'") == 1;
            },
            30'000));
        worker.signal(SIGTERM);
        QVERIFY(!worker.wait(std::chrono::seconds(1)));
        worker.signal(SIGTERM);
        QCOMPARE(worker.wait(std::chrono::seconds(5)).value_or(-1), 130);
        QCOMPARE(stage.db.count("SELECT count(*) FROM redeliver_lab.effects"), 0);
    }

    void aProductionProfileRefusesCrashPoints() {
        WorkerStage stage(1);
        stage.use(stage.db.dsn(), stage.kafka.bootstrap(), Environment::Production);
        QCOMPARE(stage.start("w", {"--crash-at", "after-commit"}).wait(patient).value_or(-1), 4);
        QCOMPARE(stage.start("w", {"--crash-at", "no-such-point"}).wait(patient).value_or(-1), 4);
        stage.use(stage.db.dsn(), stage.kafka.bootstrap());
        QCOMPARE(stage.start("w", {"--crash-at", "no-such-point"}).wait(patient).value_or(-1), 2);
    }
};

QTEST_GUILESS_MAIN(CrashPointsTest)
#include "tst_crash_points_crash.moc"
