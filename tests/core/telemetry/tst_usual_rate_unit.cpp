// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/consumer_state.h"
#include "core/telemetry/snapshot_builder.h"
#include "core/telemetry/texts.h"

#include <QtTest>

#include <functional>
#include <random>

using namespace redeliver;
using namespace redeliver::telemetry;

namespace {

using std::chrono::hours;
using std::chrono::minutes;

const TimePoint start = parseRfc3339("2026-11-30T12:00:00Z").value();
const ConsumerName consumer{"order-payment-handler"};

struct Five {
    std::int64_t deliveries = 0;
    std::int64_t duplicates = 0;
    DuplicateKind kind = DuplicateKind::Redelivered;
};

// A consumer's 5-minute buckets as a function of time, judged at `now` through the whole builder.
ConsumerRow rowAt(TimePoint now, TimePoint firstSeen, const std::function<Five(TimePoint)>& traffic,
                  std::optional<std::int64_t> lag = std::nullopt) {
    const auto fill = [&](const TimeGrid& grid) {
        std::vector<BucketRow> rows;
        for (std::int64_t i = 0; i < grid.count; ++i) {
            const TimePoint at = grid.at(i);
            if (at < firstSeen || at >= now) {
                continue;
            }
            const Five five = traffic(at);
            if (five.deliveries > 0) {
                BucketRow row{consumer, at, {}, {}, false};
                row.counts.of(Outcome::Duplicate) = five.duplicates;
                row.counts.of(five.kind) = five.duplicates;
                row.counts.of(Outcome::Processed) = five.deliveries - five.duplicates;
                rows.push_back(row);
            }
        }
        return rows;
    };
    BucketCache day;
    day.reset(gridOf({now - hours{24} - minutes{15}, now}, ratioStep));
    const auto rows = fill(day.grid());
    day.replaceBuckets(rows);
    WeeksBefore weeks;
    for (int week = 1; week <= 3; ++week) {
        const TimePoint then = now - hours{24 * 7 * week};
        for (const BucketRow& row : fill(gridOf({then - minutes{20}, then + minutes{20}}, ratioStep))) {
            weeks[consumer].push_back(ratioOf(row.bucket, row.counts));
        }
    }
    SnapshotFacts facts;
    facts.now = now;
    facts.range = {now - hours{1}, now};
    facts.grid = gridOf(facts.range, ratioStep);
    facts.consumers.push_back({});
    facts.consumers.back().name = consumer;
    facts.firstSeen[consumer] = firstSeen;
    if (!rows.empty()) {
        facts.lastSeen[consumer] = std::min(now, rows.back().bucket + ratioStep);
    }
    facts.lag[consumer] = {lag, lag ? "" : "not known"};
    return buildSnapshot(facts, day, day, weeks).consumers.at(0);
}

bool says(const ConsumerRow& row, const char* text) {
    return QString::fromStdString(row.stateText).contains(QString::fromUtf8(text));
}

}  // namespace

