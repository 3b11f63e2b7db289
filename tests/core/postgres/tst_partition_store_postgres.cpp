// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/partition_store.h"
#include "tests/core/postgres/database.h"

#include <QtTest/QTest>

using namespace redeliver;
using namespace redeliver::postgres;
using namespace std::chrono_literals;
using tests::Database;
using tests::errorOf;
using tests::Login;

namespace {

const ConsumerName consumer{"order-payment-handler"};
const TopicPartition stoppedPartition{Topic{"payments"}, Partition{1}};
const TopicPartition runningPartition{Topic{"payments"}, Partition{0}};

void fill(const Database& database) {
    database.sql(
        "INSERT INTO redeliver.consumer_offsets (consumer_name, cluster_id, topic, partition, next_offset, "
        "highest_offset, "
        "acked_offset, state, stop_code, stop_reason, stop_suggests, stopped_at, worker) VALUES "
        "('order-payment-handler', 'k', 'payments', 0, 100, 100, 90, 'running', '', '', NULL, NULL, 'w1'), "
        "('order-payment-handler', 'k', 'payments', 1, 42, 50, NULL, 'stopped', 'offset-out-of-range', '42 to 49 are "
        "gone', "
        "50, '2026-11-30 12:00:00Z', 'w2')");
}

}  // namespace

class PartitionStoreTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void listsWhatStoppedAndWhatRuns();
    void retryIsAskedForAndAudited();
    void skipNeedsAReasonAndNeverGoesBack();
    void refusesWhatIsNotStopped();
    void severalClustersMustBeNamed();
    void readersMayNotRelease();
    void settingAConsumerKeepsWhatIsNotSaid();
};

void PartitionStoreTest::listsWhatStoppedAndWhatRuns() {
    Database database;
    fill(database);
    PgPartitionStore store{database.session()};
    const auto stopped = store.stopped();
    QCOMPARE(stopped.size(), std::size_t{1});
    QCOMPARE(stopped[0].consumer, consumer);
    QCOMPARE(stopped[0].tp, stoppedPartition);
    QCOMPARE(stopped[0].code, std::string("offset-out-of-range"));
    QCOMPARE(stopped[0].reason, std::string("42 to 49 are gone"));
    QCOMPARE(stopped[0].next, Offset{42});
    QCOMPARE(stopped[0].suggestedSkip, std::optional(Offset{50}));
    QCOMPARE(stopped[0].since, TimePoint{std::chrono::sys_days{std::chrono::year{2026} / 11 / 30} + 12h});
    QCOMPARE(stopped[0].requested, std::string());
    const auto all = store.partitions();
    QCOMPARE(all.size(), std::size_t{2});
    QVERIFY(!all[0].stopped && all[1].stopped);
    QCOMPARE(all[0].ackedHighest, std::optional(Offset{90}));
    QVERIFY(!all[1].ackedHighest);
}

void PartitionStoreTest::retryIsAskedForAndAudited() {
    Database database;
    fill(database);
    PgPartitionStore store{database.session()};
    store.requestRetry(consumer, stoppedPartition);
    QCOMPARE(store.stopped()[0].requested, std::string("retry"));
    QCOMPARE(database.sql("SELECT concat_ws(' ', action, subject, detail ->> 'code', detail ->> 'from', who_role = "
                          "session_user, who_os <> '') FROM redeliver.audit"),
             std::string("partition.retry order-payment-handler payments/1 offset-out-of-range 42 t t"));
    QCOMPARE(database.sql("SELECT state || requested_by FROM redeliver.consumer_offsets WHERE partition = 1"),
             database.sql("SELECT 'stopped' || who_os FROM redeliver.audit"));
}

void PartitionStoreTest::skipNeedsAReasonAndNeverGoesBack() {
    Database database;
    fill(database);
    PgPartitionStore store{database.session()};
    QCOMPARE(errorOf([&] { store.requestSkip(consumer, stoppedPartition, Offset{50}, " \n"); }).kind(),
             ErrorKind::BadInput);
    QCOMPARE(errorOf([&] { store.requestSkip(consumer, stoppedPartition, Offset{41}, "why"); }).code(),
             std::string("skip-backwards"));
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.audit"), std::string("0"));
    store.requestSkip(consumer, stoppedPartition, Offset{50}, "they're \"gone\"");
    QCOMPARE(store.stopped()[0].requested, std::string("skip-to 50"));
    QCOMPARE(database.sql("SELECT concat_ws(' ', action, detail ->> 'to', detail ->> 'reason') FROM redeliver.audit"),
             std::string("partition.skip-to 50 they're \"gone\""));
    // A second thought replaces the first, and the audit knows both.
    store.requestRetry(consumer, stoppedPartition);
    QCOMPARE(store.stopped()[0].requested, std::string("retry"));
    QCOMPARE(database.sql("SELECT string_agg(detail ->> 'before', ',' ORDER BY audit_id) FROM redeliver.audit"),
             std::string(",skip-to"));
}

