// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// What goes out comes back byte for byte, read by us and by kcat.
#include "core/base/clock.h"
#include "tests/core/kafka/kafka_case.h"

#include <QtTest/QtTest>

#include <memory>
#include <random>

using namespace redeliver;

namespace {

std::string randomBytes(std::mt19937& random, std::size_t most) {
    std::string bytes(std::uniform_int_distribution<std::size_t>(0, most)(random), '\0');
    for (char& byte : bytes) {
        byte = static_cast<char>(std::uniform_int_distribution<int>(0, 255)(random));
    }
    return bytes;
}

std::optional<std::string> maybeBytes(std::mt19937& random, std::size_t most) {
    switch (std::uniform_int_distribution<int>(0, 5)(random)) {
        case 0:
            return std::nullopt;
        case 1:
            return std::string();
        default:
            return randomBytes(random, most);
    }
}

OutgoingRecord randomRecord(std::mt19937& random, const Topic& topic, int partitions) {
    static const std::vector<std::string> names{"a", "a", "message-id", "größe", "x y", std::string("\xff\x01", 2), ""};
    OutgoingRecord record{topic, Partition(std::uniform_int_distribution<int>(0, partitions - 1)(random)), {}, {}, {},
                          {}};
    record.key = maybeBytes(random, 40);
    record.value = maybeBytes(random, 300);
    record.timestamp = fromUnixMillis(std::uniform_int_distribution<std::int64_t>(1, 1'790'000'000'000)(random));
    const int headers = std::uniform_int_distribution<int>(0, 6)(random);
    for (int i = 0; i < headers; ++i) {
        record.headers.push_back(
            {names[std::uniform_int_distribution<std::size_t>(0, names.size() - 1)(random)], maybeBytes(random, 20)});
    }
    return record;
}

std::map<std::pair<TopicPartition, Offset>, Record> byPlace(std::vector<Record> records) {
    std::map<std::pair<TopicPartition, Offset>, Record> placed;
    for (Record& record : records) {
        const auto at = std::pair(record.tp, record.offset);
        placed.emplace(at, std::move(record));
    }
    return placed;
}

}  // namespace

