// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/core/consumer/loop_bench.h"

#include <QtTest>

using namespace redeliver;
using namespace redeliver::model;
using consumer::Answer;
using consumer::Message;

class LoopTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void processesAllAndAcksAfterCommit() {
        LoopBench bench;
        fill(bench, 100);
        bench.restart();
        bench.run();
        verifyBooks(bench);
        QCOMPARE(bench.database.effects.size(), std::size_t{100});
        QCOMPARE(bench.log.group.at(bench.p0).value(), 50);
        QCOMPARE(bench.database.rows.at(bench.p0).next->value(), 50);
        QCOMPARE(bench.database.counts.of(Outcome::Processed), 100);
        QCOMPARE(bench.database.counts.deliveries(), 100);
    }

    void copiesAreDuplicatesOfTheRightKind() {
        LoopBench bench;
        bench.log.append(bench.p0, "a", "v");
        bench.log.append(bench.p0, "a", "v");
        bench.log.append(bench.p1, "a", "other");
        bench.log.append(bench.p1, "a", "v", {{"redeliver-replay", "0b4f2d6e-8a53-4c8e-9f2d-1f0a4f3b2c1d"}});
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.effectsOf("a"), 1);
        QCOMPARE(bench.database.counts.of(Outcome::Duplicate), 3);
        QCOMPARE(bench.database.counts.of(DuplicateKind::PublishedAgain), 2);
        QCOMPARE(bench.database.counts.of(DuplicateKind::Replayed), 1);
        int different = 0;
        for (const auto& event : bench.database.events) {
            different += event.kind == DuplicateKind::PublishedAgain && event.identicalContent == false ? 1 : 0;
        }
        QCOMPARE(different, 1);
    }

    void deathAtEachPointRepeatsAndLosesNothing_data() {
        QTest::addColumn<QString>("point");
        for (const auto point : consumer::allPoints) {
            if (point != consumer::point::deadLetterProduced) {
                const auto text = QString::fromUtf8(point.data(), static_cast<qsizetype>(point.size()));
                QTest::newRow(qPrintable(text)) << text;
            }
        }
    }

    void deathAtEachPointRepeatsAndLosesNothing() {
        QFETCH(QString, point);
        LoopBench bench;
        fill(bench, 20);
        bench.log.group[bench.p0] = bench.log.group[bench.p1] = Offset{0};
        bool armed = true;
        bench.options.atPoint = [&, at = point.toStdString()](std::string_view where) {
            if (armed && where == at) {
                armed = false;
                throw Crash{at};
            }
        };
        bench.restart();
        bool died = false;
        try {
            bench.run();
        } catch (const Crash&) {
            died = true;
        }
        QVERIFY(died);
        bench.restart();
        bench.run();
        verifyBooks(bench);
        QCOMPARE(bench.database.effects.size(), std::size_t{20});
        const bool committedFirst = point == QLatin1String("after-commit");
        QCOMPARE(bench.database.counts.of(Outcome::Duplicate), committedFirst ? 20 : 0);
        QCOMPARE(bench.database.counts.of(DuplicateKind::Redelivered), committedFirst ? 20 : 0);
        QCOMPARE(bench.log.group.at(bench.p1).value(), 10);
    }

    void aFailingMessageLeavesNoMarkerAndDoesntDragItsBatchDown() {
        LoopBench bench;
        fill(bench, 20);
        bench.options.retry = {1000, std::chrono::seconds(3600), std::chrono::seconds(3600)};
        bench.handler.rule = [](auto&, const Message& message) { return failing("m6", message); };
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.effectsOf("m6"), 0);
        QVERIFY(!bench.database.markers.contains({"c", "m6"}));
        verifyBooks(bench);
        // p0 holds m0 m2 m4 | m6 …: those before it are done, those behind it wait; p1 goes on
        QCOMPARE(bench.database.effectsOf("m4"), 1);
        QCOMPARE(bench.database.effectsOf("m8"), 0);
        QCOMPARE(bench.database.effectsOf("m19"), 1);
        QCOMPARE(bench.database.rows.at(bench.p0).next->value(), 3);
        QCOMPARE(bench.log.group.at(bench.p0).value(), 3);
        QCOMPARE(bench.database.counts.of(Outcome::TransactionFailed), 1);
    }

    void triesUsedUpGoToTheDeadLetterTopicAndHoldNobodyBack() {
        LoopBench bench;
        fill(bench, 20);
        bench.options.retry = {3, std::chrono::milliseconds(100), std::chrono::seconds(1)};
        bench.handler.rule = [](auto&, const Message& message) { return failing("m6", message); };
        bench.restart();
        bench.run(std::chrono::seconds(10));
        verifyBooks(bench);
        QCOMPARE(bench.database.effects.size(), std::size_t{19});
        QCOMPARE(bench.sink.sent.size(), std::size_t{1});
        const auto& headers = bench.sink.sent.front().headers;
        const auto value = [&](const char* name) {
            for (const auto& one : headers) {
                if (one.name == name) {
                    return QString::fromStdString(one.value.value_or("?"));
                }
            }
            return QString();
        };
        QCOMPARE(value("redeliver-source"), QStringLiteral("t/0/3"));
        QCOMPARE(value("redeliver-consumer"), QStringLiteral("c"));
        QCOMPARE(value("redeliver-error-code"), QStringLiteral("P0001"));
        QCOMPARE(value("redeliver-attempts"), QStringLiteral("3"));
        QCOMPARE(bench.database.counts.of(Outcome::TransactionFailed), 2);
        QCOMPARE(bench.database.counts.of(Outcome::Rejected), 1);
        QCOMPARE(bench.log.group.at(bench.p0).value(), 10);
        QVERIFY(!bench.database.markers.contains({"c", "m6"}));
    }

    void transientFailuresNeverUseUpTries() {
        LoopBench bench;
        fill(bench, 2);
        bench.options.retry = {2, std::chrono::milliseconds(10), std::chrono::milliseconds(20)};
        int calls = 0;
        bench.handler.rule = [&](auto&, const Message& message) {
            Answer answer = consumer::done();
            if (message.id.value() == "m0" && ++calls < 20) {
                answer = consumer::retryLater("deadlock", "40P01");
                answer.transient = true;
            }
            return answer;
        };
        bench.restart();
        bench.run(std::chrono::seconds(10));
        QCOMPARE(bench.database.effectsOf("m0"), 1);
        QVERIFY(bench.sink.sent.empty());
    }

    void noDeadLetterTopicStopsThePartitionAndSaysSo() {
        LoopBench bench;
        fill(bench, 20);
        bench.options.consumer.deadLetter.reset();
        bench.handler.rule = [](auto&, const Message& message) {
            return message.id.value() == "m6" ? consumer::reject("bad") : consumer::done();
        };
        bench.restart();
        bench.run();
        const auto& row = bench.database.rows.at(bench.p0);
        QVERIFY(row.stopped);
        QCOMPARE(row.code, std::string("no-dead-letter-topic"));
        QCOMPARE(row.next->value(), 3);
        QCOMPARE(bench.database.effectsOf("m19"), 1);
        verifyBooks(bench);
        // a person skips it
        bench.database.rows.at(bench.p0).requested = "skip-to 4";
        bench.run();
        QVERIFY(!bench.database.rows.at(bench.p0).stopped);
        QCOMPARE(bench.database.effectsOf("m18"), 1);
        QCOMPARE(bench.database.effectsOf("m6"), 0);
    }

    void aStopOutlivesTheProcessAndRetryEndsIt() {
        LoopBench bench;
        fill(bench, 20);
        bench.options.consumer.deadLetter.reset();
        bool broken = true;
        bench.handler.rule = [&](auto&, const Message& message) {
            return broken && message.id.value() == "m6" ? consumer::reject("bad") : consumer::done();
        };
        bench.restart();
        bench.run();
        bench.loop->finish();
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.effectsOf("m8"), 0);
        broken = false;
        bench.database.rows.at(bench.p0).requested = "retry";
        bench.run();
        QCOMPARE(bench.database.effects.size(), std::size_t{20});
        verifyBooks(bench);
    }

    void withoutIdentityToTheDeadLettersNeverAnUnguardedEffect() {
        LoopBench bench;
        bench.log.append(bench.p0, "a");
        bench.log.append(bench.p0, "");
        bench.log.append(bench.p0, "b");
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.effects.size(), std::size_t{2});
        QCOMPARE(bench.sink.sent.size(), std::size_t{1});
        QCOMPARE(bench.database.counts.of(Outcome::Rejected), 1);
        QVERIFY(bench.database.has("rejected", "no-identity"));
    }

    void aRefusedDeadLetterWaitsAndIsNeverSkipped() {
        LoopBench bench;
        bench.log.append(bench.p0, "");
        bench.log.append(bench.p0, "b");
        bench.sink.refuses = true;
        bench.restart();
        bench.run();
        QVERIFY(bench.database.effects.empty());
        QVERIFY(!bench.log.group.contains(bench.p0) || bench.log.group.at(bench.p0).value() == 0);
        bench.sink.refuses = false;
        bench.run(std::chrono::seconds(60));
        QCOMPARE(bench.sink.sent.size(), std::size_t{1});
        QCOMPARE(bench.database.effectsOf("b"), 1);
    }

    void deathBetweenDeadLetterAndCommitDoublesItButLosesNothing() {
        LoopBench bench;
        bench.log.append(bench.p0, "");
        bench.log.append(bench.p0, "b");
        bool armed = true;
        bench.options.atPoint = [&](std::string_view where) {
            if (std::exchange(armed, where != consumer::point::deadLetterProduced && armed) &&
                where == consumer::point::deadLetterProduced) {
                throw Crash{};
            }
        };
        bench.restart();
        QVERIFY_THROWS_EXCEPTION(Crash, bench.run());
        bench.restart();
        bench.run();
        QCOMPARE(bench.sink.sent.size(), std::size_t{2});
        QCOMPARE(bench.database.counts.of(Outcome::Rejected), 1);
        QCOMPARE(bench.log.group.at(bench.p0).value(), 2);
    }

    void aReplayForAnotherConsumerIsAckedWithoutMarker() {
        LoopBench bench;
        bench.options.consumer.formerly = {ConsumerName{"old-c"}};
        bench.log.append(bench.p0, "a", "v", {{"redeliver-only", "d"}, {"redeliver-target", "t"}});
        bench.log.append(bench.p0, "b", "v", {{"redeliver-only", "old-c"}, {"redeliver-target", "t"}});
        bench.log.append(bench.p0, "e", "v", {{"redeliver-only", "d"}, {"redeliver-target", "elsewhere"}});
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.counts.of(Outcome::NotAddressed), 1);
        QVERIFY(!bench.database.markers.contains({"c", "a"}));
        QCOMPARE(bench.database.effects.size(), std::size_t{2});
        QCOMPARE(bench.log.group.at(bench.p0).value(), 3);
    }

    void aHandlerThatEndsTheTransactionStopsItsPartition() {
        LoopBench bench;
        fill(bench, 20);
        bench.handler.rule = [](ModelTransaction& tx, const Message& message) {
            if (message.id.value() == "m6") {
                tx.endByHandler();
            }
            return consumer::done();
        };
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.rows.at(bench.p0).code, std::string("handler-ended-transaction"));
        QVERIFY(bench.database.rows.at(bench.p0).reason.find("m6") != std::string::npos);
        verifyBooks(bench);
        QCOMPARE(bench.database.effectsOf("m4"), 1);
        QCOMPARE(bench.database.effectsOf("m8"), 0);
        QCOMPARE(bench.database.effectsOf("m19"), 1);
    }

    void aSwallowedSqlErrorIsAFailure() {
        LoopBench bench;
        fill(bench, 4);
        bench.options.retry = {1, std::chrono::milliseconds(1), std::chrono::milliseconds(1)};
        bench.handler.rule = [](ModelTransaction& tx, const Message& message) {
            if (message.id.value() == "m2") {
                tx.breakStatement();
            }
            return consumer::done();
        };
        bench.restart();
        bench.run();
        verifyBooks(bench);
        QCOMPARE(bench.database.effects.size(), std::size_t{3});
        QVERIFY(bench.database.has("rejected", "25P02"));
    }

    void theBatchFormFindsTheFailingOne() {
        LoopBench bench;
        fill(bench, 20);
        bench.handler.batches = true;
        bench.options.retry = {1, std::chrono::milliseconds(1), std::chrono::milliseconds(1)};
        bench.handler.rule = [](auto&, const Message& message) { return failing("m6", message); };
        bench.restart();
        bench.run();
        verifyBooks(bench);
        QCOMPARE(bench.database.effects.size(), std::size_t{19});
        QVERIFY(bench.handler.calls.front() > 1);
    }

    void aTwinOfAFailedMessageIsHandledOnItsOwn() {
        LoopBench bench;
        bench.log.append(bench.p0, "a");
        bench.log.append(bench.p1, "a");
        bench.options.retry = {1000, std::chrono::seconds(3600), std::chrono::seconds(3600)};
        bench.handler.rule = [](auto&, const Message& message) {
            return message.at.partition == Partition{0} ? consumer::retryLater("no") : consumer::done();
        };
        bench.restart();
        bench.run();
        QCOMPARE(bench.database.effectsOf("a"), 1);
        verifyBooks(bench);
        QCOMPARE(bench.database.counts.of(Outcome::Processed), 1);
        QCOMPARE(bench.database.counts.of(Outcome::Duplicate), 0);
    }

    void theSameOffsetTwiceInOneAssignment() {  // PC-26
        LoopBench bench;
        for (int i = 0; i < 44; ++i) {
            bench.log.append(bench.p0, "k" + std::to_string(i));
        }
        bench.log.group[bench.p0] = Offset{40};
        bench.restart();
        bench.run(std::chrono::milliseconds(100));
        const auto& records = bench.log.partitions.at(bench.p0).records;
        bench.source->inject.push_back(records[41]);
        bench.source->inject.push_back(records[41]);
        bench.run(std::chrono::milliseconds(100));
        for (std::size_t i = 30; i < 34; ++i) {
            bench.source->inject.push_back(records[i]);
        }
        bench.run();
        QCOMPARE(bench.database.rows.at(bench.p0).next->value(), 44);
        QCOMPARE(bench.log.group.at(bench.p0).value(), 44);
        QCOMPARE(bench.database.counts.of(DuplicateKind::Redelivered), 2);
        QVERIFY(!bench.database.rows.at(bench.p0).stopped);
        verifyBooks(bench);
    }

    void slowHandlersGetSmallerBatches() {
        LoopBench bench;
        fill(bench, 200);
        bench.options.maxPollInterval = std::chrono::seconds(40);  // a batch may take 10 s
        bench.handler.rule = [&](auto&, const Message&) {
            bench.clock.advance(std::chrono::milliseconds(300));
            return consumer::done();
        };
        auto began = bench.clock.steady();
        std::chrono::steady_clock::duration longest{};
        bench.options.atPoint = [&](std::string_view where) {
            if (where == consumer::point::beforeBegin) {
                began = bench.clock.steady();
            } else if (where == consumer::point::beforeCommit) {
                longest = std::max(longest, bench.clock.steady() - began);
            }
        };
        bench.restart();
        bench.run(std::chrono::seconds(120));
        verifyBooks(bench);
        QCOMPARE(bench.database.effects.size(), std::size_t{200});
        QCOMPARE(bench.database.counts.deliveries(), 200);
        QVERIFY(longest < std::chrono::seconds(10));
    }

    void transactionTroubleOfOurOwnNeverRejectsAMessage() {
        LoopBench bench;
        fill(bench, 10);
        bench.options.retry.tries = 1;
        bench.restart();
        bench.database.claimFault = "42501";
        bench.run(std::chrono::seconds(10));
        QVERIFY(bench.sink.sent.empty());
        QCOMPARE(bench.database.effects.size(), std::size_t{10});
        bench.database.claimFault = "40P01";
        fill(bench, 10, 10);
        bench.run();
        QCOMPARE(bench.database.effects.size(), std::size_t{20});
        verifyBooks(bench);
    }

    void aDeferredFailureFindsItsMessage() {
        LoopBench bench;
        fill(bench, 10);
        bench.restart();
        bench.database.commitFault = Database::CommitFault::RolledBack;
        bench.run(std::chrono::seconds(10));
        QCOMPARE(bench.database.effects.size(), std::size_t{10});
        verifyBooks(bench);
    }

    void theLogLineSaysConsumerMessageAndOutcome() {
        LoopBench bench;
        bench.log.append(bench.p0, "a b");
        bench.restart();
        bench.run();
        const auto wanted = std::string("consumer=c message_id=\"a b\" outcome=processed");
        QVERIFY(std::any_of(bench.lines.begin(), bench.lines.end(),
                            [&](const std::string& line) { return line.starts_with(wanted); }));
    }
};

QTEST_APPLESS_MAIN(LoopTest)
#include "tst_loop_unit.moc"
