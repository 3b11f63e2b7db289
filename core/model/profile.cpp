// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/profile.h"

#include <algorithm>

namespace redeliver {

std::string_view toText(Environment environment) noexcept {
    switch (environment) {
        case Environment::Development:
            return "development";
        case Environment::Staging:
            return "staging";
        case Environment::Production:
            break;
    }
    return "production";
}

const ProfileConsumer* Profile::find(const ConsumerName& wanted) const noexcept {
    const auto it =
        std::find_if(consumers.begin(), consumers.end(), [&](const auto& consumer) { return consumer.name == wanted; });
    return it == consumers.end() ? nullptr : &*it;
}

}  // namespace redeliver
