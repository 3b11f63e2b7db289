// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// Behind pgbouncer in transaction mode: nothing of ours may depend on a session, or be left on it.
#include "core/lab/process.h"
#include "core/lab/server_folder.h"
#include "core/postgres/doctor.h"
#include "core/postgres/maintenance.h"
#include "core/postgres/message_store.h"
#include "core/postgres/migrations.h"
#include "core/postgres/pqxx_session.h"
#include "core/postgres/telemetry_store.h"
#include "tests/core/postgres/database.h"

#include <QtTest/QTest>

#include <sys/stat.h>

#include <fstream>
#include <thread>

using namespace redeliver;
using namespace redeliver::postgres;
using namespace std::chrono_literals;
using tests::Database;
using tests::errorOf;

namespace {

// pgbouncer in front of one database, with a single server connection that all clients share.
class Pooler {
  public:
    Pooler(const Database& database, const std::string& ignored) : m_folder("pooler"), m_port(lab::freePort()) {
        const auto config = m_folder.path() / "pgbouncer.ini";
        chmod(m_folder.path().c_str(), 0755);
        std::ofstream{config} << fmt::format(
            "[databases]\n* = {} \n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {}\nauth_type = any\n"
            "unix_socket_dir =\npool_mode = transaction\ndefault_pool_size = 1\nignore_startup_parameters = {}\n",
            database.options().dsn, m_port, ignored);
        lab::ProcessOptions options;
        options.command = {"/usr/sbin/pgbouncer", config.string()};
        options.log = m_folder.path() / "pgbouncer.log";
        options.user = geteuid() == 0 ? std::optional<std::string>("postgres") : std::nullopt;
        m_process.emplace(options);
        m_options = database.options();
        m_options.dsn =
            fmt::format("host=127.0.0.1 port={} dbname={} user=postgres sslmode=disable", m_port, database.name());
        const auto until = std::chrono::steady_clock::now() + 10s;
        while (std::chrono::steady_clock::now() < until && m_process->running()) {
            if (reached(diagnose(m_options, {}, {}))) {
                return;
            }
            std::this_thread::yield();
        }
        throw Error{ErrorKind::Connection, "pgbouncer: " + lab::tailOf(options.log)};
    }

    [[nodiscard]] ConnectOptions options(const std::string& more = {}) const {
        auto out = m_options;
        out.dsn += more;
        return out;
    }

  private:
    lab::ServerFolder m_folder;
    int m_port;
    std::optional<lab::Process> m_process;
    ConnectOptions m_options;
};

}  // namespace

class PoolerTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void everythingWorksOnASharedServerConnection();
    void noSettingReachesTheNextClient();
    void doctorNamesSettingsThatDidNotArrive();
    void doctorExplainsARefusedParameter();
};

void PoolerTest::everythingWorksOnASharedServerConnection() {
    Database database{Database::Schema::None};
    const Pooler pooler{database, "extra_float_digits"};
    Session session{pooler.options()};
    QCOMPARE(migrate(session).size(), allMigrations().size());
    std::vector<std::thread> threads;
    std::atomic<int> failed = 0;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            try {
                Session own{pooler.options()};
                PgTelemetryStore store{own};
                ports::TelemetryBatch batch;
                batch.at = store.facts().now;
                batch.worker = WorkerName{fmt::format("w{}", t)};
                batch.counts.of(Outcome::Processed) = 1;
                for (int i = 0; i < 50; ++i) {
                    store.write(ConsumerName{"c"}, batch);
                }
                maintain(own, {}, {});
            } catch (const Error& error) {
                qWarning("%s (%s)", error.what(), error.code().c_str());
                ++failed;
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    QCOMPARE(failed.load(), 0);
    QCOMPARE(database.sql("SELECT sum(processed) FROM redeliver.delivery_counts"), std::string("200"));
    QCOMPARE(database.sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM "
                          "pg_database WHERE datname = current_database())"),
             std::string("0"));
    database.sql("SELECT redeliver.try_mark('c', 'm')");
    query::Query query;
    query.terms.push_back({query::Field::Id, false, {{query::Match::Contains, "m"}}, {}, {}});
    QCOMPARE(PgMessageStore{session}.search(query, {}, {}).hits.size(), std::size_t{1});
}

void PoolerTest::noSettingReachesTheNextClient() {
    Database database;
    const Pooler pooler{database, "extra_float_digits"};
    const auto settings = [&] {
        pqxx::connection plain{pooler.options().dsn};
        pqxx::work work{plain};
        return textOf(
            work.exec("SELECT string_agg(name || '=' || setting, ' ' ORDER BY name) FROM pg_settings "
                      "WHERE name <> 'application_name'")[0][0]);
    };
    const std::string before = settings();
    Session session{pooler.options()};
    {
        PinnedTransaction transaction{session, {.readOnly = false}};
        transaction.run({"any", "SELECT 1"});
        transaction.commit();
    }
    {
        PinnedTransaction transaction{session, {.statementTimeout = 50ms}};
        errorOf([&] { transaction.run({"slow", "SELECT pg_sleep(1)"}); });
    }
    QCOMPARE(settings(), before);
}

// PC-34
void PoolerTest::doctorNamesSettingsThatDidNotArrive() {
    Database database;
    const Pooler pooler{database, "extra_float_digits,options"};
    const auto steps = diagnose(pooler.options(" options='-c statement_timeout=2000 -c search_path=markers'"), {}, {});
    const auto found = std::ranges::find(steps, "settings", &DiagnosisStep::step);
    QVERIFY(found != steps.end());
    QVERIFY(!found->ok);
    QVERIFY2(found->text.find("statement_timeout=2000 didn't arrive") != std::string::npos &&
                 found->text.find("search_path=markers didn't arrive") != std::string::npos,
             found->text.c_str());
    // Our own limit holds all the same.
    Session session{pooler.options(" options='-c statement_timeout=2000'")};
    PinnedTransaction transaction{session, {.statementTimeout = 100ms}};
    QCOMPARE(errorOf([&] { transaction.run({"slow", "SELECT pg_sleep(5)"}); }).kind(), ErrorKind::Limit);
}

void PoolerTest::doctorExplainsARefusedParameter() {
    Database database;
    const Pooler pooler{database, "extra_float_digits"};
    const auto steps = diagnose(pooler.options(" options='-c statement_timeout=2000'"), {}, {});
    QVERIFY(!steps.back().ok);
    QCOMPARE(steps.back().step, std::string("login"));
    QVERIFY2(steps.back().hint.find("ignore_startup_parameters") != std::string::npos &&
                 steps.back().hint.find("ALTER ROLE") != std::string::npos,
             steps.back().hint.c_str());
}

QTEST_APPLESS_MAIN(PoolerTest)
#include "tst_pooler_postgres.moc"
