// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/identity/json_lookup.h"
#include "core/identity/message_id_rules.h"

#include <QtTest>

#include <random>

using namespace redeliver;
using namespace std::string_literals;

namespace {

constexpr const char* absent = "<absent>";
constexpr const char* unusable = "<unusable>";

Record record(std::optional<std::string> key, std::optional<std::string> value, std::vector<Header> headers = {}) {
    Record made;
    made.tp = {Topic{"payments"}, Partition{3}};
    made.offset = Offset{42};
    made.key = std::move(key);
    made.value = std::move(value);
    made.headers = std::move(headers);
    return made;
}

std::string textOf(const IdResult& result) {
    if (const auto* id = std::get_if<MessageId>(&result)) {
        return id->value();
    }
    return std::holds_alternative<IdAbsent>(result) ? absent : unusable;
}

std::string extract(const std::vector<std::string>& rules, const Record& from) {
    const auto parsed = MessageIdRules::parse(rules);
    return parsed ? textOf(parsed->extract(from)) : "<error> " + parsed.error().text();
}

struct Case {
    const char* name;
    std::vector<std::string> rules;
    Record from;
    std::string expected;
};

void check(const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        const std::string found = extract(one.rules, one.from);
        QVERIFY2(found == one.expected, (one.name + ": "s + found + " instead of " + one.expected).c_str());
    }
}

}  // namespace

class MessageIdRulesTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void headers();
    void json();
    void keysAndCoordinates();
    void typed();
    void orderOfRules();
    void errorsNameTheRule();
    void reasonsNameTheRule();
    void jsonStructureAgreesWithQt();
    void deepNestingIsHarmless();
};

void MessageIdRulesTest::headers() {
    const std::vector<std::string> first{"header:message-id"};
    const std::vector<std::string> last{"header-last:message-id"};
    const auto with = [](std::vector<Header> headers) { return record("k", "v", std::move(headers)); };
    check({
        {"plain", first, with({{"message-id", "pay_1"}}), "pay_1"},
        {"no such header", first, with({{"Message-Id", "pay_1"}}), absent},
        {"first of two", first, with({{"message-id", "a"}, {"message-id", "b"}}), "a"},
        {"last of two", last, with({{"message-id", "a"}, {"x", "y"}, {"message-id", "b"}}), "b"},
        {"null", first, with({{"message-id", std::nullopt}}), unusable},
        {"null first, value later", first, with({{"message-id", std::nullopt}, {"message-id", "b"}}), unusable},
        {"null last", last, with({{"message-id", "a"}, {"message-id", std::nullopt}}), unusable},
        {"empty", first, with({{"message-id", ""}}), unusable},
        {"NUL", first, with({{"message-id", "a\0b"s}}), unusable},
        {"invalid UTF-8", first, with({{"message-id", "a\xff"}}), unusable},
        {"1024 bytes", first, with({{"message-id", std::string(1024, 'x')}}), std::string(1024, 'x')},
        {"1025 bytes", first, with({{"message-id", std::string(1025, 'x')}}), unusable},
        {"1024 bytes of two-byte characters and one more", first,
         with({{"message-id",
                [] {
                    std::string text;
                    for (int i = 0; i < 513; ++i) {
                        text += "é";
                    }
                    return text;
                }()}}),
         unusable},
        {"no trimming", first, with({{"message-id", " pay 1\n"}}), " pay 1\n"},
        {"no folding", first, with({{"message-id", "PAY"}}), "PAY"},
        {"no normalising", first, with({{"message-id", "e\xcc\x81"}}), "e\xcc\x81"},
        {"name with a colon", {"header:ce:id"}, with({{"ce:id", "c1"}}), "c1"},
    });
}

