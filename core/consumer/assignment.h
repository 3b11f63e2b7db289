// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ports/guard_store.h"
#include "core/ports/record_source.h"

#include <optional>
#include <string>
#include <variant>

namespace redeliver::consumer {

/// What to do when the group's offset is above ours: the database lost work, or somebody moved the group.
enum class OnGroupAhead { Stop, Database, Group };

/// What to do when the range to read is gone: stop and ask, or the configured end of the log.
enum class OnOutOfRange { Stop, Earliest, Latest };

/// What the record at the place of the last one read says about the log.
enum class Fingerprint {
    Unknown,    ///< nothing stored to compare
    Match,      ///< timestamp and CRC are the same
    Different,  ///< another record lies there: another log
    Gone,       ///< no record there any more
};

/// Everything the decision needs; gathered by the loop, judged here.
struct PlacementFacts {
    ports::StoredPosition stored;
    bool anyRow = false;  ///< the consumer is known in this database under any of its names
    std::optional<Offset> group;
    ports::LogInfo log;
    Fingerprint fingerprint = Fingerprint::Unknown;
    OnGroupAhead onGroupAhead = OnGroupAhead::Stop;
    OnOutOfRange onOutOfRange = OnOutOfRange::Stop;
};

struct Start {
    Offset at;
    std::string event;  ///< note's code ("adopted", "group_behind", …) or empty
    std::string why;
    std::optional<Offset> ledger;  ///< the first ledger row, where there is none
};

struct Stop {
    std::string code;
    std::string reason;
    std::optional<Offset> suggestedSkip;
    Offset next;  ///< where it would have gone on
};

struct Placement {
    std::variant<Start, Stop> decision;
    std::optional<Offset> loss;  ///< record highest_offset and lost_before first (fine-print, "loss found")
};

/// fine-print.md, "group against database" and "log". Pure.
[[nodiscard]] Placement place(const PlacementFacts& facts);

}  // namespace redeliver::consumer
