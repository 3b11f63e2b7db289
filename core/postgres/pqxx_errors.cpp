// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/pqxx_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace redeliver::postgres {
namespace {

struct Meaning {
    std::string_view code;  ///< a SQLSTATE or the beginning of one
    ErrorKind kind;
    bool retriable;
    std::string_view hint;
};

// First match wins: whole codes before classes.
constexpr std::array meanings{
    Meaning{"57P01", ErrorKind::Connection, true, "The server ended the session; it is tried again."},
    Meaning{"57P02", ErrorKind::Connection, true, "The server crashed and recovers; it is tried again."},
    Meaning{"57P03", ErrorKind::Connection, true, "The server starts up or shuts down; it is tried again."},
    Meaning{"57P05", ErrorKind::Connection, true, "The server ended an idle session."},
    Meaning{"25P03", ErrorKind::Connection, true,
            "idle_in_transaction_session_timeout ended the session: the transaction waited too long for its client."},
    Meaning{"57014", ErrorKind::Limit, true,
            "The statement took longer than its limit. Narrow the range or the search."},
    Meaning{"55P03", ErrorKind::Limit, true, "Another transaction holds a lock on these rows."},
    Meaning{"53300", ErrorKind::Connection, true,
            "The server has no free connections: raise max_connections or close some."},
    Meaning{"53", ErrorKind::Server, true, "The server is out of memory or disk space."},
    Meaning{"40", ErrorKind::Server, true,
            "Transactions got in each other's way; the whole transaction can be run again."},
    Meaning{"25006", ErrorKind::Refused, false,
            "The server only reads here: a replica, or default_transaction_read_only. Name the primary, or add "
            "target_session_attrs=read-write."},
    Meaning{"26000", ErrorKind::Server, true, "A pooler lost a prepared statement."},
    Meaning{"42501", ErrorKind::Privilege, false,
            "Grant the role redeliver_reader, redeliver_operator or redeliver_consumer."},
    Meaning{"28", ErrorKind::Privilege, false, "User or password is wrong, or pg_hba.conf doesn't let this user in."},
    Meaning{"3D000", ErrorKind::Connection, false, "There is no database of that name."},
    Meaning{"3F000", ErrorKind::Schema, false, "Redeliver's schema is missing: run \"redeliverctl migrate\"."},
    Meaning{"42P01", ErrorKind::Schema, false, "A table of Redeliver is missing: run \"redeliverctl migrate\"."},
    Meaning{"42703", ErrorKind::Schema, false,
            "A column is missing: the schema is older; run \"redeliverctl migrate\"."},
    Meaning{"42883", ErrorKind::Schema, false, "A function is missing: run \"redeliverctl migrate\"."},
    Meaning{"08", ErrorKind::Connection, true, "The connection to the server was lost."},
    Meaning{"22021", ErrorKind::BadInput, false, "The text isn't valid in the server's encoding."},
};

Error lost(std::string_view name, const std::string& what, const std::string& code = {}) {
    return {ErrorKind::Connection, fmt::format("{}: {}", name, what),
            "The connection to PostgreSQL was lost; it is tried again.", code, true};
}

std::string trimmed(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
    return text;
}

Error fromSqlState(std::string_view name, const std::string& what, const std::string& code) {
    const auto* found = std::ranges::find_if(meanings, [&](const Meaning& m) { return code.starts_with(m.code); });
    const std::string text = fmt::format("{}: {}", name, what);
    if (found == meanings.end()) {
        return {ErrorKind::Server, text, {}, code, false};
    }
    return {found->kind, text, std::string{found->hint}, code, found->retriable};
}

}  // namespace

Error currentError(std::string_view name, const Session& session) noexcept {
    try {
        throw;
    } catch (const Error& error) {
        return error;
    } catch (const pqxx::in_doubt_error& error) {
        return {ErrorKind::InDoubt,
                fmt::format("{}: {}", name, trimmed(error.what())),
                "The connection broke during COMMIT; the marker tells on the next delivery.",
                {},
                true};
    } catch (const pqxx::failure& error) {
        const std::string code = shim::sqlState(error);
        const std::string what = trimmed(error.what());
        if (code == "40003") {
            return {ErrorKind::InDoubt, fmt::format("{}: {}", name, what), {}, code, true};
        }
        if (code.empty() || (!session.isOpen() && !code.starts_with("57P") && code != "25P03")) {
            return lost(name, what, code);
        }
        return fromSqlState(name, what, code);
    } catch (const std::exception& error) {
        if (!session.isOpen()) {
            return lost(name, trimmed(error.what()));
        }
        return {ErrorKind::Internal, fmt::format("{}: {}", name, trimmed(error.what()))};
    }
}

}  // namespace redeliver::postgres
