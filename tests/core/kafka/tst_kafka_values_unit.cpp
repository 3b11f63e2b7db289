// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// What needs no broker: properties, hints, error kinds, the arithmetic of lag.
#include "core/base/log.h"
#include "core/kafka/client.h"
#include "core/kafka/doctor.h"
#include "core/kafka/errors.h"
#include "core/kafka/group_lag.h"

#include <QtTest/QtTest>

#include <librdkafka/rdkafka.h>

using namespace redeliver;
using kafka::Config;

namespace {

std::string errorOf(kafka::Properties properties) {
    properties.emplace("bootstrap.servers", "127.0.0.1:1");
    const auto config = Config::make(std::move(properties));
    return config ? std::string() : config.error().text() + " | " + config.error().hint();
}

kafka::PartitionLag part(int partition, std::optional<std::int64_t> committed, std::int64_t start, std::int64_t end) {
    kafka::PartitionLag lag{{Topic("t"), Partition(partition)}, {}, Offset(start), Offset(end), {}};
    if (committed) {
        lag.committed = Offset(*committed);
    }
    lag.lag = kafka::lagOf(lag.committed, lag.start, lag.end);
    return lag;
}

}  // namespace

class TstKafkaValues : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void whatTheGuardOwnsCannotBeSet_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("bad");
        QTest::addColumn<QString>("fine");
        QTest::newRow("commit") << "enable.auto.commit"
                                << "true"
                                << "false";
        QTest::newRow("commit, old name") << "auto.commit.enable"
                                          << "true"
                                          << "false";
        QTest::newRow("store") << "enable.auto.offset.store"
                               << "true"
                               << "False";
        QTest::newRow("eof") << "enable.partition.eof"
                             << "true"
                             << "";
        QTest::newRow("group") << "group.id"
                               << "mine"
                               << "";
        QTest::newRow("acks") << "acks"
                              << "1"
                              << "all";
        QTest::newRow("acks, old name") << "request.required.acks"
                                        << "0"
                                        << "-1";
        QTest::newRow("idempotence") << "enable.idempotence"
                                     << "false"
                                     << "true";
        QTest::newRow("transactions") << "transactional.id"
                                      << "x"
                                      << "";
    }
    void whatTheGuardOwnsCannotBeSet() {
        QFETCH(QString, key);
        QFETCH(QString, bad);
        QFETCH(QString, fine);
        const std::string error = errorOf({{key.toStdString(), bad.toStdString()}});
        QVERIFY2(error.find(key.toStdString()) != std::string::npos, error.c_str());
        if (!fine.isEmpty()) {
            QCOMPARE(errorOf({{key.toStdString(), fine.toStdString()}}), std::string());
        }
    }

    void badPropertiesAreNamed() {
        QVERIFY(errorOf({{"no.such.thing", "1"}}).find("\"no.such.thing\"") != std::string::npos);
        QVERIFY(errorOf({{"socket.timeout.ms", "soon"}}).find("\"socket.timeout.ms\"") != std::string::npos);
        QVERIFY(errorOf({{"partition.assignment.strategy", "cooperative-sticky"}}).empty() ==
                kafka::libraryAtLeast(2, 10));
        const auto empty = Config::make({});
        QVERIFY(empty.error().text().find("bootstrap.servers") != std::string::npos);
        QCOMPARE(empty.error().kind(), ErrorKind::BadInput);
    }

    void secretsAreNeverPrinted() {
        const std::string secret = "hunter2 oops";
        for (const char* key : {"sasl.mechanism", "ssl.key.pem", "sasl.oauthbearer.method"}) {
            const std::string error = errorOf({{key, secret}});
            QVERIFY2(error.find(secret) == std::string::npos, error.c_str());
        }
        std::vector<std::string> logged;
        setLogLevel(LogLevel::Debug);
        setLogTarget([&logged](LogLevel, std::string_view line) { logged.emplace_back(line); });
        std::string thrown;
        try {
            const auto config = Config::make({{"bootstrap.servers", "127.0.0.1:1"},
                                              {"debug", "all"},
                                              {"security.protocol", "sasl_ssl"},
                                              {"sasl.mechanism", "PLAIN"},
                                              {"sasl.username", "u"},
                                              {"sasl.password", secret},
                                              {"ssl.key.password", secret},
                                              {"ssl.ca.location", "/no/such/ca.pem"}});
            kafka::Client client(kafka::ClientRole::Reader, config.value(), {{"group.id", "g"}});
        } catch (const Error& error) {
            thrown = error.text() + error.hint();
        }
        setLogTarget({});
        setLogLevel(LogLevel::Info);
        QVERIFY2(thrown.find("ssl.ca.location") != std::string::npos, thrown.c_str());
        QVERIFY(thrown.find(secret) == std::string::npos);
        for (const std::string& line : logged) {
            QVERIFY2(line.find(secret) == std::string::npos, line.c_str());
        }
    }

    void everyRoleStartsWithOneSharedProfile() {
        const auto config = Config::make({{"bootstrap.servers", "127.0.0.1:1"},
                                          {"auto.offset.reset", "earliest"},
                                          {"isolation.level", "read_committed"},
                                          {"session.timeout.ms", "6000"},
                                          {"linger.ms", "5"},
                                          {"acks", "all"},
                                          {"enable.auto.commit", "false"}});
        QVERIFY(config.has_value());
        std::vector<std::string> logged;
        setLogLevel(LogLevel::Debug);
        setLogTarget([&logged](LogLevel, std::string_view line) { logged.emplace_back(line); });
        for (const auto role : {kafka::ClientRole::GroupMember, kafka::ClientRole::Reader, kafka::ClientRole::Producer,
                                kafka::ClientRole::Admin}) {
            const bool consumer = role == kafka::ClientRole::GroupMember || role == kafka::ClientRole::Reader;
            const kafka::Client client(role, *config,
                                       consumer ? kafka::Properties{{"group.id", "g"}} : kafka::Properties{});
            QVERIFY(client.get() != nullptr);
        }
        setLogTarget({});
        setLogLevel(LogLevel::Info);
        for (const std::string& line : logged) {
            QVERIFY2(line.find("CONFWARN") == std::string::npos, line.c_str());
        }
    }

    void errorsHaveKindCodeAndHint() {
        const Error denied = kafka::toError(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "topic orders");
        QCOMPARE(denied.kind(), ErrorKind::Privilege);
        QCOMPARE(denied.code(), std::string("TOPIC_AUTHORIZATION_FAILED"));
        QVERIFY(denied.text().starts_with("topic orders: "));
        QVERIFY(!denied.hint().empty());
        QVERIFY(!denied.retriable());
        QCOMPARE(kafka::toError(RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, "").kind(), ErrorKind::NotFound);
        QVERIFY(kafka::toError(RD_KAFKA_RESP_ERR__TIMED_OUT, "").retriable());
        QVERIFY(!kafka::toError(RD_KAFKA_RESP_ERR__AUTHENTICATION, "").retriable());
    }

    void theTellingErrorWinsOverTheGenericOne() {
        kafka::ConnectionState state;
        QVERIFY(state.state() == kafka::ConnectionState::State::Unknown);
        state.failed(RD_KAFKA_RESP_ERR__AUTHENTICATION, "Invalid username or password");
        state.failed(RD_KAFKA_RESP_ERR__TRANSPORT, "Disconnected");
        state.failed(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, "1/1 brokers are down");
        const Error error = kafka::toError(RD_KAFKA_RESP_ERR__TRANSPORT, "reading", {}, &state);
        QCOMPARE(error.code(), std::string("_AUTHENTICATION"));
        QCOMPARE(error.text(), std::string("reading: Invalid username or password"));
        QVERIFY(state.state() == kafka::ConnectionState::State::Down);
        state.worked();
        QVERIFY(!state.error());
        QCOMPARE(kafka::toError(RD_KAFKA_RESP_ERR__TRANSPORT, "x", {}, &state).code(), std::string("_TRANSPORT"));
        // An error that is no connection error is never replaced.
        state.failed(RD_KAFKA_RESP_ERR__TRANSPORT, "Disconnected");
        QCOMPARE(kafka::toError(RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, "x", {}, &state).code(),
                 std::string("TOPIC_AUTHORIZATION_FAILED"));
    }

    void lagIsNeverNegativeAndNeverGuessed() {
        QCOMPARE(*kafka::lagOf(Offset(3), Offset(0), Offset(10)).value, std::int64_t{7});
        QVERIFY(kafka::lagOf(Offset(3), Offset(0), Offset(10)).reason.empty());
        const Observed deleted = kafka::lagOf(Offset(10), Offset(1000), Offset(1000));
        QCOMPARE(*deleted.value, std::int64_t{0});
        QCOMPARE(deleted.reason, std::string("990 records were deleted before this group read them"));
        const Observed ahead = kafka::lagOf(Offset(1000), Offset(0), Offset(5));
        QVERIFY(!ahead.value);
        QCOMPARE(ahead.reason, std::string("995 ahead of the end: topic re-created or offset set by hand"));
        const Observed none = kafka::lagOf({}, Offset(100), Offset(100));
        QVERIFY(!none.value);
        QCOMPARE(none.reason, std::string("nothing committed; ≤ 0 in the log"));
    }

    void totalOfPartitions() {
        QCOMPARE(*kafka::totalLag({part(0, 3, 0, 10), part(1, 5, 0, 5)}).value, std::int64_t{7});
        QCOMPARE(*kafka::totalLag({part(0, 3, 0, 10), part(1, {}, 4, 4)}).value, std::int64_t{7});
        const Observed unknown = kafka::totalLag({part(0, 3, 0, 10), part(1, {}, 0, 4)});
        QVERIFY(!unknown.value);
        QCOMPARE(unknown.reason, std::string("t/1: nothing committed; ≤ 4 in the log"));
        const Observed nothing = kafka::totalLag({part(0, {}, 0, 10), part(1, {}, 0, 5)});
        QVERIFY(!nothing.value);
        QCOMPARE(nothing.reason, std::string("nothing committed; ≤ 15 in the log"));
        QVERIFY(!kafka::totalLag({part(0, 3, 0, 10), part(1, 9, 0, 5)}).value);
    }

    void scramTrapIsOnlyNamedWhereItCanBe() {
        const auto scram = Config::make({{"bootstrap.servers", "x:1"}, {"sasl.mechanism", "SCRAM-SHA-256"}});
        const auto plain = Config::make({{"bootstrap.servers", "x:1"}, {"sasl.mechanism", "PLAIN"}});
        QVERIFY(kafka::scramHint(*plain).empty());
        QCOMPARE(kafka::scramHint(*scram).empty(), kafka::libraryAtLeast(2, 6, 1));
    }
};

QTEST_APPLESS_MAIN(TstKafkaValues)
#include "tst_kafka_values_unit.moc"
