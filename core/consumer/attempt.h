// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/consumer/partition_work.h"
#include "core/ports/record_sink.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace redeliver::consumer {

/// How one guarded transaction over a batch ended.
struct AttemptEnd {
    enum class Kind {
        Committed,
        InDoubt,        ///< the connection broke during COMMIT
        MessageFailed,  ///< `index` with its answer; everything rolled back
        HandlerEnded,   ///< the handler of `index` (batch form: of everything) ended the transaction
        NotOurs,        ///< `refused` partitions; rolled back
        SomeHandler,    ///< a handler's deferred work failed, nobody knows whose; rolled back
        DeadLetter,     ///< the dead letter of `index` could not be produced; rolled back
        Again,          ///< the batch changed under way; rolled back, run it again
        Transient,      ///< 40001, 40P01, 55P03 …; rolled back
        StoreTrouble,   ///< the database is away or refuses our own statements
    } kind = Kind::Committed;
    std::optional<std::size_t> index;
    Answer answer;
    std::vector<ports::AdvanceRefusal> refused;
    std::vector<ports::Advance> moves;  ///< with Committed and InDoubt
    std::string code;
    std::string text;
};

/// What an attempt works with; all outlive it.
struct AttemptParts {
    const Options& options;
    ports::GuardStore& store;
    Handler& handler;
    Clock& clock;
    const PartitionTable& table;
    /// Judges a failed message in place (isolating): sets its fate, and that of those behind it.
    std::function<void(std::size_t index, const Answer& answer)> judge;
    /// Produces the dead letters that are due; the index of the one that failed, if any.
    std::function<std::optional<std::size_t>()> publishRejected;
};

/// One guarded transaction over a batch: claim, handle, advance, count, commit (domain rules 1, 2, 13). Optimistic at
/// first; `isolating` sets a savepoint around each message, so that a failing one leaves neither effect nor marker.
/// Changes the items' results and, when there is no time left, defers the rest. Throws nothing but what `atPoint`
/// throws.
[[nodiscard]] AttemptEnd attempt(Items& items, bool isolating, const AttemptParts& parts);

/// True for SQLSTATEs after which the same transaction may succeed: serialization, deadlock, lock timeout, resources,
/// connection.
[[nodiscard]] bool isTransient(std::string_view sqlState) noexcept;

/// Counts, latencies and events of the items that are part of the batch.
[[nodiscard]] ports::TelemetryBatch telemetryOf(const Items& items, const Options& options, Clock& clock);

}  // namespace redeliver::consumer
