// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/log.h"
#include "core/model/delivery.h"

namespace redeliver::consumer {

/// One logfmt line per delivery: `consumer=… message_id=… outcome=…` and what else is known (domain rule 9). Level by
/// outcome: info for success (a duplicate is one), warn for what comes again, error for what was put aside or stopped.
void logDelivery(const DeliveryEvent& event);
[[nodiscard]] std::string deliveryLine(const DeliveryEvent& event);
[[nodiscard]] LogLevel levelOf(const DeliveryEvent& event) noexcept;

}  // namespace redeliver::consumer
