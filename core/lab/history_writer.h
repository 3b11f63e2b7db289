// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/history.h"
#include "core/ports/record_sink.h"
#include "core/postgres/session.h"

#include <map>
#include <stop_token>
#include <string>

namespace redeliver::lab {

/// Puts a generated history into Kafka and PostgreSQL so that both tell the same story: records, markers, events,
/// counts, offsets and ledger. Everything that can carry the mark is marked `generated`. Markers past a consumer's
/// retention are left out and the ledger says so, as a sweep would have done. One thread; throws Error when a server is
/// lost.
class HistoryWriter {
  public:
    HistoryWriter(const History& history, postgres::Session& session, ClusterId cluster);

    /// All records, in order of time; the topics must be empty. Throws Error(Internal) when an offset differs from the
    /// history's.
    void publish(ports::RecordSink& sink) const;
    /// Registry, consumer_offsets at the log's end, and the ledger: after it workers may start.
    void writePositions();
    /// Markers, events and counts of what happened in `span`; spans must not overlap, and start at whole minutes.
    void writeSpan(const TimeRange& span, const std::stop_token& stop);

  private:
    using LedgerOffsets = std::map<TopicPartition, Offset>;
    [[nodiscard]] LedgerOffsets ledgerOf(const ConsumerHistory& consumer) const;
    void writePositions(const ConsumerHistory& consumer);
    void writeMarkers(const ConsumerHistory& consumer, const TimeRange& span, const std::stop_token& stop);
    void writeEvents(const ConsumerHistory& consumer, const TimeRange& span);
    void writeCounts(const ConsumerHistory& consumer, const TimeRange& span);

    const History& m_history;
    postgres::Session& m_session;
    ClusterId m_cluster;
};

}  // namespace redeliver::lab
