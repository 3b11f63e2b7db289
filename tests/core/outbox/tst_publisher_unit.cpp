// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// The publisher's loop against models of table and log.
#include "core/outbox/publisher.h"

#include <QtTest/QtTest>

#include <deque>
#include <map>
#include <set>

using namespace redeliver;
using namespace std::chrono_literals;

namespace {

struct Table final : outbox::Store {
    std::vector<outbox::PendingMessage> rows;
    std::map<std::int64_t, std::string> errors;
    std::set<std::int64_t> published;
    bool standby = false;
    bool loseNextSettle = false;

    void add(const std::string& topic, std::optional<std::string> key, const std::string& id) {
        const auto row = static_cast<std::int64_t>(rows.size()) + 1;
        rows.push_back({row, MessageId(id), {Topic(topic), {}, {}, std::move(key), id, {}}, 0});
    }
    std::optional<std::vector<outbox::PendingMessage>> claim(std::int64_t after, std::size_t most,
                                                             const std::stop_token&) override {
        if (standby) {
            return std::nullopt;
        }
        std::vector<outbox::PendingMessage> page;
        for (const outbox::PendingMessage& row : rows) {
            if (row.row > after && !published.contains(row.row) && page.size() < most) {
                page.push_back(row);
            }
        }
        return page;
    }
    void settle(std::span<const outbox::SentMessage> sent, std::span<const outbox::FailedMessage> failed) override {
        if (std::exchange(loseNextSettle, false)) {
            throw Error(ErrorKind::Connection, "connection lost", {}, {}, true);
        }
        for (const outbox::SentMessage& message : sent) {
            published.insert(message.row);
        }
        for (const outbox::FailedMessage& message : failed) {
            errors[message.row] = message.error;
        }
    }
    void release() noexcept override {}
};

struct Log final : ports::RecordSink {
    std::vector<OutgoingRecord> records;
    std::set<std::string> refused;  ///< values the broker doesn't take
    int loseNext = 0;               ///< publish calls that fail as a whole
    std::size_t calls = 0;

    std::vector<Result<ports::Published>> publish(std::span<const OutgoingRecord> sent) override {
        ++calls;
        const bool lost = loseNext > 0 && loseNext-- > 0;
        std::vector<Result<ports::Published>> results;
        for (const OutgoingRecord& record : sent) {
            if (lost) {
                results.push_back(failure(Error(ErrorKind::Connection, "broker away", {}, "_MSG_TIMED_OUT", true)));
            } else if (refused.contains(*record.value)) {
                results.push_back(failure(Error(ErrorKind::Server, "too large", {}, "MSG_SIZE_TOO_LARGE")));
            } else {
                records.push_back(record);
                results.push_back(ports::Published{{record.topic, Partition(0)},
                                                   Offset(static_cast<std::int64_t>(records.size()) - 1)});
            }
        }
        return results;
    }
    [[nodiscard]] std::vector<std::string> values(const std::string& key) const {
        std::vector<std::string> out;
        for (const OutgoingRecord& record : records) {
            if (record.key == key) {
                out.push_back(*record.value);
            }
        }
        return out;
    }
};

struct ModelClock final : Clock {
    std::chrono::steady_clock::time_point at{};
    std::function<void()> asleep;

    [[nodiscard]] TimePoint now() const override {
        return TimePoint{std::chrono::duration_cast<Duration>(at.time_since_epoch())};
    }
    [[nodiscard]] std::chrono::steady_clock::time_point steady() const override { return at; }
    void sleep(Duration span, const std::stop_token&) override {
        at += span;
        if (asleep) {
            asleep();
        }
    }
};

struct Zero final : Entropy {
    std::uint64_t next() override { return 0; }
};

using Values = std::vector<std::string>;

}  // namespace

