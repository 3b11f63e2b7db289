// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/query/query.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace redeliver::query {

/// In the order of Field.
inline constexpr std::array<std::string_view, 9> fieldNames{"id",        "consumer", "outcome", "kind", "topic",
                                                            "partition", "worker",   "replay",  "at"};

[[nodiscard]] inline std::optional<Field> fieldNamed(std::string_view name) noexcept {
    const auto* const it = std::find(fieldNames.begin(), fieldNames.end(), name);
    return it == fieldNames.end() ? std::nullopt : std::optional(static_cast<Field>(it - fieldNames.begin()));
}

/// Fields whose values come from a fixed vocabulary (or are numbers): compared whole only.
[[nodiscard]] inline bool fieldIsWord(Field field) noexcept {
    return field == Field::Outcome || field == Field::Kind || field == Field::Partition;
}

/// What the `outcome:` of a delivery event may be: the six, the two beside them, and the notes of the log of events.
inline constexpr std::array<std::string_view, 12> outcomeWords{
    "processed",  "duplicate", "stale",   "not_addressed", "rejected", "transaction_failed",
    "ack_failed", "in_doubt",  "adopted", "group_behind",  "stopped",  "released"};
inline constexpr std::array<std::string_view, 5> kindWords{"redelivered", "published_again", "replayed", "concurrent",
                                                           "unknown"};

}  // namespace redeliver::query
