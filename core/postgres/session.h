// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/base/secret.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace redeliver::postgres {

struct ConnectOptions {
    std::string dsn;  ///< any libpq string, URI or service
    Secret password;  ///< empty: libpq's passfile, service file, environment
    std::string schema = "redeliver";
    std::string applicationName = "redeliver";
    std::chrono::seconds connectTimeout{5};
};

/// What a transaction needs pinned; never trusts role, database or pooler (architecture rule 12).
struct TransactionOptions {
    bool readOnly = true;
    std::chrono::milliseconds statementTimeout{10'000};
    std::chrono::milliseconds lockTimeout{2'000};
    std::chrono::milliseconds idleTimeout{60'000};
    bool keepSearchPath = false;  ///< true where a handler's own statements run: its unqualified names are the role's
};

/// One libpq connection, confined to one thread. Implementation details (pqxx) are behind `Impl`, reachable only for
/// the .cpp files of core/postgres and core/service through postgres/pqxx_session.h.
class Session {
  public:
    explicit Session(ConnectOptions options);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Connects if not connected. Throws Error(Connection, …) naming the step; never reconnects behind a transaction's
    /// back.
    void ensureOpen();
    void close() noexcept;
    [[nodiscard]] bool isOpen() const noexcept;
    [[nodiscard]] const ConnectOptions& options() const noexcept;

    struct Impl;
    [[nodiscard]] Impl& impl() noexcept { return *m_impl; }

  private:
    std::unique_ptr<Impl> m_impl;
};

}  // namespace redeliver::postgres