void PartitionStoreTest::refusesWhatIsNotStopped() {
    Database database;
    fill(database);
    PgPartitionStore store{database.session()};
    QCOMPARE(errorOf([&] { store.requestRetry(consumer, runningPartition); }).code(), std::string("not-stopped"));
    QCOMPARE(errorOf([&] {
                 store.requestRetry(consumer, {Topic{"payments"}, Partition{9}});
             }).kind(),
             ErrorKind::NotFound);
    QCOMPARE(errorOf([&] { store.requestRetry(ConsumerName{"nobody"}, stoppedPartition); }).kind(),
             ErrorKind::NotFound);
    QCOMPARE(errorOf([&] { store.requestRetry(consumer, stoppedPartition, ClusterId{"other"}); }).kind(),
             ErrorKind::NotFound);
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.audit"), std::string("0"));
}

void PartitionStoreTest::severalClustersMustBeNamed() {
    Database database;
    fill(database);
    // An old cluster's row that ran doesn't stand in the way; one that stopped does.
    database.sql(
        "INSERT INTO redeliver.consumer_offsets (consumer_name, cluster_id, topic, partition, next_offset) VALUES "
        "('order-payment-handler', 'old', 'payments', 1, 7)");
    PgPartitionStore store{database.session()};
    store.requestRetry(consumer, stoppedPartition);
    QCOMPARE(database.sql("SELECT string_agg(cluster_id, ' ') FROM redeliver.consumer_offsets WHERE requested <> ''"),
             std::string("k"));
    database.sql("UPDATE redeliver.consumer_offsets SET state = 'stopped', requested = ''");
    QCOMPARE(errorOf([&] { store.requestRetry(consumer, stoppedPartition); }).kind(), ErrorKind::BadInput);
    store.requestRetry(consumer, stoppedPartition, ClusterId{"old"});
    QCOMPARE(database.sql("SELECT string_agg(cluster_id, ' ') FROM redeliver.consumer_offsets WHERE requested <> ''"),
             std::string("old"));
}

void PartitionStoreTest::readersMayNotRelease() {
    Database database;
    fill(database);
    const Login reader{database, "reader", "GRANT redeliver_reader TO {0}"};
    Session session{database.as(reader.name())};
    PgPartitionStore store{session};
    QCOMPARE(store.stopped().size(), std::size_t{1});
    QCOMPARE(errorOf([&] { store.requestRetry(consumer, stoppedPartition); }).kind(), ErrorKind::Privilege);
    const Login operator_{database, "operator", "GRANT redeliver_operator TO {0}"};
    Session other{database.as(operator_.name())};
    PgPartitionStore{other}.requestRetry(consumer, stoppedPartition);
    QCOMPARE(database.sql("SELECT who_role FROM redeliver.audit"), operator_.name());
}

void PartitionStoreTest::settingAConsumerKeepsWhatIsNotSaid() {
    Database database;
    PgPartitionStore store{database.session()};
    ConsumerInfo info;
    info.name = consumer;
    info.group = GroupName{"order-payments"};
    info.topics = {Topic{"payments"}, Topic{"with \"quotes\", and comma"}};
    info.markerRetention = 7 * 24h;
    store.setConsumer(info);
    ConsumerInfo more;
    more.name = consumer;
    more.replayHorizon = 30 * 24h;
    more.formerly = {ConsumerName{"payment-handler"}};
    store.setConsumer(more);
    const auto consumers = store.consumers();
    QCOMPARE(consumers.size(), std::size_t{1});
    QVERIFY(consumers[0].registered);
    QCOMPARE(consumers[0].group, info.group);
    QCOMPARE(consumers[0].topics, info.topics);
    QCOMPARE(consumers[0].markerRetention, info.markerRetention);
    QCOMPARE(consumers[0].replayHorizon, more.replayHorizon);
    QCOMPARE(consumers[0].formerly, more.formerly);
    QCOMPARE(database.sql("SELECT count(*) FROM redeliver.audit WHERE action = 'consumers.set'"), std::string("2"));
    QCOMPARE(errorOf([&] { store.setConsumer({}); }).kind(), ErrorKind::BadInput);
}

QTEST_APPLESS_MAIN(PartitionStoreTest)
#include "tst_partition_store_postgres.moc"
