// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace redeliver {

enum class LogLevel { Debug, Info, Warn, Error };

/// Writes one line to standard error with time and level (logfmt: `at=… level=… ` + line). Thread-safe; never throws.
void log(LogLevel level, std::string_view line) noexcept;

/// Below this level lines are dropped; default Info.
void setLogLevel(LogLevel level) noexcept;

/// Sends lines elsewhere (a test, a file). An empty function restores standard error.
void setLogTarget(std::function<void(LogLevel, std::string_view)> target);

}  // namespace redeliver
