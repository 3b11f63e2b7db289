// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/postgres/session.h"
#include "tests/support/test_servers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>

namespace redeliver::tests {

/// A fresh database of the run's server with a session on it as superuser.
class Database {
  public:
    enum class Schema { None, Migrated };
    explicit Database(Schema schema = Schema::Migrated)
        : m_database(schema == Schema::Migrated), m_session(options()) {}

    [[nodiscard]] postgres::ConnectOptions options() const {
        postgres::ConnectOptions out;
        out.dsn = m_database.dsn();
        return out;
    }
    [[nodiscard]] postgres::ConnectOptions as(const std::string& role) const {
        postgres::ConnectOptions out;
        out.dsn = m_database.dsn() + " user=" + role;
        return out;
    }
    [[nodiscard]] postgres::Session& session() { return m_session; }
    [[nodiscard]] const std::string& name() const { return m_database.name(); }
    std::string sql(const std::string& text) const { return m_database.execute(text); }

  private:
    TestPostgres m_database;
    postgres::Session m_session;
};

/// Roles belong to the whole server, which other tests use at the same time: a login of this test's own, dropped at the
/// end.
class Login {
  public:
    Login(const Database& database, const std::string& name, const std::string& settings = {})
        : m_database(database), m_name(fmt::format("{}_{}", name, getpid())) {
        database.sql(fmt::format("CREATE ROLE {} LOGIN", m_name));
        if (!settings.empty()) {
            database.sql(fmt::format(fmt::runtime(settings), m_name));
        }
    }
    ~Login() {
        try {
            m_database.sql(fmt::format("DROP OWNED BY {0}; DROP ROLE {0}", m_name));
        } catch (const Error&) {
            // It goes with the server.
        }
    }
    Login(const Login&) = delete;
    Login& operator=(const Login&) = delete;
    [[nodiscard]] const std::string& name() const { return m_name; }

  private:
    const Database& m_database;
    std::string m_name;
};

/// The error of a call that must fail.
template <class Call>
Error errorOf(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error;
    }
    return {ErrorKind::Internal, "nothing was thrown"};
}

}  // namespace redeliver::tests
