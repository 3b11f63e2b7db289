// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// The connection test: every way not to get in, each named within three seconds.
#include "core/kafka/doctor.h"
#include "core/lab/private_kafka.h"
#include "tests/core/kafka/kafka_case.h"

#include <QtTest/QtTest>

#include <memory>

using namespace redeliver;
using namespace std::chrono_literals;

namespace {

struct Report {
    std::vector<kafka::DiagnosisStep> steps;
    std::chrono::milliseconds took{};

    [[nodiscard]] const kafka::DiagnosisStep& last() const { return steps.back(); }
    [[nodiscard]] std::string text() const {
        std::string all;
        for (const kafka::DiagnosisStep& step : steps) {
            all += step.step + (step.ok ? " ok: " : " FAILED: ") + step.text + " | " + step.hint + "\n";
        }
        return all;
    }
};

Report diagnose(const kafka::Properties& properties, const kafka::DiagnosisOptions& options = {}) {
    const auto config = kafka::Config::make(properties);
    const auto begin = std::chrono::steady_clock::now();
    Report report{kafka::diagnose(config.value(), options, {}), {}};
    report.took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin);
    return report;
}

}  // namespace

class TstDoctor : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        lab::KafkaOptions options;
        options.users = {{"viewer", "viewer-secret"}};
        m_broker = std::make_unique<lab::PrivateKafka>(std::move(options));
        m_case = std::make_unique<KafkaCase>(m_broker->bootstrap());
    }
    void cleanupTestCase() {
        m_case.reset();
        m_broker.reset();
    }

    void whyItCannotGetIn_data() {
        QTest::addColumn<QStringList>("change");
        QTest::addColumn<QString>("step");
        QTest::addColumn<QString>("said");
        const QString secure = QString::fromStdString(m_broker->secureBootstrap());
        const QString plain = QString::fromStdString(m_broker->bootstrap());
        QTest::newRow("nobody listens") << QStringList{QStringLiteral("bootstrap.servers=127.0.0.1:1")}
                                        << QStringLiteral("tcp") << QStringLiteral("127.0.0.1:1");
        QTest::newRow("no such host") << QStringList{QStringLiteral("bootstrap.servers=no-such-host.invalid:9092")}
                                      << QStringLiteral("dns") << QStringLiteral("no-such-host.invalid");
        QTest::newRow("TLS at a plain port") << QStringList{QStringLiteral("bootstrap.servers=") + plain}
                                             << QStringLiteral("tls") << QStringLiteral("TLS");
        QTest::newRow("plain at a TLS port") << QStringList{QStringLiteral("security.protocol=plaintext")}
                                             << QStringLiteral("tls") << QStringLiteral("TLS");
        QTest::newRow("no CA") << QStringList{QStringLiteral("ssl.ca.location=")} << QStringLiteral("tls")
                               << QStringLiteral("ssl.ca.location");
        QTest::newRow("CA file missing") << QStringList{QStringLiteral("ssl.ca.location=/no/such.pem")}
                                         << QStringLiteral("tls") << QStringLiteral("ssl.ca.location");
        QTest::newRow("wrong password") << QStringList{QStringLiteral("sasl.password=wrong")} << QStringLiteral("login")
                                        << QStringLiteral("sasl.password");
    }
    void whyItCannotGetIn() {
        QFETCH(QStringList, change);
        QFETCH(QString, step);
        QFETCH(QString, said);
        kafka::Properties properties = m_broker->clientProperties("viewer");
        for (const QString& line : change) {
            const QString key = line.section(QLatin1Char('='), 0, 0);
            const QString value = line.section(QLatin1Char('='), 1);
            if (value.isEmpty()) {
                properties.erase(key.toStdString());
            } else {
                properties[key.toStdString()] = value.toStdString();
            }
        }
        const Report report = diagnose(properties);
        QVERIFY2(report.took < 3s, report.text().c_str());
        QVERIFY2(!report.last().ok && report.last().step == step.toStdString(), report.text().c_str());
        QVERIFY2((report.last().text + report.last().hint).find(said.toStdString()) != std::string::npos,
                 report.text().c_str());
        QVERIFY(!kafka::reached(report.steps));
        QVERIFY(report.text().find("viewer-secret") == std::string::npos);
    }

    void scramWithTheRightPasswordNamesTheLibrary() {
        kafka::Properties properties = m_broker->clientProperties("viewer");
        properties["sasl.mechanism"] = "SCRAM-SHA-256";
        const Report report = diagnose(properties);
        if (kafka::libraryAtLeast(2, 6, 1)) {
            QVERIFY2(kafka::reached(report.steps), report.text().c_str());
            return;
        }
        QVERIFY2(!report.last().ok && report.last().step == "login", report.text().c_str());
        QVERIFY(report.last().hint.find(kafka::libraryVersion()) != std::string::npos);
        QVERIFY(report.last().hint.find("Kafka 4.0") != std::string::npos);
    }

    void aHangingBrokerIsNamedInTime() {
        m_broker->suspend();
        const Report report = diagnose({{"bootstrap.servers", m_broker->bootstrap()}});
        m_broker->resume();
        QVERIFY2(report.took < 3s, report.text().c_str());
        QVERIFY2(!report.last().ok && report.last().step == "tcp", report.text().c_str());
    }

    void missingPrivilegesAreNamed() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 3);
        const kafka::Properties viewer = m_broker->clientProperties("viewer");
        const kafka::DiagnosisOptions options{{topic}, {GroupName("orders")}};
        const Report nothing = diagnose(viewer, options);
        QVERIFY2(kafka::reached(nothing.steps) && !nothing.last().ok, nothing.text().c_str());
        QVERIFY2(nothing.text().find("topic " + topic.value() + ": Describe is missing") != std::string::npos,
                 nothing.text().c_str());
        m_broker->allow("viewer", "Describe", "--topic", topic.value());
        const Report described = diagnose(viewer, options);
        QVERIFY2(described.text().find("topic " + topic.value() + ": Read is missing") != std::string::npos,
                 described.text().c_str());
        m_broker->allow("viewer", "Read", "--topic", topic.value());
        m_broker->allow("viewer", "Describe", "--group", "orders");
        const Report all = diagnose(viewer, options);
        for (const kafka::DiagnosisStep& step : all.steps) {
            QVERIFY2(step.ok, all.text().c_str());
        }
        // What may be read may not be written.
        const auto config = kafka::Config::make(viewer);
        kafka::Producer producer(*config);
        const OutgoingRecord record{topic, Partition(0), std::nullopt, "k", "v", {}};
        const auto result = producer.publish(std::span(&record, 1))[0];
        // Who may write nowhere is already refused the producer ID.
        const std::string refusal = result.error().code() + " " + result.error().text();
        QVERIFY2(result.error().kind() == ErrorKind::Privilege, refusal.c_str());
        QVERIFY(result.error().hint().find("Write") != std::string::npos);
        kafka::TopicReader reader(*config);
        QCOMPARE(reader.recordAt({topic, Partition(0)}, Offset(1)).value()->value, std::optional<std::string>("1"));
    }

    void anUnreachableAdvertisedAddressIsNamed() {
        lab::KafkaOptions options;
        options.properties = {{"advertised.listeners", "PLAINTEXT://no-such-broker.invalid:9092"}};
        std::unique_ptr<lab::PrivateKafka> broker;
        try {
            broker = std::make_unique<lab::PrivateKafka>(std::move(options));
        } catch (const Error& error) {
            QFAIL(error.what());
        }
        const Report report = diagnose({{"bootstrap.servers", broker->bootstrap()}});
        QVERIFY2(!report.last().ok && report.last().step == "brokers", report.text().c_str());
        QVERIFY2(report.last().text.find("no-such-broker.invalid:9092") != std::string::npos, report.text().c_str());
    }

  private:
    std::unique_ptr<lab::PrivateKafka> m_broker;
    std::unique_ptr<KafkaCase> m_case;
};

QTEST_GUILESS_MAIN(TstDoctor)
#include "tst_doctor_kafka.moc"
