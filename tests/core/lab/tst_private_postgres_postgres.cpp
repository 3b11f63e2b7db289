// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/lab/private_postgres.h"

#include <QtTest/QTest>

#include <filesystem>
#include <optional>

using namespace redeliver;
using lab::PrivatePostgres;

class PrivatePostgresTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void startsAnswersAndLeavesNothing();
    void survivesStopKillAndRestart();
    void listensWithTlsAndPassword();
    void saysWhyItCannotStart();
};

void PrivatePostgresTest::startsAnswersAndLeavesNothing() {
    std::filesystem::path folder;
    {
        const PrivatePostgres server;
        folder = server.folder();
        server.createDatabase("one \"quoted\"");
        QCOMPARE(server.execute("one \"quoted\"", "SELECT current_database()"), std::string("one \"quoted\""));
        QCOMPARE(server.execute("postgres", "SHOW synchronous_commit"), std::string("on"));
        QVERIFY(std::filesystem::exists(folder));
    }
    QVERIFY(!std::filesystem::exists(folder));
}

void PrivatePostgresTest::survivesStopKillAndRestart() {
    PrivatePostgres server;
    server.execute("postgres", "CREATE TABLE t (n int); INSERT INTO t VALUES (1)");
    server.stopImmediate();
    QVERIFY_THROWS_EXCEPTION(Error, server.execute("postgres", "SELECT 1"));
    server.start();
    server.execute("postgres", "INSERT INTO t VALUES (2)");
    server.kill();
    server.start();
    server.stopFast();
    server.start();
    QCOMPARE(server.execute("postgres", "SELECT count(*) FROM t"), std::string("2"));
    server.suspend();
    server.resume();
    QCOMPARE(server.execute("postgres", "SELECT sum(n) FROM t"), std::string("3"));
}

void PrivatePostgresTest::listensWithTlsAndPassword() {
    lab::PostgresOptions options;
    options.tls = true;
    const PrivatePostgres server(options);
    QCOMPARE(lab::executeSql(server.tcpDsn(), "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"),
             std::string("t"));
    QVERIFY_THROWS_EXCEPTION(Error, lab::executeSql(server.tcpDsn() + " password=wrong", "SELECT 1"));
    QVERIFY_THROWS_EXCEPTION(Error, lab::executeSql(server.tcpDsn() + " sslmode=disable", "SELECT 1"));
}

void PrivatePostgresTest::saysWhyItCannotStart() {
    lab::PostgresOptions options;
    options.settings["shared_buffers"] = "nonsense";
    try {
        const PrivatePostgres server(options);
        QFAIL("started with a wrong setting");
    } catch (const Error& error) {
        QVERIFY2(error.text().find("shared_buffers") != std::string::npos, error.what());
    }
}

QTEST_APPLESS_MAIN(PrivatePostgresTest)
#include "tst_private_postgres_postgres.moc"