void MessageIdRulesTest::json() {
    const std::vector<std::string> rule{"json:/message_id"};
    const auto with = [](const char* value) { return record("k", value); };
    check({
        {"string", rule, with(R"({"message_id":"pay_1"})"), "pay_1"},
        {"escapes", rule, with(R"({"message_id":"\u6ce8\u6587\/\"\\\n\ud83d\ude00"})"), "注文/\"\\\n😀"},
        {"escaped member name", rule, with(R"({"message\u005fid":"x"})"), "x"},
        {"integer", rule, with(R"({"message_id": 17 })"), "17"},
        {"large integer", rule, with(R"({"message_id":123456789012345678901234567890123456789})"),
         "123456789012345678901234567890123456789"},
        {"beyond doubles", rule, with(R"({"message_id":9007199254740993})"), "9007199254740993"},
        {"negative", rule, with(R"({"message_id":-5})"), "-5"},
        {"minus zero by its digits", rule, with(R"({"message_id":-0})"), "-0"},
        {"fraction", rule, with(R"({"message_id":1.0})"), unusable},
        {"exponent", rule, with(R"({"message_id":1e3})"), unusable},
        {"true", rule, with(R"({"message_id":true})"), unusable},
        {"false", rule, with(R"({"message_id":false})"), unusable},
        {"object", rule, with(R"({"message_id":{"a":1}})"), unusable},
        {"array", rule, with(R"({"message_id":[1]})"), unusable},
        {"empty string", rule, with(R"({"message_id":""})"), unusable},
        {"NUL", rule, with(R"({"message_id":"a\u0000"})"), unusable},
        {"lone surrogate", rule, with(R"({"message_id":"a\ud800"})"), unusable},
        {"two high surrogates", rule, with(R"({"message_id":"\ud83d\ud83d\ude00"})"), unusable},
        {"invalid UTF-8", rule, with("{\"message_id\":\"a\xff\"}"), unusable},
        {"null", rule, with(R"({"message_id":null})"), absent},
        {"no such member", rule, with(R"({"id":1})"), absent},
        {"not JSON", rule, with("message_id=1"), absent},
        {"cut", rule, with(R"({"message_id":"pay_1")"), absent},
        {"trailing text", rule, with(R"({"message_id":"pay_1"} x)"), absent},
        {"leading zero", rule, with(R"({"message_id":01})"), absent},
        {"trailing comma", rule, with(R"({"message_id":1,})"), absent},
        {"binary", rule, with("\xff\xfe\x01"), absent},
        {"scalar document", rule, with("7"), absent},
        {"byte order mark", rule, with("\xef\xbb\xbf{\"message_id\":1}"), "1"},
        {"last of equal members", rule, with(R"({"message_id":1,"message_id":2})"), "2"},
        {"no value", rule, record("k", std::nullopt), absent},
        {"empty value", rule, record("k", ""), absent},
        {"nested", {"json:/meta/ids/1"}, with(R"({"meta":{"ids":["a","b"]},"x":[[]]})"), "b"},
        {"index past the end", {"json:/ids/2"}, with(R"({"ids":["a","b"]})"), absent},
        {"leading zero in an index", {"json:/ids/01"}, with(R"({"ids":["a","b"]})"), absent},
        {"number as member name", {"json:/ids/1"}, with(R"({"ids":{"1":"m"}})"), "m"},
        {"through a scalar", {"json:/a/b"}, with(R"({"a":"b"})"), absent},
        {"later equal member without it", {"json:/a/b"}, with(R"({"a":{"b":"x"},"a":{}})"), absent},
        {"slash and tilde in names", {"json:/a~1b/~0c"}, with(R"({"a/b":{"~c":"x"}})"), "x"},
        {"empty name", {"json:/"}, with(R"({"":"x"})"), "x"},
        {"same name elsewhere", {"json:/a/id"}, with(R"({"id":"no","b":{"id":"no"},"a":{"id":"yes"}})"), "yes"},
    });
}

void MessageIdRulesTest::keysAndCoordinates() {
    check({
        {"key", {"key"}, record("order-7", "v"), "order-7"},
        {"null key", {"key"}, record(std::nullopt, "v"), absent},
        {"empty key", {"key"}, record("", "v"), unusable},
        {"binary key", {"key"}, record("\xff", "v"), unusable},
        {"coordinates", {"coordinates"}, record(std::nullopt, std::nullopt), "payments/3/42"},
    });
}

void MessageIdRulesTest::typed() {
    const std::string raw("\x0f\x1e\x2d\x3c\x4b\x5a\x69\x78\x87\x96\xa5\xb4\xc3\xd2\xe1\xf0", 16);
    const std::string text = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0";
    const auto with = [](std::optional<std::string> value) { return record("k", "v", {{"id", std::move(value)}}); };
    check({
        {"16 bytes", {"key:uuid"}, record(raw, "v"), text},
        {"36 characters", {"key:uuid"}, record("0F1E2D3C-4b5a-6978-8796-A5B4C3D2E1F0", "v"), text},
        {"32 characters", {"key:uuid"}, record("0f1e2d3c4b5a69788796a5b4c3d2e1f0", "v"), unusable},
        {"braces", {"key:uuid"}, record("{0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0}", "v"), unusable},
        {"dash elsewhere", {"key:uuid"}, record("0f1e2d3-c4b5a-6978-8796-a5b4c3d2e1f0", "v"), unusable},
        {"no hex digit", {"key:uuid"}, record("0g1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0", "v"), unusable},
        {"header uuid", {"header:id:uuid"}, with(raw), text},
        {"last header uuid", {"header-last:id:uuid"}, with(text), text},
        {"int64", {"key:int64"}, record(std::string("\0\0\0\0\0\0\x04\xd2", 8), "v"), "1234"},
        {"int64 minus one", {"key:int64"}, record(std::string(8, '\xff'), "v"), "-1"},
        {"int64 least", {"key:int64"}, record(std::string("\x80\0\0\0\0\0\0\0", 8), "v"), "-9223372036854775808"},
        {"int32 is no int64", {"key:int64"}, record(std::string(4, '\1'), "v"), unusable},
        {"header int64", {"header:id:int64"}, with(std::string("\0\0\0\0\0\0\0\x07", 8)), "7"},
        {"typed null header", {"header:id:int64"}, with(std::nullopt), unusable},
        {"typed empty header", {"header:id:uuid"}, with(""), unusable},
        {"typed null key", {"key:uuid"}, record(std::nullopt, "v"), absent},
    });
}

