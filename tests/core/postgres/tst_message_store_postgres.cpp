// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/message_sql.h"
#include "core/postgres/message_store.h"
#include "core/postgres/pqxx_session.h"
#include "tests/core/postgres/database.h"

#include <QtTest/QTest>

using namespace redeliver;
using namespace redeliver::postgres;
using namespace std::chrono_literals;
using tests::Database;
using tests::errorOf;

namespace {

query::Query parsed(const std::string& text) {
    const auto result = query::parse(text, std::chrono::floor<Duration>(std::chrono::system_clock::now()));
    if (!result) {
        throw query::toError(result.error());
    }
    return *result;
}

std::string idsOf(const SearchResult& result) {
    std::string out;
    for (const auto& hit : result.hits) {
        out += fmt::format("{}{}/{}", out.empty() ? "" : " ", hit.consumer, hit.messageId);
    }
    return out;
}

// 30,000 markers of three consumers and 10,000 events.
void fill(const Database& database) {
    database.sql(
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id, processed_at, topic, partition, "
        "\"offset\", "
        "worker) SELECT c, 'pay_' || lpad(n::text, 6, '0'), now() - n * interval '1 s', 't', n % 3, n, 'w' || n % 2 "
        "FROM generate_series(1, 10000) n, unnest(ARRAY['alpha', 'beta', 'gamma']) c;"
        "INSERT INTO redeliver.delivery_events (consumer_name, outcome, kind, message_id, at, topic, partition, "
        "\"offset\", "
        "worker, latency) SELECT 'alpha', 'duplicate', 'redelivered', 'pay_' || lpad(n::text, 6, '0'), now() - n * "
        "interval "
        "'1 s' + interval '500 ms', 't', n % 3, n, 'w', '5 ms' FROM generate_series(1, 10000) n;"
        "ANALYZE redeliver.processed_messages; ANALYZE redeliver.delivery_events");
}

}  // namespace

class MessageStoreTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void exactIdFindsMarkersAndEvents();
    void prefixIsAnExactRange_data();
    void prefixIsAnExactRange();
    void bytesCompareNotLanguages();
    void everyFieldFilters_data();
    void everyFieldFilters();
    void limitsAreSaid();
    void scanKeepsWhatItFoundInTime();
    void lookUpsUseIndexes();
    void detailShowsEachConsumer();
    void stopEndsASearch();
};

void MessageStoreTest::exactIdFindsMarkersAndEvents() {
    Database database;
    fill(database);
    PgMessageStore store{database.session()};
    const auto result = store.search(parsed("pay_000042"), {}, {});
    QCOMPARE(idsOf(result), std::string("alpha/pay_000042 alpha/pay_000042 beta/pay_000042 gamma/pay_000042"));
    QVERIFY(result.complete);
    QCOMPARE(result.plan, std::string("exact by primary key"));
    QVERIFY(!result.hits[0].isMarker);  // the duplicate came half a second later
    QCOMPARE(result.hits[0].outcome, std::string("duplicate"));
    QCOMPARE(result.hits[0].kind, std::optional(DuplicateKind::Redelivered));
    QCOMPARE(result.hits[0].latency, std::optional(Duration{5ms}));
    QVERIFY(result.hits[1].isMarker);
    QCOMPARE(result.hits[1].outcome, std::string("processed"));
    QCOMPARE(result.hits[1].record, std::optional(Coordinates{{}, Topic{"t"}, Partition{0}, Offset{42}}));
    QVERIFY(result.hits[0].at > result.hits[1].at);
    QVERIFY(store.search(parsed("pay_00004"), {}, {}).hits.empty());
    QVERIFY(store.search(parsed("PAY_000042"), {}, {}).hits.empty());
    const auto several = store.search(parsed("pay_000042 pay_000043 nothing"), {}, {});
    QCOMPARE(several.hits.size(), std::size_t{8});
    QCOMPARE(several.plan, std::string("3 IDs by primary key"));
}

