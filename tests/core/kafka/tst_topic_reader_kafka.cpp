// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// Bounded reads of a real log: control records at the tail, holes, deletions, open transactions, shuffled times.
#include "tests/core/kafka/kafka_case.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <memory>
#include <random>

using namespace redeliver;
using namespace std::chrono_literals;

namespace {

struct Read {
    std::vector<std::int64_t> offsets;
    ports::TopicReader::ScanEnd end;
};

Read readRanges(kafka::TopicReader& reader, const Topic& topic, const std::vector<ports::OffsetRange>& ranges) {
    Read read;
    const auto end = reader.scan(topic, ranges,
                                 [&read](Record&& record) {
                                     read.offsets.push_back(record.offset.value());
                                     return true;
                                 },
                                 {});
    if (!end) {
        qFatal("%s", end.error().what());
    }
    read.end = *end;
    return read;
}

Read readRange(kafka::TopicReader& reader, const Topic& topic, std::int64_t from, std::int64_t to) {
    return readRanges(reader, topic, {{Partition(0), Offset(from), Offset(to)}});
}

std::vector<std::int64_t> numbers(std::int64_t from, std::int64_t to) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = from; i < to; ++i) {
        all.push_back(i);
    }
    return all;
}

std::vector<OutgoingRecord> values(const Topic& topic, int count, const std::string& prefix) {
    std::vector<OutgoingRecord> records;
    for (int i = 0; i < count; ++i) {
        records.push_back({topic, Partition(0), std::nullopt, "k", prefix + std::to_string(i), {}});
    }
    return records;
}

}  // namespace

