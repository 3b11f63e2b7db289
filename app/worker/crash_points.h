// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/profile.h"

#include <functional>
#include <string>
#include <string_view>

namespace redeliver::worker {

/// Kills this process (SIGKILL, as a power cut would) at a named point: "after-commit", or "after-commit:3" for the
/// third time it is reached. Compiled in always, armed by --crash-at or REDELIVER_CRASH_AT. BadInput for an unknown
/// point, Refused where the profile's environment is production. Empty text: nothing is armed.
[[nodiscard]] Result<std::function<void(std::string_view)>> armCrash(const std::string& text, Environment environment);

}  // namespace redeliver::worker
