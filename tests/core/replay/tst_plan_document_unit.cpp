// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/canonical_json.h"
#include "core/replay/chooser.h"
#include "core/replay/plan_document.h"
#include "core/replay/provenance.h"
#include "core/replay/report_document.h"
#include "core/replay/token_bucket.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace redeliver;
using namespace redeliver::replay;
using nlohmann::json;

namespace {

ReplayPlan samplePlan() {
    ReplayPlan plan;
    plan.planId = "0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0";
    plan.createdAt = fromUnixMillis(1'796'034'600'123);
    plan.clusterId = "cluster";
    plan.consumer = "order-payment-handler";
    plan.topic = "payments";
    plan.source.window = TimeRange{fromUnixMillis(1'796'000'000'000), fromUnixMillis(1'796'034'600'000)};
    plan.options.dropHeaders = {"kafka_dlt-*"};
    plan.ranges = {{Partition{0}, Offset{10}, Offset{20}}};
    plan.records = 10;
    plan.expectedSeconds = 1;
    plan.fingerprint = "ab";
    ConsumerForecast forecast;
    forecast.consumer = plan.consumer;
    forecast.horizon.basis = HorizonBasis::Ledger;
    forecast.horizon.offsets[Partition{0}] = Offset{15};
    forecast.classes = {5, 0, 5, 0, 0, 0, 0};
    forecast.unprotectedReasons["older-than-horizon"] = 5;
    forecast.unprotected = {{Partition{0}, Offset{10}, Offset{15}, 5}};
    forecast.runs = {{Partition{0}, Offset{10}, Offset{15}, MessageClass::Unprotected},
                     {Partition{0}, Offset{15}, Offset{20}, MessageClass::Protected}};
    plan.consumers.push_back(forecast);
    plan.findings.push_back(
        {"window-past-horizon", Severity::Refuse, Answer::Phrase, plan.consumer, "5 of 10", "p 0", "later"});
    plan.phrase = phraseFor(5, plan.topic);
    sealPlan(plan);
    return plan;
}

Record record(std::vector<Header> headers) {
    Record made;
    made.tp = {Topic{"payments"}, Partition{2}};
    made.offset = Offset{7};
    made.timestamp = fromUnixMillis(1'796'034'600'123);
    made.headers = std::move(headers);
    return made;
}

}  // namespace

class PlanDocumentTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void canonicalFormFollowsRfc8785();
    void roundTripIsExact();
    void everyChangedValueIsNoticed();
    void errorsNameThePlace();
    void everyClassIsWrittenAndUnknownIsNull();
    void phraseHoldsItsCount();
    void copiesKeepEverythingAndCarryOurHeadersLast();
    void copiesOfCopiesNameTheFirstAncestor();
    void provenanceReadsBinaryNumbers();
    void droppedHeadersByPatternAndPreset();
    void windowsAreHalfOpenInMilliseconds();
    void badSourcesAreErrors();
    void theBucketKeepsItsRate();
    void reportsCanBeReadBack();
};

