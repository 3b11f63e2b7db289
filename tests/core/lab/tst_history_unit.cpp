// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/history.h"

#include <QtTest>

#include <cmath>
#include <set>

using namespace redeliver;
using namespace redeliver::lab;

namespace {
const TimePoint end = fromUnixMillis(1'796'034'600'000);
const TimeRange day{end - std::chrono::hours{24}, end};
}  // namespace

class HistoryTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void hasAboutTheAskedMessages();
    void isTheSameForTheSameSeed();
    void offsetsAreDenseAndTimesDontRunBackwards();
    void everyMessageIsProcessedOncePerConsumer();
    void everyDuplicateComesAfterItsMarker();
    void idsSortByTime();
};

void HistoryTest::hasAboutTheAskedMessages() {
    const History history = makeHistory(day, 50'000, 1);
    std::int64_t produced = 0;
    for (const auto& [topic, records] : history.topics) {
        if (demoTopic(topic).share > 0) {
            produced += std::int64_t(records.size());
        }
    }
    // The last topic has been idle for three hours: a little less than asked.
    QVERIFY2(produced > 45'000 && produced < 53'000, std::to_string(produced).c_str());
    QCOMPARE(history.consumers.size(), demoConsumers().size());
}

void HistoryTest::isTheSameForTheSameSeed() {
    const History one = makeHistory(day, 5'000, 7);
    const History two = makeHistory(day, 5'000, 7);
    const History other = makeHistory(day, 5'000, 8);
    QVERIFY(one.topics.at("payments").front().id == two.topics.at("payments").front().id);
    QCOMPARE(one.consumers[0].events.size(), two.consumers[0].events.size());
    QVERIFY(one.topics.at("payments").front().id != other.topics.at("payments").front().id);
}

void HistoryTest::offsetsAreDenseAndTimesDontRunBackwards() {
    const History history = makeHistory(day, 20'000, 3);
    for (const auto& [topic, records] : history.topics) {
        std::map<std::int32_t, std::int64_t> next;
        TimePoint last{};
        for (const HistoryRecord& record : records) {
            QCOMPARE(record.offset.value(), next[record.record.partition->value()]++);
            QVERIFY(*record.record.timestamp >= last);
            QVERIFY(day.contains(*record.record.timestamp));
            QVERIFY(record.record.partition->value() < demoTopic(topic).partitions);
            last = *record.record.timestamp;
        }
    }
}

void HistoryTest::everyMessageIsProcessedOncePerConsumer() {
    const History history = makeHistory(day, 20'000, 3);
    for (const ConsumerHistory& consumer : history.consumers) {
        const auto& records = history.topics.at(consumer.consumer->topic);
        std::set<std::string> wanted;
        std::set<std::string> done;
        for (const HistoryRecord& record : records) {
            wanted.insert(record.id);
        }
        for (const auto& processed : consumer.processed) {
            QVERIFY(done.insert(records[processed.record].id).second);
            QVERIFY(day.contains(processed.at));
        }
        QVERIFY(wanted == done);
    }
}

void HistoryTest::everyDuplicateComesAfterItsMarker() {
    const History history = makeHistory(day, 20'000, 3);
    int duplicates = 0;
    int acks = 0;
    for (const ConsumerHistory& consumer : history.consumers) {
        std::map<std::string, TimePoint> marker;
        for (const auto& processed : consumer.processed) {
            marker[history.topics.at(consumer.consumer->topic)[processed.record].id] = processed.at;
        }
        for (const DeliveryEvent& event : consumer.events) {
            QVERIFY(day.contains(event.at));
            acks += event.outcome == "ack_failed" ? 1 : 0;
            if (event.outcome == "duplicate") {
                ++duplicates;
                QVERIFY(event.kind.has_value());
                QVERIFY(marker.at(event.messageId->value()) < event.at);
            }
        }
    }
    QVERIFY(duplicates > 100);
    QVERIFY(acks > 0);
}

void HistoryTest::idsSortByTime() {
    MessageMaker maker(5);
    const auto early = MessageMaker::idOf(maker.make(demoTopic("payments"), end));
    const auto late = MessageMaker::idOf(maker.make(demoTopic("payments"), end + std::chrono::seconds{1}));
    QVERIFY(early < late);
    QVERIFY(early.starts_with("pay_"));
    QCOMPARE(early.size(), std::size_t{20});
}

QTEST_APPLESS_MAIN(HistoryTest)
#include "tst_history_unit.moc"