class TstPublisher : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_table = {};
        m_log = {};
        m_clock = {};
    }

    void orderIsKeptPerKeyAndTheIdIsTheRows() {
        for (int i = 0; i < 30; ++i) {
            m_table.add("t", i % 3 == 0 ? "a" : "b", "m" + std::to_string(i));
        }
        m_table.rows[0].record.headers = {{"x", "1"}, {"message-id", "stale"}, {"x", "2"}};
        outbox::Publisher publisher(m_table, m_log, m_clock, m_entropy);
        QCOMPARE(publisher.drain({}).sent, std::size_t{30});
        QCOMPARE(m_table.published.size(), std::size_t{30});
        Values a;
        for (int i = 0; i < 30; i += 3) {
            a.push_back("m" + std::to_string(i));
        }
        QCOMPARE(m_log.values("a"), a);
        const std::vector<Header> headers{{"x", "1"}, {"x", "2"}, {"message-id", "m0"}};
        QVERIFY(m_log.records[0].headers == headers);
        for (const OutgoingRecord& record : m_log.records) {
            QCOMPARE(*record.headers.back().value, *record.value);
        }
    }

    void withoutKeyEverythingGoesAtOnce() {
        for (int i = 0; i < 100; ++i) {
            m_table.add("t", std::nullopt, std::to_string(i));
        }
        outbox::Publisher publisher(m_table, m_log, m_clock, m_entropy);
        QCOMPARE(publisher.pass({}).sent, std::size_t{100});
        QCOMPARE(m_log.calls, std::size_t{1});
    }

    void aRefusedRowHoldsItsKeyAndNobodyElse() {
        m_table.add("t", "a", "bad");
        m_table.add("t", "a", "a2");
        m_table.add("t", "b", "b1");
        m_table.add("u", "a", "other topic");
        m_table.add("t", "a", "a3");
        m_log.refused = {"bad"};
        outbox::Publisher publisher(m_table, m_log, m_clock, m_entropy);
        const outbox::Pass pass = publisher.drain({});
        QCOMPARE(pass.sent, std::size_t{2});
        QVERIFY(m_table.errors.at(1).starts_with("MSG_SIZE_TOO_LARGE"));
        QVERIFY(m_log.values("a") == Values{"other topic"});
        // Not asked again before its time.
        const std::size_t calls = m_log.calls;
        QCOMPARE(publisher.drain({}).failed, std::size_t{0});
        QCOMPARE(m_log.calls, calls);
        m_clock.at += 1s;
        QCOMPARE(publisher.drain({}).failed, std::size_t{1});
        // A person raised the limit: everything follows in order.
        m_log.refused.clear();
        m_clock.at += 1min;
        QCOMPARE(publisher.drain({}).sent, std::size_t{3});
        QVERIFY(m_log.values("a") == (Values{"other topic", "bad", "a2", "a3"}));
    }

    void rowsBehindManyRefusedOnesAreFound() {
        for (int i = 0; i < 50; ++i) {
            m_table.add("t", "k" + std::to_string(i), "bad" + std::to_string(i));
            m_log.refused.insert("bad" + std::to_string(i));
        }
        m_table.add("t", "fine", "fine");
        outbox::PublisherOptions options;
        options.batch = 10;
        outbox::Publisher publisher(m_table, m_log, m_clock, m_entropy, options);
        publisher.drain({});
        QVERIFY(m_log.values("fine") == Values{"fine"});
    }

    void aLostBrokerIsNotTheRowsFault() {
        m_table.add("t", "a", "1");
        m_table.add("t", "a", "2");
        m_log.loseNext = 1;
        outbox::Publisher publisher(m_table, m_log, m_clock, m_entropy);
        const outbox::Pass pass = publisher.drain({});
        QVERIFY(pass.lost);
        QVERIFY(m_table.errors.empty());
        QCOMPARE(publisher.drain({}).sent, std::size_t{2});
        QVERIFY(m_log.values("a") == (Values{"1", "2"}));
    }

    void aCrashBetweenPublishAndMarkRepeatsTheSameIds() {
        m_table.add("t", "a", "1");
        m_table.add("t", "a", "2");
        m_table.loseNextSettle = true;
        outbox::Publisher publisher(m_table, m_log, m_clock, m_entropy);
        QVERIFY_THROWS_EXCEPTION(Error, publisher.drain({}));
        QCOMPARE(publisher.drain({}).sent, std::size_t{2});
        QVERIFY(m_log.values("a") == (Values{"1", "2", "1", "2"}));
        for (const OutgoingRecord& record : m_log.records) {
            QCOMPARE(*record.headers.back().value, *record.value);
        }
    }

    void standsByWhileAnotherWorks() {
        m_table.add("t", "a", "1");
        m_table.standby = true;
        outbox::Publisher publisher(m_table, m_log, m_clock, m_entropy);
        QVERIFY(publisher.drain({}).standby);
        QCOMPARE(m_log.calls, std::size_t{0});
    }

    void runOutlivesLostServersAndEndsWhenStopped() {
        m_table.add("t", "a", "1");
        m_table.loseNextSettle = true;
        m_log.loseNext = 2;
        std::stop_source stop;
        int sleeps = 0;
        m_clock.asleep = [&] {
            if (++sleeps == 6) {
                stop.request_stop();
            }
        };
        outbox::Publisher publisher(m_table, m_log, m_clock, m_entropy);
        publisher.run(stop.get_token());
        QCOMPARE(sleeps, 6);
        QVERIFY(m_table.published.contains(1));
    }

  private:
    Table m_table;
    Log m_log;
    ModelClock m_clock;
    Zero m_entropy;
};

QTEST_APPLESS_MAIN(TstPublisher)
#include "tst_publisher_unit.moc"