void MessageStoreTest::prefixIsAnExactRange_data() {
    QTest::addColumn<QString>("prefix");
    QTest::addColumn<QString>("end");
    QTest::newRow("letter") << QStringLiteral("pay_00") << QStringLiteral("pay_01");
    QTest::newRow("tilde") << QStringLiteral("a~") << QStringLiteral("a\x7f");
    QTest::newRow("one byte to two") << QStringLiteral("a\x7f") << QString::fromUcs4(U"a\u0080");
    QTest::newRow("two bytes to three") << QString::fromUcs4(U"a\u07ff") << QString::fromUcs4(U"a\u0800");
    QTest::newRow("over the surrogates") << QString::fromUcs4(U"a\ud7ff") << QString::fromUcs4(U"a\ue000");
    QTest::newRow("three bytes to four") << QString::fromUcs4(U"a\uffff") << QString::fromUcs4(U"a\U00010000");
    QTest::newRow("last character") << QString::fromUcs4(U"a\U0010ffff") << QStringLiteral("b");
    QTest::newRow("accent") << QStringLiteral("é") << QStringLiteral("ê");
}

void MessageStoreTest::prefixIsAnExactRange() {
    QFETCH(const QString, prefix);
    QFETCH(const QString, end);
    QCOMPARE(prefixEnd(prefix.toStdString()), std::optional(end.toStdString()));
    QVERIFY(!prefixEnd("\xf4\x8f\xbf\xbf"));
    Database database;
    // What begins with the prefix, and its neighbours on both sides.
    const std::vector<std::string> inside{prefix.toStdString(), prefix.toStdString() + "\x01",
                                          prefix.toStdString() + "zzz", prefix.toStdString() + "\xf4\x8f\xbf\xbf"};
    SqlParams params;
    auto all = inside;
    all.push_back(end.toStdString());
    all.push_back(prefix.chopped(1).toStdString() + "\x01");
    params.addArray(all);
    PinnedTransaction transaction{database.session(), {.readOnly = false}};
    transaction.run(
        {"fill", "INSERT INTO :schema.processed_messages (consumer_name, message_id) SELECT 'c', unnest($1::text[])"},
        params);
    transaction.commit();
    query::Query query;
    query.terms.push_back({query::Field::Id, false, {{query::Match::Prefix, prefix.toStdString()}}, {}, {}});
    const auto result = PgMessageStore{database.session()}.search(query, {}, {});
    QCOMPARE(result.plan, std::string("prefix by key range"));
    std::vector<std::string> found;
    for (const auto& hit : result.hits) {
        found.push_back(hit.messageId);
    }
    QCOMPARE(found, inside);
}

void MessageStoreTest::bytesCompareNotLanguages() {
    Database database;
    database.sql(
        "SELECT redeliver.try_mark('c', id) FROM unnest(ARRAY['a%b', 'a_b', 'axb', 'A%B', 'a''b', 'İstanbul']) id");
    PgMessageStore store{database.session()};
    QCOMPARE(idsOf(store.search(parsed("id:a%*"), {}, {})), std::string("c/a%b"));
    QCOMPARE(idsOf(store.search(parsed("id:a_*"), {}, {})), std::string("c/a_b"));
    QCOMPARE(idsOf(store.search(parsed("id~%"), {}, {})).size(), std::string("c/a%b c/A%B").size());
    QCOMPARE(idsOf(store.search(parsed("\"a'b\""), {}, {})), std::string("c/a'b"));
    QVERIFY(store.search(parsed("id:istanbul"), {}, {}).hits.empty());
    QCOMPARE(idsOf(store.search(parsed("id~stanbul"), {}, {})), std::string("c/İstanbul"));
}

void MessageStoreTest::everyFieldFilters_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("found");
    const auto row = [](const char* text, const char* found) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(found);
    };
    row("consumer:one", "one/c one/b one/a");
    row("consumer:on*", "one/c one/b one/a");
    row("-consumer:one", "two/b two/a");
    row("consumer:one,two id:a", "one/a two/a");
    row("outcome:processed", "one/b one/a two/a");
    row("outcome:rejected", "one/c");
    row("kind:replayed", "two/b");
    row("kind:absent id:b", "one/b");
    row("topic:t", "one/c one/a");
    row("-topic:t", "two/b one/b two/a");
    row("partition:2", "one/c");
    row("worker:w1", "one/a");
    row("worker:absent", "one/b two/a");
    row("replay:00000000-0000-4000-8000-00000000000a", "two/b");
    row("at:2026-11-30T12:00:00Z..2026-11-30T12:00:02Z", "one/b one/a two/a");
    row("topic:t outcome:rejected worker:w2", "one/c");
    row("topic:t outcome:rejected worker:w1", "");
}

