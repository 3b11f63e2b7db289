// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/certificates.h"
#include "core/lab/private_postgres.h"
#include "core/postgres/doctor.h"
#include "core/postgres/doctor_checks.h"
#include "tests/core/postgres/database.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QTest>

#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>

using namespace redeliver;
using namespace redeliver::postgres;
using namespace std::chrono_literals;
using tests::Database;
using tests::Login;

namespace {

struct Diagnosis {
    std::vector<DiagnosisStep> steps;
    std::chrono::steady_clock::duration took{};

    const DiagnosisStep* find(std::string_view name) const {
        for (const auto& step : steps) {
            if (step.step == name) {
                return &step;
            }
        }
        return nullptr;
    }
    // The one that failed, as "step: text | hint".
    std::string failed() const {
        for (const auto& step : steps) {
            if (!step.ok) {
                return fmt::format("{}: {} | {}", step.step, step.text, step.hint);
            }
        }
        return "none";
    }
};

Diagnosis diagnosisOf(const ConnectOptions& connect, bool writes = false) {
    Diagnosis out;
    const auto began = std::chrono::steady_clock::now();
    DiagnosisOptions options;
    options.writes = writes;
    out.steps = diagnose(connect, options, {});
    out.took = std::chrono::steady_clock::now() - began;
    return out;
}

Diagnosis diagnosisOf(const std::string& dsn) {
    ConnectOptions options;
    options.dsn = dsn;
    return diagnosisOf(options);
}

bool has(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

lab::PrivatePostgres& tcpServer() {
    static lab::PrivatePostgres server{[] {
        lab::PostgresOptions options;
        options.tcp = true;
        return options;
    }()};
    return server;
}

}  // namespace

class DoctorTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void healthyDatabaseHasNoFindings();
    void namesTheDnsStep();
    void namesTheTcpStep();
    void silentServerEndsInTime();
    void namesTheLoginStep();
    void namesTheTlsStep();
    void oldRootCertificateInTheHomeFolder();
    void namesPrivilegeAndSchema();
    void hiddenRowsAreSaid();
    void roleWithOpinionsIsSaid();
    void askedSettingsAreRead();
    void hungServerAfterLoginEndsInTime();
};

void DoctorTest::healthyDatabaseHasNoFindings() {
    Database database;
    const auto diagnosis = diagnosisOf(database.options(), true);
    QCOMPARE(diagnosis.failed(), std::string("none"));
    for (const char* step : {"tcp", "tls", "login", "privilege", "schema", "settings", "clock"}) {
        QVERIFY2(diagnosis.find(step) != nullptr, step);
    }
    QVERIFY(!diagnosis.find("replica"));
    QVERIFY(reached(diagnosis.steps));
}

void DoctorTest::namesTheDnsStep() {
    const auto diagnosis = diagnosisOf("host=no-such-host.invalid dbname=x");
    QVERIFY2(diagnosis.failed().starts_with("dns: no-such-host.invalid"), diagnosis.failed().c_str());
    QVERIFY(diagnosis.took < 3s);
    QVERIFY(!reached(diagnosis.steps));
    QCOMPARE(diagnosisOf("no good").failed().substr(0, 4), std::string("dsn:"));
}

void DoctorTest::namesTheTcpStep() {
    const auto diagnosis = diagnosisOf("host=127.0.0.1 port=1 dbname=x");
    QVERIFY2(diagnosis.failed().starts_with("tcp: "), diagnosis.failed().c_str());
    QVERIFY(diagnosis.took < 3s);
    QVERIFY2(diagnosisOf("host=/nowhere dbname=x").failed().starts_with("tcp: "), "socket");
}

