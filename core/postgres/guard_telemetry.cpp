// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/guard_transaction.h"
#include "core/postgres/telemetry_sql.h"

namespace redeliver::postgres {

void writeEvents(PinnedTransaction& transaction, const std::vector<DeliveryEvent>& events) {
    if (!events.empty()) {
        transaction.run(addEvents, addEventsParams(events));
    }
}

void writeTelemetry(PinnedTransaction& transaction, const ConsumerName& consumer, const ports::TelemetryBatch& batch) {
    if (batch.counts != Counts{} || batch.latency.count() > 0) {
        transaction.run(addCounts, addCountsParams(consumer, batch.worker, batch.at, batch.counts, batch.latency));
    }
    writeEvents(transaction, batch.events);
}

}  // namespace redeliver::postgres
