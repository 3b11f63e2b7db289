// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart/ticks.h"

#include "ui/context/zone.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace redeliver::ui {

namespace {

constexpr std::int64_t day = 86'400;
constexpr std::array<std::int64_t, 26> steps{
    1,     2,      5,      10,     15,  30,      60,      120,      300,      600,      900,      1'800,     3'600,
    7'200, 10'800, 21'600, 43'200, day, 2 * day, 7 * day, 14 * day, 28 * day, 56 * day, 91 * day, 182 * day, 364 * day};
constexpr qreal labelGap = 22;

QString labelOf(const QDateTime& at, std::int64_t step) {
    const bool midnight = at.time() == QTime(0, 0);
    const char* pattern = midnight || step >= day ? "MMM d" : step < 60 ? "HH:mm:ss" : "HH:mm";
    return QLocale::c().toString(at, QString::fromLatin1(pattern));
}

TimePoint instantOf(const QDateTime& at) {
    return fromUnixMillis(at.toMSecsSinceEpoch());
}

// Within one local day: every multiple of `step` on the wall clock, but for what a change to summer time skips.
void appendDay(std::vector<QDateTime>& found, QDate date, const QTimeZone& zone, std::int64_t step,
               const TimeRange& range) {
    const QDateTime start = date.startOfDay(zone);
    const std::int64_t before = (toUnixMillis(range.from) - start.toMSecsSinceEpoch()) / 1000;
    // An hour of slack: the wall clock may have been set back.
    const std::int64_t first = std::max<std::int64_t>(0, (before - 3'600) / step * step);
    for (std::int64_t second = first; second < day; second += step) {
        const QTime wall = QTime::fromMSecsSinceStartOfDay(static_cast<int>(second * 1000));
        const QDateTime at(date, wall, zone);
        if (!at.isValid() || at.time() != wall || instantOf(at) < range.from) {
            continue;
        }
        if (instantOf(at) > range.to) {
            break;
        }
        found.push_back(at);
    }
}

std::vector<QDateTime> roundInstants(const TimeRange& range, const Zone& zone, std::int64_t step) {
    std::vector<QDateTime> found;
    const QDate last = zone.dateTime(range.to).date();
    for (QDate date = zone.dateTime(range.from).date(); date <= last; date = date.addDays(1)) {
        if (step < day) {
            appendDay(found, date, zone.timeZone(), step, range);
        } else if (date.toJulianDay() % (step / day) == 0) {
            const QDateTime at = date.startOfDay(zone.timeZone());
            if (range.from <= instantOf(at) && instantOf(at) <= range.to) {
                found.push_back(at);
            }
        }
    }
    return found;
}

}  // namespace

std::vector<TimeTick> timeTicks(const TimeScale& scale, const Zone& zone,
                                const std::function<qreal(const QString&)>& measure) {
    const auto seconds = static_cast<qreal>(scale.range().length().count()) / 1e6;
    if (seconds <= 0 || scale.width() <= 0) {
        return {};
    }
    const qreal widest = std::max(measure(QStringLiteral("Dec 28")), measure(QStringLiteral("00:00")));
    const qreal widestSeconds = measure(QStringLiteral("00:00:00"));
    std::int64_t step = steps.back();
    for (const std::int64_t candidate : steps) {
        const qreal spacing = scale.width() * static_cast<qreal>(candidate) / seconds;
        if (spacing >= (candidate < 60 ? widestSeconds : widest) + labelGap) {
            step = candidate;
            break;
        }
    }
    std::vector<TimeTick> ticks;
    qreal free = scale.left();
    for (const QDateTime& at : roundInstants(scale.range(), zone, step)) {
        TimeTick tick;
        tick.at = instantOf(at);
        tick.pixel = scale.toPixel(tick.at);
        tick.label = labelOf(at, step);
        tick.labelWidth = measure(tick.label);
        const qreal rightmost = scale.left() + scale.width() - tick.labelWidth;
        tick.labelLeft = std::clamp(tick.pixel - tick.labelWidth / 2, scale.left(), std::max(scale.left(), rightmost));
        if (tick.labelLeft < free || tick.labelWidth > scale.width()) {
            continue;
        }
        free = tick.labelLeft + tick.labelWidth + 8;
        ticks.push_back(std::move(tick));
    }
    return ticks;
}

ValueTicks valueTicks(double largest, int most) {
    if (!(largest > 0)) {
        return {};
    }
    const double rough = largest / std::max(1, most);
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10 * power;
    for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
        if (factor * power >= rough * (1 - 1e-9)) {
            step = factor * power;
            break;
        }
    }
    return {step * std::ceil(largest / step - 1e-9), step};
}

}  // namespace redeliver::ui
