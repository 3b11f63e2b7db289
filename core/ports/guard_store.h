// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/model/consumer_info.h"
#include "core/model/delivery.h"
#include "core/model/histogram.h"
#include "core/model/marker.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace redeliver::ports {

/// One marker that a batch wants to insert.
struct MarkerClaim {
    MessageId id;
    Coordinates at;
    std::optional<TimePoint> recordTimestamp;
    std::optional<ReplayId> replay;
    std::string contentHash;
};

/// A marker that was already there when we tried to insert ours.
struct ExistingMarker {
    Marker marker;
    bool concurrent = false;  ///< not visible when our transaction began: another worker's
};

struct ClaimResult {
    std::vector<bool> isNew;  ///< one per claim, in the given order; equal IDs in one batch: only the first is new
    std::map<std::string, ExistingMarker>
        existing;  ///< by message ID, for those that were not new and not in the batch before
};

/// One partition's move inside the guarded transaction.
struct Advance {
    TopicPartition tp;
    Offset expected;                     ///< what this assignment last committed
    std::optional<Offset> alsoExpected;  ///< after an in-doubt COMMIT: either value
    Offset next;
    std::optional<Offset> acked;                   ///< highest group offset known acked since the last move
    std::optional<Offset> lastRecordOffset;        ///< fingerprint of the last record read; absent: unchanged
    std::optional<TimePoint> lastRecordTimestamp;  ///< of that record
    std::uint32_t lastRecordCrc = 0;
};

/// A partition whose move was refused: 0 rows.
struct AdvanceRefusal {
    TopicPartition tp;
    bool owned = false;            ///< the row still carries our token: the database lost or gained commits
    std::optional<Offset> stored;  ///< next_offset as it is
};

/// Counters and events of one batch, written inside the guarded transaction where there is one.
struct TelemetryBatch {
    TimePoint at;
    WorkerName worker;
    Counts counts;
    Histogram latency;
    std::vector<DeliveryEvent> events;
};

enum class TransactionState {
    Open,    ///< ours, and usable
    Failed,  ///< an SQL error aborted it; roll back (to the savepoint)
    Ended,   ///< the handler ended it (COMMIT, ROLLBACK, also followed by BEGIN)
    Lost,    ///< the connection is gone
};

struct CommitResult {
    enum class Kind { Committed, RolledBack, InDoubt } kind = Kind::Committed;
    std::string code;  ///< SQLSTATE where there is one
    std::string text;
};

/// One guarded transaction. READ COMMITTED, synchronous_commit on, limits set, sealed (fine-print, seal); everything is
/// transaction-scoped, so that it works behind a transaction pooler. Destroying it without commit() rolls back.
/// Every call may throw Error (Connection when lost; Server with the SQLSTATE in code, retriable for 40001, 40P01,
/// 55P03 …). Opaque to the loop: the handler's binding knows which store it came from.
class Transaction {
  public:
    virtual ~Transaction() = default;
    /// UPDATE … WHERE owner = mine AND next_offset = expected (or alsoExpected); inside an assignment it only grows.
    virtual std::vector<AdvanceRefusal> advance(std::span<const Advance> moves) = 0;
    /// Inserts sorted by ID with unnest, ON CONFLICT DO NOTHING, then reads the existing ones in a second statement.
    virtual ClaimResult claim(std::span<const MarkerClaim> claims) = 0;
    /// Renews last_seen_at of markers met again at other coordinates.
    virtual void seenAgain(std::span<const MessageId> ids) = 0;
    /// Deletes markers that this transaction inserted: a failed, waiting or rejected message leaves none.
    virtual void withdraw(std::span<const MessageId> ids) = 0;
    virtual void setSavepoint() = 0;
    virtual void rollbackToSavepoint() = 0;
    /// To be called after every handler call (the batch form: once): did the handler leave our transaction as it was?
    virtual TransactionState check() = 0;
    /// After the last handler call, before advance() and record(): lifts the seal, lets deferred constraints speak
    /// while the handlers' settings hold, and removes what handlers left in the session (role, settings, cursors,
    /// prepared statements, temporary tables, LISTEN, advisory locks).
    virtual void afterHandlers() = 0;
    virtual void record(const TelemetryBatch& batch) = 0;
    /// Never throws. InDoubt: the connection broke while COMMIT was on its way.
    virtual CommitResult commit() = 0;
};

