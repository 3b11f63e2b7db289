// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/overview_reader.h"

#include <algorithm>

namespace redeliver {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using telemetry::BucketRow;

// Workers' clocks may run ahead: their buckets are read too, and shown when their time has come.
constexpr minutes aheadMargin{2};
constexpr minutes reloadAfter{10};
constexpr seconds ratiosEvery{30};
constexpr hours weeksEvery{5};

TimePoint localNow() {
    return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

std::vector<BucketRow> toRows(std::vector<postgres::SeriesRow>&& rows) {
    std::vector<BucketRow> out;
    out.reserve(rows.size());
    for (postgres::SeriesRow& row : rows) {
        out.push_back({std::move(row.consumer), row.at, row.counts, std::move(row.latency), row.generated});
    }
    return out;
}

TimeRange rangeOf(const OverviewRequest& request, TimePoint now) {
    return request.last ? TimeRange{now - *request.last, now} : request.range;
}

}  // namespace

TimeGrid OverviewReader::gridFor(TimeRange range, std::int64_t mostBuckets, TimePoint now) {
    const seconds step = stepFor(range, std::max<std::int64_t>(mostBuckets, 1));
    if (range.from > now - hours{6}) {
        return gridOf(range, step);  // nothing there is rolled up yet
    }
    const auto wholeHours = std::pair{gridOf(range, hours{1}).from, gridOf(range, hours{1}).to()};
    auto known = m_resolutions.find(wholeHours);
    if (known == m_resolutions.end()) {
        if (m_resolutions.size() > 64) {
            m_resolutions.clear();
        }
        known = m_resolutions.emplace(wholeHours, m_store.resolution(range)).first;
    }
    return gridOf(range, std::max(step, known->second));
}

void OverviewReader::refresh(Cached& cached, const TimeGrid& grid, bool withLatency, TimePoint now,
                             const std::stop_token& stop) {
    const bool fresh = cached.loadedAt && now - *cached.loadedAt < reloadAfter && now >= *cached.loadedAt;
    if (fresh && cached.cache.moveTo(grid)) {
        auto read = m_store.changedSince(cached.watermark, grid, withLatency, stop);
        cached.cache.replaceBuckets(toRows(std::move(read.rows)));
        cached.watermark = read.watermark;
    } else {
        cached.loadedAt.reset();
        auto read = m_store.series(grid, ConsumerName{}, withLatency, stop);
        cached.cache.reset(grid);
        cached.cache.replaceBuckets(toRows(std::move(read.rows)));
        cached.watermark = read.watermark;
        cached.loadedAt = now;
    }
    cached.readAt = now;
}

void OverviewReader::readWeeks(TimePoint now, const std::stop_token& stop) {
    telemetry::WeeksBefore weeks;
    for (int week = 1; week <= 3; ++week) {
        const TimePoint then = now - hours{24 * 7 * week};
        const TimeRange range{then - minutes{80}, then + weeksEvery + minutes{20}};
        // An hour that was rolled up stands for each of its 5 minutes: only its ratio is looked at.
        const seconds length = std::max(telemetry::ratioStep, m_store.resolution(range));
        for (const auto& row : m_store.series(gridOf(range, length), ConsumerName{}, false, stop).rows) {
            for (TimePoint at = row.at; at < row.at + length; at += telemetry::ratioStep) {
                weeks[row.consumer].push_back(telemetry::ratioOf(at, row.counts));
            }
        }
    }
    m_weeks = std::move(weeks);
    m_weeksReadAt = now;
}

telemetry::SnapshotFacts OverviewReader::read(const OverviewRequest& request, const std::stop_token& stop) {
    postgres::FleetState fleet = m_store.fleet(rangeOf(request, localNow() + m_clockAhead), stop);
    const TimePoint now = fleet.now;
    m_clockAhead = now - localNow();

    telemetry::SnapshotFacts facts;
    facts.now = now;
    facts.range = rangeOf(request, now);
    facts.grid = gridFor(facts.range, request.mostBuckets, now);
    TimeGrid wide = facts.grid;
    wide.count += (Duration{aheadMargin}.count() / Duration{wide.step}.count()) + 1;
    refresh(m_counts, wide, true, now, stop);

    const TimeGrid day = gridOf({now - hours{24} - minutes{15}, now}, telemetry::ratioStep);
    if (!m_day.readAt || now - *m_day.readAt >= ratiosEvery || now < *m_day.readAt) {
        refresh(m_day, day, false, now, stop);
    }
    if (!m_weeksReadAt || now - *m_weeksReadAt >= weeksEvery || now < *m_weeksReadAt) {
        readWeeks(now, stop);
    }

    facts.newest = fleet.newest;
    facts.firstAckFailure = fleet.firstAckFailure;
    facts.consumers = std::move(fleet.consumers);
    for (const auto& last : fleet.deliveries) {
        if (last.first) {
            facts.firstSeen[last.consumer] = *last.first;
        }
        if (last.last) {
            facts.lastSeen[last.consumer] = std::min(*last.last, now);
        }
    }
    facts.stopped = std::move(fleet.stopped);
    facts.replays = std::move(fleet.replays);
    facts.markersEstimate = fleet.markersEstimate;
    for (const ConsumerName& name : m_counts.cache.consumers()) {
        const bool known = std::any_of(facts.consumers.begin(), facts.consumers.end(),
                                       [&](const ConsumerInfo& info) { return info.name == name; });
        if (!known) {
            facts.consumers.emplace_back().name = name;
        }
    }
    return facts;
}

Snapshot OverviewReader::build(const telemetry::SnapshotFacts& facts) const {
    return telemetry::buildSnapshot(facts, m_counts.cache, m_day.cache, m_weeks);
}

}  // namespace redeliver
