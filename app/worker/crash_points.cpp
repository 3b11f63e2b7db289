// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/worker/crash_points.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/consumer/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <memory>

namespace redeliver::worker {

Result<std::function<void(std::string_view)>> armCrash(const std::string& text, Environment environment) {
    if (text.empty()) {
        return std::function<void(std::string_view)>();
    }
    if (environment == Environment::Production) {
        return failure(Error(ErrorKind::Refused, "crash points can't be armed in a production profile",
                             "Use a profile whose environment is development or staging."));
    }
    const auto colon = text.find(':');
    const auto name = text.substr(0, colon);
    const auto count = colon == std::string::npos ? std::optional<std::int64_t>(1) : toInt64(text.substr(colon + 1));
    const auto& points = consumer::allPoints;
    if (std::find(std::begin(points), std::end(points), name) == std::end(points) || !count || *count < 1) {
        return failure(Error(ErrorKind::BadInput, fmt::format("\"{}\" is no crash point", text),
                             fmt::format("One of {}, with \":N\" for the Nth time.", fmt::join(points, ", "))));
    }
    return [name, left = *count](std::string_view where) mutable {
        if (where == name && --left == 0) {
            log(LogLevel::Warn, "event=crash point=" + name);
            ::kill(::getpid(), SIGKILL);
            ::pause();
        }
    };
}

}  // namespace redeliver::worker
