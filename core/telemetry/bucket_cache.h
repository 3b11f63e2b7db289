// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/delivery.h"
#include "core/model/histogram.h"
#include "core/model/time_range.h"

#include <map>
#include <optional>
#include <span>
#include <vector>

namespace redeliver::telemetry {

/// Counts of one consumer in one bucket of a grid, all workers and row lengths added up by the database.
struct BucketRow {
    ConsumerName consumer;
    TimePoint bucket;  ///< begin of the grid's bucket
    Counts counts;
    Histogram latency;
    bool generated = false;
};

/// What was read so far on one grid. A refresh brings whole buckets again, never differences: they replace what is
/// here, so that late rows, roll-ups and reads that overlap can't count anything twice. A value; one thread.
class BucketCache {
  public:
    /// Empty, on this grid.
    void reset(const TimeGrid& grid);
    /// The same step, moved: buckets outside the new grid are dropped, new ones are empty. False: another step or no
    /// overlap, read everything again.
    [[nodiscard]] bool moveTo(const TimeGrid& grid);
    /// The rows of some buckets, each bucket complete over all consumers. Rows outside the grid are ignored.
    void replaceBuckets(std::span<const BucketRow> rows);

    [[nodiscard]] const TimeGrid& grid() const noexcept { return m_grid; }
    [[nodiscard]] std::vector<ConsumerName> consumers() const;
    /// One entry per bucket of `grid`, which must have this cache's step and lie on it; outside it is 0.
    [[nodiscard]] std::vector<Counts> counts(const ConsumerName& consumer, const TimeGrid& grid) const;
    [[nodiscard]] Histogram latency(const ConsumerName& consumer, const TimeGrid& grid) const;
    [[nodiscard]] bool generated(const TimeGrid& grid) const;

  private:
    struct Bucket {
        Counts counts;
        Histogram latency;
        bool generated = false;
    };
    using Buckets = std::map<TimePoint, Bucket>;  ///< only those with rows

    TimeGrid m_grid;
    std::map<ConsumerName, Buckets> m_buckets;
};

[[nodiscard]] Counts sum(std::span<const Counts> buckets) noexcept;

}  // namespace redeliver::telemetry
