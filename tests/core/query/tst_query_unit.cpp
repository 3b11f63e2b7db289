// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/query/query.h"

#include <QtTest>

#include <random>

using namespace redeliver;
using namespace redeliver::query;

namespace {

const TimePoint now = parseRfc3339("2026-11-30T12:00:00Z").value();

Query read(std::string_view text) {
    auto query = parse(text, now);
    if (!query) {
        QTest::qFail(qPrintable(QString::fromStdString(toError(query.error()).text())), __FILE__, __LINE__);
        return {};
    }
    return *query;
}

Query exactId(const std::string& id) {
    return {{{Field::Id, false, {{Match::Exact, id}}, {}, {}}}};
}

// The IDs of "IDs made of the query language's own characters".
const std::vector<std::string> awkward{"a*b",    "axb",    "a%b",  "a_b",      "id:7",        "x\"y", "O'Brien",
                                       " lead",  "trail ", "-neg", "(1)",      "back\\slash", "日本", "topic:payments",
                                       "absent", "",       "a,b",  "a\r\nb\t", "~",           ":",    "\"",
                                       "*",      "\\",     "-"};

}  // namespace

class TstQueryUnit : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aBareWordIsAnExactId() {
        QCOMPARE(read("pay_01J8K6M9R2"), exactId("pay_01J8K6M9R2"));
        QCOMPARE(read("id:pay_01J8K6M9R2"), exactId("pay_01J8K6M9R2"));
        QCOMPARE(read("  "), Query{});
    }

    void starIsPrefixOnlyOutsideQuotesAndAtTheEnd() {
        QCOMPARE(read("id:pay_01*").terms[0].anyOf, (std::vector<Pattern>{{Match::Prefix, "pay_01"}}));
        QCOMPARE(read("id:\"a*b\""), exactId("a*b"));
        QCOMPARE(read("id:\"a*b\"*").terms[0].anyOf, (std::vector<Pattern>{{Match::Prefix, "a*b"}}));
        const auto wrong = parse("id:a*b", now);
        QVERIFY(!wrong);
        QCOMPARE(wrong.error().position, std::size_t{4});
        QVERIFY(wrong.error().hint.find('"') != std::string::npos);
    }

    void everyAwkwardIdRoundTrips() {
        for (const std::string& id : awkward) {
            QCOMPARE(read("id:" + quoteValue(id)), exactId(id));
            QCOMPARE(read(write(exactId(id))), exactId(id));
            QCOMPARE(read(quoteValue(id)), exactId(id));
            const Query prefix{{{Field::Id, true, {{Match::Prefix, id}}, {}, {}}}};
            if (!id.empty()) {
                QCOMPARE(read(write(prefix)), prefix);
            }
        }
    }

    void aPastedListIsAnyOfThemAndTwiceIsOnce() {
        const Query query = read("\xEF\xBB\xBFpay_1\r\npay_2\r\n\r\npay_1\r\n\"pay 3\", \"pay,4\"\r\n");
        QCOMPARE(query.terms.size(), std::size_t{1});
        QCOMPARE(
            query.terms[0].anyOf,
            (std::vector<Pattern>{
                {Match::Exact, "pay_1"}, {Match::Exact, "pay_2"}, {Match::Exact, "pay 3"}, {Match::Exact, "pay,4"}}));
    }

    void termsOfDifferentFieldsNarrowAndNegationStaysApart() {
        const Query query =
            read("consumer:a,b -kind:replayed outcome:duplicate kind:redelivered -kind:concurrent worker:absent");
        QCOMPARE(query.terms.size(), std::size_t{6});
        QCOMPARE(query.terms[0].anyOf.size(), std::size_t{2});
        QVERIFY(query.terms[1].negated);
        QVERIFY(query.terms[4].negated);
        QCOMPARE(query.terms[5].anyOf[0].match, Match::Absent);
        QCOMPARE(read(write(query)), query);
        QCOMPARE(read("worker:\"absent\"").terms[0].anyOf[0].match, Match::Exact);
        QCOMPARE(read("id~K6 id~M9").terms.size(), std::size_t{2});
    }

    void timesAreHalfOpenAndNeedAZone() {
        const Query query = read("at:-1h..now");
        QCOMPARE(*query.terms[0].from, now - std::chrono::hours{1});
        QCOMPARE(*query.terms[0].to, now);
        QCOMPARE(read(write(query)), query);
        QCOMPARE(*read("at:2026-11-30T16:00:00+05:30..").terms[0].from, parseRfc3339("2026-11-30T10:30:00Z").value());
        QVERIFY(!read("at:..2026-11-30T10:30:00.123456Z").terms[0].from);
        QCOMPARE(read(write(read("at:..2026-11-30T10:30:00.123456Z"))), read("at:..2026-11-30T10:30:00.123456Z"));
        QVERIFY(!parse("at:2026-11-30T16:00:00..now", now));
        QVERIFY(!parse("at:1796034600..now", now));
        QVERIFY(!parse("at:now..-1h", now));
        QVERIFY(!parse("at:..", now));
    }

    void errorsNameThePosition_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<int>("position");
        QTest::newRow("unknown field") << QByteArray("consumer:a foo:b") << 11;
        QTest::newRow("open quote") << QByteArray("id:\"abc") << 3;
        QTest::newRow("quote inside") << QByteArray("x\"y") << 1;
        QTest::newRow("behind quote") << QByteArray("id:\"a\"b") << 6;
        QTest::newRow("no value") << QByteArray("id: x") << 3;
        QTest::newRow("comma at end") << QByteArray("id:a,") << 4;
        QTest::newRow("lone minus") << QByteArray("a - b") << 2;
        QTest::newRow("unknown outcome") << QByteArray("outcome:dup") << 8;
        QTest::newRow("unknown kind") << QByteArray("kind:x") << 5;
        QTest::newRow("partition text") << QByteArray("partition:x") << 10;
        QTest::newRow("partition too big") << QByteArray("partition:2147483648") << 10;
        QTest::newRow("partition part") << QByteArray("partition~1") << 10;
        QTest::newRow("replay not a uuid") << QByteArray("replay:7") << 7;
        QTest::newRow("escape") << QByteArray("id:\"a\\x\"") << 5;
        QTest::newRow("empty part") << QByteArray("id~\"\"") << 3;
        QTest::newRow("not utf-8") << QByteArray("id:\xff") << 0;
    }
    void errorsNameThePosition() {
        QFETCH(QByteArray, text);
        QFETCH(int, position);
        const auto query = parse(std::string_view{text.constData(), static_cast<std::size_t>(text.size())}, now);
        QVERIFY(!query);
        QCOMPARE(static_cast<int>(query.error().position), position);
        QVERIFY(!query.error().text.empty());
        QVERIFY(toError(query.error()).text().find(std::to_string(position + 1)) != std::string::npos);
    }

    void whatIsWrittenReadsBackTheSame() {
        std::mt19937_64 random{20261130};
        const std::string alphabet = "ab*\"\\,:~- \t%_'()\xE6\x97\xA5";
        for (int round = 0; round < 3000; ++round) {
            std::string id;
            for (std::size_t i = 0, n = 1 + random() % 6; i < n; ++i) {
                const char c = alphabet[random() % (alphabet.size() - 3)];
                id += c;
                id += random() % 5 == 0 ? "\xE6\x97\xA5" : "";
            }
            const auto match = static_cast<Match>(random() % 3);
            const Query query{
                {{random() % 2 == 0 ? Field::Id : Field::Worker, random() % 2 == 0, {{match, id}}, {}, {}},
                 {Field::Partition, false, {{Match::Exact, "3"}, {Match::Absent, ""}}, {}, {}}}};
            const auto back = parse(write(query), now);
            QVERIFY2(back.has_value(), write(query).c_str());
            QVERIFY2(*back == query, write(query).c_str());
        }
    }

    void anythingAtAllIsAQueryOrAnError() {
        std::mt19937_64 random{7};
        const std::string alphabet = "id:~-*\",\\ at:..consumer:\n\x01";
        for (int round = 0; round < 20'000; ++round) {
            std::string text;
            for (std::size_t i = 0, n = random() % 20; i < n; ++i) {
                text += alphabet[random() % alphabet.size()];
            }
            const auto query = parse(text, now);
            if (query) {
                const auto back = parse(write(*query), now);
                QVERIFY2(back && *back == *query, text.c_str());
            } else {
                QVERIFY2(query.error().position <= text.size(), text.c_str());
            }
        }
    }

    void limitsAreSaid() {
        std::string text;
        for (int i = 0; i < 10'001; ++i) {
            text += "id" + std::to_string(i) + "\n";
        }
        QVERIFY(!parse(text, now));
        text.resize(text.rfind("id"));
        QCOMPARE(read(text).terms[0].anyOf.size(), std::size_t{10'000});
        QVERIFY(!parse(std::string((1U << 20U) + 1, 'a'), now));
    }
};

QTEST_APPLESS_MAIN(TstQueryUnit)
#include "tst_query_unit.moc"
