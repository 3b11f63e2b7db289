// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/live/ctl.h"
#include "tests/support/tcp_proxy.h"

#include <QElapsedTimer>
#include <QFile>
#include <QtTest>

#include <memory>

using namespace redeliver;
using namespace redeliver::tests;
using nlohmann::json;

// What redeliverctl says and answers when something is wrong: exit status, file:line, the next step.
class TstCtlTroublePostgres : public QObject {
    Q_OBJECT

  private:
    std::filesystem::path write(const char* name, const std::string& text) {
        const std::filesystem::path file = std::filesystem::path{m_folder.path().toStdString()} / name;
        QFile out{QString::fromStdString(file.string())};
        if (out.open(QIODevice::WriteOnly)) {
            out.write(QByteArray::fromStdString(text));
        }
        return file;
    }
    std::filesystem::path profile(const char* name, const std::string& dsn, const std::string& more = {}) {
        return write(name, "name = \"t\"\n" + more + "\n[postgres]\ndsn = \"" + dsn +
                               "\"\n[kafka]\n\"bootstrap.servers\" = \"127.0.0.1:1\"\n");
    }
    QTemporaryDir m_folder;

  private Q_SLOTS:
    void usageIsTwo() {
        QCOMPARE(Ctl::plain({}).exit, 2);
        QCOMPARE(Ctl::plain(words("nonsense")).exit, 2);
        QCOMPARE(Ctl::plain(words("search")).exit, 2);
        QCOMPARE(Ctl::plain(words("consumers --bogus")).exit, 2);
        QCOMPARE(Ctl::plain(words("--help")).exit, 0);
        QCOMPARE(Ctl::plain(words("consumers --help")).exit, 0);
        QVERIFY(Ctl::plain(words("--version")).out.starts_with("redeliverctl "));
    }

    void aProfilesFaultIsTwoWithFileAndLine() {
        const auto file = write("bad.toml", "name = \"t\"\n[postgres]\ndsn = \"dbname=x\"\nschemaa = \"y\"\n");
        const CtlAnswer answer = Ctl{file}.run(words("consumers"));
        QCOMPARE(answer.exit, 2);
        QVERIFY2(answer.err.find(file.string() + ":4: ") != std::string::npos, said(answer).c_str());
        QCOMPARE(Ctl{"/nowhere/p.toml"}.run(words("consumers")).exit, 2);
        QCOMPARE(Ctl{"nobody"}.run(words("consumers")).exit, 2);
    }

    void aSecretThatIsntThereIsTwo() {
        const auto file = write("secret.toml",
                                "name = \"t\"\n[postgres]\ndsn = \"dbname=x\"\npassword = { env = \"TST_NO_SUCH\" }\n");
        const CtlAnswer answer = Ctl{file}.run(words("consumers"));
        QVERIFY2(answer.exit == 2 && answer.err.find("TST_NO_SUCH") != std::string::npos, said(answer).c_str());
        const auto keyring =
            write("ring.toml", "name = \"t\"\n[postgres]\ndsn = \"dbname=x\"\npassword = { keyring = \"k\" }\n");
        const CtlAnswer refused = Ctl{keyring}.run(words("consumers"));
        QVERIFY2(refused.exit == 2 && refused.err.find("env") != std::string::npos, said(refused).c_str());
    }

