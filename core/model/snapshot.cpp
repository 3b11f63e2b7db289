// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/snapshot.h"

#include <array>

namespace redeliver {

std::string_view toText(ConsumerState state) noexcept {
    constexpr std::array<std::string_view, 8> texts{"stopped",       "failing", "spike", "elevated",
                                                    "no_usual_rate", "usual",   "idle",  "no_data"};
    return texts[static_cast<std::size_t>(state)];
}

}  // namespace redeliver
