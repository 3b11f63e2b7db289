// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lab/private_kafka.h"
#include "core/lab/private_postgres.h"

#include <filesystem>
#include <memory>
#include <string>

namespace redeliver::tests {

/// How to reach the servers of this run.
struct ServerAddresses {
    std::string postgresDsn;  ///< of the database "postgres"
    std::string bootstrap;
};

inline constexpr const char* templateDatabase = "redeliver_template";  ///< migrated; copied by TestPostgres

/// Starts PostgreSQL with the migrated template database.
[[nodiscard]] std::unique_ptr<lab::PrivatePostgres> startTestPostgres();
[[nodiscard]] std::unique_ptr<lab::PrivateKafka> startTestKafka();

/// The addresses file of ctest's fixture: two lines. Empty path when a test runs by hand.
[[nodiscard]] std::filesystem::path addressesFile();
void writeAddresses(const std::filesystem::path& file, const ServerAddresses& addresses);
[[nodiscard]] ServerAddresses readAddresses(const std::filesystem::path& file);

}  // namespace redeliver::tests
