// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/postgres/pqxx_shim.h"
#include "core/postgres/session.h"
#include "core/postgres/sql.h"
#include "core/postgres/values.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace redeliver::postgres {

struct Session::Impl {
    ConnectOptions options;
    std::unique_ptr<pqxx::connection> connection;
};

/// The exception being handled, as an Error: kind, SQLSTATE as code, retriable, hint. `name` is the statement's.
/// An empty SQLSTATE or a closed connection is a lost connection. Call inside a catch block only.
[[nodiscard]] Error currentError(std::string_view name, const Session& session) noexcept;

/// What pins a transaction, as one text for one round trip right after BEGIN: isolation, time-outs, output formats.
/// SET LOCAL only, so that it works behind a transaction pooler and nothing outlives the transaction.
[[nodiscard]] std::string pinStatement(const TransactionOptions& options);

/// One pinned transaction on a session. Rolls back when destroyed without commit(). Same thread as the session; a
/// requested stop cancels the running statement from any thread (Error Cancelled).
class PinnedTransaction {
  public:
    explicit PinnedTransaction(Session& session, const TransactionOptions& options = {}, std::stop_token stop = {});
    ~PinnedTransaction();
    PinnedTransaction(const PinnedTransaction&) = delete;
    PinnedTransaction& operator=(const PinnedTransaction&) = delete;

    /// Runs one statement; throws Error that names it.
    pqxx::result run(const Sql& sql, const SqlParams& params = {});
    /// Several statements without parameters in one round trip; results of the last.
    pqxx::result runScript(std::string_view name, const std::string& script);
    /// Throws Error(InDoubt) when the connection broke while COMMIT was on its way; any other Error: rolled back.
    void commit();
    void rollback() noexcept;
    [[nodiscard]] pqxx::work& work() noexcept { return *m_work; }

  private:
    [[nodiscard]] Error failed(std::string_view name) noexcept;
    void throwIfStopped(std::string_view name) const;
    void end() noexcept;

    Session& m_session;
    std::stop_token m_stop;
    std::unique_ptr<pqxx::work> m_work;
    bool m_failed = false;
    bool m_lost = false;
    std::optional<std::stop_callback<std::function<void()>>> m_cancel;
};

}  // namespace redeliver::postgres
