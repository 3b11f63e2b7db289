// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ports/guard_store.h"
#include "core/postgres/session.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace pqxx {
class transaction_base;
}

namespace redeliver::postgres {

/// The consumer's side of PostgreSQL: one connection, one thread. Every call is one short transaction of its own, but
/// begin(), which hands out the guarded one. Errors: ports::GuardStore.
class PgGuardStore final : public ports::GuardStore {
  public:
    /// `formerly`: the consumer's names before; their markers and offsets count as its own.
    PgGuardStore(ConnectOptions options, ConsumerName consumer, std::vector<ConsumerName> formerly, WorkerName worker);

    void ensureConnected() override;
    void registerConsumer(const ConsumerInfo& info) override;
    ports::StoredState takeOwnership(const ClusterId& cluster, const std::vector<TopicPartition>& partitions,
                                     const std::string& token) override;
    void adopt(const ClusterId& cluster, const std::string& token, const std::vector<ports::Adoption>& adoptions,
               const std::vector<DeliveryEvent>& events) override;
    void recordLoss(const ClusterId& cluster, const TopicPartition& tp, Offset highest) override;
    void stopPartition(const StoppedPartition& stop, const WorkerName& worker) override;
    std::vector<StoppedPartition> requests() override;
    void released(const StoppedPartition& stop, Offset next, const WorkerName& worker) override;
    void acked(const ClusterId& cluster, const std::vector<Position>& positions) override;
    std::unique_ptr<ports::Transaction> begin(std::chrono::milliseconds limit) override;
    ports::CommitResult writeTelemetry(const ports::TelemetryBatch& batch,
                                       const std::function<void(const std::string&)>& beforeCommit) override;
    std::optional<bool> wasCommitted(const std::string& transaction) override;

  private:
    friend class PgGuardTransaction;
    struct Owned {
        ClusterId cluster;
        std::string token;
    };

    Session m_session;
    ConsumerName m_consumer;
    std::vector<ConsumerName> m_formerly;
    WorkerName m_worker;
    std::map<TopicPartition, Owned> m_owned;
};

/// What a handler writes into. `transaction` must come from a PgGuardStore.
[[nodiscard]] pqxx::transaction_base& handlersTransaction(ports::Transaction& transaction);

/// The exception being handled, thrown by a handler of that transaction: its SQLSTATE and text. Inside a catch block.
[[nodiscard]] Error handlersError(ports::Transaction& transaction);

}  // namespace redeliver::postgres
