// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// Groups, offsets and lag on a real broker; transactions that are fenced or must be aborted.
#include "core/kafka/group_consumer.h"
#include "core/kafka/group_lag.h"
#include "tests/core/kafka/kafka_case.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <memory>

using namespace redeliver;
using namespace std::chrono_literals;

namespace {

struct StartAtZero final : ports::AssignmentListener {
    bool assignedOnce = false;
    std::vector<Position> assigned(const std::vector<TopicPartition>& partitions) override {
        assignedOnce = true;
        std::vector<Position> starts;
        for (const TopicPartition& tp : partitions) {
            starts.push_back({tp, Offset(0)});
        }
        return starts;
    }
    void revoked(const std::vector<TopicPartition>&, bool) override {}
};

}  // namespace

class TstAdmin : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { m_case = std::make_unique<KafkaCase>(); }
    void cleanupTestCase() { m_case.reset(); }

    void topicsAndTheirSettings() {
        const Topic topic = m_case->newTopic(3, {{"max.message.bytes", "123456"}});
        QCOMPARE(m_case->admin.partitions(topic)->size(), std::size_t{3});
        const auto topics = m_case->admin.topics();
        QVERIFY(std::ranges::find(*topics, topic) != topics->end());
        QCOMPARE(m_case->admin.topicConfig(topic)->at("max.message.bytes"), std::string("123456"));
        QCOMPARE(m_case->admin.topicConfig(topic)->at("message.timestamp.type"), std::string("CreateTime"));
        QCOMPARE(m_case->admin.createTopic(topic, 1).error().code(), std::string("TOPIC_ALREADY_EXISTS"));
        QCOMPARE(m_case->admin.topicConfig(Topic("no-such")).error().kind(), ErrorKind::NotFound);
        QCOMPARE(m_case->admin.brokers()->size(), std::size_t{1});
        QVERIFY(m_case->admin.deleteTopic(topic).has_value());
    }

    void lagOfTheFourHardCases() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 1000);
        const TopicPartition tp{topic, Partition(0)};
        const GroupName group(m_case->unique("lag"));
        const auto lag = [&](const GroupName& name, const Topic& of) {
            return kafka::readLag(m_case->admin, name, {of}).value().total;
        };
        QVERIFY(m_case->admin.moveOffsets(group, {{tp, Offset(10), ""}}).has_value());
        QCOMPARE(*lag(group, topic).value, std::int64_t{990});
        QVERIFY(m_case->admin.deleteRecords(topic, {{Partition(0), Offset(1000)}}).has_value());
        QCOMPARE(*lag(group, topic).value, std::int64_t{0});
        QVERIFY(lag(group, topic).reason.find("990 records were deleted") != std::string::npos);
        QVERIFY(m_case->admin.moveOffsets(group, {{tp, Offset(1995), ""}}).has_value());
        QVERIFY(!lag(group, topic).value);
        QVERIFY(lag(group, topic).reason.find("995 ahead") != std::string::npos);
        const Observed none = lag(GroupName(m_case->unique("nobody")), topic);
        QVERIFY(!none.value);
        QCOMPARE(none.reason, std::string("nothing committed; ≤ 0 in the log"));
        QCOMPARE(kafka::readLag(m_case->admin, group, {Topic("no-such")}).error().kind(), ErrorKind::NotFound);
    }

    void lagStopsAtTheLastStableOffset() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 5);
        kafka::TransactionalProducer producer(m_case->config, m_case->unique("tx-lag"));
        producer.initTransactions();
        producer.begin();
        const OutgoingRecord open{topic, Partition(0), std::nullopt, "k", "open", {}};
        producer.publish(std::span(&open, 1));
        const GroupName group(m_case->unique("lag-lso"));
        QVERIFY(m_case->admin.moveOffsets(group, {{{topic, Partition(0)}, Offset(5), ""}}).has_value());
        QCOMPARE(*kafka::readLag(m_case->admin, group, {topic})->total.value, std::int64_t{0});
        producer.abort();
    }

    void offsetsOfALiveGroupAreNotMoved() {
        const Topic topic = m_case->newTopic(2);
        m_case->fill(topic, 10);
        const TopicPartition tp{topic, Partition(0)};
        const GroupName group(m_case->unique("live"));
        kafka::GroupConsumer member(m_case->config, {group, "live", 10s});
        StartAtZero listener;
        member.subscribe({topic}, listener);
        const auto deadline = std::chrono::steady_clock::now() + 20s;
        while (!listener.assignedOnce && std::chrono::steady_clock::now() < deadline) {
            member.poll(100ms);
        }
        QVERIFY(member.commit({{tp, Offset(4)}}).has_value());
        const auto moved = m_case->admin.moveOffsets(group, {{tp, Offset(0), ""}});
        QVERIFY(!moved.has_value());
        QCOMPARE(moved.error().kind(), ErrorKind::Refused);
        QCOMPARE(m_case->admin.committed(group, {tp})->at(0).next->value(), 4);

        const auto info = m_case->admin.group(group);
        QVERIFY(!info->stopped());
        QCOMPARE(info->members.size(), std::size_t{1});
        const auto on = m_case->admin.groupsOn(topic);
        QCOMPARE(on->groups.size(), std::size_t{1});
        QVERIFY(on->groups[0].name == group);
        QCOMPARE(on->groups[0].committed.size(), std::size_t{1});
        QVERIFY(!on->notListed.empty());

        member.close();
        QVERIFY(m_case->admin.moveOffsets(group, {{tp, Offset(1), "why"}}).has_value());
        QCOMPARE(m_case->admin.committed(group, {tp})->at(0).metadata, std::string("why"));
        QVERIFY(m_case->admin.group(group)->stopped());
    }

    void aGroupThatStoppedLongAgoIsStillOnTheTopic() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 3);
        const GroupName group(m_case->unique("left"));
        QVERIFY(m_case->admin.moveOffsets(group, {{{topic, Partition(0)}, Offset(2), ""}}).has_value());
        const auto on = m_case->admin.groupsOn(topic);
        QCOMPARE(on->groups.size(), std::size_t{1});
        QCOMPARE(on->groups[0].listed, std::string("Empty"));
        QVERIFY(on->groups[0].stopped());
        QVERIFY(m_case->admin.groupsOn(m_case->newTopic(1))->groups.empty());
    }

    void theSecondProducerFencesTheFirst() {
        const Topic topic = m_case->newTopic(1);
        const std::string id = m_case->unique("tx-fence");
        kafka::TransactionalProducer first(m_case->config, id);
        first.initTransactions();
        first.begin();
        const OutgoingRecord record{topic, Partition(0), std::nullopt, "k", "first", {}};
        QVERIFY(first.publish(std::span(&record, 1))[0].has_value());
        kafka::TransactionalProducer second(m_case->config, id);
        second.initTransactions();
        std::string code;
        try {
            first.commit();
        } catch (const Error& error) {
            code = error.code();
        }
        QCOMPARE(code, std::string("_FENCED"));
        second.begin();
        QVERIFY(second.publish(std::span(&record, 1))[0].has_value());
        second.commit();
        QCOMPARE(m_case->readAll(topic).size(), std::size_t{1});
    }

    void aRefusedRecordSpoilsItsTransactionOnly() {
        const Topic topic = m_case->newTopic(1, {{"max.message.bytes", "2000"}});
        kafka::TransactionalProducer producer(m_case->config, m_case->unique("tx-large"));
        producer.initTransactions();
        producer.begin();
        const OutgoingRecord large{topic, Partition(0), std::nullopt, "k", std::string(5'000, 'x'), {}};
        const OutgoingRecord zero{topic, Partition(0), fromUnixMillis(0), "k", "zero", {}};
        const OutgoingRecord good{topic, Partition(0), std::nullopt, "k", "good", {}};
        QCOMPARE(producer.publish(std::span(&zero, 1))[0].error().code(), std::string("timestamp-not-sendable"));
        const auto kept = producer.publish(std::span(&good, 1))[0];
        QVERIFY2(kept.has_value(), kept ? "" : kept.error().what());
        producer.commit();
        producer.begin();
        QCOMPARE(producer.publish(std::span(&large, 1))[0].error().code(), std::string("MSG_SIZE_TOO_LARGE"));
        std::string code;
        try {
            producer.commit();
        } catch (const Error& error) {
            code = error.code();
        }
        QCOMPARE(code, std::string("transaction-must-abort"));
        producer.abort();
        producer.begin();
        std::vector<OutgoingRecord> many;
        for (int i = 0; i < 12; ++i) {  // a batch counts as one message: stay below 2,000 bytes
            many.push_back({topic, Partition(0), std::nullopt, "k", std::to_string(i), {}});
        }
        for (const auto& result : producer.publish(many)) {
            QVERIFY2(result.has_value(), result ? "" : result.error().what());
        }
        producer.commit();
        const auto read = m_case->readAll(topic);
        QCOMPARE(read.size(), std::size_t{13});
        for (std::size_t i = 1; i < read.size(); ++i) {
            QCOMPARE(*read[i].value, std::to_string(i - 1));
        }
    }

  private:
    std::unique_ptr<KafkaCase> m_case;
};

QTEST_GUILESS_MAIN(TstAdmin)
#include "tst_admin_kafka.moc"
