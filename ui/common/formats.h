// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/time.h"

#include <QCoreApplication>
#include <QString>

#include <chrono>
#include <cstdint>
#include <optional>

namespace redeliver::ui {

/// Numbers, rates and durations as text, the same in every locale ("1,331,604", "5.2 %"): they are read beside the
/// command line's. What can't be observed is "—", never 0. Pure; any thread. Instants: ui/context/zone.h.
class Formats {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::Formats)
  public:
    [[nodiscard]] static QString none();  ///< "—"
    [[nodiscard]] static QString number(std::int64_t value);
    [[nodiscard]] static QString number(const std::optional<std::int64_t>& value);
    /// Three figures: 840, 1.2 k, 11.0 M, 212 M.
    [[nodiscard]] static QString compact(std::int64_t value);
    /// Per second, without the unit: 1,041 above 100, 14.2 above 10, 0.35 below; "0" only for 0.
    [[nodiscard]] static QString rate(double perSecond);
    /// A round number on an axis: 2,500, 7.5, 0.02; no trailing zeros.
    [[nodiscard]] static QString axis(double value);
    /// Of a fraction: 5.2 %, 0.02 %; "< 0.01 %" when there are some; "0 %" only for 0.
    [[nodiscard]] static QString percent(double fraction);
    [[nodiscard]] static QString percent(const std::optional<double>& fraction);
    /// part of whole; "—" when the whole is 0.
    [[nodiscard]] static QString share(std::int64_t part, std::int64_t whole);
    /// A measured time: 850 µs, 18 ms, 1.2 s, 3 min 20 s.
    [[nodiscard]] static QString latency(const std::optional<Duration>& value);
    /// A configured span: 7 d, 36 h, 90 s (exact).
    [[nodiscard]] static QString span(const std::optional<std::chrono::seconds>& value);
    /// Time gone by, two units at most: 4 s, 3 min 20 s, 3 h 5 min, 2 d 4 h.
    [[nodiscard]] static QString age(Duration value);
    [[nodiscard]] static QString bytes(std::int64_t value);  ///< 186 B, 1.4 KiB
};

}  // namespace redeliver::ui