class TstTopicReader : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { m_case = std::make_unique<KafkaCase>(); }
    void cleanupTestCase() { m_case.reset(); }

    void rangesAreExactAndMayRepeat() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 60'000);
        kafka::TopicReader reader(m_case->config);
        QCOMPARE(readRange(reader, topic, 10, 20).offsets, numbers(10, 20));
        QVERIFY(readRange(reader, topic, 5, 5).end.complete);
        QVERIFY(readRanges(reader, topic, {}).end.complete);
        // Touching, overlapping, out of order, and far apart (a seek ahead).
        const Read read = readRanges(reader, topic,
                                     {{Partition(0), Offset(50'000), Offset(50'003)},
                                      {Partition(0), Offset(3), Offset(6)},
                                      {Partition(0), Offset(5), Offset(8)},
                                      {Partition(0), Offset(8), Offset(9)},
                                      {Partition(0), Offset(12), Offset(14)}});
        QVERIFY(read.end.complete);
        QCOMPARE(read.offsets, (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 12, 13, 50'000, 50'001, 50'002}));
        QCOMPARE(read.end.reached.at(Partition(0)).value(), 50'003);
    }

    void manyPartitionsEachInOrder() {
        const Topic topic = m_case->newTopic(6);
        std::vector<OutgoingRecord> sent;
        for (int i = 0; i < 60'000; ++i) {
            sent.push_back({topic, Partition(i % 6), std::nullopt, {}, std::to_string(i), {}});
        }
        kafka::Producer(m_case->config).publish(sent);
        kafka::TopicReader reader(m_case->config);
        std::vector<ports::OffsetRange> ranges;
        for (int partition = 0; partition < 6; ++partition) {
            ranges.push_back({Partition(partition), Offset(partition * 100), Offset(10'000 - partition)});
        }
        std::map<Partition, std::int64_t> next;
        for (const ports::OffsetRange& range : ranges) {
            next[range.partition] = range.from.value();
        }
        const auto end =
            reader.scan(topic, ranges,
                        [&next](Record&& record) { return next[record.tp.partition]++ == record.offset.value(); }, {});
        QVERIFY(end && end->complete);
        for (const ports::OffsetRange& range : ranges) {
            QCOMPARE(next[range.partition], range.to.value());
            QCOMPARE(end->reached.at(range.partition), range.to);
        }
    }

    void endsAtControlRecordsAndLeavesAbortedDataOut() {
        const Topic topic = m_case->newTopic(1);
        kafka::TransactionalProducer producer(m_case->config, m_case->unique("tx-tail"));
        producer.initTransactions();
        producer.begin();
        producer.publish(values(topic, 3, "kept"));
        producer.commit();
        producer.begin();
        producer.publish(values(topic, 2, "aborted"));
        producer.abort();
        kafka::TopicReader reader(m_case->config);
        // The broker answers before it has written the marker: 3 + commit marker + 2 + abort marker.
        QVERIFY(QTest::qWaitFor([&] { return reader.logs(topic)->at(Partition(0)).end.value() == 7; }, 20'000));
        const auto logs = reader.logs(topic);
        QCOMPARE(logs->at(Partition(0)).highWatermark.value(), 7);
        QElapsedTimer timer;
        timer.start();
        const Read read = readRange(reader, topic, 0, 7);
        QVERIFY2(timer.elapsed() < 5'000, "a scan that ends at a control record may not wait for a record");
        QVERIFY(read.end.complete);
        QCOMPARE(read.offsets, numbers(0, 3));
        QCOMPARE(read.end.reached.at(Partition(0)).value(), 7);
        QVERIFY(!reader.recordAt({topic, Partition(0)}, Offset(3)).value());
        QVERIFY(!reader.recordAt({topic, Partition(0)}, Offset(4)).value());
        QVERIFY(reader.recordAt({topic, Partition(0)}, Offset(2)).value());
    }

    void anOpenTransactionIsSaid() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 4);
        kafka::TransactionalProducer producer(m_case->config, m_case->unique("tx-open"));
        producer.initTransactions();
        producer.begin();
        producer.publish(values(topic, 3, "open"));
        m_case->fill(topic, 2, 4);
        kafka::TopicReader reader(m_case->config);
        const auto logs = reader.logs(topic);
        QCOMPARE(logs->at(Partition(0)).end.value(), 4);
        QCOMPARE(logs->at(Partition(0)).highWatermark.value(), 9);
        const Read blocked = readRange(reader, topic, 0, 9);
        QVERIFY(!blocked.end.complete);
        QVERIFY2(blocked.end.why.find("open transaction") != std::string::npos, blocked.end.why.c_str());
        QCOMPARE(blocked.offsets, numbers(0, 4));
        QCOMPARE(blocked.end.reached.at(Partition(0)).value(), 4);
        QVERIFY(!reader.recordAt({topic, Partition(0)}, Offset(5)).value());
        producer.commit();
        QCOMPARE(readRange(reader, topic, 0, 9).offsets, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    }

    void beyondTheEndIsIncompleteNotEndless() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 3);
        kafka::TopicReader reader(m_case->config);
        const Read read = readRange(reader, topic, 1, 100);
        QVERIFY(!read.end.complete);
        QCOMPARE(read.offsets, numbers(1, 3));
        QVERIFY(!readRange(reader, topic, 50, 60).end.complete);
    }

    void deletedRecordsAreNamedAndTheRestIsRead() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 100);
        QCOMPARE(m_case->admin.deleteRecords(topic, {{Partition(0), Offset(40)}})->at(Partition(0)).value(), 40);
        kafka::TopicReader reader(m_case->config);
        QCOMPARE(reader.logs(topic)->at(Partition(0)).start.value(), 40);
        const Read read = readRange(reader, topic, 10, 60);
        QVERIFY(!read.end.complete);
        QVERIFY2(read.end.why.find("10 to 40 were deleted") != std::string::npos, read.end.why.c_str());
        QCOMPARE(read.offsets, numbers(40, 60));
        QVERIFY(!readRange(reader, topic, 10, 20).end.complete);
        QVERIFY(!reader.recordAt({topic, Partition(0)}, Offset(39)).value());
        QCOMPARE(*reader.recordAt({topic, Partition(0)}, Offset(40)).value()->value, std::string("40"));
    }

    void compactionLeavesHoles() {
        const Topic topic = m_case->newTopic(1, {{"cleanup.policy", "compact"},
                                                 {"min.cleanable.dirty.ratio", "0.01"},
                                                 {"segment.ms", "100"},
                                                 {"max.compaction.lag.ms", "100"},
                                                 {"min.compaction.lag.ms", "0"}});
        kafka::Producer producer(m_case->config);
        const auto send = [&](int count) { producer.publish(values(topic, count, "v")); };
        send(50);
        kafka::TopicReader reader(m_case->config);
        // Each further record rolls a segment; the cleaner then keeps only the newest of the one key.
        const auto deadline = std::chrono::steady_clock::now() + 60s;
        std::int64_t end = 50;
        Read read = readRange(reader, topic, 0, end);
        while (read.offsets.size() > 30 && std::chrono::steady_clock::now() < deadline) {
            QTest::qWait(150);
            send(1);
            ++end;
            read = readRange(reader, topic, 0, end);
            QVERIFY(read.end.complete);
        }
        QVERIFY2(read.offsets.size() <= 30, "the broker didn't compact");
        QCOMPARE(read.end.reached.at(Partition(0)).value(), end);
        QVERIFY(std::ranges::is_sorted(read.offsets));
        QVERIFY(!reader.recordAt({topic, Partition(0)}, Offset(0)).value());
    }

    void timesAreFoundInShuffledLogs() {
        const Topic topic = m_case->newTopic(1);
        std::mt19937 random(7);
        const std::int64_t base = 1'790'000'000'000;
        std::vector<std::int64_t> times;
        std::vector<OutgoingRecord> sent;
        for (int i = 0; i < 3'000; ++i) {
            times.push_back(base + std::uniform_int_distribution<std::int64_t>(0, 10'000)(random));
            sent.push_back({topic, Partition(0), fromUnixMillis(times.back()), "k", "v", {}});
        }
        kafka::Producer producer(m_case->config);
        producer.publish(sent);
        kafka::TopicReader reader(m_case->config);
        for (const std::int64_t at : {base - 5, base, base + 3, base + 5'000, base + 9'999, base + 10'001}) {
            const auto found = reader.offsetsAt(topic, fromUnixMillis(at));
            const auto first = std::ranges::find_if(times, [at](std::int64_t time) { return time >= at; });
            QCOMPARE(found->at(Partition(0)).value(), first - times.begin());
        }
        // Microseconds round up: the first record that isn't earlier.
        const auto exact = reader.offsetsAt(topic, fromUnixMillis(times[0]))->at(Partition(0));
        const auto later = reader.offsetsAt(topic, fromUnixMillis(times[0]) + Duration(1))->at(Partition(0));
        QCOMPARE(exact.value() == 0 || times[static_cast<std::size_t>(exact.value())] >= times[0], true);
        QVERIFY(later.value() > 0);
        QCOMPARE(reader.offsetsAt(topic, TimePoint{})->at(Partition(0)).value(), 0);
        QCOMPARE(reader.offsetsAt(topic, TimePoint{} - std::chrono::hours(1))->at(Partition(0)).value(), 0);
        const Topic empty = m_case->newTopic(1);
        QCOMPARE(reader.offsetsAt(empty, fromUnixMillis(base))->at(Partition(0)).value(), 0);
    }

    void timeAfterATailOfControlRecordsIsTheEnd() {
        const Topic topic = m_case->newTopic(1);
        kafka::TransactionalProducer producer(m_case->config, m_case->unique("tx-time"));
        producer.initTransactions();
        for (int i = 0; i < 20; ++i) {
            producer.begin();
            producer.publish(values(topic, 1, i == 0 ? "kept" : "aborted"));
            i == 0 ? producer.commit() : producer.abort();
        }
        kafka::TopicReader reader(m_case->config);
        const auto found = reader.offsetsAt(topic, systemClock()->now() + 1h);
        QCOMPARE(found->at(Partition(0)).value(), 40);
    }

    void aStopTokenAndTheSinkEndIt() {
        const Topic topic = m_case->newTopic(1);
        m_case->fill(topic, 5'000);
        kafka::TopicReader reader(m_case->config);
        std::stop_source stop;
        int seen = 0;
        const std::vector<ports::OffsetRange> all{{Partition(0), Offset(0), Offset(5'000)}};
        const auto stopped = reader.scan(
            topic, all,
            [&](Record&&) {
                if (++seen == 100) {
                    stop.request_stop();
                }
                return true;
            },
            stop.get_token());
        QCOMPARE(seen, 100);
        QVERIFY(!stopped->complete);
        QCOMPARE(stopped->reached.at(Partition(0)).value(), 100);
        seen = 0;
        const auto ended = reader.scan(topic, all, [&](Record&&) { return ++seen < 7; }, {});
        QCOMPARE(seen, 7);
        QVERIFY(!ended->complete);
        QCOMPARE(ended->reached.at(Partition(0)).value(), 7);
        QVERIFY(readRange(reader, topic, 0, 5'000).end.complete);
    }

    void missingTopicIsNotFoundAndNotMade() {
        kafka::TopicReader reader(m_case->config);
        QCOMPARE(reader.logs(Topic("never-made")).error().kind(), ErrorKind::NotFound);
        const auto topics = m_case->admin.topics();
        QVERIFY(std::ranges::find(*topics, Topic("never-made")) == topics->end());
        QCOMPARE(reader.clusterId(), m_case->admin.clusterId());
    }

    void readingLeavesNoGroupBehind() {
        const auto groups = m_case->admin.groups();
        for (const kafka::GroupInfo& group : *groups) {
            QVERIFY2(!group.name.value().starts_with("redeliver-reader"), group.name.value().c_str());
        }
    }

  private:
    std::unique_ptr<KafkaCase> m_case;
};

QTEST_GUILESS_MAIN(TstTopicReader)
#include "tst_topic_reader_kafka.moc"
