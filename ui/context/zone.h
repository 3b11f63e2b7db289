// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/time.h"
#include "core/model/time_range.h"

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QTimeZone>

#include <optional>

namespace redeliver::ui {

/// The window's time zone, and the only place where an instant becomes text. The zone is always written beside a time.
class Zone : public QObject {
    Q_OBJECT
  public:
    enum class Kind { Utc, Local, Named };

    explicit Zone(QObject* parent = nullptr);

    void setUtc();
    void setLocal();
    bool setNamed(const QByteArray& ianaId);  ///< false, and nothing changes, for an unknown name
    [[nodiscard]] Kind kind() const noexcept { return m_kind; }
    [[nodiscard]] const QTimeZone& timeZone() const noexcept { return m_zone; }
    /// "UTC", "Local", "Europe/Berlin": the control's label.
    [[nodiscard]] QString name() const;
    /// "UTC", "CET", "+05:30" as it is at that instant.
    [[nodiscard]] QString label(TimePoint at) const;

    [[nodiscard]] QDateTime dateTime(TimePoint at) const;
    [[nodiscard]] QString clock(TimePoint at) const;        ///< 13:41:07 UTC; with the date when not today
    [[nodiscard]] QString clockBare(TimePoint at) const;    ///< 13:41:07, under a heading that names the zone
    [[nodiscard]] QString clockMillis(TimePoint at) const;  ///< 13:41:07.530, under a heading that names the zone
    [[nodiscard]] QString minute(TimePoint at) const;       ///< Dec 1 13:41 UTC
    [[nodiscard]] QString full(TimePoint at) const;         ///< 2026-12-01 13:41:07.530 UTC; for tooltips and exports
    [[nodiscard]] QString range(const TimeRange& range) const;  ///< 13:00 – 14:00 UTC, with dates where needed

    /// Reads what full() writes (zone optional: this one) and what the command line accepts; nothing when it is
    /// neither.
    [[nodiscard]] std::optional<TimePoint> parse(const QString& text, TimePoint now) const;

  Q_SIGNALS:
    void changed();

  private:
    Kind m_kind = Kind::Utc;
    QTimeZone m_zone;
};

}  // namespace redeliver::ui
