// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/bucket_cache.h"
#include "core/telemetry/snapshot_builder.h"

#include <QtTest>

#include <random>

using namespace redeliver;
using namespace redeliver::telemetry;

namespace {

using std::chrono::seconds;

const TimePoint start = parseRfc3339("2026-11-30T12:00:00Z").value();

BucketRow rowOf(const char* name, TimePoint at, std::int64_t processed) {
    BucketRow row{ConsumerName{name}, at, {}, {}, false};
    row.counts.of(Outcome::Processed) = processed;
    row.latency.add(std::chrono::milliseconds{processed}, processed);
    return row;
}

std::int64_t total(const BucketCache& cache, const char* name) {
    return sum(cache.counts(ConsumerName{name}, cache.grid())).deliveries();
}

}  // namespace

class TstBucketCacheUnit : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aBucketReadAgainReplacesAndNeverAdds() {
        BucketCache cache;
        cache.reset(gridOf({start, start + seconds{100}}, seconds{10}));
        const std::vector first{rowOf("a", start, 3), rowOf("b", start, 5), rowOf("a", start + seconds{10}, 7)};
        cache.replaceBuckets(first);
        cache.replaceBuckets(first);
        QCOMPARE(total(cache, "a"), 10);
        cache.replaceBuckets(std::vector{rowOf("a", start, 4), rowOf("b", start, 5)});
        QCOMPARE(total(cache, "a"), 11);
        QCOMPARE(total(cache, "b"), 5);
        QCOMPARE(cache.latency(ConsumerName{"a"}, cache.grid()).count(), 11);
        // The whole bucket was read: who isn't in it any more has nothing there.
        cache.replaceBuckets(std::vector{rowOf("a", start, 4)});
        QCOMPARE(total(cache, "b"), 0);
    }

    void movingForwardKeepsWhatOverlapsAndBackwardReadsAgain() {
        BucketCache cache;
        cache.reset(gridOf({start, start + seconds{100}}, seconds{10}));
        cache.replaceBuckets(std::vector{rowOf("a", start, 1), rowOf("a", start + seconds{50}, 2)});
        QVERIFY(cache.moveTo(gridOf({start + seconds{20}, start + seconds{120}}, seconds{10})));
        QCOMPARE(total(cache, "a"), 2);
        cache.replaceBuckets(std::vector{rowOf("a", start, 9), rowOf("a", start + seconds{110}, 4)});
        QCOMPARE(total(cache, "a"), 6);
        QVERIFY(!cache.moveTo(gridOf({start, start + seconds{100}}, seconds{10})));
        QVERIFY(!cache.moveTo(gridOf({start + seconds{20}, start + seconds{120}}, seconds{20})));
        QVERIFY(!cache.moveTo(gridOf({start + seconds{500}, start + seconds{600}}, seconds{10})));
        QVERIFY(cache.moveTo(cache.grid()));
    }

    void refreshesInAnyOrderEndAtTheTruth() {
        std::mt19937_64 random{42};
        const TimeGrid grid = gridOf({start, start + seconds{300}}, seconds{30});
        std::map<std::pair<std::string, TimePoint>, std::int64_t> truth;
        BucketCache cache;
        cache.reset(grid);
        for (int round = 0; round < 400; ++round) {
            const TimePoint bucket = grid.at(static_cast<std::int64_t>(random() % 10));
            truth[{random() % 2 == 0 ? "a" : "b", bucket}] += static_cast<std::int64_t>(1 + random() % 9);
            std::vector<BucketRow> rows;
            for (const auto& [key, count] : truth) {
                if (key.second == bucket) {
                    rows.push_back(rowOf(key.first.c_str(), key.second, count));
                }
            }
            cache.replaceBuckets(rows);
        }
        std::int64_t a = 0;
        for (const auto& [key, count] : truth) {
            a += key.first == "a" ? count : 0;
        }
        QCOMPARE(total(cache, "a"), a);
    }

    void theSnapshotAddsUpAndIsSorted() {
        SnapshotFacts facts;
        facts.now = start + seconds{600};
        facts.range = {start, start + seconds{600}};
        facts.grid = gridOf(facts.range, seconds{60});
        for (const char* const name : {"b", "a", "c"}) {
            facts.consumers.push_back({});
            facts.consumers.back().name = ConsumerName{name};
            facts.firstSeen[ConsumerName{name}] = start + seconds{300};
        }
        facts.stopped.push_back(
            {ConsumerName{"c"}, {}, {Topic{"t"}, Partition{0}}, "x", "y", Offset{1}, {}, start, ""});
        BucketCache cache;
        cache.reset(facts.grid);
        cache.replaceBuckets(std::vector{rowOf("a", start + seconds{300}, 30), rowOf("b", start + seconds{360}, 60)});
        BucketCache day;
        day.reset(gridOf({start - std::chrono::hours{24}, facts.now}, seconds{300}));
        const Snapshot snapshot = buildSnapshot(facts, cache, day, {});
        QCOMPARE(snapshot.total.deliveries(), 90);
        QCOMPARE(sum(snapshot.buckets), snapshot.total);
        QCOMPARE(snapshot.buckets.size(), std::size_t{10});
        QCOMPARE(snapshot.consumers[0].info.name, ConsumerName{"c"});
        QCOMPARE(snapshot.consumers[1].info.name, ConsumerName{"a"});
        QCOMPARE(snapshot.consumers[1].rate, 0.1);
        QVERIFY(snapshot.consumers[1].p50.has_value());
        QVERIFY(!snapshot.consumers[0].duplicateRate.has_value());
        QVERIFY(!snapshot.consumers[0].p50.has_value());
        QVERIFY(!snapshot.consumers[0].lag.value && !snapshot.consumers[0].lag.reason.empty());
    }
};

QTEST_APPLESS_MAIN(TstBucketCacheUnit)
#include "tst_bucket_cache_unit.moc"
