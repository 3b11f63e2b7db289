// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/formats.h"

#include "ui/common/convert.h"

#include <array>
#include <cmath>
#include <cstdlib>

namespace redeliver::ui {

namespace {

// The C locale's point whatever the desktop says; QString::number never uses a locale.
QString fixed(double value, int decimals) {
    return QString::number(value, 'f', decimals);
}

QString grouped(QString digits) {
    const qsizetype first = digits.startsWith(QLatin1Char('-')) ? 1 : 0;
    for (qsizetype at = digits.size() - 3; at > first; at -= 3) {
        digits.insert(at, QLatin1Char(','));
    }
    return digits;
}

// 1.25 → "1.3", 11.04 → "11.0", 212.4 → "212"
QString threeFigures(double value) {
    return fixed(value, value < 99.95 ? 1 : 0);
}

}  // namespace

QString Formats::none() {
    return QStringLiteral("—");
}

QString Formats::number(std::int64_t value) {
    return grouped(QString::number(value));
}

QString Formats::number(const std::optional<std::int64_t>& value) {
    return value ? number(*value) : none();
}

QString Formats::compact(std::int64_t value) {
    constexpr std::array<const char*, 4> units{"k", "M", "G", "T"};
    if (value > -1000 && value < 1000) {
        return QString::number(value);
    }
    double scaled = static_cast<double>(value) / 1000.0;
    std::size_t unit = 0;
    while (std::abs(scaled) >= 999.5 && unit + 1 < units.size()) {
        scaled /= 1000.0;
        ++unit;
    }
    return threeFigures(scaled) + QChar(0x202F) + QLatin1String(units[unit]);
}

QString Formats::rate(double perSecond) {
    if (perSecond == 0.0) {
        return QStringLiteral("0");
    }
    if (perSecond < 0.01) {
        return QStringLiteral("< 0.01");
    }
    if (perSecond >= 99.95) {
        return grouped(fixed(perSecond, 0));
    }
    return fixed(perSecond, perSecond < 0.995 ? 2 : 1);
}

QString Formats::axis(double value) {
    QString text = fixed(value, value < 1 ? 4 : 2);
    while (text.endsWith(QLatin1Char('0'))) {
        text.chop(1);
    }
    if (text.endsWith(QLatin1Char('.'))) {
        text.chop(1);
        return grouped(text);
    }
    return text;
}

QString Formats::percent(double fraction) {
    const double hundred = fraction * 100.0;
    if (hundred == 0.0) {
        return QStringLiteral("0 %");
    }
    if (hundred < 0.01) {
        return QStringLiteral("< 0.01 %");
    }
    // 99.97 % of something is not all of it.
    if (hundred > 99.9 && hundred < 100.0) {
        return QStringLiteral("> 99.9 %");
    }
    return fixed(hundred, hundred < 0.095 ? 2 : 1) + QStringLiteral(" %");
}

QString Formats::percent(const std::optional<double>& fraction) {
    return fraction ? percent(*fraction) : none();
}

QString Formats::share(std::int64_t part, std::int64_t whole) {
    return whole == 0 ? none() : percent(static_cast<double>(part) / static_cast<double>(whole));
}

QString Formats::latency(const std::optional<Duration>& value) {
    if (!value) {
        return none();
    }
    const auto micros = static_cast<double>(value->count());
    if (micros < 999.5) {
        return fixed(micros, 0) + QStringLiteral(" µs");
    }
    if (micros < 999'500.0) {
        return fixed(micros / 1000.0, micros < 9950.0 ? 1 : 0) + QStringLiteral(" ms");
    }
    if (micros < 59.95e6) {
        return fixed(micros / 1e6, 1) + QStringLiteral(" s");
    }
    return age(*value);
}

QString Formats::span(const std::optional<std::chrono::seconds>& value) {
    if (!value) {
        return none();
    }
    const QString exact = toQt(toSpanText(*value));
    return exact.left(exact.size() - 1) + QLatin1Char(' ') + exact.right(1);
}

QString Formats::age(Duration value) {
    const std::int64_t seconds = std::llabs(std::chrono::floor<std::chrono::seconds>(value).count());
    const auto two = [](std::int64_t big, const QString& bigUnit, std::int64_t small, const QString& smallUnit) {
        const QString first = QString::number(big) + QLatin1Char(' ') + bigUnit;
        return small == 0 ? first : first + QLatin1Char(' ') + QString::number(small) + QLatin1Char(' ') + smallUnit;
    };
    if (seconds < 60) {
        return QString::number(seconds) + QStringLiteral(" s");
    }
    if (seconds < 3600) {
        return two(seconds / 60, QStringLiteral("min"), seconds % 60, QStringLiteral("s"));
    }
    if (seconds < 86'400) {
        return two(seconds / 3600, QStringLiteral("h"), seconds % 3600 / 60, QStringLiteral("min"));
    }
    return two(seconds / 86'400, QStringLiteral("d"), seconds % 86'400 / 3600, QStringLiteral("h"));
}

QString Formats::bytes(std::int64_t value) {
    constexpr std::array<const char*, 4> units{"KiB", "MiB", "GiB", "TiB"};
    if (value < 1024) {
        return QString::number(value) + QStringLiteral(" B");
    }
    double scaled = static_cast<double>(value) / 1024.0;
    std::size_t unit = 0;
    while (scaled >= 1023.5 && unit + 1 < units.size()) {
        scaled /= 1024.0;
        ++unit;
    }
    return threeFigures(scaled) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

}  // namespace redeliver::ui
