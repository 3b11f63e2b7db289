// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/model/ids.h"

#include <optional>
#include <string>

namespace redeliver {

/// A row of processed_messages. Optional fields are what a foreign consumer may not have written.
struct Marker {
    ConsumerName consumer;
    MessageId messageId;
    TimePoint processedAt;
    std::optional<Coordinates> at;
    std::optional<TimePoint> recordTimestamp;
    std::optional<WorkerName> worker;
    std::optional<ReplayId> replay;
    std::optional<std::string> contentHash;  ///< bytes
    std::optional<TimePoint> lastSeenAt;

    /// Retention counts from here (fine-print, sweep).
    [[nodiscard]] TimePoint lastSeen() const noexcept { return lastSeenAt ? *lastSeenAt : processedAt; }
};

}  // namespace redeliver
