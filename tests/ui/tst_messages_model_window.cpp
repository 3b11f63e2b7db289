// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "ui/messages/attempts.h"
#include "ui/messages/hits_model.h"
#include "ui/messages/payload.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <memory>

using namespace redeliver;
using namespace redeliver::ui;

namespace {

[[maybe_unused]] const bool offscreen = qputenv("QT_QPA_PLATFORM", "offscreen");

TimePoint at(std::int64_t millis) {
    return fromUnixMillis(1'764'510'065'000 + millis);
}

DeliveryEvent happened(std::int64_t millis, const std::string& outcome,
                       const std::string& consumer = "order-payment-handler") {
    DeliveryEvent made;
    made.at = at(millis);
    made.consumer = ConsumerName(consumer);
    made.outcome = outcome;
    made.messageId = MessageId("pay_1");
    return made;
}

MessageDetail detail() {
    MessageDetail made;
    made.id = MessageId("pay_1");
    Marker marker;
    marker.consumer = ConsumerName("order-payment-handler");
    marker.messageId = made.id;
    marker.processedAt = at(500);
    made.markers.push_back({ConsumerName("fulfilment-requester"), std::nullopt, std::nullopt, {}});
    made.markers.push_back({ConsumerName("order-payment-handler"), marker, std::nullopt, {}});
    made.attempts = {happened(0, "transaction_failed"), happened(900, "ack_failed"), happened(2000, "duplicate"),
                     happened(9000, "duplicate"), happened(100, "duplicate", "ledger-projection")};
    return made;
}

}  // namespace

class MessagesModel : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void nullEmptyAndTheTextNullLookDifferent();
    void jsonKeepsDigitsEscapesAndOrder();
    void jsonIsOnlyWhatAParserTakes();
    void invalidUtf8StaysAndSaysWhere();
    void aCutNeverBreaksACharacter();
    void exactBytesReadBack();
    void hexShowsEveryByte();
    void attemptsAreCountedWithTheMarkerOnce();
    void withoutMarkerNoEffectIsClaimed();
    void dotsKeepTheirDistanceAndOrder();
    void hitsComeInPagesAndPassTheModelTester();
    void cellsBecomeFilterTerms();
};

void MessagesModel::nullEmptyAndTheTextNullLookDifferent() {
    const PayloadView none = Payload::decoded(std::nullopt);
    const PayloadView empty = Payload::decoded(std::string());
    const PayloadView word = Payload::decoded(std::string("null"));
    QCOMPARE(none.kind, PayloadKind::Null);
    QCOMPARE(empty.kind, PayloadKind::Empty);
    QCOMPARE(word.kind, PayloadKind::Json);
    QVERIFY(none.note != empty.note && none.note != word.note && empty.note != word.note);
    QCOMPARE(Payload::exact(std::nullopt), QStringLiteral("null"));
    QCOMPARE(Payload::exact(std::string()), QStringLiteral("\"\""));
    QCOMPARE(Payload::exact(std::string("null")), QStringLiteral("\"null\""));
}

void MessagesModel::jsonKeepsDigitsEscapesAndOrder() {
    const auto json =
        Payload::indentJson(R"({"z":12345678901234567890123,"a":[1.50,{}],"s":"a, b: {\"x\"} é","z":null})");
    QVERIFY(json.has_value());
    QCOMPARE(QString::fromStdString(*json),
             QStringLiteral("{\n  \"z\": 12345678901234567890123,\n  \"a\": [\n    1.50,\n    {}\n"
                            "  ],\n  \"s\": \"a, b: {\\\"x\\\"} é\",\n  \"z\": null\n}"));
}

void MessagesModel::jsonIsOnlyWhatAParserTakes() {
    QVERIFY(!Payload::indentJson("").has_value());
    QVERIFY(!Payload::indentJson("  ").has_value());
    QVERIFY(!Payload::indentJson("{\"a\":}").has_value());
    QVERIFY(!Payload::indentJson("1],[2").has_value());
    QVERIFY(!Payload::indentJson("1,2").has_value());
    QVERIFY(Payload::indentJson("42").has_value());
    QCOMPARE(Payload::decoded(std::string("plain words")).kind, PayloadKind::Text);
}

void MessagesModel::invalidUtf8StaysAndSaysWhere() {
    const std::string bytes = "abc\xff\xfe";
    const PayloadView decoded = Payload::decoded(bytes);
    QCOMPARE(decoded.kind, PayloadKind::Binary);
    QVERIFY2(decoded.note.contains(QStringLiteral("byte 3")), qPrintable(decoded.note));
    QVERIFY(decoded.text.contains(QStringLiteral("61 62 63 ff fe")));
    QCOMPARE(Payload::asText(bytes).text, QStringLiteral("abc\\xff\\xfe"));
    QCOMPARE(Payload::firstInvalidUtf8("gr\xc3\xbc\xc3\x9f"), std::string_view::npos);
    QCOMPARE(Payload::firstInvalidUtf8("a\xc3"), std::size_t{1});
}

void MessagesModel::aCutNeverBreaksACharacter() {
    const std::string text = "aaa\xe2\x82\xac";  // three letters and a euro sign
    for (std::size_t most = 3; most < 6; ++most) {
        QCOMPARE(Payload::asText(text, most).text, QStringLiteral("aaa"));
        QVERIFY(Payload::asText(text, most).note.contains(QStringLiteral("cut")));
    }
    QCOMPARE(Payload::asText(text, 6).text, QString::fromUtf8(text.c_str()));
}