    void noServerIsThreeWithTheNextStep() {
        const Ctl ctl{profile("dead.toml", "host=127.0.0.1 port=1 dbname=x user=y")};
        QElapsedTimer timer;
        timer.start();
        const CtlAnswer answer = ctl.run(words("consumers"));
        QVERIFY2(answer.exit == 3, said(answer).c_str());
        QVERIFY2(answer.err.find("127.0.0.1") != std::string::npos, said(answer).c_str());
        QVERIFY2(answer.err.find("\n  ") != std::string::npos, said(answer).c_str());
        QVERIFY(timer.elapsed() < 10'000);
        const CtlAnswer doctor = ctl.json(words("doctor"));
        QVERIFY2(doctor.exit == 3, said(doctor).c_str());
        QCOMPARE(doctor.json.at("ok"), json(false));
        bool postgres = false;
        bool kafka = false;
        for (const json& step : doctor.json.at("steps")) {
            postgres = postgres || (step.at("server") == "postgres" && step.at("ok") == false);
            kafka = kafka || (step.at("server") == "kafka" && step.at("ok") == false);
        }
        QVERIFY2(postgres && kafka, said(doctor).c_str());
    }

    void withoutKafkaTheDatabasesAnswersComeAllTheSame() {
        const TestPostgres postgres;
        postgres.execute(
            "INSERT INTO redeliver.delivery_counts (consumer_name, bucket, processed) "
            "VALUES ('handler', date_trunc('minute', now()) - interval '5 minutes', 3)");
        const Ctl ctl{profile("nokafka.toml", postgres.dsn())};
        QElapsedTimer timer;
        timer.start();
        const CtlAnswer answer = ctl.json(words("consumers"));
        QVERIFY2(answer.exit == 0, said(answer).c_str());
        QVERIFY(timer.elapsed() < 8'000);
        const json& row = answer.json.at("consumers").at(0);
        QCOMPARE(row.at("processed"), json(3));
        QVERIFY(row.at("lag").is_null());
        QVERIFY(row.at("lag_reason").is_string());
    }

    void anEmptyDatabaseOffersTheMigration() {
        const TestPostgres postgres{false};
        const Ctl ctl{profile("empty.toml", postgres.dsn())};
        const CtlAnswer consumers = ctl.run(words("consumers"));
        QVERIFY2(consumers.exit == 1 && consumers.err.find("migrate") != std::string::npos, said(consumers).c_str());
        const CtlAnswer dry = ctl.run(words("migrate --dry-run"));
        QVERIFY2(dry.exit == 0 && dry.out.find("CREATE TABLE") != std::string::npos, said(dry).c_str());
        QCOMPARE(postgres.count("SELECT count(*) FROM pg_namespace WHERE nspname = 'redeliver'"), 0);
        const CtlAnswer migrated = ctl.json(words("migrate"));
        QVERIFY2(migrated.exit == 0 && !migrated.json.at("migrations").empty(), said(migrated).c_str());
        const CtlAnswer again = ctl.json(words("migrate"));
        QVERIFY2(again.exit == 0 && again.json.at("migrations").empty(), said(again).c_str());
        QCOMPARE(ctl.run(words("consumers")).exit, 0);
    }

    void readOnlyProfilesRefuseToWrite() {
        const TestPostgres postgres;
        for (const char* const how : {"read_only = true", "environment = \"production\""}) {
            const Ctl ctl{profile("ro.toml", postgres.dsn(), how)};
            for (const char* const command : {"maintain --once", "migrate", "consumers set c --group g",
                                              "partition retry c t 0", "partition skip-to c t 0 5 --reason x"}) {
                const CtlAnswer answer = ctl.run(words(command));
                QVERIFY2(answer.exit == 4, said(answer).c_str());
                QVERIFY2(answer.err.find("read-only") != std::string::npos, said(answer).c_str());
            }
            QCOMPARE(ctl.run(words("consumers")).exit, 0);
            QCOMPARE(ctl.run(words("migrate --dry-run")).exit, 0);
        }
        QCOMPARE(postgres.count("SELECT count(*) FROM redeliver.consumers"), 0);
    }

    void aConnectionThatBreaksIsThree() {
        const TestPostgres postgres;
        const std::string socket = postgres.dsn().substr(postgres.dsn().find("host=") + 5);
        const std::string folder = socket.substr(0, socket.find(' '));
        const std::string clean = folder.starts_with('\'') ? folder.substr(1, folder.size() - 2) : folder;
        TcpProxy proxy{clean + "/.s.PGSQL.5432"};
        proxy.cutOn(TcpProxy::Cut::BeforePattern, "delivery_counts");
        const Ctl ctl{profile("cut.toml", "host=127.0.0.1 port=" + std::to_string(proxy.port()) +
                                              " user=postgres dbname=" + postgres.name())};
        const CtlAnswer answer = ctl.run(words("consumers"));
        QVERIFY2(answer.exit == 3, said(answer).c_str());
        QCOMPARE(proxy.cuts(), 1);
    }
};

QTEST_GUILESS_MAIN(TstCtlTroublePostgres)
#include "tst_ctl_trouble_postgres.moc"
