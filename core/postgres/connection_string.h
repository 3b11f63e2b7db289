// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/session.h"

#include <map>
#include <string>

namespace redeliver::postgres {

/// The options of a libpq string or URI that it gives itself (no defaults, no service file). Throws Error(BadInput)
/// with libpq's words.
[[nodiscard]] std::map<std::string, std::string> parseDsn(const std::string& dsn);

/// What is handed to libpq: the DSN, the password, and, unless given: connect_timeout, tcp_user_timeout,
/// application_name (as fall-back) and client_encoding. Holds the password: never log it.
[[nodiscard]] std::string connectionString(const ConnectOptions& options);

}  // namespace redeliver::postgres
