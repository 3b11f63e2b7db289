// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/session.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::postgres {

/// One step of the connection test. Steps come in order: dns, tcp, tls, login, then privilege, schema, settings,
/// replica (only on one), clock. Steps behind a failed one of the first four are left out.
struct DiagnosisStep {
    std::string step;
    bool ok = false;
    std::string text;
    std::string hint;  ///< what to do; may also accompany an ok step
};

struct DiagnosisOptions {
    bool writes = false;                            ///< the profile may write: operator's privileges are checked too
    std::chrono::milliseconds connectLimit{2'800};  ///< dns, tcp, tls and login together
    std::chrono::milliseconds queryLimit{2'000};    ///< everything after login
};

/// Tries the connection step by step on a connection of its own and says what failed and what to do. Never throws for
/// what it is there to find; works for libpq strings, URIs and services. Any thread.
[[nodiscard]] std::vector<DiagnosisStep> diagnose(const ConnectOptions& connect, const DiagnosisOptions& options,
                                                  const std::stop_token& stop);

/// The same first four steps after a failed connect: `original` with the failing step named, its SQLSTATE as code, a
/// hint, and not retriable where trying again can't help (user, password, database). Takes at most 2 s.
[[nodiscard]] Error connectError(const ConnectOptions& connect, const Error& original);

/// The server was reached and let us in: login succeeded.
[[nodiscard]] bool reached(const std::vector<DiagnosisStep>& steps) noexcept;

}  // namespace redeliver::postgres
