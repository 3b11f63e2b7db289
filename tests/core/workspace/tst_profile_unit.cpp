// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile_store.h"
#include "core/workspace/workspace.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <sys/stat.h>

using namespace redeliver;

namespace {

constexpr std::string_view full = R"(name = "payments-prod"
environment = "production"
read_only = true

[postgres]
dsn = "host=db1,db2 dbname=orders user=oncall target_session_attrs=any"
schema = "redeliver"
password = { file = "/run/secrets/pg" }

[kafka]
"bootstrap.servers" = "k1:9092,k2:9092"
"sasl.password" = { env = "KAFKA_PASSWORD" }
"socket.timeout.ms" = 5000
"enable.ssl.certificate.verification" = false

[[consumers]]
name = "order-payment-handler"
group = "order-payments"
topics = ["payments"]
dead_letter = "payments.dlt"
formerly = ["payment-handler"]
message_id = ["header:message-id", "json:/message_id"]
marker_retention = "7d"
replay_horizon = "30d"

[[markers]]
preset = "masstransit"
schema = "public"
consumers = { "order-payment-handler" = "b0b" }
clock_margin = "5m"
)";

Error faultOf(const std::string& text) {
    const auto profile = parseProfile(text, "p.toml");
    return profile ? Error{ErrorKind::Internal, "no fault"} : profile.error();
}

std::string minimal(const std::string& more) {
    return "name = \"a\"\n[postgres]\ndsn = \"dbname=x\"\n" + more;
}

}  // namespace

