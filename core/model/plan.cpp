// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/plan.h"

namespace redeliver {

std::string_view toText(MessageClass klass) noexcept {
    constexpr std::array<std::string_view, messageClassCount> texts{
        "protected", "never_processed", "unprotected", "expiring", "in_flight", "abandoned", "no_identity"};
    return texts[static_cast<std::size_t>(klass)];
}

std::string_view toText(UnprotectedReason reason) noexcept {
    constexpr std::array<std::string_view, 8> texts{
        "older-than-horizon",  "horizon-unknown", "rows-hidden", "not-unique", "hole",
        "restored-or-skipped", "other-log",       "no-timestamp"};
    return texts[static_cast<std::size_t>(reason)];
}

std::string_view toText(HorizonBasis basis) noexcept {
    constexpr std::array<std::string_view, 4> texts{"ledger", "declared", "oldest_marker", "unknown"};
    return texts[static_cast<std::size_t>(basis)];
}

}  // namespace redeliver
