// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/delivery.h"
#include "core/model/histogram.h"
#include "core/model/record.h"
#include "core/model/time_range.h"

#include <QtTest>

#include <cmath>

using namespace redeliver;

class ModelTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void histogramStaysWithinItsError();
    void histogramMergesAndGivesQuantiles();
    void gridsAreAlignedAndCoverTheRange();
    void stepNeedsAtMostTheAskedBuckets();
    void coordinatesOfTwoClustersDiffer();
    void crcTellsNullFromEmpty();
    void lastHeaderIsTheLastWithAValue();
    void countsAddUp();
};

void ModelTest::histogramStaysWithinItsError() {
    std::int16_t before = -1;
    for (std::int64_t micros = 0; micros < 3'600'000'000; micros = micros < 100 ? micros + 1 : micros + micros / 97) {
        const auto slot = Histogram::slotOf(Duration{micros});
        QVERIFY(slot >= before);
        before = slot;
        const auto middle = static_cast<double>(Histogram::midpointOf(slot).count());
        QVERIFY2(std::abs(middle - static_cast<double>(micros)) <= 0.016 * static_cast<double>(micros),
                 std::to_string(micros).c_str());
    }
    QCOMPARE(Histogram::slotOf(Duration{-5}), std::int16_t{0});
    QCOMPARE(Histogram::slotOf(std::chrono::hours{50}), Histogram::slotOf(std::chrono::hours{1}));
}

void ModelTest::histogramMergesAndGivesQuantiles() {
    Histogram low;
    Histogram high;
    low.add(std::chrono::milliseconds{1}, 95);
    high.add(std::chrono::milliseconds{100}, 5);
    QVERIFY(!Histogram{}.quantile(0.5));
    low.merge(high);
    QCOMPARE(low.count(), std::int64_t{100});
    QVERIFY(low.quantile(0.95).value() < std::chrono::milliseconds{2});
    QVERIFY(low.quantile(0.96).value() > std::chrono::milliseconds{98});
    QVERIFY(low.quantile(0.0).value() < std::chrono::milliseconds{2});
}

void ModelTest::gridsAreAlignedAndCoverTheRange() {
    const TimeRange range{fromUnixMillis(12'345), fromUnixMillis(40'001)};
    const TimeGrid grid = gridOf(range, std::chrono::seconds{10});
    QCOMPARE(toUnixMillis(grid.from), std::int64_t{10'000});
    QCOMPARE(grid.count, std::int64_t{4});
    QCOMPARE(grid.bucketOf(fromUnixMillis(40'000)), std::int64_t{3});
    QCOMPARE(grid.bucketOf(fromUnixMillis(50'000)), std::int64_t{-1});
    QCOMPARE(gridOf({fromUnixMillis(10'000), fromUnixMillis(20'000)}, std::chrono::seconds{10}).count, std::int64_t{1});
    QCOMPARE(gridOf({fromUnixMillis(10'000), fromUnixMillis(10'000)}, std::chrono::seconds{10}).count, std::int64_t{0});
    QCOMPARE(toUnixMillis(gridOf({fromUnixMillis(-1), fromUnixMillis(1)}, std::chrono::seconds{10}).from),
             std::int64_t{-10'000});
}

void ModelTest::stepNeedsAtMostTheAskedBuckets() {
    const TimePoint now = fromUnixMillis(1'796'034'600'000);
    QCOMPARE(stepFor({now - std::chrono::hours{1}, now}, 121).count(), std::int64_t{30});
    QCOMPARE(stepFor({now - std::chrono::minutes{15}, now}, 121).count(), std::int64_t{10});
    QVERIFY(gridOf({now - std::chrono::hours{24 * 30}, now}, stepFor({now - std::chrono::hours{24 * 30}, now}, 121))
                .count <= 121);
}

void ModelTest::coordinatesOfTwoClustersDiffer() {
    const Coordinates here{ClusterId{"a"}, Topic{"t"}, Partition{1}, Offset{5}};
    Coordinates there = here;
    there.cluster = ClusterId{"b"};
    QVERIFY(!sameRecord(here, there));
    there.cluster = ClusterId{};
    QVERIFY(sameRecord(here, there));
    there.offset = Offset{6};
    QVERIFY(!sameRecord(here, there));
    QCOMPARE(QString::fromStdString(toText(here)), QStringLiteral("t/1/5"));
}

void ModelTest::crcTellsNullFromEmpty() {
    Record null;
    Record empty;
    empty.value = std::string();
    QVERIFY(contentCrc(null) != contentCrc(empty));
    Record moved = empty;
    moved.key = std::string();
    moved.value.reset();
    QVERIFY(contentCrc(moved) != contentCrc(empty));
}

void ModelTest::lastHeaderIsTheLastWithAValue() {
    Record record;
    record.headers = {{"a", "1"}, {"a", "2"}, {"a", std::nullopt}, {"b", ""}};
    QVERIFY(lastHeader(record, "a") == "2");
    QVERIFY(lastHeader(record, "b") == "");
    QVERIFY(!lastHeader(record, "c"));
}

void ModelTest::countsAddUp() {
    Counts one;
    one.of(Outcome::Processed) = 3;
    one.of(Outcome::Duplicate) = 2;
    one.of(DuplicateKind::Replayed) = 2;
    one.ackFailed = 9;
    Counts two = one;
    two += one;
    QCOMPARE(two.deliveries(), std::int64_t{10});
    QCOMPARE(two.of(DuplicateKind::Replayed), std::int64_t{4});
    QCOMPARE(two.ackFailed, std::int64_t{18});
    for (int i = 0; i < int(outcomeCount); ++i) {
        QVERIFY(parseOutcome(toText(static_cast<Outcome>(i))) == static_cast<Outcome>(i));
    }
    QVERIFY(!parseOutcome("ack_failed"));
}

QTEST_APPLESS_MAIN(ModelTest)
#include "tst_model_unit.moc"
