// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/log.h"

#include "core/base/clock.h"

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>

namespace redeliver {
namespace {

// The one piece of process-wide state in core: where log lines go. Everything else is passed in.
std::atomic<LogLevel> lowest{LogLevel::Info};
std::mutex targetMutex;
std::function<void(LogLevel, std::string_view)> target;

std::string_view levelText(LogLevel level) noexcept {
    switch (level) {
        case LogLevel::Debug:
            return "debug";
        case LogLevel::Info:
            return "info";
        case LogLevel::Warn:
            return "warn";
        case LogLevel::Error:
            break;
    }
    return "error";
}

}  // namespace

void log(LogLevel level, std::string_view line) noexcept {
    if (level < lowest.load(std::memory_order_relaxed)) {
        return;
    }
    try {
        const std::scoped_lock lock(targetMutex);
        if (target) {
            target(level, line);
            return;
        }
        std::string out = "at=" + toRfc3339(systemClock()->now(), 3) + " level=" + std::string(levelText(level)) + " ";
        out.append(line).push_back('\n');
        std::fwrite(out.data(), 1, out.size(), stderr);
    } catch (...) {
        std::fputs("level=error text=\"a log line was lost\"\n", stderr);
    }
}

void setLogLevel(LogLevel level) noexcept {
    lowest = level;
}

void setLogTarget(std::function<void(LogLevel, std::string_view)> newTarget) {
    const std::scoped_lock lock(targetMutex);
    target = std::move(newTarget);
}

}  // namespace redeliver
