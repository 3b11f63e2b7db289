// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

namespace redeliver::ctl {

/// Exit status of redeliverctl (contract.md).
enum class Exit : int {
    Done = 0,
    Other = 1,
    Usage = 2,
    NoConnection = 3,
    Refused = 4,
    NotFound = 5,
    Partial = 6,
    Stopped = 7,
};

[[nodiscard]] Exit exitOf(ErrorKind kind) noexcept;

}  // namespace redeliver::ctl
