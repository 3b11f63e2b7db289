// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/replay/planner.h"

namespace redeliver::replay {

/// Adds what the guard objects to (contract.md, Findings) and the phrase to the plan, from its counts and facts.
void addFindings(Planned& planned, const PlanSetup& setup);

/// How many effects may be applied a second time: unprotected ones, and those without identity at a consumer that our
/// library doesn't guard. What the phrase counts.
[[nodiscard]] std::int64_t mayRepeat(const Planned& planned);

}  // namespace redeliver::replay
