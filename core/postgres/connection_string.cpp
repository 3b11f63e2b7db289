// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/connection_string.h"

#include <fmt/format.h>

#include <libpq-fe.h>
#include <memory>

namespace redeliver::postgres {

std::map<std::string, std::string> parseDsn(const std::string& dsn) {
    char* message = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options{PQconninfoParse(dsn.c_str(), &message),
                                                                               &PQconninfoFree};
    const std::unique_ptr<char, decltype(&PQfreemem)> owned{message, &PQfreemem};
    if (!options) {
        throw Error{ErrorKind::BadInput, fmt::format("dsn: {}", message == nullptr ? "not readable" : message),
                    "Write a libpq connection string: host=… dbname=… user=…, or postgresql://…"};
    }
    std::map<std::string, std::string> out;
    for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val != nullptr) {
            out[option->keyword] = option->val;
        }
    }
    return out;
}

std::string connectionString(const ConnectOptions& options) {
    auto values = parseDsn(options.dsn);
    values.try_emplace("connect_timeout", fmt::format("{}", options.connectTimeout.count()));
    // A cut network may not hold a transaction's locks until the kernel gives up after a quarter of an hour.
    values.try_emplace("tcp_user_timeout", "15000");
    values.try_emplace("fallback_application_name", options.applicationName);
    values.try_emplace("client_encoding", "UTF8");
    if (!options.password.empty()) {
        values["password"] = options.password.reveal();
    }
    std::string out;
    for (const auto& [key, value] : values) {
        out += fmt::format("{}{}='", out.empty() ? "" : " ", key);
        for (const char c : value) {
            if (c == '\'' || c == '\\') {
                out += '\\';
            }
            out += c;
        }
        out += '\'';
    }
    return out;
}

}  // namespace redeliver::postgres
