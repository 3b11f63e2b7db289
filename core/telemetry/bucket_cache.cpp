// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/bucket_cache.h"

#include <set>

namespace redeliver::telemetry {

void BucketCache::reset(const TimeGrid& grid) {
    m_grid = grid;
    m_buckets.clear();
}

bool BucketCache::moveTo(const TimeGrid& grid) {
    if (grid == m_grid) {
        return true;
    }
    // Backwards would need buckets that were never read.
    if (grid.step != m_grid.step || grid.from < m_grid.from || grid.from >= m_grid.to()) {
        return false;
    }
    for (auto& [consumer, buckets] : m_buckets) {
        buckets.erase(buckets.begin(), buckets.lower_bound(grid.from));
        buckets.erase(buckets.lower_bound(grid.to()), buckets.end());
    }
    m_grid = grid;
    return true;
}

void BucketCache::replaceBuckets(std::span<const BucketRow> rows) {
    std::set<TimePoint> touched;
    for (const BucketRow& row : rows) {
        touched.insert(row.bucket);
    }
    for (auto& [consumer, buckets] : m_buckets) {
        for (const TimePoint bucket : touched) {
            buckets.erase(bucket);
        }
    }
    for (const BucketRow& row : rows) {
        if (m_grid.bucketOf(row.bucket) < 0) {
            continue;
        }
        Bucket& bucket = m_buckets[row.consumer][row.bucket];
        bucket.counts += row.counts;
        bucket.latency.merge(row.latency);
        bucket.generated = bucket.generated || row.generated;
    }
}

std::vector<ConsumerName> BucketCache::consumers() const {
    std::vector<ConsumerName> out;
    for (const auto& [consumer, buckets] : m_buckets) {
        if (!buckets.empty()) {
            out.push_back(consumer);
        }
    }
    return out;
}

std::vector<Counts> BucketCache::counts(const ConsumerName& consumer, const TimeGrid& grid) const {
    std::vector<Counts> out(static_cast<std::size_t>(grid.count));
    const auto found = m_buckets.find(consumer);
    if (found != m_buckets.end()) {
        for (auto it = found->second.lower_bound(grid.from); it != found->second.end() && it->first < grid.to(); ++it) {
            out[static_cast<std::size_t>(grid.bucketOf(it->first))] += it->second.counts;
        }
    }
    return out;
}

Histogram BucketCache::latency(const ConsumerName& consumer, const TimeGrid& grid) const {
    Histogram out;
    const auto found = m_buckets.find(consumer);
    if (found != m_buckets.end()) {
        for (auto it = found->second.lower_bound(grid.from); it != found->second.end() && it->first < grid.to(); ++it) {
            out.merge(it->second.latency);
        }
    }
    return out;
}

bool BucketCache::generated(const TimeGrid& grid) const {
    for (const auto& [consumer, buckets] : m_buckets) {
        for (auto it = buckets.lower_bound(grid.from); it != buckets.end() && it->first < grid.to(); ++it) {
            if (it->second.generated) {
                return true;
            }
        }
    }
    return false;
}

Counts sum(std::span<const Counts> buckets) noexcept {
    Counts total;
    for (const Counts& counts : buckets) {
        total += counts;
    }
    return total;
}

}  // namespace redeliver::telemetry
