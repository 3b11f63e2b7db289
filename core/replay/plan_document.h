// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/plan.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace redeliver::replay {

/// The plan file (contract.md, A replay): pretty-printed JSON with the digest that covers everything else.
[[nodiscard]] std::string writePlan(const ReplayPlan& plan);

/// Sets `digest` from everything else.
void sealPlan(ReplayPlan& plan);

/// Reads a plan file. BadInput names the place ("ranges[0].from: an integer is missing"); a document whose digest
/// doesn't hold any more is Refused with code "plan-stale".
[[nodiscard]] Result<ReplayPlan> parsePlan(std::string_view text);

/// The phrase that a person must type for this plan, or nothing: the count of everything that may be applied twice.
[[nodiscard]] std::optional<std::string> phraseFor(std::int64_t mayRepeat, const std::string& topic);

}  // namespace redeliver::replay
