// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/admin.h"
#include "core/lab/mock_kafka.h"

#include <QtTest>

using namespace redeliver;

// A broker that just started answers NOT_COORDINATOR (16), or that it is still loading (14, 15).
class TstAdminCoordinatorMock : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void committedOffsetsOfAMovedCoordinatorAreNoCrash() {
        lab::MockKafka cluster;
        cluster.createTopic("payments", 1);
        const kafka::Config config = kafka::Config::make({{"bootstrap.servers", cluster.bootstrap()}}).value();
        kafka::Admin admin{config, {"test", std::chrono::milliseconds{5'000}}};
        const std::vector<TopicPartition> asked{{Topic{"payments"}, Partition{0}}};
        for (const int code : {16, 15, 14}) {
            cluster.pushErrors(lab::KafkaApi::OffsetFetch, {code});
            const auto refused = admin.committed(GroupName{"group"}, asked);
            QVERIFY(refused || !refused.error().text().empty());
            cluster.clearErrors(lab::KafkaApi::OffsetFetch);
            const auto committed = admin.committed(GroupName{"group"}, asked);
            QVERIFY2(committed.has_value(), committed ? "" : committed.error().what());
        }
    }
};

QTEST_GUILESS_MAIN(TstAdminCoordinatorMock)
#include "tst_admin_coordinator_mock.moc"
