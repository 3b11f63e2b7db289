// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"

#include <QtTest>

using namespace redeliver;

namespace {
QString text(const std::string& s) {
    return QString::fromStdString(s);
}
}  // namespace

class TimeTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void everyZoneFormMeansTheSameInstant_data();
    void everyZoneFormMeansTheSameInstant();
    void refusesWhatCouldMeanTwoThings_data();
    void refusesWhatCouldMeanTwoThings();
    void writesRfc3339();
    void instantsBeforeNow();
    void spans();
    void roundTripsEveryMillisecondOfADay();
};

void TimeTest::everyZoneFormMeansTheSameInstant_data() {
    QTest::addColumn<QString>("written");
    for (const char* written :
         {"2026-11-30T10:30:00Z", "2026-11-30T10:30:00z", "2026-11-30T16:00:00+05:30", "2026-11-30T16:00:00+0530",
          "2026-11-30T16:15:00+05:45", "2026-11-30T07:00:00-03:30", "2026-11-30T21:00:00+10:30", "2026-11-30 10:30:00Z",
          "2026-11-30T10:30Z", "2026-11-30T10:30:00.000Z"}) {
        QTest::newRow(written) << QString::fromLatin1(written);
    }
}

void TimeTest::everyZoneFormMeansTheSameInstant() {
    QFETCH(QString, written);
    const auto read = parseRfc3339(written.toStdString());
    QVERIFY2(read.has_value(), read ? "" : read.error().what());
    QCOMPARE(text(toRfc3339(*read)), QStringLiteral("2026-11-30T10:30:00.000Z"));
}

void TimeTest::refusesWhatCouldMeanTwoThings_data() {
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("says");
    QTest::newRow("no zone") << QStringLiteral("2026-11-30T10:30:00") << QStringLiteral("no zone");
    QTest::newRow("seconds") << QStringLiteral("1796034600") << QStringLiteral("seconds or milliseconds");
    QTest::newRow("milliseconds") << QStringLiteral("1796034600000") << QStringLiteral("seconds or milliseconds");
    QTest::newRow("hours only") << QStringLiteral("2026-11-30T10:30:00+05") << QStringLiteral("not a zone");
    QTest::newRow("31st") << QStringLiteral("2026-11-31T10:30:00Z") << QStringLiteral("doesn't read");
    QTest::newRow("hour 24") << QStringLiteral("2026-11-30T24:30:00Z") << QStringLiteral("doesn't read");
    QTest::newRow("empty") << QString() << QStringLiteral("doesn't read");
    QTest::newRow("tail") << QStringLiteral("2026-11-30T10:30:00Zx") << QStringLiteral("not a zone");
    QTest::newRow("no digits behind the point")
        << QStringLiteral("2026-11-30T10:30:00.Z") << QStringLiteral("doesn't read");
}

void TimeTest::refusesWhatCouldMeanTwoThings() {
    QFETCH(QString, written);
    QFETCH(QString, says);
    const auto read = parseRfc3339(written.toStdString());
    QVERIFY(!read.has_value());
    QVERIFY2(text(read.error().text()).contains(says), read.error().what());
    QVERIFY(!read.error().hint().empty());
}

void TimeTest::writesRfc3339() {
    const TimePoint at = fromUnixMillis(1'796'034'600'123) + std::chrono::microseconds{456};
    QCOMPARE(text(toRfc3339(at, 0)), QStringLiteral("2026-11-30T10:30:00Z"));
    QCOMPARE(text(toRfc3339(at, 3)), QStringLiteral("2026-11-30T10:30:00.123Z"));
    QCOMPARE(text(toRfc3339(at, 6)), QStringLiteral("2026-11-30T10:30:00.123456Z"));
    QCOMPARE(text(toRfc3339(fromUnixMillis(-1), 3)), QStringLiteral("1969-12-31T23:59:59.999Z"));
    QCOMPARE(toUnixMillis(fromUnixMillis(-1) - std::chrono::microseconds{1}), std::int64_t{-2});
}

void TimeTest::instantsBeforeNow() {
    const TimePoint now = fromUnixMillis(1'796'034'600'000);
    QVERIFY(parseInstant("now", now).value() == now);
    QVERIFY(parseInstant("-3d", now).value() == now - std::chrono::hours{72});
    QVERIFY(parseInstant("-90s", now).value() == now - std::chrono::seconds{90});
    QVERIFY(!parseInstant("-3", now).has_value());
    QVERIFY(!parseInstant("yesterday", now).has_value());
}

void TimeTest::spans() {
    QCOMPARE(parseSpan("7d").value().count(), std::int64_t{604'800});
    QCOMPARE(parseSpan("30s").value().count(), std::int64_t{30});
    for (const char* bad :
         {"", "7", "d", "0d", "-1d", "1.5h", "7 d", "7D", "+7d", "99999999999999999999w", "999999999999w"}) {
        QVERIFY2(!parseSpan(bad).has_value(), bad);
    }
    for (const char* same : {"7d", "90s", "15m", "30d", "26h"}) {
        QCOMPARE(text(toSpanText(parseSpan(same).value())), QString::fromLatin1(same));
    }
}

void TimeTest::roundTripsEveryMillisecondOfADay() {
    for (std::int64_t millis = 951'782'400'000 - 1'000; millis < 951'782'400'000 + 86'400'000; millis += 7'919) {
        const TimePoint at = fromUnixMillis(millis);
        QVERIFY(parseRfc3339(toRfc3339(at, 3)).value() == at);
    }
}

QTEST_APPLESS_MAIN(TimeTest)
#include "tst_time_unit.moc"
