// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/guard_transaction.h"
#include "core/postgres/telemetry_sql.h"

namespace redeliver::postgres {

void writeTelemetry(const RunSql& run, const ConsumerName& consumer, const ports::TelemetryBatch& batch) {
    if (batch.counts != Counts{} || batch.latency.count() > 0) {
        run(addCounts, addCountsParams(consumer, batch.worker, batch.at, batch.counts, batch.latency));
    }
    if (!batch.events.empty()) {
        run(addEvents, addEventsParams(batch.events));
    }
}

}  // namespace redeliver::postgres
