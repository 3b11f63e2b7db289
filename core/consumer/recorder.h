// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/consumer/options.h"
#include "core/consumer/spool.h"
#include "core/model/delivery.h"
#include "core/ports/guard_store.h"

#include <map>
#include <memory>
#include <string>

namespace redeliver::consumer {

/// Takes what no guarded transaction can carry (failures, ack failures, in-doubt COMMITs, notes) and brings it to the
/// database when there is one: bounded, never blocks and never fails the consumer. Same thread as the loop; flush() is
/// called between batches. While the database is away spill() moves it to the spool; what finds no room is counted, and
/// the count is reported as an event of its own ("telemetry_dropped").
class Recorder {
  public:
    Recorder(const Options& options, Clock& clock);

    void failed(DeliveryEvent event);                ///< transaction_failed
    void side(SideEvent what, DeliveryEvent event);  ///< ack_failed, in_doubt
    void note(DeliveryEvent event);                  ///< an event that counts nothing
    /// Writes what there is, oldest first. Never throws; a lost server leaves it for later.
    void flush(ports::GuardStore& store);
    void spill();
    [[nodiscard]] std::int64_t dropped() const noexcept { return m_dropped; }
    [[nodiscard]] bool idle() const noexcept { return m_open.empty() && !m_inFlight && (!m_spool || m_spool->empty()); }

  private:
    ports::TelemetryBatch& bucketOf(TimePoint at);
    void keep(DeliveryEvent event);
    bool resolveInFlight(ports::GuardStore& store);
    bool flushSpool(ports::GuardStore& store);
    bool flushMemory(ports::GuardStore& store);
    void reportDrops();

    struct InFlight {
        ports::TelemetryBatch batch;
        std::string transaction;
    };

    ConsumerName m_consumer;
    WorkerName m_worker;
    Clock& m_clock;
    std::unique_ptr<Spool> m_spool;
    std::map<TimePoint, ports::TelemetryBatch> m_open;  ///< by 10 s bucket
    std::size_t m_events = 0;
    std::optional<InFlight> m_inFlight;  ///< sent, but its COMMIT is in doubt
    std::int64_t m_dropped = 0;
    std::int64_t m_reported = 0;
};

/// The spool's payload: JSON, one batch. Public for the tests.
[[nodiscard]] std::string toPayload(const ports::TelemetryBatch& batch);
[[nodiscard]] std::optional<ports::TelemetryBatch> fromPayload(const std::string& payload);

}  // namespace redeliver::consumer
