// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/replay.h"

#include <array>

namespace redeliver {

std::string_view toText(ReplayState state) noexcept {
    constexpr std::array<std::string_view, 7> texts{"planned", "running",  "paused",    "aborted",
                                                    "stopped", "finished", "reconciled"};
    return texts[static_cast<std::size_t>(state)];
}

}  // namespace redeliver
