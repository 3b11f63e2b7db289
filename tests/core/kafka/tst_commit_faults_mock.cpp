// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// Commits that fail at the broker: each code comes back as a value, and in time when nobody answers.
#include "core/kafka/group_consumer.h"
#include "core/lab/mock_kafka.h"

#include <QtTest/QtTest>

#include <memory>

using namespace redeliver;
using namespace std::chrono_literals;

namespace {

struct Listener final : ports::AssignmentListener {
    bool assignedOnce = false;
    std::vector<Position> assigned(const std::vector<TopicPartition>& partitions) override {
        assignedOnce = true;
        return {{partitions.at(0), Offset(0)}};
    }
    void revoked(const std::vector<TopicPartition>&, bool) override {}
};

}  // namespace

class TstCommitFaults : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        m_mock = std::make_unique<lab::MockKafka>();
        m_mock->createTopic("t", 1);
        const auto config = kafka::Config::make({{"bootstrap.servers", m_mock->bootstrap()}});
        m_member = std::make_unique<kafka::GroupConsumer>(config.value(),
                                                          kafka::GroupConsumerOptions{GroupName("g"), "test", 2'000ms});
        m_member->subscribe({Topic("t")}, m_listener);
        const auto deadline = std::chrono::steady_clock::now() + 30s;
        while (!m_listener.assignedOnce && std::chrono::steady_clock::now() < deadline) {
            m_member->poll(100ms);
        }
        QVERIFY(m_listener.assignedOnce);
    }
    void cleanupTestCase() {
        m_member.reset();
        m_mock.reset();
    }

    void everyCodeComesBack_data() {
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("name");
        QTest::newRow("generation") << 22 << QStringLiteral("ILLEGAL_GENERATION");
        QTest::newRow("member") << 25 << QStringLiteral("UNKNOWN_MEMBER_ID");
        QTest::newRow("rebalance") << 27 << QStringLiteral("REBALANCE_IN_PROGRESS");
        QTest::newRow("size") << 28 << QStringLiteral("INVALID_COMMIT_OFFSET_SIZE");
        QTest::newRow("privilege") << 30 << QStringLiteral("GROUP_AUTHORIZATION_FAILED");
    }
    void everyCodeComesBack() {
        QFETCH(int, code);
        QFETCH(QString, name);
        m_mock->pushErrors(lab::KafkaApi::OffsetCommit, {code});
        const auto result = m_member->commit({{{Topic("t"), Partition(0)}, Offset(3)}});
        m_mock->clearErrors(lab::KafkaApi::OffsetCommit);
        QVERIFY(!result.has_value());
        QCOMPARE(QString::fromStdString(result.error().code()), name);
    }

    void aLostBrokerIsAnAnswerInTime() {
        m_mock->brokerDown();
        QElapsedTimer timer;
        timer.start();
        const auto result = m_member->commit({{{Topic("t"), Partition(0)}, Offset(4)}});
        QVERIFY(!result.has_value());
        QVERIFY2(timer.elapsed() < 5'000, "a commit may not wait as long as the library likes");
        QCOMPARE(result.error().kind(), ErrorKind::Connection);
        m_mock->brokerUp();
    }

    void aFencedMemberEnds() {
        lab::MockKafka mock;
        mock.createTopic("t", 1);
        const auto config =
            kafka::Config::make({{"bootstrap.servers", mock.bootstrap()}, {"group.instance.id", "one"}});
        Listener listener;
        auto member = std::make_unique<kafka::GroupConsumer>(
            config.value(), kafka::GroupConsumerOptions{GroupName("g"), "test", 2'000ms});
        member->subscribe({Topic("t")}, listener);
        bool fatal = false;
        const auto deadline = std::chrono::steady_clock::now() + 60s;
        while (!fatal && std::chrono::steady_clock::now() < deadline) {
            if (listener.assignedOnce) {
                mock.pushErrors(lab::KafkaApi::Heartbeat, {82, 82, 82});  // FENCED_INSTANCE_ID
            }
            const auto polled = member->poll(200ms);
            const auto* error = std::get_if<ports::SourceError>(&polled);
            fatal = error != nullptr && error->fatal;
        }
        QVERIFY(fatal);
        member->close();
        member.reset();  // hung for ever in librdkafka 2.0.2
    }

  private:
    std::unique_ptr<lab::MockKafka> m_mock;
    Listener m_listener;
    std::unique_ptr<kafka::GroupConsumer> m_member;
};

QTEST_GUILESS_MAIN(TstCommitFaults)
#include "tst_commit_faults_mock.moc"
