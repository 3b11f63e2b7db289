// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/core/consumer/loop_bench.h"

#include <QtTest>

using namespace redeliver;
using namespace redeliver::model;
using consumer::Message;

/// Servers that go away, owners that change, logs and groups that don't fit the database.
class LoopTroubleTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void inDoubtIsDecidedByTheNextDelivery_data() {
        QTest::addColumn<bool>("done");
        QTest::newRow("it had committed") << true;
        QTest::newRow("it had not") << false;
    }

    void inDoubtIsDecidedByTheNextDelivery() {
        QFETCH(bool, done);
        LoopBench bench;
        fill(bench, 20);
        bench.restart();
        bench.database.commitFault = done ? Database::CommitFault::InDoubtDone : Database::CommitFault::InDoubtNotDone;
        bench.run(std::chrono::seconds(10));
        verifyBooks(bench);
        QCOMPARE(bench.database.effects.size(), std::size_t{20});
        QCOMPARE(bench.database.counts.inDoubt, 20);
        QCOMPARE(bench.database.counts.of(Outcome::Processed), 20);
        QCOMPARE(bench.database.counts.of(Outcome::Duplicate), done ? 20 : 0);
        QVERIFY(!bench.database.rows.at(bench.p0).stopped);
        QCOMPARE(bench.log.group.at(bench.p0).value(), 10);
        fill(bench, 10, 20);  // and it goes on
        bench.run();
        QCOMPARE(bench.database.effects.size(), std::size_t{30});
    }

    void aSmallerBatchAfterAnInDoubtOneStillFits() {
        LoopBench bench;
        fill(bench, 20);
        bench.restart();
        bench.database.commitFault = Database::CommitFault::InDoubtDone;
        bench.run(std::chrono::milliseconds(50));
        bench.options.batchRecords = 3;
        bench.loop->finish();
        bench.restart();
        bench.run();
        bench.database.commitFault = Database::CommitFault::InDoubtDone;
        fill(bench, 20, 20);
        bench.run(std::chrono::seconds(10));
        QCOMPARE(bench.database.effects.size(), std::size_t{40});
        QVERIFY(!bench.database.rows.at(bench.p0).stopped);
        verifyBooks(bench);
    }

    void aLostDatabaseIsWaitedForWhilePollingGoesOn() {
        LoopBench bench;
        fill(bench, 20);
        bench.restart();
        bench.run();
        bench.handler.rule = [&](auto&, const Message&) {
            bench.database.away = true;  // in mid-batch
            return consumer::done();
        };
        fill(bench, 20, 20);
        bench.run(std::chrono::seconds(60));
        bench.handler.rule = {};
        QVERIFY(bench.loop->databaseAway());
        QCOMPARE(bench.log.group.at(bench.p0).value(), 10);
        bench.database.away = false;
        bench.run(std::chrono::seconds(20));
        QCOMPARE(bench.database.effects.size(), std::size_t{40});
        verifyBooks(bench);
        QCOMPARE(bench.database.counts.of(Outcome::TransactionFailed), 20);
        QCOMPARE(bench.log.group.at(bench.p0).value(), 20);
    }

    void aDatabaseLostBetweenTwoBatches() {
        LoopBench bench;
        fill(bench, 40);
        bench.options.batchRecords = 10;
        int begins = 0;
        bench.options.atPoint = [&](std::string_view where) {
            if (where == consumer::point::beforeBegin && ++begins == 2) {
                bench.database.away = true;
            }
        };
        bench.restart();
        bench.run(std::chrono::seconds(20));
        QCOMPARE(bench.database.effects.size(), std::size_t{10});
        bench.database.away = false;
        bench.run(std::chrono::seconds(20));
        QCOMPARE(bench.database.effects.size(), std::size_t{40});
        verifyBooks(bench);
    }

    void bothServersAwayAtOnce() {
        LoopBench bench;
        fill(bench, 40);
        bench.options.batchRecords = 10;
        bench.handler.rule = [&](auto&, const Message&) {
            bench.database.away = bench.source->brokerAway = true;
            return consumer::done();
        };
        bench.restart();
        bench.run(std::chrono::seconds(20));
        bench.handler.rule = {};
        bench.database.away = false;  // the database first: seeking isn't possible yet
        bench.run(std::chrono::seconds(20));
        QVERIFY(bench.database.effects.empty());
        bench.source->brokerAway = false;
        bench.run(std::chrono::seconds(20));
        QCOMPARE(bench.database.effects.size(), std::size_t{40});
        verifyBooks(bench);
    }

    void theRowIsTheMarker() {
        LoopBench bench;
        bench.options.rowIsMarker = true;
        bench.log.append(bench.p0, "a");
        bench.log.append(bench.p0, "a");
        int calls = 0;
        bench.handler.rule = [&](auto&, const Message&) {
            return ++calls == 1 ? consumer::done() : consumer::alreadyDone();
        };
        bench.restart();
        bench.run();
        QCOMPARE(calls, 2);
        QVERIFY(bench.database.markers.empty());
        QCOMPARE(bench.database.counts.of(Outcome::Processed), 1);
        QCOMPARE(bench.database.counts.of(Outcome::Duplicate), 1);
    }

    void aDatabaseThatIsAwayAtTheAssignmentDecidesLater() {
        LoopBench bench;
        fill(bench, 4);
        bench.database.away = true;
        bench.restart();
        bench.run();
        bench.database.away = false;
        bench.run(std::chrono::seconds(20));
        QCOMPARE(bench.database.effects.size(), std::size_t{4});
    }

    void aFailedAckIsCountedAndComesAgainAsNothingWorse() {
        LoopBench bench;
        fill(bench, 4);
        bench.restart();
        bench.source->commitFails = "REBALANCE_IN_PROGRESS";
        bench.run(std::chrono::milliseconds(500));
        QVERIFY(!bench.log.group.contains(bench.p0));
        QCOMPARE(bench.database.effects.size(), std::size_t{4});
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.effects.size(), std::size_t{4});
        verifyBooks(bench);
        QCOMPARE(bench.log.group.at(bench.p0).value(), 2);
    }

    void afterALostMembershipNothingIsAcked() {
        LoopBench bench;
        fill(bench, 4);
        bench.restart();
        bench.source->lost = true;
        bench.run();
        QVERIFY(bench.source->commits.empty());
        QVERIFY(bench.database.counts.ackFailed > 0);
    }

    void aZombieIsRolledBackAndStandsStill() {
        LoopBench bench;
        fill(bench, 10);
        bench.restart();
        bench.run();
        for (auto& [tp, row] : bench.database.rows) {
            row.owner = "another";
        }
        fill(bench, 10, 10);
        bench.run();
        QCOMPARE(bench.database.effects.size(), std::size_t{10});
        QVERIFY(!bench.database.rows.at(bench.p0).stopped);  // it isn't ours to stop
        QVERIFY(bench.database.has("owner_lost"));
        bench.source->take(true);
        bench.source->give({bench.p0, bench.p1});
        bench.run();
        QCOMPARE(bench.database.effects.size(), std::size_t{20});
        verifyBooks(bench);
    }

    void aDatabaseThatLostCommitsStopsThePartition() {
        LoopBench bench;
        fill(bench, 10);
        bench.restart();
        bench.run();
        bench.database.rows.at(bench.p0).next = Offset{2};
        fill(bench, 10, 10);
        bench.run();
        QCOMPARE(bench.database.rows.at(bench.p0).code, std::string("database-moved"));
        QCOMPARE(bench.database.effectsOf("m19"), 1);
    }

    void aGroupAheadOfTheDatabaseStopsAndRemembersTheLoss() {
        LoopBench bench;
        fill(bench, 10);
        bench.restart();
        bench.run();
        bench.loop->finish();
        bench.log.group[bench.p0] = Offset{5};
        bench.database.rows.at(bench.p0).next = Offset{3};  // restored from a backup
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.rows.at(bench.p0).code, std::string("group-ahead"));
        QVERIFY(bench.database.lostBefore);
        QCOMPARE(bench.database.rows.at(bench.p0).highest->value(), 5);
    }

    void aDeletedRangeStopsAndNamesIt() {
        LoopBench bench;
        fill(bench, 40);
        bench.options.batchRecords = 4;
        bench.restart();
        bench.run();
        bench.log.partitions.at(bench.p0).records.push_back(bench.log.partitions.at(bench.p0).records.back());
        bench.loop->finish();
        fill(bench, 40, 40);
        bench.log.deleteBelow(bench.p0, 30);
        bench.restart();
        bench.run();
        QVERIFY(bench.database.rows.at(bench.p0).stopped);
        QCOMPARE(bench.database.rows.at(bench.p0).code, std::string("offset-out-of-range"));
        QVERIFY(bench.database.rows.at(bench.p0).reason.find("29") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(LoopTroubleTest)
#include "tst_loop_trouble_unit.moc"
