// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/guard_transaction.h"

namespace redeliver::postgres {

HandlersTransaction::HandlersTransaction(Session& session, const TransactionOptions& options) : m_session(session) {
    session.ensureOpen();
    try {
        m_open = std::make_unique<pqxx::nontransaction>(*session.impl().connection, "guarded");
        m_open->exec("BEGIN;" + pinStatement(options));
    } catch (...) {
        const Error error = failed("guard.begin");
        m_open.reset();
        session.close();  // whether a transaction is open is not known
        throw error;
    }
}

HandlersTransaction::~HandlersTransaction() {
    m_open.reset();
    if (m_committed) {
        return;
    }
    if (m_lost || !m_session.isOpen()) {
        m_session.close();
        return;
    }
    try {
        pqxx::nontransaction end(*m_session.impl().connection, "rollback");
        end.exec("ROLLBACK");
    } catch (const std::exception&) {
        m_session.close();
    }
}

pqxx::result HandlersTransaction::run(const Sql& sql, const SqlParams& params) {
    try {
        return shim::run(*m_open, withSchema(sql.text, m_session.options().schema), params.texts());
    } catch (...) {
        throw failed(sql.name);
    }
}

pqxx::result HandlersTransaction::runScript(std::string_view name, const std::string& script) {
    try {
        return m_open->exec(script);
    } catch (...) {
        throw failed(name);
    }
}

// COMMIT of an aborted transaction answers ROLLBACK and no error. The statement before it fails there, in the same
// round trip, and the COMMIT behind a failed statement is not run.
ports::CommitResult HandlersTransaction::commit() {
    using Kind = ports::CommitResult::Kind;
    try {
        m_open->exec("SELECT 1;COMMIT");
        m_committed = true;
        return {Kind::Committed, {}, {}};
    } catch (...) {
        const Error error = failed("guard.commit");
        const bool doubt = error.kind() == ErrorKind::Connection || error.kind() == ErrorKind::InDoubt;
        return {doubt ? Kind::InDoubt : Kind::RolledBack, error.code(), error.text()};
    }
}

Error HandlersTransaction::failed(std::string_view name) noexcept {
    Error error = currentError(name, m_session);
    m_lost = m_lost || error.kind() == ErrorKind::Connection || error.kind() == ErrorKind::InDoubt;
    return error;
}

}  // namespace redeliver::postgres
