// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/session.h"

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace redeliver::postgres {

/// One numbered file of resources/migrations, embedded at build time.
struct Migration {
    int version = 0;
    std::string name;
    int oldestClient = 0;  ///< a client built for this version or a newer one may still use the schema
    std::string sql;       ///< with `:schema` in it
};

/// What the database says of itself. version 0: no schema of ours.
struct SchemaState {
    int version = 0;
    int oldestClient = 0;
};

/// All migrations of this build, by version.
[[nodiscard]] std::vector<Migration> allMigrations();
[[nodiscard]] int clientVersion();  ///< the newest of them

[[nodiscard]] SchemaState schemaState(Session& session);

/// Those that the database doesn't have yet. Throws Error(Schema, code "client-too-old") when it is too new for us.
[[nodiscard]] std::vector<Migration> pendingMigrations(Session& session);
[[nodiscard]] std::vector<Migration> pendingMigrations(Session& session, std::span<const Migration> known);

/// The exact SQL that migrate() would run, for people (--dry-run).
[[nodiscard]] std::string migrationScript(std::span<const Migration> migrations, const std::string& schema);

struct MigrateOptions {
    std::chrono::milliseconds wait{60'000};      ///< for another program that migrates at the same time
    std::chrono::milliseconds lockWait{5'000};   ///< for table locks; never a long queue behind a long transaction
    std::chrono::milliseconds longest{900'000};  ///< one statement
};

/// Runs what is pending, each in one transaction with its row in schema_version, under an advisory transaction lock:
/// two at once are safe. `done` is told of each. Answers those that this call ran. Throws Error naming the migration;
/// those before it stay.
std::vector<Migration> migrate(Session& session, const std::function<void(const Migration&)>& done = {});
std::vector<Migration> migrate(Session& session, std::span<const Migration> known, const MigrateOptions& options,
                               const std::function<void(const Migration&)>& done);

/// Throws Error(Schema) unless this program can use the schema; codes: no-schema, schema-too-old, client-too-old.
void checkSchema(Session& session);
void checkSchema(const SchemaState& state, int client);

}  // namespace redeliver::postgres
