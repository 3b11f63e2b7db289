// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/snapshot.h"

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver {

struct OverviewRequest {
    /// Absolute range, or the last `span` before the database's now when `live`.
    TimeRange range;
    std::optional<std::chrono::seconds> last;
    std::int64_t mostBuckets = 120;
};

/// `series` of contract.md: buckets of one consumer (or all, with an empty name).
struct Series {
    ConsumerName consumer;
    TimeGrid grid;
    std::vector<Counts> points;
};

/// State of the two servers for the status bar.
struct ServerState {
    bool ok = false;
    std::string text;   ///< "PostgreSQL 15.8", "Kafka 4.1 · 3 brokers"
    std::string error;  ///< when not ok: text; hint
    std::string hint;
    std::optional<Duration> roundTrip;
};
struct Health {
    ServerState postgres;
    ServerState kafka;
    std::string replicaText;         ///< "replica, 60 s behind" or empty
    std::string maintenanceOverdue;  ///< a sentence, or empty
};

/// Reads telemetry. A live refresh is one query that brings only new buckets; the rest is kept between calls.
/// Throws Error: Connection, Schema ("no schema": offer the migration), Privilege. Time limit 10 s a call.
class TelemetryDesk {
  public:
    virtual ~TelemetryDesk() = default;
    virtual SnapshotPtr overview(const OverviewRequest& request, const std::stop_token& stop) = 0;
    virtual Series series(const ConsumerName& consumer, TimeRange range, std::chrono::seconds step,
                          const std::stop_token& stop) = 0;
    virtual Health health(const std::stop_token& stop) = 0;
};

}  // namespace redeliver
