// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/time.h"

#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace redeliver {
namespace {

using std::chrono::microseconds;

Error badTime(std::string_view text, std::string_view why) {
    return {ErrorKind::BadInput, fmt::format("\"{}\" is not an instant: {}", text, why),
            "Write RFC 3339 with a zone, e.g. 2026-11-30T10:30:00Z or 2026-11-30T16:00:00+05:30; or now, -15m, -3d."};
}

// Reads exactly `count` digits.
std::optional<int> digits(std::string_view& text, std::size_t count) noexcept {
    if (text.size() < count) {
        return std::nullopt;
    }
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (text[i] < '0' || text[i] > '9') {
            return std::nullopt;
        }
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(count);
    return value;
}

bool skip(std::string_view& text, std::string_view anyOf) noexcept {
    if (text.empty() || anyOf.find(text.front()) == std::string_view::npos) {
        return false;
    }
    text.remove_prefix(1);
    return true;
}

// Z, z, +05:30, +0530; nothing when there is no zone or it is malformed.
std::optional<std::chrono::minutes> zone(std::string_view text) noexcept {
    if (text == "Z" || text == "z") {
        return std::chrono::minutes{0};
    }
    const bool negative = text.starts_with('-');
    if (!skip(text, "+-")) {
        return std::nullopt;
    }
    const auto hours = digits(text, 2);
    skip(text, ":");
    const auto minutes = digits(text, 2);
    if (!hours || !minutes || !text.empty() || *hours > 23 || *minutes > 59) {
        return std::nullopt;
    }
    const std::chrono::minutes offset{*hours * 60 + *minutes};
    return negative ? -offset : offset;
}

struct LocalTime {
    std::chrono::year_month_day date;
    microseconds ofDay{};
};

std::optional<microseconds> fraction(std::string_view& rest) noexcept {
    microseconds value{0};
    if (!skip(rest, ".,")) {
        return value;
    }
    int unit = 100'000;
    std::size_t count = 0;
    while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
        value += microseconds{(rest.front() - '0') * unit};
        unit /= 10;
        ++count;
        rest.remove_prefix(1);
    }
    return count == 0 ? std::nullopt : std::optional(value);
}

std::optional<LocalTime> dateAndTime(std::string_view& rest) noexcept {
    const auto year = digits(rest, 4);
    if (!year || !skip(rest, "-")) {
        return std::nullopt;
    }
    const auto month = digits(rest, 2);
    if (!month || !skip(rest, "-")) {
        return std::nullopt;
    }
    const auto day = digits(rest, 2);
    if (!day || !skip(rest, "Tt ")) {
        return std::nullopt;
    }
    const auto hour = digits(rest, 2);
    if (!hour || !skip(rest, ":")) {
        return std::nullopt;
    }
    const auto minute = digits(rest, 2);
    if (!minute) {
        return std::nullopt;
    }
    int second = 0;
    microseconds part{0};
    if (skip(rest, ":")) {
        const auto seconds = digits(rest, 2);
        const auto read = seconds ? fraction(rest) : std::nullopt;
        if (!read) {
            return std::nullopt;
        }
        second = *seconds;
        part = *read;
    }
    const std::chrono::year_month_day date{std::chrono::year{*year}, std::chrono::month{static_cast<unsigned>(*month)},
                                           std::chrono::day{static_cast<unsigned>(*day)}};
    if (!date.ok() || *hour > 23 || *minute > 59 || second > 60) {
        return std::nullopt;
    }
    return LocalTime{date,
                     std::chrono::hours{*hour} + std::chrono::minutes{*minute} + std::chrono::seconds{second} + part};
}

std::optional<std::int64_t> unitSeconds(char unit) noexcept {
    switch (unit) {
        case 's':
            return 1;
        case 'm':
            return 60;
        case 'h':
            return 3'600;
        case 'd':
            return 86'400;
        case 'w':
            return 604'800;
        default:
            return std::nullopt;
    }
}

}  // namespace

TimePoint fromUnixMillis(std::int64_t millis) noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1000;
    return TimePoint{microseconds{std::clamp(millis, -most, most) * 1000}};
}

std::int64_t toUnixMillis(TimePoint at) noexcept {
    return std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count();
}

std::string toRfc3339(TimePoint at, int digitCount) {
    const auto days = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{days};
    const auto rest = (at - days).count();
    const auto seconds = rest / 1'000'000;
    std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                                   seconds / 3600, seconds / 60 % 60, seconds % 60);
    if (digitCount >= 6) {
        text += fmt::format(".{:06}", rest % 1'000'000);
    } else if (digitCount >= 3) {
        text += fmt::format(".{:03}", rest % 1'000'000 / 1000);
    }
    return text + "Z";
}

Result<TimePoint> parseRfc3339(std::string_view text) {
    if (toInt64(text)) {
        return failure(badTime(text, "a bare number could be seconds or milliseconds"));
    }
    std::string_view rest = text;
    const auto local = dateAndTime(rest);
    if (!local) {
        return failure(badTime(text, "it doesn't read as date and time"));
    }
    if (rest.empty()) {
        return failure(badTime(text, "it has no zone"));
    }
    const auto offset = zone(rest);
    if (!offset) {
        return failure(badTime(text, fmt::format("\"{}\" is not a zone", rest)));
    }
    return TimePoint{std::chrono::sys_days{local->date}} + local->ofDay - *offset;
}

Result<TimePoint> parseInstant(std::string_view text, TimePoint now) {
    if (text == "now") {
        return now;
    }
    if (text.starts_with('-')) {
        const auto span = parseSpan(text.substr(1));
        if (span) {
            return now - *span;
        }
    }
    return parseRfc3339(text);
}

Result<std::chrono::seconds> parseSpan(std::string_view text) {
    const auto bad = [&] {
        return failure(Error{ErrorKind::BadInput, fmt::format("\"{}\" is not a span", text),
                             "Write a whole number greater than 0 and one of s, m, h, d, w: 90s, 15m, 7d."});
    };
    if (text.size() < 2) {
        return bad();
    }
    const auto number = toInt64(text.substr(0, text.size() - 1));
    const auto unit = unitSeconds(text.back());
    constexpr std::int64_t mostSeconds = 100LL * 366 * 86'400;
    if (!number || !unit || *number <= 0 || text.front() == '+' || *number > mostSeconds / *unit) {
        return bad();
    }
    return std::chrono::seconds{*number * *unit};
}

std::string toSpanText(std::chrono::seconds span) {
    constexpr std::array<std::pair<std::int64_t, char>, 4> units{
        {{604'800, 'w'}, {86'400, 'd'}, {3'600, 'h'}, {60, 'm'}}};
    for (const auto& [size, name] : units) {
        // "7d" and not "1w": days are what people say for retention; weeks only from two on.
        if (span.count() % size == 0 && span.count() != 0 && (name != 'w' || span.count() / size > 4)) {
            return fmt::format("{}{}", span.count() / size, name);
        }
    }
    return fmt::format("{}s", span.count());
}

}  // namespace redeliver