/// What the database knows of one partition of this consumer (newest row under any of its names), and what evidence
/// exists.
struct StoredPosition {
    TopicPartition tp;
    std::optional<Offset> next;  ///< absent: no row
    std::optional<Offset> highest;
    std::optional<Offset> ackedHighest;
    std::optional<Offset> ledger;  ///< marker_horizon offset
    bool stopped = false;
    std::string stoppedCode;
    std::string stoppedReason;
    std::string requested;  ///< "", "retry", "skip-to"
    std::optional<Offset> requestedOffset;
    std::string topicId;  ///< identity of the log when last read
    std::optional<TimePoint> lastRecordTimestamp;
    std::optional<std::uint32_t> lastRecordCrc;
    std::optional<Offset> lastRecordOffset;
    bool otherCluster = false;  ///< rows exist, but for another cluster ID
};

struct StoredState {
    std::vector<StoredPosition> partitions;
    bool anyRow = false;  ///< any offsets row with a position, marker or ledger of the consumer under any name
};

/// What adopt() writes for one partition. `owned` ones are ours; the others belong to the first assignment of a
/// consumer nobody knew: their ledger and first position are written only where there is none yet.
struct Adoption {
    Position position;
    bool owned = true;
    std::string topicId;
    std::optional<Offset> ledger;  ///< written only where there is no ledger yet
};

/// The consumer's side of PostgreSQL; one connection, one thread. Implementations: postgres::PgGuardStore, the
/// simulator's store.
class GuardStore {
  public:
    virtual ~GuardStore() = default;
    /// Connects if needed. Throws Error(Connection) after one try; the loop backs off.
    virtual void ensureConnected() = 0;
    /// Writes the consumer's row in `consumers` (registry), keeping what a person set.
    virtual void registerConsumer(const ConsumerInfo& info) = 0;
    /// Writes the fresh owner token, also into the rows of all former names, then reads what is known.
    virtual StoredState takeOwnership(const ClusterId& cluster, const std::vector<TopicPartition>& partitions,
                                      const std::string& token) = 0;
    /// Sets next_offset outright, log identity, and missing ledger rows (fine-print, "owner", "ledger"), with the
    /// events that say why. One transaction.
    virtual void adopt(const ClusterId& cluster, const std::string& token, const std::vector<Adoption>& adoptions,
                       const std::vector<DeliveryEvent>& events) = 0;
    /// A transaction of its own: highest_offset and lost_before (fine-print, "loss found").
    virtual void recordLoss(const ClusterId& cluster, const TopicPartition& tp, Offset highest) = 0;
    /// Marks a partition stopped, with an event; survives restarts until a person releases it.
    virtual void stopPartition(const StoppedPartition& stop, const WorkerName& worker) = 0;
    /// What persons asked for since: stopped partitions with `requested` set.
    virtual std::vector<StoppedPartition> requests() = 0;
    /// The release was carried out (audited as an event).
    virtual void released(const StoppedPartition& stop, Offset next, const WorkerName& worker) = 0;
    /// After a successful ack: highest group offset known acked.
    virtual void acked(const ClusterId& cluster, const std::vector<Position>& positions) = 0;
    virtual std::unique_ptr<Transaction> begin(std::chrono::milliseconds limit) = 0;
    /// Failures, ack failures, in-doubt: outside a guarded transaction. Used by the recorder only. `beforeCommit` gets
    /// the transaction's ID, so that a flush whose COMMIT is in doubt can be asked for later.
    virtual CommitResult writeTelemetry(const TelemetryBatch& batch,
                                        const std::function<void(const std::string& transaction)>& beforeCommit) = 0;
    /// Did that transaction commit? Nothing: the server doesn't know any more.
    virtual std::optional<bool> wasCommitted(const std::string& transaction) = 0;
};

}  // namespace redeliver::ports
