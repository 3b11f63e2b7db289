// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/migrations.h"

#include "core/base/text.h"
#include "core/postgres/pqxx_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "embedded_migrations.h"

namespace redeliver::postgres {
namespace {

// Not to_regclass: right after waiting for the lock it may answer from a cache that doesn't know the other program's
// work.
constexpr Sql versionTable{"migrations.table",
                           "SELECT EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                           "WHERE n.nspname = $1 AND c.relname = 'schema_version')"};
constexpr Sql versions{"migrations.version",
                       "SELECT coalesce(max(version), 0), coalesce(max(oldest_client), 0) FROM :schema.schema_version"};
constexpr Sql takeLock{"migrations.lock",
                       "SELECT pg_advisory_xact_lock(hashtextextended('redeliver.migrate.' || $1, 0))"};
constexpr Sql remember{
    "migrations.remember",
    "INSERT INTO :schema.schema_version (version, name, oldest_client) VALUES ($1::int, $2, $3::int)"};

int numberAfter(std::string_view text, std::string_view label) {
    const auto at = text.find(label);
    if (at == std::string_view::npos) {
        return 0;
    }
    text.remove_prefix(at + label.size());
    const auto value = toInt64(text.substr(0, text.find_first_not_of("0123456789")));
    return value ? static_cast<int>(*value) : 0;
}

// "0002_roles.sql"
Migration fromFile(std::string_view file, std::string_view text) {
    Migration migration;
    migration.version = numberAfter(file, "");
    if (const auto underscore = file.find('_'); underscore != std::string_view::npos) {
        file.remove_prefix(underscore + 1);
    }
    migration.name = file.substr(0, file.rfind('.'));
    migration.oldestClient = numberAfter(text, "-- oldest-client: ");
    migration.sql = text;
    return migration;
}

// The name goes into function bodies and literals of the migrations.
void checkSchemaName(const std::string& schema) {
    const bool plain = std::ranges::all_of(
        schema, [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '\'' && c != '$' && c != '\\'; });
    if (schema.empty() || schema.size() > 63 || !plain || schema.starts_with("pg_")) {
        throw Error{ErrorKind::BadInput, fmt::format("\"{}\" can't be the name of Redeliver's schema", schema),
                    "Use up to 63 letters, digits and underscores, not beginning with pg_."};
    }
}

SchemaState stateIn(PinnedTransaction& transaction, const std::string& schema) {
    if (!boolOf(transaction.run(versionTable, SqlParams{}.add(schema))[0][0])) {
        return {};
    }
    const auto row = transaction.run(versions)[0];
    return {int32Of(row[0]), int32Of(row[1])};
}

Error tooOld(const SchemaState& state, int client) {
    return {
        ErrorKind::Schema,
        fmt::format("the schema is version {} and needs a program built for version {} or later; this one was built "
                    "for {}",
                    state.version, state.oldestClient, client),
        "Install a newer Redeliver.", "client-too-old"};
}

std::vector<Migration> newerThan(const SchemaState& state, std::span<const Migration> known) {
    const int client = known.empty() ? 0 : known.back().version;
    if (state.oldestClient > client) {
        throw tooOld(state, client);
    }
    std::vector<Migration> out;
    std::ranges::copy_if(known, std::back_inserter(out), [&](const Migration& m) { return m.version > state.version; });
    return out;
}

// False: another program ran it while we waited.
bool runOne(Session& session, const Migration& migration, const MigrateOptions& options) {
    const std::string& schema = session.options().schema;
    PinnedTransaction transaction{session,
                                  {.readOnly = false,
                                   .statementTimeout = options.longest,
                                   .lockTimeout = options.wait,
                                   .idleTimeout = options.longest}};
    transaction.run(takeLock, SqlParams{}.add(schema));
    if (stateIn(transaction, schema).version >= migration.version) {
        return false;
    }
    transaction.runScript("migrations.lock_timeout",
                          fmt::format("SET LOCAL lock_timeout = {}", options.lockWait.count()));
    transaction.runScript(fmt::format("migration {:04}_{}", migration.version, migration.name),
                          withSchema(migration.sql, schema));
    transaction.run(remember, SqlParams{}.add(migration.version).add(migration.name).add(migration.oldestClient));
    transaction.commit();
    return true;
}

}  // namespace

std::vector<Migration> allMigrations() {
    std::vector<Migration> out;
    for (const auto& [file, text] : embedded::migrations) {
        out.push_back(fromFile(file, text));
    }
    std::ranges::sort(out, {}, &Migration::version);
    return out;
}

int clientVersion() {
    static const int newest = allMigrations().back().version;
    return newest;
}

SchemaState schemaState(Session& session) {
    PinnedTransaction transaction{session};
    return stateIn(transaction, session.options().schema);
}

std::vector<Migration> pendingMigrations(Session& session) {
    return pendingMigrations(session, allMigrations());
}

std::vector<Migration> pendingMigrations(Session& session, std::span<const Migration> known) {
    return newerThan(schemaState(session), known);
}

std::string migrationScript(std::span<const Migration> migrations, const std::string& schema) {
    checkSchemaName(schema);
    std::string out;
    for (const Migration& migration : migrations) {
        out += fmt::format("BEGIN;\nSET LOCAL search_path = pg_catalog;\n{}\n", withSchema(migration.sql, schema));
        out +=
            fmt::format("INSERT INTO {}.schema_version (version, name, oldest_client) VALUES ({},{}, {});\nCOMMIT;\n\n",
                        quoteName(schema), migration.version, quoteLiteral(migration.name), migration.oldestClient);
    }
    return out;
}

std::vector<Migration> migrate(Session& session, const std::function<void(const Migration&)>& done) {
    return migrate(session, allMigrations(), {}, done);
}

std::vector<Migration> migrate(Session& session, std::span<const Migration> known, const MigrateOptions& options,
                               const std::function<void(const Migration&)>& done) {
    checkSchemaName(session.options().schema);
    std::vector<Migration> ran;
    for (Migration& migration : pendingMigrations(session, known)) {
        if (!runOne(session, migration, options)) {
            continue;
        }
        if (done) {
            done(migration);
        }
        ran.push_back(std::move(migration));
    }
    return ran;
}

void checkSchema(Session& session) {
    checkSchema(schemaState(session), clientVersion());
}

void checkSchema(const SchemaState& state, int client) {
    if (state.version == 0) {
        throw Error{ErrorKind::Schema, "the database has no schema of Redeliver", "Run \"redeliverctl migrate\".",
                    "no-schema"};
    }
    if (state.oldestClient > client) {
        throw tooOld(state, client);
    }
    if (state.version < client) {
        throw Error{ErrorKind::Schema,
                    fmt::format("the schema is version {}, this program needs {}", state.version, client),
                    "Run \"redeliverctl migrate\".", "schema-too-old"};
    }
}

}  // namespace redeliver::postgres
