// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/guard_store.h"
#include "core/postgres/pqxx_session.h"

#include <optional>
#include <string>
#include <vector>

namespace redeliver::postgres {

/// The guarded transaction (ports::Transaction) on libpqxx; for the .cpp files of core/postgres only.
class PgGuardTransaction final : public ports::Transaction {
  public:
    PgGuardTransaction(PgGuardStore& store, std::chrono::milliseconds limit);
    ~PgGuardTransaction() override;

    std::vector<ports::AdvanceRefusal> advance(std::span<const ports::Advance> moves) override;
    ports::ClaimResult claim(std::span<const ports::MarkerClaim> claims) override;
    void seenAgain(std::span<const MessageId> ids) override;
    void withdraw(std::span<const MessageId> ids) override;
    void setSavepoint() override;
    void rollbackToSavepoint() override;
    ports::TransactionState check() override;
    void afterHandlers() override;
    void record(const ports::TelemetryBatch& batch) override;
    ports::CommitResult commit() override;

    [[nodiscard]] pqxx::work& handlersWork();
    [[nodiscard]] Error handlersError() noexcept;

  private:
    [[nodiscard]] std::vector<std::string> allNames() const;
    void readExisting(ports::ClaimResult& result, const std::vector<std::string>& ids);
    [[nodiscard]] bool beganBefore(std::int64_t rowTransaction) const noexcept;
    [[nodiscard]] std::string cleaning() const;

    PgGuardStore& m_store;
    TransactionOptions m_options;
    std::string m_token;  ///< names seal and savepoint
    std::optional<PinnedTransaction> m_pinned;
    std::string m_transaction;
    std::uint32_t m_snapshotMax = 0;
    std::vector<std::uint32_t> m_inProgress;  ///< when we began, modulo 2^32 as xmin is
    bool m_savepoint = false;
    bool m_handled = false;  ///< a handler had the transaction: the session may carry leftovers
    bool m_ended = false;    ///< by the handler
    bool m_committed = false;
};

/// Counts and events of a batch, inside a transaction.
void writeTelemetry(PinnedTransaction& transaction, const ConsumerName& consumer, const ports::TelemetryBatch& batch);
void writeEvents(PinnedTransaction& transaction, const std::vector<DeliveryEvent>& events);

}  // namespace redeliver::postgres
