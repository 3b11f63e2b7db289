// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/ports/record_sink.h"
#include "core/ports/replay_ledger.h"
#include "core/ports/topic_reader.h"
#include "core/replay/guard.h"

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace redeliver::replay {

/// Opens the producer of one replay; all of one replay's engines use the same transactional id, so that a resume fences
/// whoever still lives.
using SinkOpener = std::function<std::unique_ptr<ports::TransactionalSink>(const std::string& transactionalId)>;

struct EngineParts {
    ports::TopicReader& reader;
    ports::ReplayLedger& ledger;
    SinkOpener openSink;
    Clock& clock;
    std::string owner;  ///< a fresh token per engine
};

/// Publishes an approved plan: byte-exact copies into the source partition, in Kafka transactions of at most a quarter
/// of a second's records, each followed by a checkpoint in PostgreSQL. Pause, abort and go on come from the ledger (any
/// process) or the watcher. At every moment sent + set aside + left = the plan's records. Blocks; one thread.
class Engine {
  public:
    explicit Engine(EngineParts parts) : m_parts(std::move(parts)) {}

    /// Registers the plan and sends it. Refused (nothing sent) when it ran before or overlaps another run.
    [[nodiscard]] Result<ReplayProgress> run(const ApprovedPlan& approved, const ReplayWatcher& watcher,
                                             const std::stop_token& stop);
    /// Goes on where a dead or paused engine stopped: fences it, then reads back read_committed what it sent after the
    /// last checkpoint, so that no record is sent twice.
    [[nodiscard]] Result<ReplayProgress> resume(const ApprovedPlan& approved, const ReplayWatcher& watcher,
                                                const std::stop_token& stop);

  private:
    EngineParts m_parts;
};

[[nodiscard]] std::string transactionalIdOf(const ReplayId& id);

}  // namespace redeliver::replay