void MessageStoreTest::everyFieldFilters() {
    static Database database;
    static const bool filled = [] {
        database.sql(
            "INSERT INTO redeliver.processed_messages (consumer_name, message_id, processed_at, topic, partition, "
            "\"offset\", worker) VALUES ('one', 'a', '2026-11-30 12:00:00.5Z', 't', 1, 5, 'w1'), ('one', 'b', "
            "'2026-11-30 "
            "12:00:01Z', NULL, NULL, NULL, NULL), ('two', 'a', '2026-11-30 12:00:00Z', NULL, NULL, NULL, '');"
            "INSERT INTO redeliver.delivery_events (consumer_name, outcome, kind, message_id, at, topic, partition, "
            "\"offset\", worker, replay_id) VALUES ('one', 'rejected', NULL, 'c', '2026-11-30 12:00:03Z', 't', 2, 6, "
            "'w2', "
            "NULL), ('two', 'duplicate', 'replayed', 'b', '2026-11-30 12:00:02Z', 'other', 0, 1, 'w2', "
            "'00000000-0000-4000-8000-00000000000a')");
        return true;
    }();
    QVERIFY(filled);
    QFETCH(const QString, text);
    QFETCH(const QString, found);
    QCOMPARE(idsOf(PgMessageStore{database.session()}.search(parsed(text.toStdString()), {}, {})), found.toStdString());
}

void MessageStoreTest::limitsAreSaid() {
    Database database;
    fill(database);
    PgMessageStore store{database.session()};
    SearchLimits limits;
    limits.hits = 7;
    auto result = store.search(parsed("id:pay_0000*"), limits, {});
    QCOMPARE(result.hits.size(), std::size_t{7});
    QVERIFY(!result.complete);
    QVERIFY2(result.plan.find("ended at 7 results") != std::string::npos, result.plan.c_str());
    QCOMPARE(result.hits[0].messageId, std::string("pay_000001"));
    limits.hits = 4;
    result = store.search(parsed("pay_000042"), limits, {});
    QVERIFY(result.complete);  // exactly as many as there are
    QCOMPARE(result.hits.size(), std::size_t{4});
    limits.hits = 20;
    result = store.search(parsed(""), limits, {});
    QVERIFY(!result.complete);
    QCOMPARE(result.plan.substr(0, 20), std::string("newest first by time"));
    for (std::size_t i = 1; i < result.hits.size(); ++i) {
        QVERIFY(result.hits[i - 1].at >= result.hits[i].at);
    }
    QCOMPARE(result.hits[0].messageId, std::string("pay_000001"));
}

// PC-34: a part search ends at its limit, and what was found until then is there.
void MessageStoreTest::scanKeepsWhatItFoundInTime() {
    Database database;
    fill(database);
    PgMessageStore store{database.session()};
    auto result = store.search(parsed("id~00123"), {}, {});
    QVERIFY(result.complete);
    QCOMPARE(result.hits.size(), std::size_t{44});  // pay_00123x and pay_x00123 where there is one, each four times
    QVERIFY2(result.plan.starts_with("scan"), result.plan.c_str());
    // Reading a row costs a millisecond from here on.
    database.sql(
        "ALTER TABLE redeliver.processed_messages RENAME TO slow_rows;"
        "CREATE FUNCTION redeliver.slow(t text) RETURNS text STABLE LANGUAGE plpgsql AS "
        "$$ BEGIN PERFORM pg_sleep(0.001); RETURN t; END $$;"
        "CREATE VIEW redeliver.processed_messages AS SELECT consumer_name, redeliver.slow(message_id) AS message_id, "
        "processed_at, topic, partition, \"offset\", record_timestamp, worker, replay_id, cluster_id, content_hash, "
        "last_seen_at FROM redeliver.slow_rows");
    SearchLimits limits;
    limits.time = 1500ms;
    const auto began = std::chrono::steady_clock::now();
    result = store.search(parsed("id~pay consumer:alpha outcome:processed"), limits, {});
    QVERIFY(std::chrono::steady_clock::now() - began < 4s);
    QVERIFY(!result.complete);
    QVERIFY2(result.plan.find("not everything was read") != std::string::npos, result.plan.c_str());
    QVERIFY(!result.hits.empty());
}