class TstProfileUnit : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theContractsExampleIsRead() {
        const auto read = parseProfile(full, "p.toml");
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QCOMPARE(read->name, std::string{"payments-prod"});
        QCOMPARE(read->environment, Environment::Production);
        QVERIFY(read->isReadOnly());
        QCOMPARE(std::get<SecretSource>(read->kafka.at("sasl.password")),
                 (SecretSource{SecretSource::From::Env, "KAFKA_PASSWORD"}));
        QCOMPARE(std::get<std::string>(read->kafka.at("socket.timeout.ms")), std::string{"5000"});
        QCOMPARE(std::get<std::string>(read->kafka.at("enable.ssl.certificate.verification")), std::string{"false"});
        const ProfileConsumer& consumer = read->consumers.at(0);
        QCOMPARE(consumer.markerRetention, std::optional(std::chrono::seconds{7 * 86'400}));
        QCOMPARE(consumer.formerly, (std::vector{ConsumerName{"payment-handler"}}));
        QCOMPARE(read->markers.at(0).consumers.at("order-payment-handler"), std::string{"b0b"});
    }

    void whatIsWrittenReadsBackEqual() {
        auto read = parseProfile(full, "p.toml");
        QVERIFY(read);
        read->name = "o\"dd\\ \x01 日本";
        read->consumers[0].topics = {Topic{"a.b"}, Topic{"c\"d"}};
        const std::string text = writeProfile(*read);
        const auto again = parseProfile(text, "p.toml");
        QVERIFY2(again, again ? "" : again.error().text().c_str());
        QCOMPARE(writeProfile(*again), text);
        QCOMPARE(again->name, read->name);
        QCOMPARE(again->kafka.size(), read->kafka.size());
        QCOMPARE(again->consumers[0].topics, read->consumers[0].topics);
        QCOMPARE(again->password, read->password);
    }

    void faultsNameFileAndLine_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("line");
        QTest::addColumn<QString>("says");
        const auto row = [](const char* name, const std::string& text, int line, const char* says) {
            QTest::newRow(name) << QString::fromStdString(text) << line << QString::fromLatin1(says);
        };
        row("not toml", "name = ", 1, "");
        row("unknown key", "name = \"a\"\nread_onyl = true\n", 2, "read_onyl");
        row("unknown key in a table", minimal("shema = \"x\"\n"), 4, "shema");
        row("unknown key of a consumer", minimal("[[consumers]]\nname = \"c\"\nretention = \"7d\"\n"), 6, "retention");
        row("wrong type", "name = 7\n", 1, "name");
        row("no name", "\nenvironment = \"staging\"\n", 1, "name");
        row("environment", "name = \"a\"\nenvironment = \"prod\"\n", 2, "prod");
        row("retention of zero", minimal("[[consumers]]\nname = \"c\"\nmarker_retention = \"0d\"\n"), 6,
            "marker_retention");
        row("retention without a unit", minimal("[[consumers]]\nname = \"c\"\nmarker_retention = \"7\"\n"), 6,
            "marker_retention");
        row("retention as a number", minimal("[[consumers]]\nname = \"c\"\nmarker_retention = 7\n"), 6, "text");
        row("password in the clear", minimal("password = \"x\"\n"), 4, "password");
        row("password in the dsn", "name = \"a\"\n[postgres]\ndsn = \"host=a password=b\"\n", 3, "password");
        row("password in a URI", "name = \"a\"\n[postgres]\ndsn = \"postgresql://u:p@h/d\"\n", 3, "password");
        row("kafka secret in the clear", "name = \"a\"\n[kafka]\n\"sasl.password\" = \"x\"\n", 3, "sasl.password");
        row("unquoted property", "name = \"a\"\n[kafka]\nbootstrap.servers = \"x\"\n", 3, "");
        row("two sources", minimal("password = { env = \"A\", file = \"b\" }\n"), 4, "exactly one");
        row("consumer twice", minimal("[[consumers]]\nname = \"c\"\n[[consumers]]\nname = \"c\"\n"), 6, "twice");
        row("key is not alone", minimal("[[consumers]]\nname = \"c\"\nmessage_id = [\"header:a\", \"key\"]\n"), 6,
            "key");
        row("preset", minimal("[[markers]]\npreset = \"mt\"\n"), 5, "mt");
        row("table for a list", minimal("[consumers]\nname = \"c\"\n"), 4, "consumers");
    }
    void faultsNameFileAndLine() {
        QFETCH(QString, text);
        QFETCH(int, line);
        QFETCH(QString, says);
        const Error fault = faultOf(text.toStdString());
        QCOMPARE(fault.kind(), ErrorKind::BadInput);
        const QString said = QString::fromStdString(fault.text());
        QVERIFY2(said.startsWith(QStringLiteral("p.toml:%1: ").arg(line)), qPrintable(said));
        QVERIFY2(said.contains(says), qPrintable(said));
    }

    void productionIsReadOnlyUnlessItSaysOtherwise() {
        QVERIFY(parseProfile("name = \"a\"\nenvironment = \"production\"\n", "p")->isReadOnly());
        QVERIFY(!parseProfile("name = \"a\"\nenvironment = \"production\"\nread_only = false\n", "p")->isReadOnly());
        QVERIFY(!parseProfile("name = \"a\"\n", "p")->isReadOnly());
    }

    void theStoreSavesListsLoadsAndRemoves() {
        const QTemporaryDir folder;
        const ProfileStore store{std::filesystem::path{folder.path().toStdString()} / "profiles"};
        QVERIFY(store.list().empty());
        QCOMPARE(store.load("none").error().kind(), ErrorKind::NotFound);
        Profile profile = parseProfile(full, "").value();
        QVERIFY(store.save(profile));
        QVERIFY(store.save(profile));
        struct stat info {};
        QCOMPARE(::stat((store.folder() / "payments-prod.toml").c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0600U);
        QFile broken{QString::fromStdString((store.folder() / "broken.toml").string())};
        QVERIFY(broken.open(QIODevice::WriteOnly));
        broken.write("name = 3\n");
        broken.close();
        const auto all = store.list();
        QCOMPARE(all.size(), std::size_t{2});
        QVERIFY(!all[0].profile);
        QVERIFY(all[1].profile);
        QVERIFY(store.load("payments-prod"));
        QVERIFY(store.load((store.folder() / "payments-prod.toml").string()));
        QVERIFY(QString::fromStdString(store.load("paymnts").error().hint()).contains(QStringLiteral("payments-prod")));
        QVERIFY(store.remove("payments-prod"));
        QCOMPARE(store.remove("payments-prod").error().kind(), ErrorKind::NotFound);
        QCOMPARE(store.load("../x").error().kind(), ErrorKind::NotFound);
        profile.name = "../evil";
        QCOMPARE(store.save(profile).error().kind(), ErrorKind::BadInput);
    }

    void secretsComeFromEnvironmentAndFile() {
        const SecretReader read = plainSecretReader();
        qputenv("TST_PROFILE_SECRET", "s3cret");
        QCOMPARE(read({SecretSource::From::Env, "TST_PROFILE_SECRET"})->reveal(), std::string{"s3cret"});
        QCOMPARE(read({SecretSource::From::Env, "TST_PROFILE_NONE"}).error().kind(), ErrorKind::BadInput);
        const QTemporaryDir folder;
        QFile file{folder.filePath(QStringLiteral("s"))};
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("from file \r\nsecond\n");
        file.close();
        QCOMPARE(read({SecretSource::From::File, file.fileName().toStdString()})->reveal(), std::string{"from file "});
        QVERIFY(!read({SecretSource::From::File, "/nowhere"}));
        const Error keyring = read({SecretSource::From::Keyring, "x"}).error();
        QVERIFY(QString::fromStdString(keyring.hint()).contains(QStringLiteral("env")));
    }
};

QTEST_APPLESS_MAIN(TstProfileUnit)
#include "tst_profile_unit.moc"
