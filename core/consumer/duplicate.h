// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/model/delivery.h"
#include "core/model/record.h"
#include "core/ports/guard_store.h"

#include <optional>

namespace redeliver::consumer {

/// What is known of the first copy.
struct FirstCopy {
    std::optional<Coordinates> at;
    std::string contentHash;  ///< empty: not known
    std::optional<TimePoint> processedAt;
    bool concurrent = false;
};
[[nodiscard]] FirstCopy firstCopy(const ports::ExistingMarker& existing);

struct DuplicateFacts {
    DuplicateKind kind = DuplicateKind::Unknown;
    std::optional<bool> identical;  ///< published again: the same content, or other (domain rule 14)
};

/// Precedence: replayed, concurrent, redelivered, published again; unknown without coordinates.
[[nodiscard]] DuplicateFacts judgeDuplicate(const FirstCopy& first, const Coordinates& at, const std::string& hash,
                                            bool replayed);

/// The replay a record belongs to, from its header; only a UUID counts, since the column is one.
[[nodiscard]] std::optional<ReplayId> replayOf(const Record& record);

/// False for a copy that a replay meant for another consumer only. Own and former names are ours; on another topic than
/// the one it was sent to the header means nothing.
[[nodiscard]] bool addressedTo(const ConsumerInfo& consumer, const Record& record);

}  // namespace redeliver::consumer
