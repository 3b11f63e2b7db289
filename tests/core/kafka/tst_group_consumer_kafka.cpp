// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// The group member against a real broker: where it starts, pause and seek, commits, rebalances, offsets out of range.
#include "core/kafka/group_consumer.h"
#include "core/lab/private_kafka.h"
#include "tests/core/kafka/kafka_case.h"

#include <QtTest/QtTest>

#include <deque>
#include <memory>
#include <set>

using namespace redeliver;
using namespace std::chrono_literals;

namespace {

struct Listener final : ports::AssignmentListener {
    std::function<std::vector<Position>(const std::vector<TopicPartition>&)> onAssigned;
    std::function<void(const std::vector<TopicPartition>&, bool)> onRevoked;
    std::set<TopicPartition> mine;

    std::vector<Position> assigned(const std::vector<TopicPartition>& partitions) override {
        mine.insert(partitions.begin(), partitions.end());
        if (onAssigned) {
            return onAssigned(partitions);
        }
        std::vector<Position> starts;
        for (const TopicPartition& tp : partitions) {
            starts.push_back({tp, Offset(0)});
        }
        return starts;
    }
    void revoked(const std::vector<TopicPartition>& partitions, bool lost) override {
        if (onRevoked) {
            onRevoked(partitions, lost);
        }
        for (const TopicPartition& tp : partitions) {
            mine.erase(tp);
        }
    }
};

struct Member {
    Member(const kafka::Config& config, const std::string& group, const Topic& topic)
        : consumer(config, {GroupName(group), "test", 10s}), topics{topic} {}

    void start() { consumer.subscribe(topics, listener); }

    void pollOnce(std::chrono::milliseconds wait = 100ms) {
        auto polled = consumer.poll(wait);
        if (auto* record = std::get_if<Record>(&polled)) {
            records.push_back(std::move(*record));
        } else if (auto* error = std::get_if<ports::SourceError>(&polled)) {
            errors.push_back(std::move(*error));
        }
    }
    /// Polls until `done`; false after 20 s.
    bool pollUntil(const std::function<bool()>& done) {
        const auto deadline = std::chrono::steady_clock::now() + 20s;
        while (!done() && std::chrono::steady_clock::now() < deadline) {
            pollOnce();
        }
        return done();
    }

    kafka::GroupConsumer consumer;
    std::vector<Topic> topics;
    Listener listener;
    std::vector<Record> records;
    std::vector<ports::SourceError> errors;
};

}  // namespace

