// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace redeliver {

/// Progress of long work; called from the working thread, at most ten times a second.
struct Progress {
    std::string step;
    std::int64_t done = 0;
    std::int64_t total = 0;  ///< 0: not known
};
using ProgressSink = std::function<void(const Progress&)>;

}  // namespace redeliver
