// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/context/time_window.h"

#include <algorithm>

namespace redeliver::ui {

namespace {
constexpr std::size_t mostHistory = 50;
constexpr Duration shortest = std::chrono::seconds(10);
constexpr Duration longest = std::chrono::hours(24 * 400);

TimePoint floorMillis(TimePoint at) {
    return std::chrono::floor<std::chrono::milliseconds>(at);
}
}  // namespace

TimeWindow::TimeWindow(QObject* parent) : QObject(parent) {
    m_history.push_back({std::chrono::hours(1), {}});
}

TimeRange TimeWindow::range(TimePoint now) const noexcept {
    const TimeChoice& chosen = choice();
    return chosen.last ? TimeRange{now - *chosen.last, now} : chosen.range;
}

TimeRange TimeWindow::range() const noexcept {
    return range(std::chrono::floor<Duration>(std::chrono::system_clock::now()));
}

void TimeWindow::setLast(std::chrono::seconds span) {
    if (span.count() > 0) {
        push({span, {}});
    }
}

void TimeWindow::setRange(TimeRange wanted) {
    const TimeRange range{floorMillis(wanted.from), floorMillis(wanted.to)};
    if (range.from >= range.to) {
        return;
    }
    push({std::nullopt, {range.from, std::max(range.to, range.from + std::chrono::seconds(1))}});
}

void TimeWindow::zoom(double factor, TimePoint centre) {
    const TimeRange now = range();
    const auto before = static_cast<double>((centre - now.from).count());
    const auto length = static_cast<double>(now.length().count());
    const double wanted =
        std::clamp(length * factor, static_cast<double>(shortest.count()), static_cast<double>(longest.count()));
    const double part = length > 0 ? before / length : 0.5;
    const TimePoint from = centre - Duration(static_cast<std::int64_t>(wanted * part));
    setRange({from, from + Duration(static_cast<std::int64_t>(wanted))});
}

void TimeWindow::shift(int lengths) {
    const TimeRange now = range();
    const Duration by = now.length() * lengths;
    setRange({now.from + by, now.to + by});
}

void TimeWindow::back() {
    if (canGoBack()) {
        --m_at;
        Q_EMIT changed();
    }
}

void TimeWindow::forward() {
    if (canGoForward()) {
        ++m_at;
        Q_EMIT changed();
    }
}

void TimeWindow::push(const TimeChoice& next) {
    if (next == choice()) {
        return;
    }
    m_history.resize(m_at + 1);
    m_history.push_back(next);
    if (m_history.size() > mostHistory) {
        m_history.erase(m_history.begin());
    }
    m_at = m_history.size() - 1;
    Q_EMIT changed();
}

}  // namespace redeliver::ui