void PlanDocumentTest::canonicalFormFollowsRfc8785() {
    const json value = json::parse(
        "{\"b\":[1,-2,true,null],\"a\":\"\\u20ac\\u000f\\n\\\"\\\\/\",\"\\ud83d\\ude00\":1,"
        "\"\\ufb33\":2,\"\\u00f6\":3,\"\":4}");
    const auto text = canonicalJson(value);
    QVERIFY(text.has_value());
    // UTF-16 order: the surrogate pair of the emoji comes before U+FB33.
    QCOMPARE(QString::fromStdString(*text),
             QString::fromUtf8(
                 "{\"\":4,\"a\":\"€\\u000f\\n\\\"\\\\/\",\"b\":[1,-2,true,null],\"ö\":3,\"😀\":1,\"\xef\xac\xb3\":2}"));
    QVERIFY(!canonicalJson(json::parse("{\"a\":1.5}")));
    QCOMPARE(QString::fromStdString(sha256Hex("abc")),
             QStringLiteral("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
}

void PlanDocumentTest::roundTripIsExact() {
    const ReplayPlan plan = samplePlan();
    const auto parsed = parsePlan(writePlan(plan));
    QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().what());
    QVERIFY(writePlan(*parsed) == writePlan(plan));
    // White space and the order of members change nothing.
    QVERIFY(parsePlan(json::parse(writePlan(plan)).dump()).has_value());
    ReplayPlan again = *parsed;
    sealPlan(again);
    QVERIFY(again.digest == plan.digest);
}

// Every leaf of the document, changed one at a time.
void PlanDocumentTest::everyChangedValueIsNoticed() {
    const json document = json::parse(writePlan(samplePlan()));
    const json flat = document.flatten();
    int changed = 0;
    for (const auto& leaf : flat.items()) {
        json edited = document;
        json& value = edited[json::json_pointer(leaf.key())];
        if (value.is_string()) {
            value = value.get<std::string>() + "x";
        } else if (value.is_number_integer()) {
            value = value.get<std::int64_t>() + 1;
        } else if (value.is_boolean()) {
            value = !value.get<bool>();
        } else {
            continue;
        }
        ++changed;
        QVERIFY2(!parsePlan(edited.dump()), leaf.key().c_str());
    }
    QVERIFY(changed > 40);
    json more = document;
    more["records_more"] = 1;
    const auto added = parsePlan(more.dump());
    QVERIFY(!added && added.error().code() == "plan-stale");
}

void PlanDocumentTest::errorsNameThePlace() {
    const json document = json::parse(writePlan(samplePlan()));
    const auto fails = [&](const char* pointer, const json& value, const std::string& named) {
        json edited = document;
        edited[json::json_pointer(pointer)] = value;
        const auto parsed = parsePlan(edited.dump());
        QVERIFY2(!parsed, pointer);
        QVERIFY2(parsed.error().text().find(named) != std::string::npos, parsed.error().what());
        QVERIFY(parsed.error().kind() == ErrorKind::BadInput);
    };
    fails("/ranges/0/from", "ten", "ranges[0].from");
    fails("/ranges/0/partition", -1, "ranges[0].partition");
    fails("/ranges/0/to", 9, "ranges[0]");
    fails("/consumers/0/classes/protected", 1.5, "consumers[0].classes.protected");
    fails("/consumers/0/runs/1/class", "safe", "consumers[0].runs[1].class");
    fails("/created_at", "yesterday", "created_at");
    fails("/source/kind", "all", "source.kind");
    fails("/options/rate", 0, "options.rate");
    fails("/findings/0/severity", "fatal", "findings[0].severity");
    json missing = document;
    missing.erase("topic");
    const auto parsed = parsePlan(missing.dump());
    QVERIFY(!parsed && parsed.error().text().find("topic") != std::string::npos);
    QVERIFY(!parsePlan("{"));
    QVERIFY(!parsePlan("[]"));
}

void PlanDocumentTest::everyClassIsWrittenAndUnknownIsNull() {
    ReplayPlan plan = samplePlan();
    plan.phrase.reset();
    plan.consumers[0].horizon = Horizon{};
    sealPlan(plan);
    const json document = json::parse(writePlan(plan));
    const json& consumer = document["consumers"][0];
    QCOMPARE(consumer["classes"].size(), std::size_t{7});
    for (const auto& item : consumer["classes"].items()) {
        QVERIFY(item.value().is_number_integer());
    }
    QVERIFY(consumer["horizon"]["at"].is_null());
    QVERIFY(consumer["horizon"]["offsets"].is_null());
    QVERIFY(document["phrase"].is_null());
    QVERIFY(document["options"]["only_for"].is_null());
}

void PlanDocumentTest::phraseHoldsItsCount() {
    QVERIFY(!phraseFor(0, "payments"));
    QVERIFY(phraseFor(17, "payments")->find("17") != std::string::npos);
    QVERIFY(phraseFor(1, "payments") != phraseFor(2, "payments"));
}

void PlanDocumentTest::copiesKeepEverythingAndCarryOurHeadersLast() {
    ReplayPlan plan = samplePlan();
    plan.options.dropHeaders.clear();
    plan.options.onlyFor = "order-payment-handler";
    Record source = record({{"a", "1"}, {"b", std::nullopt}, {"a", ""}, {"redeliver-only", "someone"}});
    source.key = "";
    const OutgoingRecord copy = makeCopy(source, plan);
    const std::vector<Header> expected{{"a", "1"},
                                       {"b", std::nullopt},
                                       {"a", ""},
                                       {"redeliver-replay", plan.planId},
                                       {"redeliver-source", "payments/2/7"},
                                       {"redeliver-source-timestamp", toRfc3339(*source.timestamp)},
                                       {"redeliver-only", "order-payment-handler"},
                                       {"redeliver-target", "payments"}};
    QVERIFY(copy.headers == expected);
    QVERIFY(copy.key == source.key && copy.key.has_value());
    QVERIFY(!copy.value.has_value());
    QVERIFY(copy.partition == Partition{2});
    QVERIFY(!copy.timestamp);
    plan.options.keepTimestamps = true;
    QVERIFY(makeCopy(source, plan).timestamp == source.timestamp);
}

void PlanDocumentTest::copiesOfCopiesNameTheFirstAncestor() {
    const ReplayPlan plan = samplePlan();
    const OutgoingRecord second =
        makeCopy(record({{"redeliver-replay", "old"}, {"redeliver-source", "payments/2/3"}}), plan);
    Record again = record(second.headers);
    again.offset = Offset{9};
    const OutgoingRecord third = makeCopy(again, plan);
    const auto count = std::count_if(third.headers.begin(), third.headers.end(),
                                     [](const Header& one) { return one.name == "redeliver-origin"; });
    QCOMPARE(count, 1);
    Record last = record(third.headers);
    QVERIFY(lastHeader(last, header::origin) == "payments/2/3");
    QVERIFY(lastHeader(last, header::source) == "payments/2/9");
    QCOMPARE(third.headers.size(), std::size_t{4});  // they don't grow
}

void PlanDocumentTest::provenanceReadsBinaryNumbers() {
    using namespace std::string_literals;
    const Provenance spring = provenanceOf(record({{"kafka_dlt-original-topic", "payments"},
                                                   {"kafka_dlt-original-partition", "\0\0\0\2"s},
                                                   {"kafka_dlt-original-offset", "\0\0\0\0\0\0\4\xd2"s}}));
    QVERIFY(spring.isCopy && spring.origin);
    QVERIFY((*spring.origin == Coordinates{{}, Topic{"payments"}, Partition{2}, Offset{1234}}));
    const Provenance connect = provenanceOf(record(
        {{"__connect.errors.topic", "a/b"}, {"__connect.errors.partition", "1"}, {"__connect.errors.offset", "12"}}));
    QVERIFY(connect.origin && connect.origin->topic == Topic{"a/b"} && connect.origin->offset == Offset{12});
    const Provenance broken = provenanceOf(record({{"redeliver-source", "payments/x/3"}}));
    QVERIFY(broken.isCopy && !broken.origin);
    QVERIFY(!provenanceOf(record({})).isCopy);
    QVERIFY(!parseCoordinates("payments/1"));
    QVERIFY(!parseCoordinates("/1/2"));
    QVERIFY(!parseCoordinates("payments/1/-2"));
}

void PlanDocumentTest::droppedHeadersByPatternAndPreset() {
    QVERIFY(isDropped("kafka_dlt-original-topic", {"kafka_dlt-*"}));
    QVERIFY(!isDropped("Kafka_dlt-original-topic", {"kafka_dlt-*"}));
    QVERIFY(isDropped("retry_topic-attempts", {"attempts"}));
    QVERIFY(isDropped("traceparent", {"trace"}));
    QVERIFY(!isDropped("message-id", {"trace", "attempts", "dead-letter"}));
    QVERIFY(isDropped("abc", {"a?c"}));
    QVERIFY(isDropped("", {"*"}));
    QVERIFY(!isDropped("ab", {"a"}));
    QVERIFY(isDropped("xaxbx", {"*a*b*"}));
}

void PlanDocumentTest::windowsAreHalfOpenInMilliseconds() {
    PlanSource source;
    source.window = TimeRange{fromUnixMillis(1000) + Duration{1}, fromUnixMillis(2000) + Duration{1}};
    const auto normal = normalise(source);
    QVERIFY(normal.has_value());
    Record one = record({});
    const auto isTaken = [&](std::int64_t millis) {
        one.timestamp = fromUnixMillis(millis);
        return takes(*normal, "plan", one);
    };
    QVERIFY(!isTaken(1000));
    QVERIFY(isTaken(1001));
    QVERIFY(isTaken(2000));
    QVERIFY(!isTaken(2001));
    one.timestamp.reset();
    QVERIFY(!takes(*normal, "plan", one));
    one.timestamp = fromUnixMillis(1500);
    one.headers = {{"redeliver-replay", "plan"}};
    QVERIFY(!takes(*normal, "plan", one));
    QVERIFY(takes(*normal, "other", one));
}

void PlanDocumentTest::badSourcesAreErrors() {
    PlanSource source;
    QVERIFY(!normalise(source));
    source.window = TimeRange{fromUnixMillis(2), fromUnixMillis(2)};
    QVERIFY(!normalise(source));
    source.kind = PlanSource::Kind::Offsets;
    QVERIFY(!normalise(source));
    source.offsets = {{Partition{1}, Offset{5}, Offset{9}}, {Partition{1}, Offset{1}, Offset{6}}};
    QVERIFY(!normalise(source));
    source.offsets[1].to = Offset{5};
    const auto normal = normalise(source);
    QVERIFY(normal && normal->offsets[0].from == Offset{1});
}

void PlanDocumentTest::theBucketKeepsItsRate() {
    const TokenBucket::Instant start{};
    TokenBucket bucket(100, start);
    TokenBucket::Instant now = start;
    std::int64_t sent = 0;
    while (sent < 1000) {
        const auto wait = bucket.take(25, now);
        now += std::chrono::duration_cast<std::chrono::steady_clock::duration>(wait);
        sent += 25;
    }
    const double seconds = std::chrono::duration<double>(now - start).count();
    QVERIFY(seconds > 9.9 && seconds < 10.1);
    QCOMPARE(TokenBucket(1, start).burst(), 1);
}

void PlanDocumentTest::reportsCanBeReadBack() {
    ReplayReport report;
    report.line.progress = {ReplayId{"r"}, ReplayState::Finished, 3, 2, 1, 0, {}};
    ConsumerReport consumer;
    consumer.consumer = "c";
    consumer.predicted = {{"protected", 2}};
    consumer.found = {1, 1, 0, 0, 0};
    consumer.differences = {{"pay|1", Partition{0}, Offset{4}, "protected", "applied"}};
    report.consumers = {consumer};
    const json document = json::parse(reportJson(report));
    QCOMPARE(document["left"].get<int>(), 0);
    QCOMPARE(document["sent"].get<int>() + document["set_aside"].get<int>() + document["left"].get<int>(), 3);
    const auto read = parseConsumerReports(reportJson(report));
    QVERIFY(read.has_value());
    QVERIFY(read->at(0).found == consumer.found);
    QVERIFY(read->at(0).differences.at(0).messageId == "pay|1");
    QVERIFY(hasDifferences(report));
    QVERIFY(reportMarkdown(report).find("pay 1") != std::string::npos);
}

QTEST_APPLESS_MAIN(PlanDocumentTest)
#include "tst_plan_document_unit.moc"
