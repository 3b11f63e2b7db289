// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/session.h"

#include "core/postgres/connection_string.h"
#include "core/postgres/doctor.h"
#include "core/postgres/pqxx_session.h"

#include <fmt/format.h>

namespace redeliver::postgres {

Session::Session(ConnectOptions options) : m_impl(std::make_unique<Impl>()) {
    m_impl->options = std::move(options);
}

Session::~Session() = default;

void Session::ensureOpen() {
    if (isOpen()) {
        return;
    }
    m_impl->connection.reset();
    const std::string dsn = connectionString(m_impl->options);
    const auto began = std::chrono::steady_clock::now();
    try {
        m_impl->connection = shim::connect(dsn);
    } catch (...) {
        const Error error = currentError("connect", *this);
        // libpq's message has neither step nor code: a second, watched try finds them, unless the first already took
        // long.
        const bool quick = std::chrono::steady_clock::now() - began < std::chrono::seconds{2};
        throw quick ? connectError(m_impl->options, error) : error;
    }
}

void Session::close() noexcept {
    m_impl->connection.reset();
}

bool Session::isOpen() const noexcept {
    return m_impl->connection != nullptr && m_impl->connection->is_open();
}

const ConnectOptions& Session::options() const noexcept {
    return m_impl->options;
}

std::string pinStatement(const TransactionOptions& options) {
    return fmt::format(
        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ {};"
        "SET LOCAL synchronous_commit = on;"
        "SET LOCAL statement_timeout = {};SET LOCAL lock_timeout = {};"
        "SET LOCAL idle_in_transaction_session_timeout = {};"
        "SET LOCAL client_encoding = 'UTF8';SET LOCAL client_min_messages = warning;"
        "SET LOCAL datestyle = 'ISO, YMD';SET LOCAL intervalstyle = postgres;SET LOCAL timezone = 'UTC';"
        "SET LOCAL bytea_output = hex;SET LOCAL extra_float_digits = 1;SET LOCAL standard_conforming_strings = on;{}",
        options.readOnly ? "ONLY" : "WRITE", options.statementTimeout.count(), options.lockTimeout.count(),
        options.idleTimeout.count(), options.keepSearchPath ? "" : "SET LOCAL search_path = pg_catalog");
}

PinnedTransaction::PinnedTransaction(Session& session, const TransactionOptions& options, std::stop_token stop)
    : m_session(session), m_stop(std::move(stop)) {
    session.ensureOpen();
    try {
        m_work = std::make_unique<pqxx::work>(*session.impl().connection);
        m_work->exec(pinStatement(options));
    } catch (...) {
        Error error = failed("begin");
        if (!options.readOnly && error.code() == "0A000") {
            // A replica refuses READ WRITE: perhaps a failover, so the next connect may find the new primary.
            m_lost = true;
            error = Error{ErrorKind::Connection, error.text(),
                          "The server is a replica and only reads. Name the primary, or add "
                          "target_session_attrs=read-write to the connection string.",
                          "25006", true};
        }
        end();
        throw error;
    }
    if (m_stop.stop_possible()) {
        m_cancel.emplace(m_stop, [connection = session.impl().connection.get()] {
            try {
                connection->cancel_query();
            } catch (const std::exception&) {
                // The statement's own time limit ends it.
            }
        });
    }
}

PinnedTransaction::~PinnedTransaction() {
    end();
}

pqxx::result PinnedTransaction::run(const Sql& sql, const SqlParams& params) {
    throwIfStopped(sql.name);
    try {
        return shim::run(*m_work, withSchema(sql.text, m_session.options().schema), params.texts());
    } catch (...) {
        throw failed(sql.name);
    }
}

pqxx::result PinnedTransaction::runScript(std::string_view name, const std::string& script) {
    throwIfStopped(name);
    try {
        return m_work->exec(script);
    } catch (...) {
        throw failed(name);
    }
}

void PinnedTransaction::commit() {
    if (m_failed) {
        // COMMIT of an aborted transaction answers ROLLBACK without an error; this statement tells.
        runScript("commit", "SELECT 1");
    }
    m_cancel.reset();
    try {
        m_work->commit();
    } catch (...) {
        Error error = failed("commit");
        end();
        if (error.kind() == ErrorKind::Connection) {
            error = Error{ErrorKind::InDoubt, error.text(), "The connection broke during COMMIT: nobody knows yet.",
                          error.code(), true};
        }
        throw error;
    }
    m_work.reset();
}

void PinnedTransaction::rollback() noexcept {
    end();
}

Error PinnedTransaction::failed(std::string_view name) noexcept {
    m_failed = true;
    Error error = currentError(name, m_session);
    m_lost = m_lost || error.kind() == ErrorKind::Connection || error.kind() == ErrorKind::InDoubt;
    if (error.code() == "57014" && m_stop.stop_requested()) {
        return {ErrorKind::Cancelled, fmt::format("{}: cancelled", name), {}, error.code()};
    }
    return error;
}

void PinnedTransaction::throwIfStopped(std::string_view name) const {
    if (m_stop.stop_requested()) {
        throw Error{ErrorKind::Cancelled, fmt::format("{}: cancelled", name)};
    }
}

// The connection outlives the transaction only when it is known to be good.
void PinnedTransaction::end() noexcept {
    m_cancel.reset();
    m_work.reset();
    if (m_lost) {
        m_session.close();
    }
}

}  // namespace redeliver::postgres
