// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/snapshot.h"
#include "core/ports/guard_store.h"
#include "core/postgres/session.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::postgres {

/// Counts of one consumer in one bucket of the grid that was asked for, all workers together.
struct SeriesRow {
    ConsumerName consumer;
    TimePoint at;  ///< start of the grid's bucket
    Counts counts;
    Histogram latency;  ///< empty unless asked for
    bool generated = false;
};

struct SeriesRead {
    std::vector<SeriesRow> rows;      ///< by time, then consumer; buckets without deliveries have no row
    std::int64_t watermark = 0;       ///< give it to changedSince()
    TimePoint now;                    ///< the database's clock
    std::optional<TimePoint> newest;  ///< end of the newest 10 s that has counts, of any consumer
    bool latencyComplete = true;      ///< false: merging the histograms took longer than 5 s, they are empty or partial
};

/// Small things around the charts, in one read.
struct FleetState {
    TimePoint now;
    std::optional<TimePoint> newest;
    std::vector<ConsumerInfo> consumers;  ///< registered, and those that only counts or markers know
    struct Last {
        ConsumerName consumer;
        std::optional<TimePoint> first;  ///< start of the oldest counts: how much history a usual rate has
        std::optional<TimePoint> last;   ///< end of the newest bucket with a delivery
    };
    std::vector<Last> deliveries;
    std::vector<StoppedPartition> stopped;
    std::vector<PartitionState> partitions;
    std::vector<ReplayBand> replays;           ///< that overlap the range
    std::optional<TimePoint> firstAckFailure;  ///< inside the range
    std::optional<std::int64_t> markersEstimate;
};

struct ServerFacts {
    std::string version;  ///< "PostgreSQL 15.8"
    TimePoint now;
    bool replica = false;
    std::optional<Duration> replicaLag;  ///< 0 when it has replayed all it received; absent: not known
    std::optional<TimePoint> maintainedAt;
    std::string maintainedText;
};

/// Reads and writes telemetry. One session, one thread; each call is one transaction of at most 10 s. Throws Error:
/// Connection, Schema, Privilege, Limit, Cancelled.
class PgTelemetryStore {
  public:
    explicit PgTelemetryStore(Session& session) : m_session(session) {}

    /// The grid's range in one query; `consumer` empty: all. The step should not be finer than resolution(range): a
    /// coarser row counts whole in the bucket where it begins.
    SeriesRead series(const TimeGrid& grid, const ConsumerName& consumer, bool withLatency,
                      const std::stop_token& stop);

    /// Complete grid buckets that changed after the read that gave `watermark` (all consumers of such a bucket):
    /// replace them, never add. Exact: a transaction that was in flight at that read is seen by the next one.
    SeriesRead changedSince(std::int64_t watermark, const TimeGrid& grid, bool withLatency,
                            const std::stop_token& stop);

    /// Seconds of the coarsest row inside the range: 10, 60 or 3600; 10 when there is none.
    std::chrono::seconds resolution(const TimeRange& range);

    FleetState fleet(const TimeRange& range, const std::stop_token& stop);
    ServerFacts facts();

    /// Events by time, newest first; `consumer` empty: all.
    std::vector<DeliveryEvent> events(const TimeRange& range, const ConsumerName& consumer, int limit,
                                      const std::stop_token& stop);

    /// Counts and events outside a guarded transaction, in one transaction of their own.
    void write(const ConsumerName& consumer, const ports::TelemetryBatch& batch);

  private:
    Session& m_session;
};

}  // namespace redeliver::postgres
