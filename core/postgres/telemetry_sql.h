// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/delivery.h"
#include "core/model/histogram.h"
#include "core/postgres/sql.h"

#include <span>

/// How telemetry is written, for whoever holds a transaction: the guard inside the guarded one, the recorder in its
/// own.
namespace redeliver::postgres {

/// Adds counts and latencies to the row of this consumer, worker and 10 seconds.
inline constexpr Sql addCounts{
    "telemetry.add_counts",
    "SELECT :schema.add_counts($1, $2, $3::timestamptz, $4::bigint[], $5::smallint[], $6::bigint[])"};
[[nodiscard]] SqlParams addCountsParams(const ConsumerName& consumer, const WorkerName& worker, TimePoint at,
                                        const Counts& counts, const Histogram& latency);

/// One row per event. Texts are made valid UTF-8 and cut at 2,000 bytes, so that an error's text can't fail the batch.
extern const Sql addEvents;
[[nodiscard]] SqlParams addEventsParams(std::span<const DeliveryEvent> events);

/// Columns of an event for SELECT, in the order that readEvent() wants; `alias` as in "e.".
[[nodiscard]] std::string eventColumns(std::string_view alias);
inline constexpr int eventColumnCount = 17;

/// Valid UTF-8 without NUL, at most `most` bytes; what isn't becomes '?'.
[[nodiscard]] std::string cleanText(std::string_view text, std::size_t most = 2000);

}  // namespace redeliver::postgres