void MessageStoreTest::lookUpsUseIndexes() {
    Database database;
    fill(database);
    PgMessageStore store{database.session()};
    for (const char* text :
         {"pay_000042", "pay_000042 pay_000043", "id:pay_00004*", "id:pay_00004* consumer:alpha",
          "pay_000042 topic:t -worker:w9", "", "consumer:alpha", "at:-1h..now", "consumer:beta at:-1m..now"}) {
        const std::string plan = store.explain(parsed(text), {});
        QVERIFY2(plan.find("Seq Scan") == std::string::npos, (std::string{text} + ":\n" + plan).c_str());
        QVERIFY(plan.find("Index") != std::string::npos);
    }
    // Exact and prefix by the key's own bounds, not by a filter.
    for (const char* text : {"pay_000042", "id:pay_00004*"}) {
        const std::string plan = store.explain(parsed(text), {});
        const auto condition = plan.find("Index Cond: ((consumer_name = ");
        QVERIFY2(condition != std::string::npos && plan.find("message_id", condition) < plan.find('\n', condition),
                 plan.c_str());
    }
}

void MessageStoreTest::detailShowsEachConsumer() {
    Database database;
    database.sql(
        "INSERT INTO redeliver.consumers (consumer_name, marker_retention, formerly) VALUES ('alpha', '7 days', "
        "'{old-alpha}'), ('beta', NULL, '{}'), ('gamma', NULL, '{}');"
        "INSERT INTO redeliver.processed_messages (consumer_name, message_id, processed_at, topic, partition, "
        "\"offset\", "
        "content_hash, worker) VALUES ('old-alpha', 'm', '2026-11-30 12:00:00Z', 't', 1, 5, '\\x00ff', 'w'), ('beta', "
        "'m', "
        "'2026-11-30 12:00:00Z', 't', 1, 5, NULL, NULL), ('lonely', 'other', now(), NULL, NULL, NULL, NULL, NULL);"
        "INSERT INTO redeliver.delivery_events (consumer_name, outcome, message_id, at, topic, partition, \"offset\", "
        "attempt, error_text) VALUES ('gamma', 'transaction_failed', 'm', '2026-11-30 12:00:01Z', 't', 1, 5, 1, "
        "'first'), "
        "('gamma', 'transaction_failed', 'm', '2026-11-30 12:00:02Z', 't', 1, 9, 2, 'second')");
    ConsumerInfo override_;
    override_.name = ConsumerName{"beta"};
    override_.markerRetention = 60s;
    const auto detail = PgMessageStore{database.session()}.message(MessageId{"m"}, {override_}, {});
    std::string lines;
    for (const auto& line : detail.markers) {
        lines += fmt::format("{}:{}{} ", line.consumer.value(), line.marker ? "yes" : "no",
                             line.note.empty() ? "" : "(" + line.note + ")");
    }
    QCOMPARE(lines, std::string("alpha:yes(under its former name old-alpha) beta:yes gamma:no lonely:no "));
    QCOMPARE(*detail.markers[0].marker->contentHash, (std::string{"\0\xff", 2}));
    QCOMPARE(*detail.markers[0].keptUntil - detail.markers[0].marker->processedAt, Duration{7 * 24h});
    QCOMPARE(*detail.markers[1].keptUntil - detail.markers[1].marker->processedAt, Duration{60s});
    QVERIFY(!detail.markers[1].marker->worker);
    QCOMPARE(detail.attempts.size(), std::size_t{2});
    QCOMPARE(detail.attempts[0].errorText, std::string("first"));
    QCOMPARE(detail.occurrences.size(), std::size_t{2});
    const auto none = PgMessageStore{database.session()}.message(MessageId{"nowhere"}, {}, {});
    QVERIFY(none.attempts.empty() && none.occurrences.empty());
    QCOMPARE(none.markers.size(), std::size_t{4});
}

void MessageStoreTest::stopEndsASearch() {
    Database database;
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(errorOf([&] { PgMessageStore{database.session()}.search(parsed("a"), {}, stop.get_token()); }).kind(),
             ErrorKind::Cancelled);
}

QTEST_APPLESS_MAIN(MessageStoreTest)
#include "tst_message_store_postgres.moc"
