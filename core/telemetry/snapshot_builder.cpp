// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/snapshot_builder.h"

#include "core/telemetry/consumer_state.h"

#include <algorithm>

namespace redeliver::telemetry {
namespace {

std::vector<RatioBucket> ratiosOf(std::span<const Counts> counts, const TimeGrid& grid) {
    std::vector<RatioBucket> out;
    out.reserve(counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
        out.push_back(ratioOf(grid.at(static_cast<std::int64_t>(i)), counts[i]));
    }
    return out;
}

// The part of the range in which the consumer could have reported anything.
Duration observed(const SnapshotFacts& facts, std::optional<TimePoint> first) {
    const TimePoint from = std::max(facts.range.from, first.value_or(facts.range.from));
    return std::max<Duration>(std::min(facts.range.to, facts.now) - from, std::chrono::seconds{1});
}

template <class Map>
std::optional<TimePoint> lookUp(const Map& map, const ConsumerName& name) {
    const auto it = map.find(name);
    return it == map.end() ? std::nullopt : std::optional(it->second);
}

void addQuantiles(ConsumerRow& row, const Histogram& latency) {
    row.p50 = latency.quantile(0.50);
    row.p95 = latency.quantile(0.95);
    row.p99 = latency.quantile(0.99);
}

// The last bucket that is over and the one that isn't: 5 to 10 minutes.
Counts lastMinutes(std::span<const Counts> day) {
    return sum(day.subspan(day.size() > 2 ? day.size() - 2 : 0));
}

ConsumerRow makeRow(const ConsumerInfo& info, const SnapshotFacts& facts, const BucketCache& counts,
                    const BucketCache& lastDay, const WeeksBefore& weeksBefore) {
    ConsumerRow row;
    row.info = info;
    row.buckets = counts.counts(info.name, facts.grid);
    row.counts = sum(row.buckets);
    const auto first = lookUp(facts.firstSeen, info.name);
    row.lastDelivery = lookUp(facts.lastSeen, info.name);
    const std::int64_t deliveries = row.counts.deliveries();
    row.rate = static_cast<double>(deliveries) / std::chrono::duration<double>(observed(facts, first)).count();
    if (deliveries > 0) {
        row.duplicateRate = static_cast<double>(row.counts.of(Outcome::Duplicate)) / static_cast<double>(deliveries);
    }
    addQuantiles(row, counts.latency(info.name, facts.grid));
    const auto lag = facts.lag.find(info.name);
    row.lag = lag == facts.lag.end() ? Observed{std::nullopt, "not asked yet"} : lag->second;
    std::copy_if(facts.stopped.begin(), facts.stopped.end(), std::back_inserter(row.stopped),
                 [&](const StoppedPartition& stop) { return stop.consumer == info.name; });

    const auto day = lastDay.counts(info.name, lastDay.grid());
    const auto ratios = ratiosOf(day, lastDay.grid());
    const auto weeks = weeksBefore.find(info.name);
    const Usual usual = usualRate(ratios, weeks == weeksBefore.end() ? std::span<const RatioBucket>{} : weeks->second,
                                  facts.now, first);
    row.usual = usual.rate;
    row.usualReason = usual.reason;
    const Judgement judgement =
        judgeConsumer({facts.now, ratios, usual, lastMinutes(day), row.lastDelivery, row.lag.value, row.stopped});
    row.state = judgement.state;
    row.stateText = judgement.text;
    return row;
}

// All consumers as one: what the tile "duplicates absorbed, against the usual rate" compares with.
std::optional<UsualRate> overallUsual(const SnapshotFacts& facts, const BucketCache& lastDay,
                                      const WeeksBefore& weeksBefore) {
    std::vector<Counts> all(static_cast<std::size_t>(lastDay.grid().count));
    for (const ConsumerName& name : lastDay.consumers()) {
        const auto counts = lastDay.counts(name, lastDay.grid());
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i] += counts[i];
        }
    }
    std::map<TimePoint, RatioBucket> weeks;
    for (const auto& [name, buckets] : weeksBefore) {
        for (const RatioBucket& bucket : buckets) {
            RatioBucket& into = weeks[bucket.at];
            into.at = bucket.at;
            into.deliveries += bucket.deliveries;
            into.duplicates += bucket.duplicates;
        }
    }
    std::vector<RatioBucket> before;
    before.reserve(weeks.size());
    for (const auto& [at, bucket] : weeks) {
        before.push_back(bucket);
    }
    std::optional<TimePoint> first;
    for (const auto& [name, at] : facts.firstSeen) {
        first = first ? std::min(*first, at) : at;
    }
    return usualRate(ratiosOf(all, lastDay.grid()), before, facts.now, first).rate;
}

}  // namespace

Snapshot buildSnapshot(const SnapshotFacts& facts, const BucketCache& counts, const BucketCache& lastDay,
                       const WeeksBefore& weeksBefore) {
    Snapshot snapshot;
    snapshot.takenAt = facts.now;
    snapshot.range = facts.range;
    snapshot.grid = facts.grid;
    snapshot.newest = facts.newest;
    snapshot.firstAckFailure = facts.firstAckFailure;
    snapshot.replays = facts.replays;
    snapshot.markersEstimate = facts.markersEstimate;
    snapshot.generated = counts.generated(facts.grid);
    snapshot.usual = overallUsual(facts, lastDay, weeksBefore);
    snapshot.buckets.resize(static_cast<std::size_t>(facts.grid.count));
    for (const ConsumerInfo& info : facts.consumers) {
        ConsumerRow row = makeRow(info, facts, counts, lastDay, weeksBefore);
        for (std::size_t i = 0; i < snapshot.buckets.size(); ++i) {
            snapshot.buckets[i] += row.buckets[i];
        }
        snapshot.consumers.push_back(std::move(row));
    }
    snapshot.total = sum(snapshot.buckets);
    std::sort(snapshot.consumers.begin(), snapshot.consumers.end(), needsMoreAttention);
    return snapshot;
}

}  // namespace redeliver::telemetry
