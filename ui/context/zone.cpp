// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/context/zone.h"

#include "ui/common/convert.h"

#include <QLocale>

namespace redeliver::ui {

namespace {

QString text(const QDateTime& at, const char* pattern) {
    // English month names and digits whatever the desktop's locale: the same text as in exports.
    return QLocale::c().toString(at, QString::fromLatin1(pattern));
}

}  // namespace

Zone::Zone(QObject* parent) : QObject(parent), m_zone(QTimeZone::utc()) {}

void Zone::setUtc() {
    m_kind = Kind::Utc;
    m_zone = QTimeZone::utc();
    Q_EMIT changed();
}

void Zone::setLocal() {
    m_kind = Kind::Local;
    m_zone = QTimeZone::systemTimeZone();
    Q_EMIT changed();
}

bool Zone::setNamed(const QByteArray& ianaId) {
    if (!QTimeZone::isTimeZoneIdAvailable(ianaId)) {
        return false;
    }
    m_kind = Kind::Named;
    m_zone = QTimeZone(ianaId);
    Q_EMIT changed();
    return true;
}

QString Zone::name() const {
    switch (m_kind) {
        case Kind::Utc:
            return QStringLiteral("UTC");
        case Kind::Local:
            return tr("Local");
        case Kind::Named:
            break;
    }
    return QString::fromUtf8(m_zone.id());
}

QString Zone::label(TimePoint at) const {
    if (m_kind == Kind::Utc) {
        return QStringLiteral("UTC");
    }
    const QDateTime here = dateTime(at);
    const QString abbreviation = m_zone.abbreviation(here);
    // Zones without a name of their own call themselves "+0530" or "UTC+05:30"; an offset says it better.
    if (!abbreviation.isEmpty() && abbreviation.at(0).isLetter() && !abbreviation.startsWith(QStringLiteral("UTC"))) {
        return abbreviation;
    }
    return here.toOffsetFromUtc(here.offsetFromUtc()).toString(QStringLiteral("t"));
}

QDateTime Zone::dateTime(TimePoint at) const {
    return QDateTime::fromMSecsSinceEpoch(toUnixMillis(at), m_zone);
}

QString Zone::clock(TimePoint at) const {
    const QDateTime here = dateTime(at);
    const bool today = here.date() == QDateTime::currentDateTimeUtc().toTimeZone(m_zone).date();
    return text(here, today ? "HH:mm:ss" : "MMM d HH:mm:ss") + QLatin1Char(' ') + label(at);
}

QString Zone::clockBare(TimePoint at) const {
    return text(dateTime(at), "HH:mm:ss");
}

QString Zone::clockMillis(TimePoint at) const {
    return text(dateTime(at), "HH:mm:ss.zzz");
}

QString Zone::minute(TimePoint at) const {
    return text(dateTime(at), "MMM d HH:mm") + QLatin1Char(' ') + label(at);
}

QString Zone::full(TimePoint at) const {
    return text(dateTime(at), "yyyy-MM-dd HH:mm:ss.zzz") + QLatin1Char(' ') + label(at);
}

QString Zone::range(const TimeRange& range) const {
    const QDateTime from = dateTime(range.from);
    const QDateTime to = dateTime(range.to);
    const bool whole = toUnixMillis(range.from) % 1000 == 0 && toUnixMillis(range.to) % 1000 == 0;
    const bool minutes = whole && from.time().second() == 0 && to.time().second() == 0;
    const char* time = minutes ? "HH:mm" : whole ? "HH:mm:ss" : "HH:mm:ss.zzz";
    const bool today = from.date() == QDateTime::currentDateTimeUtc().toTimeZone(m_zone).date();
    QString first = text(from, time);
    QString second = text(to, time);
    if (from.date() != to.date()) {
        first.prepend(text(from, "MMM d "));
        second.prepend(text(to, "MMM d "));
    } else if (!today) {
        first.prepend(text(from, "MMM d "));
    }
    const QString before = label(range.from);
    const QString after = label(range.to);
    if (before != after) {
        first += QLatin1Char(' ') + before;
    }
    return first + QStringLiteral(" – ") + second + QLatin1Char(' ') + after;
}

std::optional<TimePoint> Zone::parse(const QString& typed, TimePoint now) const {
    QString input = typed.trimmed();
    if (const auto instant = parseInstant(toStd(input), now)) {
        return *instant;
    }
    QTimeZone zone = m_zone;
    const qsizetype space = input.lastIndexOf(QLatin1Char(' '));
    if (space > 0 && !input.at(space + 1).isDigit()) {
        const QString name = input.mid(space + 1);
        if (name == QLatin1String("UTC") || name == QLatin1String("Z")) {
            zone = QTimeZone::utc();
        } else if (name != label(now)) {
            // An abbreviation is only read when it is this zone's own, now or at the time that was typed.
            const auto bare = parse(input.left(space), now);
            return bare && label(*bare) == name ? bare : std::nullopt;
        }
        input.truncate(space);
    }
    input.replace(QLatin1Char('T'), QLatin1Char(' '));
    if (input.size() <= 12 && input.contains(QLatin1Char(':')) && !input.contains(QLatin1Char('-'))) {
        input.prepend(text(dateTime(now), "yyyy-MM-dd "));
    }
    for (const char* pattern : {"yyyy-MM-dd HH:mm:ss.zzz", "yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm", "yyyy-MM-dd"}) {
        const QDateTime read = QDateTime::fromString(input, QString::fromLatin1(pattern));
        if (read.isValid()) {
            const QDateTime there(read.date(), read.time(), zone);
            // A wall-clock time that the zone skips (spring) is no instant.
            if (!there.isValid() || there.time() != read.time()) {
                return std::nullopt;
            }
            return fromUnixMillis(there.toMSecsSinceEpoch());
        }
    }
    return std::nullopt;
}

}  // namespace redeliver::ui
