// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/backoff.h"
#include "core/base/log.h"
#include "core/base/text.h"

#include <QtTest>

#include <random>

using namespace redeliver;

class TextTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void utf8AgreesWithQt();
    void base64AgreesWithQt();
    void logfmtQuotesWhatNeedsIt();
    void numbersIgnoreTheLocale();
    void backoffGrowsAndStaysInItsBounds();
    void logLinesGoToTheTarget();
    void uuidsHaveVersionAndVariant();
};

void TextTest::utf8AgreesWithQt() {
    std::mt19937 random(7);
    std::uniform_int_distribution<int> byte(0, 255);
    std::uniform_int_distribution<int> choice(0, 9);
    const char* interesting[] = {"\xc2\x80",         "\xe0\xa0\x80",     "\xed\x9f\xbf", "\xee\x80\x80",
                                 "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xc0\x80",     "\xed\xa0\x80",
                                 "\xf4\x90\x80\x80", "\xe0\x9f\xbf"};
    for (int round = 0; round < 20'000; ++round) {
        std::string bytes;
        for (int part = 0; part < 3; ++part) {
            bytes += choice(random) < 6 ? std::string(interesting[choice(random)])
                                        : std::string(1, static_cast<char>(byte(random)));
        }
        auto decoder = QStringDecoder(QStringDecoder::Utf8, QStringConverter::Flag::Stateless);
        const QString decoded = decoder(QByteArrayView(bytes.data(), qsizetype(bytes.size())));
        QVERIFY2(isValidUtf8(bytes) == !decoder.hasError(), toHex(bytes).c_str());
        Q_UNUSED(decoded);
    }
    QVERIFY(isValidUtf8(""));
    QVERIFY(!isValidUtf8("\xe2\x82"));
}

void TextTest::base64AgreesWithQt() {
    for (int length = 0; length < 40; ++length) {
        std::string bytes;
        for (int i = 0; i < length; ++i) {
            bytes += static_cast<char>(i * 37 + length);
        }
        const QByteArray theirs = QByteArray::fromStdString(bytes).toBase64();
        QCOMPARE(QByteArray::fromStdString(toBase64(bytes)), theirs);
        QVERIFY(fromBase64(toBase64(bytes)) == bytes);
    }
    QVERIFY(!fromBase64("a"));
    QVERIFY(!fromBase64("ab*d"));
}

void TextTest::logfmtQuotesWhatNeedsIt() {
    std::string line;
    appendLogfmt(line, "consumer", "order-payment-handler");
    appendLogfmt(line, "message_id", "a b\"c\\\n");
    appendLogfmt(line, "empty", "");
    appendLogfmt(line, "utf8", "日本");
    appendLogfmt(line, "bad", "\xff");
    QCOMPARE(QString::fromStdString(line),
             QStringLiteral(
                 "consumer=order-payment-handler message_id=\"a b\\\"c\\\\\\n\" empty=\"\" utf8=日本 bad=\"\\xff\""));
}

void TextTest::numbersIgnoreTheLocale() {
    QCOMPARE(toInt64("42").value(), std::int64_t{42});
    QVERIFY(!toInt64("42 "));
    QVERIFY(!toInt64(""));
    QVERIFY(!toInt64("99999999999999999999"));
    QCOMPARE(toDouble("9.8e-2").value(), 9.8e-2);
    QVERIFY(!toDouble("9,8"));
}

void TextTest::backoffGrowsAndStaysInItsBounds() {
    struct Fixed : Entropy {
        std::uint64_t value = 0;
        std::uint64_t next() override { return value += 1'234'567; }
    } entropy;
    Backoff backoff{std::chrono::milliseconds{100}, std::chrono::seconds{5}};
    Duration whole = std::chrono::milliseconds{100};
    for (int i = 0; i < 12; ++i) {
        const Duration delay = backoff.next(entropy);
        QVERIFY(delay <= whole && delay >= whole / 2);
        whole = std::min<Duration>(whole * 2, std::chrono::seconds{5});
    }
    backoff.reset();
    QVERIFY(backoff.next(entropy) <= std::chrono::milliseconds{100});
}

void TextTest::logLinesGoToTheTarget() {
    std::vector<std::string> lines;
    setLogTarget([&](LogLevel, std::string_view line) { lines.emplace_back(line); });
    log(LogLevel::Debug, "dropped");
    log(LogLevel::Info, "kept");
    setLogTarget({});
    QCOMPARE(lines.size(), std::size_t{1});
    QVERIFY(lines.front() == "kept");
}

void TextTest::uuidsHaveVersionAndVariant() {
    const auto entropy = systemEntropy();
    const auto text = QString::fromStdString(randomUuid(*entropy));
    const QUuid uuid(text);
    QVERIFY(!uuid.isNull());
    QCOMPARE(uuid.version(), QUuid::Random);
    QCOMPARE(uuid.variant(), QUuid::DCE);
    QCOMPARE(uuid.toString(QUuid::WithoutBraces), text);
}

QTEST_APPLESS_MAIN(TextTest)
#include "tst_text_unit.moc"
