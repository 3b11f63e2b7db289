// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace redeliver {

/// Every instant in core: UTC, microseconds since 1970. Kafka's record timestamps are milliseconds and are widened.
using TimePoint = std::chrono::sys_time<std::chrono::microseconds>;
using Duration = std::chrono::microseconds;

[[nodiscard]] TimePoint fromUnixMillis(std::int64_t millis) noexcept;
[[nodiscard]] std::int64_t toUnixMillis(TimePoint at) noexcept;  ///< floor

/// RFC 3339 in UTC with `digits` (0, 3 or 6) of a second: 2026-11-30T10:30:00.000Z.
[[nodiscard]] std::string toRfc3339(TimePoint at, int digits = 3);

/// RFC 3339 with a zone (Z, z, +05:30, +0530). Without a zone, or a bare number: BadInput with what to write (PC-09).
[[nodiscard]] Result<TimePoint> parseRfc3339(std::string_view text);

/// What the command line and the window accept as an instant: RFC 3339 with zone, `now`, `-3d`, `-15m`, `-90s` (before
/// now).
[[nodiscard]] Result<TimePoint> parseInstant(std::string_view text, TimePoint now);

/// A number and one of s m h d w, greater than 0; anything else is BadInput (contract.md, profile).
[[nodiscard]] Result<std::chrono::seconds> parseSpan(std::string_view text);

/// Shortest exact form that parseSpan reads back: "7d", "90s".
[[nodiscard]] std::string toSpanText(std::chrono::seconds span);

}  // namespace redeliver
