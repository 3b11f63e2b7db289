// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/migrations.h"
#include "core/postgres/sql.h"
#include "tests/core/postgres/database.h"

#include <QtTest/QTest>

#include <atomic>
#include <thread>

using namespace redeliver;
using namespace redeliver::postgres;
using tests::Database;
using tests::errorOf;
using tests::Login;

class MigrationsTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void fromNothingToNewest();
    void twoAtOnceAreSafe();
    void aFailedOneLeavesNothingOfItself();
    void olderProgramsRunUntilTheOldestClient();
    void dryRunTextDoesTheSame();
    void schemaMayHaveAnyPlainName();
    void schemaNamesThatWouldBreakOutAreRefused();
    void runsWithoutTheRightToCreateRoles();
    void rolesHaveWhatTheyNeedAndNoMore();
};

void MigrationsTest::fromNothingToNewest() {
    Database database{Database::Schema::None};
    QCOMPARE(schemaState(database.session()).version, 0);
    QCOMPARE(errorOf([&] { checkSchema(database.session()); }).code(), std::string("no-schema"));
    const auto all = allMigrations();
    QVERIFY(all.size() >= 2);
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(all[i].version, static_cast<int>(i) + 1);
        QVERIFY(all[i].oldestClient >= 1 && all[i].oldestClient <= all[i].version);
        QVERIFY(!all[i].name.empty());
    }
    QCOMPARE(pendingMigrations(database.session()).size(), all.size());
    int told = 0;
    QCOMPARE(migrate(database.session(), [&](const Migration&) { ++told; }).size(), all.size());
    QCOMPARE(told, static_cast<int>(all.size()));
    checkSchema(database.session());
    QVERIFY(pendingMigrations(database.session()).empty());
    QVERIFY(migrate(database.session()).empty());
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.schema_version"), std::to_string(all.size()));
}