class TstGroupConsumer : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { m_case = std::make_unique<KafkaCase>(); }
    void cleanupTestCase() { m_case.reset(); }

    void startsWhereTheListenerSays() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 10);
        Member member(m_case->config, m_case->unique("g-start"), topic);
        member.listener.onAssigned = [](const auto& partitions) {
            return std::vector<Position>{{partitions.at(0), Offset(7)}};
        };
        member.start();
        QVERIFY(member.pollUntil([&] { return member.records.size() == 3; }));
        QCOMPARE(member.records[0].offset.value(), 7);
        QCOMPARE(*member.records[2].value, std::string("9"));
        QVERIFY(member.errors.empty());
    }

    void looksUpEverythingInsideTheCallback() {
        const Topic topic = m_case->newTopic(2);
        m_case->fill(topic, 5);
        const TopicPartition tp{topic, Partition(0)};
        QVERIFY(m_case->admin.moveOffsets(GroupName(m_case->unique("g-look")), {{tp, Offset(3), "note"}}).has_value());
        Member member(m_case->config, m_case->unique("g-look"), topic);
        bool looked = false;
        member.listener.onAssigned = [&](const auto& partitions) {
            const auto committed = member.consumer.committed(partitions);
            const auto log = member.consumer.logInfo(tp);
            const auto all = member.consumer.partitions({topic});
            const auto there = member.consumer.recordAt(tp, Offset(2));
            const auto beyond = member.consumer.recordAt(tp, Offset(5));
            looked = committed && committed->size() == 2 && (*committed)[0].next == Offset(3) &&
                     (*committed)[0].metadata == "note" && !(*committed)[1].next && log && log->start == Offset(0) &&
                     log->end == Offset(5) && log->cluster == m_case->admin.clusterId() && all && all->size() == 2 &&
                     there && *there && (*there)->value == "2" && beyond && !*beyond;
            return std::vector<Position>{{tp, *(*committed)[0].next}, {partitions[1], Offset(0)}};
        };
        member.start();
        QVERIFY(member.pollUntil([&] { return member.records.size() == 2; }));
        QVERIFY(looked);
        QCOMPARE(member.records[0].offset.value(), 3);
    }

    void leftOutPartitionStaysSilentUntilSoughtAndResumed() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 10);
        const TopicPartition tp{topic, Partition(0)};
        Member member(m_case->config, m_case->unique("g-left-out"), topic);
        member.listener.onAssigned = [](const auto&) { return std::vector<Position>{}; };
        member.start();
        QVERIFY(member.pollUntil([&] { return !member.listener.mine.empty(); }));
        m_case->fill(topic, 5, 10);  // new records after the assignment must not slip through either
        for (int i = 0; i < 15; ++i) {
            member.pollOnce();
        }
        QVERIFY(member.records.empty());
        QVERIFY(member.errors.empty());
        member.consumer.seek({tp, Offset(4)});
        member.consumer.resume(tp);
        QVERIFY(member.pollUntil([&] { return member.records.size() == 11; }));
        QCOMPARE(member.records[0].offset.value(), 4);
        QCOMPARE(member.records[10].offset.value(), 14);
    }

    void pauseDropsWhatIsBufferedAndResumeGoesOnAtTheNext() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 1000);
        const TopicPartition tp{topic, Partition(0)};
        Member member(m_case->config, m_case->unique("g-pause"), topic);
        member.start();
        QVERIFY(member.pollUntil([&] { return member.records.size() == 10; }));
        member.consumer.pause(tp);
        for (int i = 0; i < 10; ++i) {
            member.pollOnce(20ms);
        }
        QCOMPARE(member.records.size(), std::size_t{10});
        member.consumer.resume(tp);
        member.consumer.resume(tp);
        QVERIFY(member.pollUntil([&] { return member.records.size() == 1000; }));
        for (std::size_t i = 0; i < member.records.size(); ++i) {
            QCOMPARE(member.records[i].offset.value(), static_cast<std::int64_t>(i));
        }
    }

    void seekBackGivesRecordsAgain_data() {
        QTest::addColumn<bool>("paused");
        QTest::newRow("while paused") << true;
        QTest::newRow("while running") << false;
    }
    void seekBackGivesRecordsAgain() {
        QFETCH(bool, paused);
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 500);
        const TopicPartition tp{topic, Partition(0)};
        Member member(m_case->config, m_case->unique(paused ? "g-seek-p" : "g-seek-r"), topic);
        member.start();
        // The loop's way with a failing record, many times over: back to it, on again.
        for (int round = 0; round < 20; ++round) {
            member.records.clear();
            QVERIFY(member.pollUntil([&] { return member.records.size() == 20; }));
            if (paused) {
                member.consumer.pause(tp);
                member.pollOnce(0ms);
            }
            const std::int64_t back = member.records[10].offset.value();
            member.consumer.seek({tp, Offset(back)});
            if (paused) {
                member.consumer.resume(tp);
            }
            member.records.clear();
            QVERIFY(member.pollUntil([&] { return !member.records.empty(); }));
            QCOMPARE(member.records[0].offset.value(), back);
        }
    }

    void commitsAreSeenByOthersAndMayGoBack() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 10);
        const TopicPartition tp{topic, Partition(0)};
        Member member(m_case->config, m_case->unique("g-commit"), topic);
        member.start();
        QVERIFY(member.pollUntil([&] { return member.records.size() == 10; }));
        for (const std::int64_t next : {10, 4}) {
            const auto committed = member.consumer.commit({{tp, Offset(next)}});
            QVERIFY2(committed.has_value(), committed ? "" : committed.error().what());
            const auto seen = m_case->admin.committed(GroupName(m_case->unique("g-commit")), {tp});
            QCOMPARE(seen->at(0).next->value(), next);
        }
        QVERIFY(member.consumer.commit({}).has_value());
    }

    void secondMemberTakesOverWhatWasAcked() {
        const Topic topic = m_case->newTopic(4);
        Member first(m_case->config, m_case->unique("g-two"), topic);
        Member second(m_case->config, m_case->unique("g-two"), topic);
        first.start();
        QVERIFY(first.pollUntil([&] { return first.listener.mine.size() == 4; }));
        bool ackedInside = true;
        first.listener.onRevoked = [&](const auto& partitions, bool lost) {
            std::vector<Position> acks;
            for (const TopicPartition& tp : partitions) {
                acks.push_back({tp, Offset(100 + tp.partition.value())});
            }
            const auto acked = first.consumer.commit(acks);
            ackedInside = ackedInside && !lost && acked.has_value();
        };
        std::map<TopicPartition, Offset> seen;
        second.listener.onAssigned = [&](const auto& partitions) {
            const auto offsets = second.consumer.committed(partitions);
            for (const ports::GroupOffset& offset : offsets.value()) {
                seen[offset.tp] = offset.next.value_or(Offset(-1));
            }
            return std::vector<Position>{};
        };
        second.start();
        QVERIFY(second.pollUntil([&] {
            first.pollOnce(10ms);
            return second.listener.mine.size() == 2 && first.listener.mine.size() == 2;
        }));
        QVERIFY(ackedInside);
        QCOMPARE(seen.size(), std::size_t{2});
        for (const auto& [tp, next] : seen) {
            QCOMPARE(next.value(), 100 + tp.partition.value());
        }
    }

    void closeRevokesAcksAndLeavesAtOnce() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 3);
        const TopicPartition tp{topic, Partition(0)};
        Member member(m_case->config, m_case->unique("g-close"), topic);
        int revoked = 0;
        member.listener.onRevoked = [&](const auto&, bool lost) {
            ++revoked;
            QVERIFY(!lost);
            QVERIFY(member.consumer.commit({{tp, Offset(3)}}).has_value());
        };
        member.start();
        QVERIFY(member.pollUntil([&] { return member.records.size() == 3; }));
        member.consumer.close();
        member.consumer.close();
        QCOMPARE(revoked, 1);
        const auto group = m_case->admin.group(GroupName(m_case->unique("g-close")));
        QCOMPARE(group->described, std::string("Empty"));
        QVERIFY(group->stopped());
        QCOMPARE(m_case->admin.committed(GroupName(m_case->unique("g-close")), {tp})->at(0).next->value(), 3);
    }

    void whatTheListenerThrowsComesOutOfPoll() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 3);
        Member member(m_case->config, m_case->unique("g-throw"), topic);
        member.listener.onAssigned = [](const auto&) -> std::vector<Position> {
            throw Error(ErrorKind::Connection, "database is gone");
        };
        member.start();
        std::string thrown;
        try {
            member.pollUntil([&] { return !member.records.empty(); });
        } catch (const Error& error) {
            thrown = error.text();
        }
        QCOMPARE(thrown, std::string("database is gone"));
        for (int i = 0; i < 5; ++i) {
            member.pollOnce();
        }
        QVERIFY(member.records.empty());
        member.consumer.seek({{topic, Partition(0)}, Offset(0)});
        member.consumer.resume({topic, Partition(0)});
        QVERIFY(member.pollUntil([&] { return member.records.size() == 3; }));
    }

    void offsetOutOfRangeStopsWithItsName() {
        const Topic topic = m_case->newTopic(2);
        m_case->fill(topic, 10);
        const TopicPartition tp{topic, Partition(0)};
        std::vector<OutgoingRecord> others;
        for (int i = 0; i < 3000; ++i) {
            others.push_back({topic, Partition(1), std::nullopt, {}, std::to_string(i), {}});
        }
        kafka::Producer producer(m_case->config);
        QVERIFY(producer.publish(others).back().has_value());
        QVERIFY(m_case->admin.deleteRecords(topic, {{Partition(0), Offset(6)}}).has_value());
        Member member(m_case->config, m_case->unique("g-range"), topic);
        member.listener.onAssigned = [&](const auto&) {
            return std::vector<Position>{{tp, Offset(2)}, {{topic, Partition(1)}, Offset(0)}};
        };
        member.start();
        QVERIFY(member.pollUntil([&] { return !member.errors.empty(); }));
        QCOMPARE(member.errors[0].code, std::string("_AUTO_OFFSET_RESET"));
        QVERIFY(member.errors[0].tp == tp);
        QVERIFY(!member.errors[0].fatal);
        QVERIFY(std::ranges::none_of(member.records, [&](const Record& record) { return record.tp == tp; }));
        QCOMPARE(member.consumer.logInfo(tp)->start.value(), 6);
        // A person says: go on at the log's start. The other partition notices nothing.
        member.consumer.pause(tp);
        member.consumer.seek({tp, Offset(6)});
        member.consumer.resume(tp);
        QVERIFY(member.pollUntil([&] { return member.records.size() == 3004; }));
        std::map<Partition, std::int64_t> next{{Partition(0), 6}, {Partition(1), 0}};
        for (const Record& record : member.records) {
            QCOMPARE(record.offset.value(), next[record.tp.partition]++);
        }
    }

    void missingTopicIsNamed() {
        Member member(m_case->config, m_case->unique("g-missing"), Topic("no-such-topic"));
        member.start();
        QVERIFY(member.pollUntil([&] { return !member.errors.empty(); }));
        QCOMPARE(member.errors[0].code, std::string("UNKNOWN_TOPIC_OR_PART"));
        QCOMPARE(member.consumer.partitions({Topic("no-such-topic")}).error().kind(), ErrorKind::NotFound);
        const auto topics = m_case->admin.topics();
        QVERIFY(std::ranges::find(*topics, Topic("no-such-topic")) == topics->end());
    }

    void brokerRestartIsSurvivedInSilence() {
        lab::PrivateKafka broker;
        KafkaCase own(broker.bootstrap());
        const Topic topic = own.newTopic(1);
        own.fill(topic, 5);
        const TopicPartition tp{topic, Partition(0)};
        Member member(own.config, "g-restart", topic);
        member.start();
        QVERIFY(member.pollUntil([&] { return member.records.size() == 5; }));
        broker.kill();
        QVERIFY(member.pollUntil([&] {
            return std::ranges::any_of(member.errors, [](const auto& e) { return e.code == "_ALL_BROKERS_DOWN"; });
        }));
        QVERIFY(member.consumer.connection().state() == kafka::ConnectionState::State::Down);
        broker.start();
        own.fill(topic, 5, 5);
        QVERIFY(member.pollUntil([&] { return member.records.size() == 10; }));
        QCOMPARE(member.records[9].offset.value(), 9);
        QVERIFY(member.consumer.connection().state() == kafka::ConnectionState::State::Up);
        QVERIFY(member.pollUntil([&] { return member.consumer.commit({{tp, Offset(10)}}).has_value(); }));
    }

  private:
    std::unique_ptr<KafkaCase> m_case;
};

QTEST_GUILESS_MAIN(TstGroupConsumer)
#include "tst_group_consumer_kafka.moc"