class TstRoundTrip : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { m_case = std::make_unique<KafkaCase>(); }
    void cleanupTestCase() { m_case.reset(); }

    void nullEmptyAndDoubleHeadersSurvive() {
        const Topic topic = m_case->newTopic(3);
        std::mt19937 random(20261201);
        std::vector<OutgoingRecord> sent;
        for (int i = 0; i < 5'000; ++i) {
            sent.push_back(randomRecord(random, topic, 3));
        }
        kafka::Producer producer(m_case->config);
        const auto results = producer.publish(sent);
        const auto read = byPlace(m_case->readAll(topic));
        QCOMPARE(read.size(), sent.size());
        for (std::size_t i = 0; i < sent.size(); ++i) {
            QVERIFY2(results[i].has_value(), results[i] ? "" : results[i].error().what());
            const auto it = read.find({results[i]->tp, results[i]->offset});
            QVERIFY(it != read.end());
            QCOMPARE(results[i]->tp.partition, *sent[i].partition);
            QVERIFY(it->second.key == sent[i].key);
            QVERIFY(it->second.value == sent[i].value);
            QVERIFY(it->second.headers == sent[i].headers);
            QVERIFY(it->second.timestamp == sent[i].timestamp);
            QVERIFY(it->second.timestampType == TimestampType::CreateTime);
        }
    }

    void kcatSeesTheSameBytes() {
        const Topic topic = m_case->newTopic(1);
        const std::vector<OutgoingRecord> sent{
            {topic, Partition(0), fromUnixMillis(1'700'000'000'123), "k", "v", {{"h", "1"}, {"h", "2"}, {"n", {}}}},
            {topic, Partition(0), fromUnixMillis(1'700'000'000'124), std::nullopt, std::string(), {}},
            {topic,
             Partition(0),
             fromUnixMillis(1'700'000'000'125),
             std::string(),
             std::nullopt,
             {{"e", std::string()}}}};
        kafka::Producer producer(m_case->config);
        for (const auto& result : producer.publish(sent)) {
            QVERIFY(result.has_value());
        }
        QProcess kcat;
        kcat.start(QStringLiteral("kcat"), {QStringLiteral("-C"), QStringLiteral("-q"), QStringLiteral("-e"),
                                            QStringLiteral("-b"), QString::fromStdString(m_case->config.bootstrap()),
                                            QStringLiteral("-t"), QString::fromStdString(topic.value()),
                                            QStringLiteral("-f"), QStringLiteral("%T|%K|%k|%S|%s|%h\n")});
        QVERIFY(kcat.waitForFinished(20'000));
        QCOMPARE(kcat.readAllStandardOutput(), QByteArray("1700000000123|1|k|1|v|h=1,h=2,n=NULL\n"
                                                          "1700000000124|-1||0||\n"
                                                          "1700000000125|0||-1||e=\n"));
    }

    void keysGoWhereJavaSendsThem() {
        // murmur2 of Kafka's own partitioner test: "21", "foobar", "a-little-bit-long-string" …
        const Topic topic = m_case->newTopic(7);
        const std::vector<std::pair<std::string, std::int32_t>> known{
            {"21", -973932308},
            {"foobar", -790332482},
            {"a-little-bit-long-string", -985981536},
            {"a-little-bit-longer-string", -1486304829},
            {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971}};
        std::vector<OutgoingRecord> sent;
        for (const auto& [key, hash] : known) {
            sent.push_back({topic, std::nullopt, std::nullopt, key, "v", {}});
        }
        kafka::Producer producer(m_case->config);
        const auto results = producer.publish(sent);
        for (std::size_t i = 0; i < known.size(); ++i) {
            QVERIFY(results[i].has_value());
            QCOMPARE(results[i]->tp.partition.value(), (known[i].second & 0x7fffffff) % 7);
        }
    }

    void aTimeThatCannotBeSentIsRefusedAloud() {
        const Topic topic = m_case->newTopic(1);
        kafka::Producer producer(m_case->config);
        const std::vector<OutgoingRecord> sent{{topic, Partition(0), fromUnixMillis(0), "k", "zero", {}},
                                               {topic, Partition(0), fromUnixMillis(-1), "k", "minus", {}},
                                               {topic, Partition(0), fromUnixMillis(1), "k", "one", {}}};
        const auto results = producer.publish(sent);
        QCOMPARE(results[0].error().code(), std::string("timestamp-not-sendable"));
        QCOMPARE(results[1].error().code(), std::string("timestamp-not-sendable"));
        QVERIFY(results[2].has_value());
        const auto read = byPlace(m_case->readAll(topic));
        QCOMPARE(read.size(), std::size_t{1});
        QCOMPARE(toUnixMillis(*read.begin()->second.timestamp), std::int64_t{1});
    }

    void failedRecordsNameTheirCode() {
        const Topic topic = m_case->newTopic(1, {{"max.message.bytes", "2000"}});
        kafka::Producer producer(m_case->config);
        const auto hours = std::chrono::hours(3);
        const std::vector<OutgoingRecord> sent{{topic, Partition(0), std::nullopt, "k", std::string(5'000, 'x'), {}},
                                               {topic, Partition(0), systemClock()->now() + hours, "k", "future", {}},
                                               {topic, Partition(9), std::nullopt, "k", "no such partition", {}}};
        std::vector<std::string> codes;
        for (const OutgoingRecord& record : sent) {
            codes.push_back(producer.publish(std::span(&record, 1))[0].error().code());
        }
        QCOMPARE(codes[0], std::string("MSG_SIZE_TOO_LARGE"));
        QCOMPARE(codes[1], std::string("INVALID_TIMESTAMP"));
        QCOMPARE(codes[2], std::string("_UNKNOWN_PARTITION"));
        const OutgoingRecord good{topic, Partition(0), std::nullopt, "k", "good", {}};
        QVERIFY(producer.publish(std::span(&good, 1))[0].has_value());
    }

    void smallRecordsSurviveATopicWithASmallLimit() {
        const Topic topic = m_case->newTopic(1, {{"max.message.bytes", "2000"}});
        std::vector<OutgoingRecord> sent;
        for (int i = 0; i < 100; ++i) {
            sent.push_back({topic, Partition(0), std::nullopt, "k", std::string(100, 'x'), {}});
        }
        kafka::Producer producer(m_case->config);
        for (const auto& result : producer.publish(sent)) {
            QVERIFY2(result.has_value(), result ? "" : result.error().what());
        }
        kafka::Producer fitted(m_case->config, {"test", std::chrono::seconds(30), 2'000});
        for (const auto& result : fitted.publish(sent)) {
            QVERIFY2(result.has_value(), result ? "" : result.error().what());
        }
        QCOMPARE(m_case->readAll(topic).size(), std::size_t{200});
    }

    void largeBatchesKeepTheirOrder() {
        const Topic topic = m_case->newTopic(2);
        std::vector<OutgoingRecord> sent;
        for (int i = 0; i < 150'000; ++i) {
            sent.push_back({topic, Partition(i % 2), std::nullopt, {}, std::to_string(i), {}});
        }
        kafka::Producer producer(m_case->config);
        const auto results = producer.publish(sent);
        for (std::size_t i = 0; i < results.size(); ++i) {
            QVERIFY(results[i].has_value());
            QCOMPARE(results[i]->offset.value(), static_cast<std::int64_t>(i / 2));
        }
    }

  private:
    std::unique_ptr<KafkaCase> m_case;
};

QTEST_GUILESS_MAIN(TstRoundTrip)
#include "tst_round_trip_kafka.moc"
