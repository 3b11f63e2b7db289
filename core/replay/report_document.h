// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/replay.h"

#include <string>
#include <string_view>

namespace redeliver::replay {

/// `replay report ID --json`: state, sums (sent + set_aside + left = records), per consumer predicted, found and
/// differences.
[[nodiscard]] std::string reportJson(const ReplayReport& report);

/// The same for people.
[[nodiscard]] std::string reportMarkdown(const ReplayReport& report);

/// The consumers' part of a stored report; BadInput when it isn't one of ours.
[[nodiscard]] Result<std::vector<ConsumerReport>> parseConsumerReports(std::string_view json);

/// Something that a plan didn't say, or that wasn't sent: exit status 6.
[[nodiscard]] bool hasDifferences(const ReplayReport& report) noexcept;

}  // namespace redeliver::replay