// Accepts connections and never says a word.
void DoctorTest::silentServerEndsInTime() {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    QCOMPARE(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
    QCOMPARE(listen(listener, 5), 0);
    QCOMPARE(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const auto diagnosis = diagnosisOf(fmt::format("host=127.0.0.1 port={} dbname=x", ntohs(address.sin_port)));
    close(listener);
    QVERIFY2(has(diagnosis.failed(), "no answer from 127.0.0.1"), diagnosis.failed().c_str());
    QVERIFY(diagnosis.find("tcp")->ok);
    QVERIFY(diagnosis.took < 3s);
}

void DoctorTest::namesTheLoginStep() {
    const auto& server = tcpServer();
    const std::string where = fmt::format("host=127.0.0.1 port={} dbname=postgres ", server.port());
    auto diagnosis = diagnosisOf(where + "user=postgres password=wrong passfile=/dev/null");
    QVERIFY2(diagnosis.failed().starts_with("login: ") && has(diagnosis.failed(), "password is wrong"),
             diagnosis.failed().c_str());
    diagnosis = diagnosisOf(where + "user=postgres passfile=/dev/null");
    QVERIFY2(diagnosis.failed().starts_with("login: ") && has(diagnosis.failed(), "none was given"),
             diagnosis.failed().c_str());
    diagnosis = diagnosisOf(server.tcpDsn("nowhere"));
    QVERIFY2(diagnosis.failed().starts_with("login: ") && has(diagnosis.failed(), "no database of that name"),
             diagnosis.failed().c_str());
    QVERIFY(!has(diagnosis.failed(), "LOCATION"));
    QVERIFY(diagnosis.find("tls")->ok);
}

void DoctorTest::namesTheTlsStep() {
    const auto& server = tcpServer();  // it has none
    const auto diagnosis = diagnosisOf(server.tcpDsn("postgres") + " sslmode=require");
    QVERIFY2(diagnosis.failed().starts_with("tls: "), diagnosis.failed().c_str());
}

// PC-35
void DoctorTest::oldRootCertificateInTheHomeFolder() {
    lab::PostgresOptions options;
    options.tls = true;
    const lab::PrivatePostgres server{options};
    const QTemporaryDir home;
    const std::filesystem::path folder = std::filesystem::path{home.path().toStdString()} / ".postgresql";
    std::filesystem::create_directories(folder);
    const auto oldHome = qgetenv("HOME");
    qputenv("HOME", home.path().toUtf8());
    const std::string dsn = fmt::format("host=localhost port={} dbname=postgres user=postgres password={} ",
                                        server.port(), server.password());
    // No file: verify-full says which one was looked for.
    auto diagnosis = diagnosisOf(dsn + "sslmode=verify-full");
    QVERIFY2(diagnosis.failed().starts_with("tls: ") && has(diagnosis.failed(), (folder / "root.crt").string()),
             diagnosis.failed().c_str());
    QVERIFY2(diagnosisOf(dsn + "sslmode=require").find("login")->ok, "require without a file");
    // Another CA's certificate: require became verify-ca.
    std::filesystem::create_directories(folder / "other");
    std::filesystem::copy_file(lab::makeCertificates(folder / "other").ca, folder / "root.crt");
    diagnosis = diagnosisOf(dsn + "sslmode=require");
    QVERIFY2(diagnosis.failed().starts_with("tls: ") && has(diagnosis.failed(), (folder / "root.crt").string()) &&
                 has(diagnosis.failed(), "verify-ca") && has(diagnosis.failed(), "sslrootcert"),
             diagnosis.failed().c_str());
    QVERIFY(diagnosis.took < 3s);
    // The right one by name.
    QVERIFY(reached(diagnosisOf(dsn + "sslmode=verify-full sslrootcert=" + server.caFile().string()).steps));
    // A client key that others may read.
    std::filesystem::remove(folder / "root.crt");
    const auto client = lab::makeCertificates(folder / "other");
    std::filesystem::copy_file(client.certificate, folder / "postgresql.crt");
    std::filesystem::copy_file(client.key, folder / "postgresql.key");
    std::filesystem::permissions(folder / "postgresql.key", std::filesystem::perms{0644});
    diagnosis = diagnosisOf(dsn + "sslmode=require");
    qputenv("HOME", oldHome);
    QVERIFY2(
        diagnosis.failed().starts_with("tls: ") && has(diagnosis.failed(), "0644") && has(diagnosis.failed(), "0600"),
        diagnosis.failed().c_str());
}

void DoctorTest::namesPrivilegeAndSchema() {
    Database empty{Database::Schema::None};
    auto diagnosis = diagnosisOf(empty.options());
    QVERIFY(diagnosis.find("privilege")->ok);
    QVERIFY2(diagnosis.failed().starts_with("schema: ") && has(diagnosis.failed(), "redeliverctl migrate"),
             diagnosis.failed().c_str());
    Database database;
    const Login stranger{database, "stranger"};
    diagnosis = diagnosisOf(database.as(stranger.name()));
    QVERIFY2(diagnosis.failed().starts_with("privilege: ") && has(diagnosis.failed(), "GRANT redeliver_reader"),
             diagnosis.failed().c_str());
    const Login reader{database, "doc_reader", "GRANT redeliver_reader TO {0}"};
    QCOMPARE(diagnosisOf(database.as(reader.name())).failed(), std::string("none"));
    diagnosis = diagnosisOf(database.as(reader.name()), true);
    QVERIFY2(diagnosis.failed().starts_with("privilege: ") && has(diagnosis.failed(), "write to replays"),
             diagnosis.failed().c_str());
    database.sql("UPDATE redeliver.schema_version SET oldest_client = 99");
    QVERIFY(has(diagnosisOf(database.options()).failed(), "schema: "));
}

void DoctorTest::hiddenRowsAreSaid() {
    Database database;
    const Login reader{database, "rls_reader", "GRANT redeliver_reader TO {0}"};
    database.sql("ALTER TABLE redeliver.processed_messages ENABLE ROW LEVEL SECURITY");
    const auto diagnosis = diagnosisOf(database.as(reader.name()));
    QVERIFY2(has(diagnosis.failed(), "privilege: row-level security"), diagnosis.failed().c_str());
    QCOMPARE(diagnosisOf(database.options()).failed(), std::string("none"));
}

// PC-27
void DoctorTest::roleWithOpinionsIsSaid() {
    Database database;
    const Login role{
        database, "doc_opinions",
        "GRANT redeliver_reader TO {0}; ALTER ROLE {0} SET statement_timeout = '150ms'; ALTER ROLE {0} SET "
        "default_transaction_read_only = on"};
    const auto diagnosis = diagnosisOf(database.as(role.name()));
    const auto* settings = diagnosis.find("settings");
    QVERIFY(settings != nullptr && settings->ok);
    QVERIFY2(has(settings->text, "statement_timeout=150ms"), settings->text.c_str());
    QVERIFY2(has(settings->hint, "READ WRITE"), settings->hint.c_str());
    // What the string asks for arrives without a pooler.
    auto options = database.options();
    options.dsn += " options='-c statement_timeout=2000 -c search_path=markers'";
    QCOMPARE(diagnosisOf(options).failed(), std::string("none"));
}

void DoctorTest::askedSettingsAreRead() {
    using Asked = std::vector<std::pair<std::string, std::string>>;
    QCOMPARE(askedSettings("-c a=1 -cb=2  --c-d=3 -c e=x\\ y -x f=1 -c g"),
             (Asked{{"a", "1"}, {"b", "2"}, {"c-d", "3"}, {"e", "x y"}}));
    QCOMPARE(askedSettings(""), Asked{});
}

void DoctorTest::hungServerAfterLoginEndsInTime() {
    lab::PrivatePostgres server;
    ConnectOptions options;
    options.dsn = server.dsn();
    server.suspend();
    const auto diagnosis = diagnosisOf(options);
    server.resume();
    QVERIFY2(diagnosis.failed().starts_with("t") || diagnosis.failed().starts_with("login"),
             diagnosis.failed().c_str());
    QVERIFY2(has(diagnosis.failed(), "no answer"), diagnosis.failed().c_str());
    QVERIFY(diagnosis.took < 3s);
}

QTEST_APPLESS_MAIN(DoctorTest)
#include "tst_doctor_postgres.moc"
