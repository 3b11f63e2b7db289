// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "ui/chart/ticks.h"
#include "ui/common/formats.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/frame/history.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>

using namespace redeliver;
using namespace std::chrono_literals;
using ui::Formats;

namespace {

TimePoint at(const char* text) {
    return *parseRfc3339(text);
}

// Seven pixels a character: a width that a test can reckon with.
qreal measure(const QString& text) {
    return static_cast<qreal>(text.size()) * 7;
}

}  // namespace

class FormatsTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void numbersAreTheSameInEveryLocale() {
        QLocale::setDefault(QLocale(QLocale::German));
        QCOMPARE(Formats::number(1'331'604), QStringLiteral("1,331,604"));
        QCOMPARE(Formats::number(-1'204), QStringLiteral("-1,204"));
        QCOMPARE(Formats::number(-204), QStringLiteral("-204"));
        QCOMPARE(Formats::rate(1041.4), QStringLiteral("1,041"));
        QLocale::setDefault(QLocale::c());
    }

    void unknownIsNeverZeroAndZeroIsOnlyZero() {
        QCOMPARE(Formats::number(std::optional<std::int64_t>()), QStringLiteral("—"));
        QCOMPARE(Formats::percent(std::optional<double>()), QStringLiteral("—"));
        QCOMPARE(Formats::share(0, 0), QStringLiteral("—"));
        QCOMPARE(Formats::share(0, 5), QStringLiteral("0 %"));
        QCOMPARE(Formats::share(1, 1'000'000), QStringLiteral("< 0.01 %"));
        QCOMPARE(Formats::share(999'999, 1'000'000), QStringLiteral("> 99.9 %"));
        QCOMPARE(Formats::share(5, 5), QStringLiteral("100.0 %"));
        QCOMPARE(Formats::rate(0.0001), QStringLiteral("< 0.01"));
        QCOMPARE(Formats::rate(0), QStringLiteral("0"));
        QCOMPARE(Formats::latency({}), QStringLiteral("—"));
        QCOMPARE(Formats::span({}), QStringLiteral("—"));
    }

    void figuresKeepTheirLength() {
        QCOMPARE(Formats::percent(0.052), QStringLiteral("5.2 %"));
        QCOMPARE(Formats::percent(0.0002), QStringLiteral("0.02 %"));
        QCOMPARE(Formats::compact(840), QStringLiteral("840"));
        QCOMPARE(Formats::compact(1'204), QStringLiteral("1.2\u202Fk"));
        QCOMPARE(Formats::compact(999'999), QStringLiteral("1.0\u202FM"));
        QCOMPARE(Formats::compact(212'400'000), QStringLiteral("212\u202FM"));
        QCOMPARE(Formats::latency(850us), QStringLiteral("850 µs"));
        QCOMPARE(Formats::latency(18ms), QStringLiteral("18 ms"));
        QCOMPARE(Formats::latency(1204ms), QStringLiteral("1.2 s"));
        QCOMPARE(Formats::latency(200s), QStringLiteral("3 min 20 s"));
        QCOMPARE(Formats::span(std::chrono::hours(168)), QStringLiteral("7 d"));
        QCOMPARE(Formats::age(3h + 5min), QStringLiteral("3 h 5 min"));
        QCOMPARE(Formats::age(52h), QStringLiteral("2 d 4 h"));
        QCOMPARE(Formats::bytes(1434), QStringLiteral("1.4 KiB"));
        QCOMPARE(Formats::axis(2500), QStringLiteral("2,500"));
        QCOMPARE(Formats::axis(7.5), QStringLiteral("7.5"));
        QCOMPARE(Formats::axis(0.02), QStringLiteral("0.02"));
    }

    void zoneIsAlwaysBesideTheTime() {
        ui::Zone zone;
        const TimePoint winter = at("2024-12-01T13:41:07.530Z");
        QCOMPARE(zone.full(winter), QStringLiteral("2024-12-01 13:41:07.530 UTC"));
        QVERIFY(zone.setNamed("Europe/Berlin"));
        QCOMPARE(zone.full(winter), QStringLiteral("2024-12-01 14:41:07.530 CET"));
        QCOMPARE(zone.full(at("2024-07-01T12:00:00Z")), QStringLiteral("2024-07-01 14:00:00.000 CEST"));
        QVERIFY(!zone.setNamed("Europe/Nowhere"));
        QCOMPARE(zone.name(), QStringLiteral("Europe/Berlin"));
        QVERIFY(zone.setNamed("Asia/Kolkata"));
        QCOMPARE(zone.minute(winter), QStringLiteral("Dec 1 19:11 IST"));
    }

    void rangesNameBothZonesAcrossAChange() {
        ui::Zone zone;
        QVERIFY(zone.setNamed("Europe/Berlin"));
        QCOMPARE(zone.range({at("2024-03-31T00:30:00Z"), at("2024-03-31T01:30:00Z")}),
                 QStringLiteral("Mar 31 01:30 CET – 03:30 CEST"));
        QCOMPARE(zone.range({at("2024-03-30T10:00:00Z"), at("2024-03-30T11:00:00.250Z")}),
                 QStringLiteral("Mar 30 11:00:00.000 – 12:00:00.250 CET"));
    }

    void typedTimesAreReadBackAsWritten() {
        ui::Zone zone;
        const TimePoint now = at("2024-12-01T14:00:00Z");
        for (const char* id : {"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"}) {
            QVERIFY(zone.setNamed(id));
            for (const char* text : {"2024-12-01T13:41:07.530Z", "2024-07-01T00:00:00Z", "2024-03-31T00:59:59.999Z"}) {
                QCOMPARE(zone.parse(zone.full(at(text)), now), std::optional(at(text)));
            }
        }
        zone.setUtc();
        QCOMPARE(zone.parse(QStringLiteral("13:41"), now), std::optional(at("2024-12-01T13:41:00Z")));
        QCOMPARE(zone.parse(QStringLiteral("-15m"), now), std::optional(at("2024-12-01T13:45:00Z")));
        QCOMPARE(zone.parse(QStringLiteral("now"), now), std::optional(now));
        QCOMPARE(zone.parse(QStringLiteral("2024-12-01T13:41:07+05:30"), now),
                 std::optional(at("2024-12-01T08:11:07Z")));
        QVERIFY(!zone.parse(QStringLiteral("13:41 CET"), now));
        QVERIFY(!zone.parse(QStringLiteral("1733000000"), now));
        QVERIFY(!zone.parse(QStringLiteral("2024-13-01"), now));
        QVERIFY(!zone.parse(QString(), now));
        QVERIFY(zone.setNamed("Europe/Berlin"));
        QVERIFY2(!zone.parse(QStringLiteral("2024-03-31 02:30"), now), "the clock skips that hour");
    }

    void timeWindowGoesBackAndForward() {
        ui::TimeWindow time;
        QSignalSpy changes(&time, &ui::TimeWindow::changed);
        const TimeRange range{at("2024-12-01T13:00:00.123Z"), at("2024-12-01T14:00:00.456Z")};
        time.setRange({range.from + 400us, range.to});
        QCOMPARE(time.choice().range, range);
        time.setLast(15min);
        QVERIFY(time.isRelative());
        time.back();
        QCOMPARE(time.choice().range, range);
        time.back();
        QVERIFY(!time.canGoBack());
        time.forward();
        QCOMPARE(time.choice().range, range);
        QCOMPARE(changes.count(), 5);
        time.setRange({range.to, range.from});
        QCOMPARE(changes.count(), 5);
    }

    void zoomKeepsTheInstantUnderThePointer() {
        ui::TimeWindow time;
        const TimeRange range{at("2024-12-01T12:00:00Z"), at("2024-12-01T16:00:00Z")};
        time.setRange(range);
        time.zoom(0.5, at("2024-12-01T13:00:00Z"));
        QCOMPARE(time.choice().range, (TimeRange{at("2024-12-01T12:30:00Z"), at("2024-12-01T14:30:00Z")}));
        for (int i = 0; i < 30; ++i) {
            time.zoom(0.5, at("2024-12-01T13:00:00Z"));
        }
        QCOMPARE(time.choice().range.length(), Duration(10s));
        time.shift(1);
        QCOMPARE(time.choice().range.length(), Duration(10s));
    }

    void pixelAndTimeAgreeAtOddRatios_data() {
        QTest::addColumn<double>("ratio");
        for (const double ratio : {1.0, 1.25, 1.5, 1.75, 2.0}) {
            QTest::addRow("%g", ratio) << ratio;
        }
    }
    void pixelAndTimeAgreeAtOddRatios() {
        QFETCH(double, ratio);
        const TimeRange range{at("2024-12-01T13:00:00Z"), at("2024-12-01T14:00:00Z")};
        const ui::TimeScale scale(range, 51.0, 1005.0 / ratio);
        for (std::int64_t i = 0; i <= 3600; i += 30) {
            const TimePoint instant = range.from + std::chrono::seconds(i);
            const qreal pixel = scale.toPixel(instant);
            // One device pixel is what a pointer can hit.
            const qreal device = std::round(pixel * ratio) / ratio;
            const auto perPixel = Duration(range.length().count() / static_cast<std::int64_t>(scale.width()));
            const auto off = scale.toTime(device) - instant;
            QVERIFY(std::chrono::abs(off) <= perPixel);
            QVERIFY(std::chrono::abs(scale.toTime(pixel) - instant) <= 1us);
        }
        QCOMPARE(scale.between(51, 51 + scale.width()), range);
        QCOMPARE(scale.between(51 + scale.width(), 51), range);
        QCOMPARE(scale.toTime(-1000), range.from);
    }

    void ticksNeverOverlapNorLeaveThePlot_data() {
        QTest::addColumn<qint64>("seconds");
        QTest::addColumn<double>("width");
        for (const qint64 seconds : {20, 300, 3'600, 14'400, 86'400, 604'800, 31'536'000}) {
            for (const double width : {120.0, 333.0, 995.0, 3600.0}) {
                QTest::addRow("%llds %gpx", static_cast<long long>(seconds), width) << seconds << width;
            }
        }
    }
    void ticksNeverOverlapNorLeaveThePlot() {
        QFETCH(qint64, seconds);
        QFETCH(double, width);
        ui::Zone zone;
        QVERIFY(zone.setNamed("America/New_York"));
        const TimePoint from = at("2024-10-30T11:17:03Z");
        const ui::TimeScale scale({from, from + std::chrono::seconds(seconds)}, 40, width);
        const auto ticks = ui::timeTicks(scale, zone, measure);
        QVERIFY(!ticks.empty() || width < 200);
        qreal free = 40;
        for (const ui::TimeTick& tick : ticks) {
            QVERIFY(tick.labelLeft >= free);
            free = tick.labelLeft + tick.labelWidth;
            QVERIFY(free <= 40 + width + 0.001);
            QVERIFY(std::abs(scale.toPixel(tick.at) - tick.pixel) < 1e-6);
        }
    }

    void ticksStandOnRoundTimesOfTheZoneAcrossAChange() {
        ui::Zone zone;
        QVERIFY(zone.setNamed("Europe/Berlin"));
        // The night of the change back: 25 hours from midnight to midnight.
        const TimeRange range{at("2024-10-26T22:00:00Z"), at("2024-10-27T23:00:00Z")};
        const auto ticks = ui::timeTicks(ui::TimeScale(range, 0, 600), zone, measure);
        QVERIFY(ticks.size() >= 5);
        QCOMPARE(ticks.front().label, QStringLiteral("Oct 27"));
        QCOMPARE(ticks.back().label, QStringLiteral("Oct 28"));
        for (const ui::TimeTick& tick : ticks) {
            QCOMPARE(zone.dateTime(tick.at).time().minute(), 0);
        }
        // Kolkata's full hours are half hours in UTC.
        QVERIFY(zone.setNamed("Asia/Kolkata"));
        for (const ui::TimeTick& tick : ui::timeTicks(ui::TimeScale(range, 0, 600), zone, measure)) {
            QCOMPARE(zone.dateTime(tick.at).time().minute(), 0);
            QCOMPARE(toUnixMillis(tick.at) / 60'000 % 60, 30);
        }
    }

    void valueAxisIsRoundAndLargeEnough() {
        for (const double largest : {0.003, 0.7, 1.0, 4.2, 9.99, 10.0, 512.0, 1199.0, 3'000'001.0}) {
            for (const int most : {2, 4, 6}) {
                const ui::ValueTicks ticks = ui::valueTicks(largest, most);
                QVERIFY(ticks.top >= largest * (1 - 1e-9));
                QVERIFY(ticks.top / ticks.step <= most + 1 + 1e-9);
                QVERIFY(ticks.top < largest * 2.6);
            }
        }
        QCOMPARE(ui::valueTicks(0, 4).top, 1.0);
        QCOMPARE(ui::valueTicks(std::nan(""), 4).top, 1.0);
    }

    void historyDropsTheFutureWhenItTurnsOff() {
        ui::History history;
        const auto place = [](const char* argument) {
            return ui::Place{{ui::PageId::Messages, QString::fromLatin1(argument), {}}, {1h, {}}};
        };
        QVERIFY(!history.back());
        history.visit(place("a"));
        history.visit(place("b"));
        history.visit(place("b"));
        QCOMPARE(history.back()->link.argument, QStringLiteral("a"));
        QVERIFY(!history.back());
        QCOMPARE(history.forward()->link.argument, QStringLiteral("b"));
        QVERIFY(!history.forward());
        (void)history.back();
        history.visit(place("c"));
        QVERIFY(!history.forward());
        QCOMPARE(history.back()->link.argument, QStringLiteral("a"));
    }
};

QTEST_GUILESS_MAIN(FormatsTest)
#include "tst_formats_window.moc"
