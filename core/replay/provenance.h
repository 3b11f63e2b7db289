// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/plan.h"
#include "core/model/record.h"

#include <optional>
#include <string_view>

namespace redeliver::replay {

/// Where a copy comes from, by its headers.
struct Provenance {
    bool isCopy = false;                ///< some header says that this record was sent before
    std::optional<Coordinates> origin;  ///< the first ancestor; absent when the headers can't be read
    std::optional<TimePoint> originTimestamp;
};

/// "topic/partition/offset" read from the right, so that nothing is guessed; the cluster stays empty.
[[nodiscard]] std::optional<Coordinates> parseCoordinates(std::string_view text);

/// Reads our own headers (redeliver-origin, redeliver-source) and those of Spring (kafka_dlt-original-*) and Connect
/// (__connect.errors.*), numbers as text or big-endian integers.
[[nodiscard]] Provenance provenanceOf(const Record& record);

/// The copy to send (contract.md, headers): key, value and headers byte-exact and in order, older ones of ours removed,
/// ours last. `target` empty: the source topic. The partition stays the source's.
[[nodiscard]] OutgoingRecord makeCopy(const Record& record, const ReplayPlan& plan);

/// True for a header that `--drop-header` leaves out: patterns with * and ?, or a preset's name (attempts, dead-letter,
/// trace). Names are compared byte by byte.
[[nodiscard]] bool isDropped(std::string_view name, const std::vector<std::string>& patterns);

/// Where the plan's target lies; empty for `group`.
[[nodiscard]] Topic targetTopic(const ReplayPlan& plan);

}  // namespace redeliver::replay