void MessageIdRulesTest::orderOfRules() {
    const std::vector<std::string> rules{"header:message-id", "json:/message_id", "key!"};
    check({
        {"first wins", rules, record("k", R"({"message_id":"j"})", {{"message-id", "h"}}), "h"},
        {"absent gives way", rules, record("k", R"({"message_id":"j"})"), "j"},
        {"twice absent", rules, record("k", "text"), "k"},
        {"unusable header doesn't fall through", rules, record("k", R"({"message_id":"j"})", {{"message-id", ""}}),
         unusable},
        {"unusable member doesn't fall through", rules, record("k", R"({"message_id":1.5})"), unusable},
        {"all absent", rules, record(std::nullopt, "text"), absent},
        {"typed fall-back", {"header:id", "key!:int64"}, record(std::string(8, '\0'), ""), "0"},
        {"coordinates last", {"header:id", "coordinates"}, record("k", "v"), "payments/3/42"},
    });
}

void MessageIdRulesTest::errorsNameTheRule() {
    const auto fails = [](const std::vector<std::string>& rules, const std::string& named) {
        const auto parsed = MessageIdRules::parse(rules);
        QVERIFY2(!parsed, named.c_str());
        QVERIFY(parsed.error().kind() == ErrorKind::BadInput);
        QVERIFY2(parsed.error().text().find(named) != std::string::npos, parsed.error().what());
    };
    fails({}, "message_id");
    fails({"header:id", "key"}, "\"key\"");
    fails({"key", "header:id"}, "\"key\"");
    fails({"key:uuid", "header:id"}, "\"key:uuid\"");
    fails({"header:"}, "\"header:\"");
    fails({"header::uuid"}, "\"header::uuid\"");
    fails({"header:id:guid"}, "guid");
    fails({"json:message_id"}, "\"json:message_id\"");
    fails({"json:"}, "\"json:\"");
    fails({"json:/a~2"}, "\"json:/a~2\"");
    fails({"json:/a~"}, "\"json:/a~\"");
    fails({"value"}, "\"value\"");
    fails({""}, "\"\"");
    fails({" key"}, "\" key\"");
    fails({"Header:id"}, "\"Header:id\"");
    fails({"coordinates", "key!"}, "\"coordinates\"");
    fails({"header:\xff"}, "UTF-8");
}

void MessageIdRulesTest::reasonsNameTheRule() {
    const auto rules = MessageIdRules::parse({"header:message-id"});
    QVERIFY(rules.has_value());
    const std::string reason = whyNoIdentity(rules->extract(record("k", "v", {{"message-id", ""}})));
    QVERIFY2(reason.find("header:message-id") != std::string::npos, reason.c_str());
    QVERIFY(!whyNoIdentity(rules->extract(record("k", "v"))).empty());
    QVERIFY(whyNoIdentity(rules->extract(record("k", "v", {{"message-id", "x"}}))).empty());
    QVERIFY(rules->texts() == std::vector<std::string>{"header:message-id"});
}

// Random small documents, half of them broken: what Qt takes for JSON, we do, and the other way round.
void MessageIdRulesTest::jsonStructureAgreesWithQt() {
    std::mt19937 random(11);
    const std::string pieces[] = {"{",   "}",    "[",    "]",    ",",     ":", "\"a\"",       "\"b\"", "1",  "-2",
                                  "0.5", "1e5 ", "null", "true", "false", " ", "\"\\u0041\"", "{}",    "[]", "\"a\":1"};
    int good = 0;
    for (int round = 0; round < 200'000; ++round) {
        std::string text = round % 2 == 0 ? "{\"a\":" : "[";
        const int parts = static_cast<int>(random() % 5);
        for (int i = 0; i < parts; ++i) {
            text += pieces[random() % std::size(pieces)];
        }
        text += round % 2 == 0 ? "}" : "]";
        QJsonParseError error{};
        QJsonDocument::fromJson(QByteArray::fromStdString(text), &error);
        const bool ours = findInJson(text, {"a"}).kind != JsonFound::Kind::NotJson;
        QVERIFY2(ours == (error.error == QJsonParseError::NoError), text.c_str());
        good += ours ? 1 : 0;
    }
    QVERIFY(good > 1000);
}

void MessageIdRulesTest::deepNestingIsHarmless() {
    const int depth = 2'000'000;
    const std::string deep = "{\"x\":" + std::string(depth, '[') + std::string(depth, ']') + ",\"message_id\":\"in\"}";
    QCOMPARE(QString::fromStdString(extract({"json:/message_id"}, record("k", deep))), QStringLiteral("in"));
}

QTEST_APPLESS_MAIN(MessageIdRulesTest)
#include "tst_message_id_rules_unit.moc"
