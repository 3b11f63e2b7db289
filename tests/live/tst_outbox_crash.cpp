// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
//
// The outbox on real servers: written with the effect, published in order, and a publisher killed between publish and
// mark, twenty times over.
#include "core/kafka/producer.h"
#include "core/lab/process.h"
#include "core/outbox/publisher.h"
#include "core/postgres/outbox_store.h"
#include "core/postgres/outbox_writer.h"
#include "tests/support/test_servers.h"

#include <QtTest/QtTest>

#include <csignal>
#include <cstring>
#include <map>
#include <pqxx/pqxx>
#include <set>

using namespace redeliver;
using namespace std::chrono_literals;

namespace {

/// What the child process does: publish, and die by SIGKILL where everything is acknowledged and nothing marked.
int publishAndDie(const std::string& dsn, const std::string& bootstrap) {
    postgres::ConnectOptions options;
    options.dsn = dsn;
    postgres::Session session(std::move(options));
    postgres::PgOutboxStore store(session);
    kafka::Producer sink(kafka::Config::make({{"bootstrap.servers", bootstrap}}).value());
    const auto clock = systemClock();
    const auto entropy = systemEntropy();
    outbox::PublisherOptions crash;
    crash.batch = 40;
    crash.atPoint = [](std::string_view) { raise(SIGKILL); };
    outbox::Publisher(store, sink, *clock, *entropy, crash).run({});
    return 0;
}

std::string idOf(const Record& record) {
    const auto id = lastHeader(record, "message-id");
    return id ? std::string(*id) : std::string();
}

}  // namespace