void MigrationsTest::twoAtOnceAreSafe() {
    Database database{Database::Schema::None};
    std::atomic<std::size_t> ran = 0;
    std::atomic<int> failed = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            try {
                Session session{database.options()};
                ran += migrate(session).size();
            } catch (const Error& error) {
                qWarning("%s", error.what());
                ++failed;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    QCOMPARE(failed.load(), 0);
    QCOMPARE(ran.load(), allMigrations().size());
    checkSchema(database.session());
}

void MigrationsTest::aFailedOneLeavesNothingOfItself() {
    Database database;
    auto known = allMigrations();
    const int next = known.back().version + 1;
    known.push_back({next, "good", 1, "CREATE TABLE :schema.good (n int)"});
    known.push_back({next + 1, "bad", 1, "CREATE TABLE :schema.half (n int); SELECT 1/0"});
    const Error error = errorOf([&] { migrate(database.session(), known, {}, {}); });
    QVERIFY2(error.text().find("_bad") != std::string::npos, error.what());
    QCOMPARE(schemaState(database.session()).version, next);
    QCOMPARE(database.sql("SELECT to_regclass('redeliver.good') IS NOT NULL AND to_regclass('redeliver.half') IS NULL"),
             std::string("t"));
}

void MigrationsTest::olderProgramsRunUntilTheOldestClient() {
    checkSchema(SchemaState{5, 3}, 5);
    QCOMPARE(errorOf([] { checkSchema(SchemaState{5, 3}, 2); }).code(), std::string("client-too-old"));
    QCOMPARE(errorOf([] { checkSchema(SchemaState{5, 3}, 6); }).code(), std::string("schema-too-old"));
    checkSchema(SchemaState{5, 3}, 4);

    Database database;
    auto known = allMigrations();
    const int newest = known.back().version;
    known.push_back({newest + 1, "compatible", 1, "SELECT 1"});
    migrate(database.session(), known, {}, {});
    checkSchema(database.session());  // this program, one version behind
    QVERIFY(migrate(database.session()).empty());
    known.push_back({newest + 2, "breaking", newest + 2, "SELECT 1"});
    migrate(database.session(), known, {}, {});
    QCOMPARE(errorOf([&] { checkSchema(database.session()); }).code(), std::string("client-too-old"));
    QCOMPARE(errorOf([&] { migrate(database.session()); }).code(), std::string("client-too-old"));
}

void MigrationsTest::dryRunTextDoesTheSame() {
    const std::string shape =
        "SELECT string_agg(table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(column_default, "
        "''), "
        "E'\\n' ORDER BY table_name, column_name) FROM information_schema.columns WHERE table_schema = 'redeliver'";
    const Database migrated;
    Database database{Database::Schema::None};
    database.sql(migrationScript(allMigrations(), "redeliver"));
    checkSchema(database.session());
    QCOMPARE(database.sql(shape), migrated.sql(shape));
    QVERIFY(database.sql(shape).size() > 1000);
}

void MigrationsTest::schemaMayHaveAnyPlainName() {
    Database database{Database::Schema::None};
    auto options = database.options();
    options.schema = "Größe \"x\" und y";
    Session session{options};
    migrate(session);
    checkSchema(session);
    QCOMPARE(database.sql("SELECT " + quoteName(options.schema) + ".try_mark('c', 'm')"), std::string("t"));
    // Beside it, the usual name is free.
    QCOMPARE(schemaState(database.session()).version, 0);
}

void MigrationsTest::schemaNamesThatWouldBreakOutAreRefused() {
    Database database{Database::Schema::None};
    for (const char* name : {"", "a'b", "a$b", "pg_mine", "a\nb"}) {
        auto options = database.options();
        options.schema = name;
        Session session{options};
        QCOMPARE(errorOf([&] { migrate(session); }).kind(), ErrorKind::BadInput);
    }
}

void MigrationsTest::runsWithoutTheRightToCreateRoles() {
    Database database{Database::Schema::None};
    const Login plain{database, "plain"};
    // The schema is there and hers; she may not create anything in the database.
    database.sql("CREATE SCHEMA redeliver AUTHORIZATION " + plain.name());
    Session session{database.as(plain.name())};
    QCOMPARE(migrate(session).size(), allMigrations().size());
    checkSchema(session);
    QCOMPARE(database.sql("SELECT redeliver.try_mark('c', 'm')"), std::string("t"));
}

void MigrationsTest::rolesHaveWhatTheyNeedAndNoMore() {
    Database database;
    const auto as = [&](const std::string& role, const std::string& statement) {
        try {
            database.sql("BEGIN; SET LOCAL ROLE " + role + "; " + statement + "; ROLLBACK");
            return std::string{"may"};
        } catch (const Error& error) {
            return error.code();
        }
    };
    const std::string denied = "42501";
    const std::string marking = "SELECT redeliver.try_mark('c', 'm', 't', 0, 5)";
    const std::string recording = "SELECT redeliver.record('c', 'm', 'rejected')";
    const std::string deleting = "DELETE FROM redeliver.delivery_counts";
    const std::string auditing = "INSERT INTO redeliver.audit (action, subject) VALUES ('x', 'y')";
    const std::string forging = "INSERT INTO redeliver.audit (action, subject, who_role) VALUES ('x', 'y', 'z')";
    QCOMPARE(as("redeliver_consumer", marking), std::string("may"));
    QCOMPARE(as("redeliver_consumer", recording), std::string("may"));
    QCOMPARE(as("redeliver_consumer", auditing), denied);
    QCOMPARE(as("redeliver_consumer", "SELECT * FROM redeliver.audit"), denied);
    QCOMPARE(as("redeliver_reader", "SELECT * FROM redeliver.processed_messages, redeliver.audit"), std::string("may"));
    QCOMPARE(as("redeliver_reader", marking), denied);
    QCOMPARE(as("redeliver_reader", deleting), denied);
    QCOMPARE(as("redeliver_operator", auditing), std::string("may"));
    QCOMPARE(as("redeliver_operator", forging), denied);
    QCOMPARE(as("redeliver_operator", "DELETE FROM redeliver.audit"), denied);
    QCOMPARE(as("redeliver_operator", marking), denied);
    QCOMPARE(as("redeliver_operator", "DELETE FROM redeliver.processed_messages"), denied);
    QCOMPARE(as("redeliver_admin", deleting), std::string("may"));
    QCOMPARE(as("redeliver_admin", forging), denied);
    QCOMPARE(as("redeliver_admin", "UPDATE redeliver.audit SET who_os = ''"), denied);
    QCOMPARE(as("redeliver_consumer", "SELECT redeliver.grant_roles()"), denied);
}

QTEST_APPLESS_MAIN(MigrationsTest)
#include "tst_migrations_postgres.moc"