void MessagesModel::exactBytesReadBack() {
    QCOMPARE(Payload::exact(std::string("a\"\\\n\x01\xff", 6)), QStringLiteral("\"a\\\"\\\\\\n\\x01\\xff\""));
    Record record;
    record.tp = {Topic("payments"), Partition(3)};
    record.offset = Offset(88'412'907);
    record.value = "v";
    record.headers = {{"h", std::nullopt}, {"h", ""}};
    const QString exact = Payload::exactRecord(record);
    QVERIFY(exact.contains(QStringLiteral("header 0   \"h\" = null")));
    QVERIFY(exact.contains(QStringLiteral("header 1   \"h\" = \"\"")));
    QVERIFY(exact.contains(QStringLiteral("key        null")));
}

void MessagesModel::hexShowsEveryByte() {
    std::string all;
    for (int i = 0; i < 256; ++i) {
        all += static_cast<char>(i);
    }
    const QStringList lines = Payload::asHex(all).text.split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 16);
    QVERIFY2(lines.at(15).startsWith(QStringLiteral("f0  f0 f1 f2")) ||
                 lines.at(15).startsWith(QStringLiteral("000000f0  f0 f1")),
             qPrintable(lines.at(15)));
    QVERIFY(lines.at(4).endsWith(QStringLiteral("@ABCDEFGHIJKLMNO")));
}

void MessagesModel::attemptsAreCountedWithTheMarkerOnce() {
    MessageDetail made = detail();
    made.attempts.push_back(happened(501, "processed"));  // the same delivery as the marker's
    const AttemptLine line = Attempts::of(made, ConsumerName("order-payment-handler"));
    QCOMPARE(line.attempts.size(), std::size_t{5});
    QCOMPARE(line.attempts.front().kind, AttemptKind::Failed);
    QCOMPARE(line.attempts.at(1).kind, AttemptKind::Processed);
    QVERIFY2(line.sentence.startsWith(QStringLiteral("4 deliveries · effect committed once · 2 absorbed")),
             qPrintable(line.sentence));
    QCOMPARE(Attempts::consumers(made).front(), ConsumerName("order-payment-handler"));
    QCOMPARE(Attempts::consumers(made).back(), ConsumerName("fulfilment-requester"));
}

void MessagesModel::withoutMarkerNoEffectIsClaimed() {
    const AttemptLine line = Attempts::of(detail(), ConsumerName("ledger-projection"));
    QVERIFY(line.sentence.contains(QStringLiteral("no marker")));
    QVERIFY(!line.sentence.contains(QStringLiteral("once")));
    QVERIFY(Attempts::of(detail(), ConsumerName("nobody")).attempts.empty());
}

void MessagesModel::dotsKeepTheirDistanceAndOrder() {
    const AttemptLine line = Attempts::of(detail(), ConsumerName("order-payment-handler"));
    const std::vector<double> x = Attempts::places(line.attempts, 300, 24);
    QCOMPARE(x.front(), 0.0);
    QCOMPARE(x.back(), 300.0);
    for (std::size_t i = 1; i < x.size(); ++i) {
        QVERIFY(x[i] - x[i - 1] >= 23.999);
    }
    std::vector<Attempt> many(100, line.attempts.front());
    const std::vector<double> crowded = Attempts::places(many, 300, 24);
    QVERIFY(crowded.back() <= 300.001 && crowded.front() >= -0.001);
}

void MessagesModel::hitsComeInPagesAndPassTheModelTester() {
    HitsModel model;
    auto result = std::make_shared<SearchResult>();
    for (int i = 0; i < 450; ++i) {
        SearchHit hit;
        hit.at = at(i);
        hit.consumer = "c";
        hit.outcome = "processed";
        hit.messageId = "m" + std::to_string(i);
        result->hits.push_back(hit);
    }
    model.setResult(result);
    QCOMPARE(model.rowCount(), HitsModel::pageRows);
    QCOMPARE(model.total(), 450);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setResult(result);
    while (model.canFetchMore({})) {
        model.fetchMore({});
    }
    QCOMPARE(model.rowCount(), 450);
    QCOMPARE(model.index(449, HitsModel::Id).data().toString(), QStringLiteral("m449"));
    QCOMPARE(model.index(0, HitsModel::Latency).data().toString(), QStringLiteral("—"));
    model.setTimeText([](TimePoint) { return QStringLiteral("then"); }, QStringLiteral("Europe/Berlin"));
    QCOMPARE(model.index(0, HitsModel::Time).data().toString(), QStringLiteral("then"));
    QVERIFY(model.headerData(HitsModel::Time, Qt::Horizontal, Qt::DisplayRole)
                .toString()
                .contains(QStringLiteral("Berlin")));
    model.setResult(nullptr);
    QCOMPARE(model.rowCount(), 0);
}

void MessagesModel::cellsBecomeFilterTerms() {
    SearchHit hit;
    hit.consumer = "order-payment-handler";
    hit.outcome = "duplicate";
    hit.kind = DuplicateKind::PublishedAgain;
    hit.messageId = "a*\"b\\ c";
    hit.record = Coordinates{ClusterId(), Topic("payments"), Partition(3), Offset(7)};
    QCOMPARE(filterTerm(hit, HitsModel::Consumer), QStringLiteral("consumer:order-payment-handler"));
    QCOMPARE(filterTerm(hit, HitsModel::Outcome), QStringLiteral("kind:published_again"));
    QCOMPARE(filterTerm(hit, HitsModel::Id), QStringLiteral("id:\"a*\\\"b\\\\ c\""));
    QCOMPARE(filterTerm(hit, HitsModel::Place), QStringLiteral("partition:3"));
    QVERIFY(filterTerm(hit, HitsModel::Worker).isEmpty());
    QVERIFY(filterTerm(hit, HitsModel::Latency).isEmpty());
}

QTEST_MAIN(MessagesModel)
#include "tst_messages_model_window.moc"
