// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/texts.h"

#include <fmt/format.h>

#include <chrono>

namespace redeliver::telemetry {

std::string grouped(std::int64_t number) {
    std::string text = fmt::format("{}", number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > first + 3; at -= 3) {
        text.insert(at - 3, ",");
    }
    return text;
}

std::string percent(double fraction) {
    const double value = fraction * 100;
    if (value == 0) {
        return "0 %";
    }
    return value < 0.1 ? fmt::format("{:.2g} %", value) : fmt::format("{:.1f} %", value);
}

std::string clockTime(TimePoint at) {
    return toRfc3339(at, 0).substr(11, 5) + " UTC";
}

std::string spanWords(Duration span) {
    const std::int64_t seconds = std::chrono::floor<std::chrono::seconds>(span).count();
    if (seconds < 120) {
        return fmt::format("{} s", seconds);
    }
    if (seconds < 7'200) {
        return fmt::format("{} min", seconds / 60);
    }
    if (seconds < 172'800) {
        return fmt::format("{} h", seconds / 3'600);
    }
    return fmt::format("{} d", seconds / 86'400);
}

}  // namespace redeliver::telemetry
