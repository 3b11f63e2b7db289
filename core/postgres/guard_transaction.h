// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/guard_store.h"
#include "core/postgres/pqxx_session.h"

#include <optional>
#include <string>
#include <vector>

namespace redeliver::postgres {

/// A transaction that we begin and end ourselves on a pqxx::nontransaction. libpqxx 6's own transaction class sends
/// ROLLBACK after any failed statement: a handler's caught error would end the guarded transaction behind our back.
class HandlersTransaction {
  public:
    HandlersTransaction(Session& session, const TransactionOptions& options);
    ~HandlersTransaction();  ///< rolls back what wasn't committed
    HandlersTransaction(const HandlersTransaction&) = delete;
    HandlersTransaction& operator=(const HandlersTransaction&) = delete;

    pqxx::result run(const Sql& sql, const SqlParams& params);
    pqxx::result runScript(std::string_view name, const std::string& script);
    [[nodiscard]] ports::CommitResult commit();
    [[nodiscard]] bool committed() const noexcept { return m_committed; }
    [[nodiscard]] pqxx::transaction_base& base() noexcept { return *m_open; }

  private:
    [[nodiscard]] Error failed(std::string_view name) noexcept;

    Session& m_session;
    std::unique_ptr<pqxx::nontransaction> m_open;
    bool m_committed = false;
    bool m_lost = false;
};

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

    [[nodiscard]] pqxx::transaction_base& handlersBase();
    [[nodiscard]] Error handlersError() noexcept;

  private:
    [[nodiscard]] std::vector<std::string> allNames() const;
    void readExisting(ports::ClaimResult& result, const std::vector<std::string>& ids);
    [[nodiscard]] bool beganBefore(std::int64_t rowTransaction) const noexcept;
    [[nodiscard]] std::string cleaning() const;

    PgGuardStore& m_store;
    TransactionOptions m_options;
    std::string m_token;  ///< names seal and savepoint
    std::optional<HandlersTransaction> m_open;
    std::string m_transaction;
    std::uint32_t m_snapshotMax = 0;
    std::vector<std::uint32_t> m_inProgress;  ///< when we began, modulo 2^32 as xmin is
    bool m_savepoint = false;
    bool m_handled = false;  ///< a handler had the transaction: the session may carry leftovers
    bool m_ended = false;    ///< by the handler
};

/// Counts and events of a batch, inside whichever transaction `run` runs in.
using RunSql = std::function<void(const Sql&, const SqlParams&)>;
void writeTelemetry(const RunSql& run, const ConsumerName& consumer, const ports::TelemetryBatch& batch);

}  // namespace redeliver::postgres