class TstUsualRateUnit : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void fromNothingToSomethingIsASpike() {
        const auto traffic = [](TimePoint at) { return Five{500, at >= start && at < start + minutes{15} ? 12 : 0}; };
        const TimePoint first = start - hours{24 * 21};
        QCOMPARE(rowAt(start, first, traffic).state, ConsumerState::Usual);
        const ConsumerRow row = rowAt(start + minutes{10}, first, traffic);
        QCOMPARE(row.state, ConsumerState::Spike);
        QCOMPARE(row.usual, std::optional(UsualRate{0, 0}));
        QVERIFY2(says(row, "usual 0 %"), row.stateText.c_str());
        QVERIFY2(says(row, "12 of 500 (2.4 %) in 5 min"), row.stateText.c_str());
        QVERIFY2(says(row, "since 12:00 UTC"), row.stateText.c_str());
        QVERIFY2(!says(row, "∞") && !says(row, "inf") && !says(row, "nan"), row.stateText.c_str());
    }

    void nineDuplicatesInABucketAreNoSpike() {
        const auto traffic = [](TimePoint at) { return Five{500, at >= start && at < start + minutes{15} ? 9 : 0}; };
        for (int minute = 0; minute <= 30; minute += 5) {
            QVERIFY(rowAt(start + minutes{minute}, start - hours{24 * 21}, traffic).state != ConsumerState::Spike);
        }
    }

    void aConsumerThatIsNewHasNoUsualRateYet() {
        const ConsumerRow row = rowAt(start, start - hours{1} - minutes{5}, [](TimePoint) { return Five{500, 40}; });
        QCOMPARE(row.state, ConsumerState::Learning);
        QVERIFY(!row.usual);
        QCOMPARE(row.usualReason, std::string{"no usual rate yet (1 h of 24 h)"});
        QVERIFY2(says(row, "8.0 %"), row.stateText.c_str());
        QCOMPARE(row.duplicateRate, std::optional(0.08));
    }

    void threeOfFiveAreNothing() {
        const auto traffic = [](TimePoint at) { return Five{5, at == start - minutes{5} ? 3 : 0}; };
        for (int minute = 0; minute <= 15; minute += 5) {
            QCOMPARE(rowAt(start + minutes{minute}, start - hours{48}, traffic).state, ConsumerState::Usual);
        }
    }

    void aGapIsNoDataAndNoZeroAndItsEndNoSpike() {
        const auto traffic = [](TimePoint at) {
            return at >= start && at < start + minutes{40} ? Five{} : Five{500, 3};
        };
        const TimePoint first = start - hours{24 * 22};
        QCOMPARE(rowAt(start + minutes{39}, first, traffic).state, ConsumerState::NoData);
        QCOMPARE(rowAt(start + minutes{39}, first, traffic, 0).state, ConsumerState::Idle);
        QVERIFY(says(rowAt(start + minutes{39}, first, traffic, 1200), "1,200 records wait"));
        for (int minute = 41; minute <= 90; minute += 3) {
            const ConsumerRow row = rowAt(start + minutes{minute}, first, traffic);
            QCOMPARE(row.state, ConsumerState::Usual);
            QCOMPARE(row.usual->median, 3.0 / 500);
        }
    }

    void aSpikeNeedsTwoHotBucketsAndClearsAfterThreeCoolOnes() {
        const auto traffic = [](TimePoint at) {
            return Five{2000, at >= start && at < start + minutes{10} ? 164 : 12};
        };
        const TimePoint first = start - hours{24 * 22};
        QCOMPARE(rowAt(start + minutes{5}, first, traffic).state, ConsumerState::Elevated);
        QCOMPARE(rowAt(start + minutes{10}, first, traffic).state, ConsumerState::Spike);
        QCOMPARE(rowAt(start + minutes{20}, first, traffic).state, ConsumerState::Spike);
        QVERIFY(rowAt(start + minutes{25}, first, traffic).state != ConsumerState::Spike);
    }

    void oneHotBucketOfADeployIsNoSpike() {
        const auto traffic = [](TimePoint at) { return Five{2000, at == start ? 112 : 12}; };
        for (int minute = 0; minute <= 60; minute += 5) {
            QVERIFY(rowAt(start + minutes{minute}, start - hours{24 * 22}, traffic).state != ConsumerState::Spike);
        }
    }

    void theBucketThatIsntOverCanBeHotButNeverCool() {
        const auto traffic = [](TimePoint at) { return at >= start ? Five{2000, 164} : Five{2000, 12}; };
        const TimePoint first = start - hours{24 * 22};
        QCOMPARE(rowAt(start + minutes{6}, first, traffic).state, ConsumerState::Spike);
        const auto ends = [](TimePoint at) {
            return at >= start + minutes{10} ? Five{60, 0} : at >= start ? Five{2000, 164} : Five{2000, 12};
        };
        QCOMPARE(rowAt(start + minutes{11}, first, ends).state, ConsumerState::Spike);
    }

    void lowTrafficIsJudgedByTheHour() {
        const auto traffic = [](TimePoint at) { return Five{20, at >= start ? 4 : 0}; };
        const TimePoint first = start - hours{24 * 22};
        QCOMPARE(rowAt(start + minutes{15}, first, traffic).state, ConsumerState::Elevated);
        const ConsumerRow row = rowAt(start + minutes{120}, first, traffic);
        QCOMPARE(row.state, ConsumerState::Spike);
        QVERIFY2(says(row, "in 1 h"), row.stateText.c_str());
    }

    void aPlannedReplayIsNoSpikeAndNotUsual() {
        const auto traffic = [](TimePoint at) {
            return at >= start - hours{20} ? Five{1000, 500, DuplicateKind::Replayed} : Five{500, 0};
        };
        const ConsumerRow row = rowAt(start, start - hours{24 * 22}, traffic);
        QCOMPARE(row.state, ConsumerState::Usual);
        QCOMPARE(row.usual, std::optional(UsualRate{0, 0}));
        QVERIFY2(says(row, "more by a replay"), row.stateText.c_str());
    }

    void theSameTimeInWeeksBeforeCounts() {
        // Every Monday at noon a batch comes twice.
        const auto traffic = [](TimePoint at) {
            const auto since = (at - start).count() % Duration{hours{24 * 7}}.count();
            return Five{2000, since >= 0 && since < Duration{minutes{30}}.count() ? 200 : 4};
        };
        const auto weekly = [&](TimePoint at) { return traffic(at + hours{24 * 7 * 10}); };
        const ConsumerRow row = rowAt(start + minutes{15}, start - hours{24 * 40}, weekly);
        QCOMPARE(row.state, ConsumerState::Usual);
        QCOMPARE(row.usual->median, 0.1);
    }

    void stoppedAndFailingComeFirst() {
        ConsumerRow spike;
        spike.state = ConsumerState::Spike;
        ConsumerRow stopped;
        stopped.state = ConsumerState::Stopped;
        ConsumerRow failing;
        failing.state = ConsumerState::Failing;
        QVERIFY(needsMoreAttention(stopped, failing));
        QVERIFY(needsMoreAttention(failing, spike));
        QVERIFY(!needsMoreAttention(spike, stopped));
        QVERIFY(!needsMoreAttention(spike, spike));

        const StoppedPartition stop{
            consumer, {}, {Topic{"payments"}, Partition{3}}, "group-ahead", "the group is ahead", Offset{7}, {},
            start,    ""};
        ConsumerFacts facts;
        facts.now = start;
        facts.lastMinutes.of(Outcome::TransactionFailed) = 6;
        facts.lastMinutes.of(Outcome::Processed) = 20;
        QCOMPARE(judgeConsumer(facts).state, ConsumerState::Failing);
        facts.stopped = {&stop, 1};
        QCOMPARE(judgeConsumer(facts).state, ConsumerState::Stopped);
        QVERIFY(judgeConsumer(facts).text.find("payments/3 at 7") != std::string::npos);
        facts.stopped = {};
        facts.lastMinutes.of(Outcome::Processed) = 200;
        QVERIFY(judgeConsumer(facts).state != ConsumerState::Failing);
    }

    void numbersReadWell() {
        QCOMPARE(grouped(1980), std::string{"1,980"});
        QCOMPARE(grouped(-1234567), std::string{"-1,234,567"});
        QCOMPARE(grouped(999), std::string{"999"});
        QCOMPARE(percent(0), std::string{"0 %"});
        QCOMPARE(percent(0.083), std::string{"8.3 %"});
        QCOMPARE(spanWords(minutes{12}), std::string{"12 min"});
    }
};

QTEST_APPLESS_MAIN(TstUsualRateUnit)
#include "tst_usual_rate_unit.moc"
