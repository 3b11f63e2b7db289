// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/kafka/admin.h"
#include "core/model/consumer_info.h"
#include "core/model/replay.h"
#include "core/ports/marker_reader.h"
#include "core/ports/replay_ledger.h"
#include "core/ports/topic_reader.h"

#include <stop_token>
#include <vector>

namespace redeliver {

/// Compares what a replay predicted with what its consumers did, now or until they have seen everything. Reads the
/// copies back from the target; stores the report where this role may. One thread.
class ReplayReports {
  public:
    ReplayReports(ports::TopicReader& reader, kafka::Admin& admin, ports::MarkerReader& markers,
                  ports::ReplayLedger& ledger, std::vector<ConsumerInfo> consumers)
        : m_reader(reader), m_admin(admin), m_markers(markers), m_ledger(ledger), m_consumers(std::move(consumers)) {}

    [[nodiscard]] Result<ReplayReport> now(const ReplayId& id);
    /// Looks again until every copy was seen, or nothing has moved for ten seconds, or `stop`.
    [[nodiscard]] Result<ReplayReport> untilSeen(const ReplayId& id, Clock& clock, const ReplayWatcher& watcher,
                                                 const std::stop_token& stop);

  private:
    [[nodiscard]] Result<ReplayReport> compare(const ports::StoredReplay& stored);
    void save(const ReplayReport& report);

    ports::TopicReader& m_reader;
    kafka::Admin& m_admin;
    ports::MarkerReader& m_markers;
    ports::ReplayLedger& m_ledger;
    std::vector<ConsumerInfo> m_consumers;
};

}  // namespace redeliver
