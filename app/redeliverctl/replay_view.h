// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/redeliverctl/context.h"
#include "core/model/plan.h"
#include "core/model/replay.h"

#include <string>
#include <vector>

namespace redeliver::ctl {

/// A plan for people: classes per consumer, the guard's findings, and what a run would need.
[[nodiscard]] std::string planText(const ReplayPlan& plan, const std::string& file);
[[nodiscard]] std::string linesText(const std::vector<ReplayLine>& lines);
[[nodiscard]] Json jsonOf(const ReplayLine& line);

/// "0:10-20,3:5-9": the end is exclusive. BadInput names the part.
[[nodiscard]] Result<std::vector<PlanRange>> parseRanges(const std::string& text);

}  // namespace redeliver::ctl
