// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <string_view>
#include <vector>

/// The only place that knows which libpqxx this is: source-compatible with 6.4 and 7.x, nothing deprecated.
namespace redeliver::postgres::shim {

using ParamTexts = std::vector<std::optional<std::string>>;

/// Runs one statement with text parameters, unnamed (works behind a transaction pooler). Nothing is NULL.
#if PQXX_VERSION_MAJOR >= 7
template <class Transaction>
pqxx::result run(Transaction& transaction, const std::string& sql, const ParamTexts& texts) {
    pqxx::params params;
    for (const auto& text : texts) {
        text ? params.append(*text) : params.append();
    }
    if constexpr (requires { transaction.exec(sql, params); }) {
        return transaction.exec(sql, params);
    } else {
        return transaction.exec_params(sql, params);
    }
}
inline std::unique_ptr<pqxx::connection> connect(const std::string& dsn) {
    return std::make_unique<pqxx::connection>(dsn);
}
#else
inline pqxx::result run(pqxx::transaction_base& transaction, const std::string& sql, const ParamTexts& texts) {
    std::vector<const char*> params;
    params.reserve(texts.size());
    for (const auto& text : texts) {
        params.push_back(text ? text->c_str() : nullptr);
    }
    return transaction.exec_params(sql, pqxx::prepare::make_dynamic_params(params));
}
inline std::unique_ptr<pqxx::connection> connect(const std::string& dsn) {
    auto connection = std::make_unique<pqxx::connection>(dsn);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    // 6.4 would bring a dead connection back silently, in mid-work and without its settings.
    connection->inhibit_reactivation(true);
#pragma GCC diagnostic pop
    return connection;
}
#endif

/// The server's code; empty: libpqxx saw the connection die without one. 6.4 drops the code of some classes.
inline std::string sqlState(const std::exception& error) {
    if (const auto* sql = dynamic_cast<const pqxx::sql_error*>(&error); sql != nullptr && !sql->sqlstate().empty()) {
        return std::string{sql->sqlstate()};
    }
    const auto is = [&]<class Class>(const Class*) { return dynamic_cast<const Class*>(&error) != nullptr; };
    return is(static_cast<pqxx::insufficient_privilege*>(nullptr))         ? "42501"
           : is(static_cast<pqxx::serialization_failure*>(nullptr))        ? "40001"
           : is(static_cast<pqxx::deadlock_detected*>(nullptr))            ? "40P01"
           : is(static_cast<pqxx::statement_completion_unknown*>(nullptr)) ? "40003"
           : is(static_cast<pqxx::transaction_rollback*>(nullptr))         ? "40000"
           : is(static_cast<pqxx::too_many_connections*>(nullptr))         ? "53300"
                                                                           : "";
}

inline std::string_view fieldText(const pqxx::field& field) {
    return {field.c_str(), field.size()};
}

}  // namespace redeliver::postgres::shim