class TstOutbox : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() {
        m_database = std::make_unique<tests::TestPostgres>();
        m_kafka = std::make_unique<tests::TestKafka>();
        postgres::ConnectOptions options;
        options.dsn = m_database->dsn();
        m_session = std::make_unique<postgres::Session>(std::move(options));
        m_topic = m_kafka->createTopic("outbox", 3);
    }
    void cleanup() {
        m_session.reset();
        m_kafka.reset();
        m_database.reset();
    }

    void rowsLiveAndDieWithTheEffect() {
        pqxx::connection connection(m_database->dsn());
        const OutgoingRecord record{Topic(m_topic),
                                    {},
                                    {},
                                    std::string("k\0\\", 3),
                                    std::string("\xff\0'", 3),
                                    {{"h", "1"}, {"h", std::nullopt}, {"größe", std::string("\0\x01", 2)}, {"", ""}}};
        {
            pqxx::work rolledBack(connection);
            m_writer.add(rolledBack, record, MessageId("lost"));
        }
        pqxx::work kept(connection);
        m_writer.add(kept, record, MessageId("kept \"1\" {}"));
        m_writer.add(kept, {Topic(m_topic), {}, {}, std::nullopt, std::nullopt, {}}, MessageId("null"));
        m_writer.add(kept, {Topic(m_topic), {}, {}, std::string(), std::string(), {}}, MessageId("empty"));
        QVERIFY_THROWS_EXCEPTION(Error, m_writer.add(kept, record, MessageId("")));
        QVERIFY_THROWS_EXCEPTION(Error, m_writer.add(kept, record, MessageId(std::string("a\0b", 3))));
        kept.commit();
        postgres::PgOutboxStore store(*m_session);
        QCOMPARE(store.status().pending, std::int64_t{3});
        QVERIFY(store.status().oldestAge.has_value());
        QCOMPARE(publishAll(), std::size_t{3});
        std::map<std::string, Record> read;
        for (Record& found : m_kafka->readAll(m_topic)) {
            read.emplace(idOf(found), std::move(found));
        }
        QCOMPARE(read.size(), std::size_t{3});
        const Record& exact = read.at("kept \"1\" {}");
        QVERIFY(exact.key == record.key && exact.value == record.value);
        std::vector<Header> headers = record.headers;
        headers.push_back({"message-id", "kept \"1\" {}"});
        QVERIFY(exact.headers == headers);
        QVERIFY(!read.at("null").key && !read.at("null").value);
        QVERIFY(read.at("empty").key == "" && read.at("empty").value == "");
        QCOMPARE(store.status().pending, std::int64_t{0});
        QVERIFY(store.status().lastPublished.has_value());
        QVERIFY(!store.status().oldestAge);
    }

    void onlyOnePublisherWorks() {
        addMessages(10, 2);
        postgres::ConnectOptions options;
        options.dsn = m_database->dsn();
        postgres::Session other(std::move(options));
        postgres::PgOutboxStore holder(other);
        QCOMPARE(holder.claim(0, 100, {})->size(), std::size_t{10});
        postgres::PgOutboxStore second(*m_session);
        QVERIFY(!second.claim(0, 100, {}));
        holder.release();
        QCOMPARE(publishAll(), std::size_t{10});
    }

    void publisherKilledBetweenPublishAndMark() {
        addMessages(800, 7);
        for (int kill = 0; kill < 20; ++kill) {
            lab::ProcessOptions child;
            child.command = {QCoreApplication::applicationFilePath().toStdString(), "--publish-and-die",
                             m_database->dsn(), m_kafka->bootstrap()};
            lab::Process process(std::move(child));
            QCOMPARE(process.wait(30s).value_or(0), 128 + SIGKILL);
            // Nothing was marked; a little is published for real between the kills.
            QCOMPARE(m_database->count("SELECT count(*) FROM redeliver.outbox WHERE published_at IS NOT NULL"),
                     std::int64_t{kill} * 20);
            publishSome(20);
        }
        publishAll();
        const auto records = m_kafka->readAll(m_topic);
        QCOMPARE(records.size(), std::size_t{800 + 20 * 40});  // each kill left its copies behind
        // A guard that takes each ID once sees every message, once, in the order of its key.
        std::set<std::string> seen;
        std::map<std::string, int> lastOfKey;
        for (const Record& record : records) {
            if (!seen.insert(idOf(record)).second) {
                continue;
            }
            const int number = std::stoi(*record.value);
            const auto last = lastOfKey.find(*record.key);
            QVERIFY(last == lastOfKey.end() || last->second < number);
            lastOfKey[*record.key] = number;
        }
        QCOMPARE(seen.size(), std::size_t{800});
        QCOMPARE(m_database->count("SELECT count(*) FROM redeliver.outbox WHERE published_at IS NULL"),
                 std::int64_t{0});
    }

  private:
    void addMessages(int count, int keys) {
        pqxx::connection connection(m_database->dsn());
        pqxx::work transaction(connection);
        for (int i = 0; i < count; ++i) {
            m_writer.add(transaction, {Topic(m_topic), {}, {}, "key" + std::to_string(i % keys), std::to_string(i), {}},
                         MessageId("m" + std::to_string(i)));
        }
        transaction.commit();
    }
    std::size_t publishSome(std::size_t batch) {
        postgres::PgOutboxStore store(*m_session);
        kafka::Producer sink(kafka::Config::make(m_kafka->properties()).value());
        const auto clock = systemClock();
        const auto entropy = systemEntropy();
        outbox::PublisherOptions options;
        options.batch = batch;
        return outbox::Publisher(store, sink, *clock, *entropy, options).pass({}).sent;
    }
    std::size_t publishAll() {
        std::size_t sent = 0;
        while (const std::size_t now = publishSome(500)) {
            sent += now;
        }
        return sent;
    }

    std::unique_ptr<tests::TestPostgres> m_database;
    std::unique_ptr<tests::TestKafka> m_kafka;
    std::unique_ptr<postgres::Session> m_session;
    postgres::OutboxWriter m_writer;
    std::string m_topic;
};

int main(int argc, char** argv) {
    if (argc == 4 && std::strcmp(argv[1], "--publish-and-die") == 0) {
        return publishAndDie(argv[2], argv[3]);
    }
    const QCoreApplication app(argc, argv);
    TstOutbox test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_outbox_crash.moc"
