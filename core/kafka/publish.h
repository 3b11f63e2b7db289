// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/client.h"
#include "core/ports/record_sink.h"

#include <span>
#include <vector>

namespace redeliver::kafka {

/// Produces all records and waits for every delivery report, at most as long as the client's message.timeout.ms allows;
/// answers in the given order. Nothing is in flight when it returns.
[[nodiscard]] std::vector<Result<ports::Published>> publishAll(const Client& client,
                                                               std::span<const OutgoingRecord> records);

/// librdkafka's delivery report callback; the message's opaque is one of publishAll's slots.
void onDelivered(rd_kafka_s* handle, const rd_kafka_message_s* message, void* opaque);

}  // namespace redeliver::kafka
