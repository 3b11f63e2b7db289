// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <cstdint>
#include <string>

namespace redeliver::telemetry {

[[nodiscard]] std::string grouped(std::int64_t number);  ///< 1,980
[[nodiscard]] std::string percent(double fraction);      ///< 8.3 %, 0.04 %, 0 %
[[nodiscard]] std::string clockTime(TimePoint at);       ///< 10:40 UTC
[[nodiscard]] std::string spanWords(Duration span);      ///< 40 s, 5 min, 3 h, 2 d

}  // namespace redeliver::telemetry
