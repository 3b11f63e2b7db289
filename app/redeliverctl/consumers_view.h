// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/redeliverctl/context.h"
#include "core/model/snapshot.h"

#include <string>

namespace redeliver::ctl {

/// One consumer as `consumers --json` gives it: what can't be known is null beside a …_reason.
[[nodiscard]] Json jsonOf(const ConsumerRow& row);

/// The table for people, in order of need for attention, with the sentences of those that need some.
[[nodiscard]] std::string tableOf(const Snapshot& snapshot);

}  // namespace redeliver::ctl
