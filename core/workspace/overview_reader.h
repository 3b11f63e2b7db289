// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/telemetry_store.h"
#include "core/telemetry/snapshot_builder.h"
#include "core/workspace/telemetry_desk.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>

namespace redeliver {

/// Keeps the counts between refreshes and brings only what changed. One session's thread.
class OverviewReader {
  public:
    explicit OverviewReader(postgres::PgTelemetryStore& store) : m_store(store) {}

    /// Everything but lag and consumers' overrides. Throws what the store throws; the caches stay usable.
    [[nodiscard]] telemetry::SnapshotFacts read(const OverviewRequest& request, const std::stop_token& stop);
    [[nodiscard]] Snapshot build(const telemetry::SnapshotFacts& facts) const;

  private:
    struct Cached {
        telemetry::BucketCache cache;
        std::int64_t watermark = 0;
        std::optional<TimePoint> loadedAt;  ///< when everything was read last
        std::optional<TimePoint> readAt;    ///< when it was read at all
    };

    [[nodiscard]] TimeGrid gridFor(TimeRange range, std::int64_t mostBuckets, TimePoint now);
    void refresh(Cached& cached, const TimeGrid& grid, bool withLatency, TimePoint now, const std::stop_token& stop);
    void readWeeks(TimePoint now, const std::stop_token& stop);

    postgres::PgTelemetryStore& m_store;
    Duration m_clockAhead{};  ///< the database's clock minus ours
    Cached m_counts;
    Cached m_day;
    telemetry::WeeksBefore m_weeks;
    std::optional<TimePoint> m_weeksReadAt;
    std::map<std::pair<TimePoint, TimePoint>, std::chrono::seconds> m_resolutions;  ///< of ranges that are over
};

}  // namespace redeliver
