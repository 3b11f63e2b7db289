// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "core/lab/kafka_probe.h"
#include "core/lab/mock_kafka.h"
#include "core/lab/private_kafka.h"
#include "tests/support/secure_kafka.h"

#include <QtTest/QTest>

#include <librdkafka/rdkafka.h>

#include <array>
#include <filesystem>

using namespace redeliver;

namespace {

/// The librdkafka code with which a user's request for this topic's metadata ends.
rd_kafka_resp_err_t metadataAs(std::map<std::string, std::string> properties, const std::string& topic) {
    std::array<char, 512> text{};
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    for (const auto& [name, value] : properties)
        rd_kafka_conf_set(conf, name.c_str(), value.c_str(), text.data(), text.size());
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    rd_kafka_t* client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text.data(), text.size());
    rd_kafka_topic_t* handle = rd_kafka_topic_new(client, topic.c_str(), nullptr);
    const struct rd_kafka_metadata* metadata = nullptr;
    auto code = rd_kafka_metadata(client, 0, handle, &metadata, 8000);
    if (metadata != nullptr) {
        code = metadata->topics[0].err;
        rd_kafka_metadata_destroy(metadata);
    }
    rd_kafka_topic_destroy(handle);
    rd_kafka_destroy(client);
    return code;
}

}  // namespace

class PrivateKafkaTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void keepsItsTopicsOverStopAndKill();
    void letsInByLoginAndAcl();
    void saysWhyItCannotStart();
    void saysWhatIsMissing();
    void mockGoesDownAndUp();
};

void PrivateKafkaTest::keepsItsTopicsOverStopAndKill() {
    std::filesystem::path folder;
    {
        lab::PrivateKafka broker;
        folder = broker.folder();
        lab::createTopic(broker.bootstrap(), "orders", 2);
        broker.restart();
        broker.kill();
        QVERIFY(!lab::brokerAnswers(broker.bootstrap(), std::chrono::milliseconds(300)));
        broker.start();
        QVERIFY_THROWS_EXCEPTION(Error, lab::createTopic(broker.bootstrap(), "orders", 2));
        broker.suspend();
        QVERIFY(!lab::brokerAnswers(broker.bootstrap(), std::chrono::milliseconds(500)));
        broker.resume();
        QVERIFY(lab::brokerAnswers(broker.bootstrap(), std::chrono::seconds(20)));
    }
    QVERIFY(!std::filesystem::exists(folder));
}

void PrivateKafkaTest::letsInByLoginAndAcl() {
    const tests::TestSecureKafka kafka;
    const std::string topic = kafka.createTopic("orders");
    QCOMPARE(metadataAs(kafka.login("reader"), topic), RD_KAFKA_RESP_ERR_NO_ERROR);
    QCOMPARE(metadataAs(kafka.login("nobody"), topic), RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED);
    auto wrong = kafka.login("reader");
    wrong["sasl.password"] = "wrong";
    QVERIFY(metadataAs(wrong, topic) != RD_KAFKA_RESP_ERR_NO_ERROR);
}

void PrivateKafkaTest::saysWhyItCannotStart() {
    lab::KafkaOptions options;
    options.properties["num.io.threads"] = "none";
    try {
        const lab::PrivateKafka broker(options);
        QFAIL("started with a wrong property");
    } catch (const Error& error) {
        QVERIFY2(error.text().find("num.io.threads") != std::string::npos, error.what());
    }
}

void PrivateKafkaTest::saysWhatIsMissing() {
    lab::KafkaOptions options;
    options.jars = "/nonexistent";
    try {
        const lab::PrivateKafka broker(options);
        QFAIL("started without jars");
    } catch (const Error& error) {
        QCOMPARE(error.kind(), ErrorKind::NotFound);
        QVERIFY(error.hint().find("./dev setup") != std::string::npos);
    }
}

void PrivateKafkaTest::mockGoesDownAndUp() {
    lab::MockKafka broker;
    broker.createTopic("orders", 1);
    QVERIFY(lab::brokerAnswers(broker.bootstrap(), std::chrono::seconds(5)));
    broker.brokerDown();
    QVERIFY(!lab::brokerAnswers(broker.bootstrap(), std::chrono::milliseconds(500)));
    broker.brokerUp();
    QVERIFY(lab::brokerAnswers(broker.bootstrap(), std::chrono::seconds(5)));
    broker.setTopicError("orders", RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE);
    QVERIFY(metadataAs({{"bootstrap.servers", broker.bootstrap()}}, "orders") != RD_KAFKA_RESP_ERR_NO_ERROR);
}

QTEST_APPLESS_MAIN(PrivateKafkaTest)
#include "tst_private_kafka_kafka.moc"
