// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/time_range.h"

#include <QObject>

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace redeliver::ui {

/// What the time range control holds: the last so long, or an absolute range.
struct TimeChoice {
    std::optional<std::chrono::seconds> last;  ///< relative when set
    TimeRange range;                           ///< absolute otherwise, to the millisecond
    friend bool operator==(const TimeChoice&, const TimeChoice&) = default;
};

/// The one time range of the window, with its way back. GUI thread.
class TimeWindow : public QObject {
    Q_OBJECT
  public:
    explicit TimeWindow(QObject* parent = nullptr);

    [[nodiscard]] const TimeChoice& choice() const noexcept { return m_history[m_at]; }
    [[nodiscard]] bool isRelative() const noexcept { return choice().last.has_value(); }
    /// The range at `now`.
    [[nodiscard]] TimeRange range(TimePoint now) const noexcept;
    /// The range by the wall clock of this machine.
    [[nodiscard]] TimeRange range() const noexcept;

    void setLast(std::chrono::seconds span);
    /// Widened to at least 1 s; from and to are floored to milliseconds. An empty or reversed range is ignored.
    void setRange(TimeRange range);
    /// Half or twice as long around `centre`; between 10 s and 400 d.
    void zoom(double factor, TimePoint centre);
    /// Earlier (negative) or later by whole lengths; becomes absolute.
    void shift(int lengths);

    [[nodiscard]] bool canGoBack() const noexcept { return m_at > 0; }
    [[nodiscard]] bool canGoForward() const noexcept { return m_at + 1 < m_history.size(); }
    void back();
    void forward();

  Q_SIGNALS:
    void changed();

  private:
    void push(const TimeChoice& choice);

    std::vector<TimeChoice> m_history;  ///< at most 50
    std::size_t m_at = 0;
};

}  // namespace redeliver::ui
