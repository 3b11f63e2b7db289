// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/model/ids.h"
#include "core/model/time_range.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver {

/// The seven classes of domain.md.
enum class MessageClass { Protected, NeverProcessed, Unprotected, Expiring, InFlight, Abandoned, NoIdentity };
inline constexpr std::size_t messageClassCount = 7;
[[nodiscard]] std::string_view toText(
    MessageClass klass) noexcept;  ///< protected never_processed unprotected expiring in_flight abandoned no_identity

enum class UnprotectedReason {
    OlderThanHorizon,
    HorizonUnknown,
    RowsHidden,
    NotUnique,
    Hole,
    RestoredOrSkipped,
    OtherLog,
    NoTimestamp
};
[[nodiscard]] std::string_view toText(
    UnprotectedReason reason) noexcept;  ///< older-than-horizon horizon-unknown rows-hidden not-unique hole
                                         ///< restored-or-skipped other-log no-timestamp

enum class HorizonBasis { Ledger, Declared, OldestMarker, Unknown };
[[nodiscard]] std::string_view toText(HorizonBasis basis) noexcept;  ///< ledger declared oldest_marker unknown

struct Horizon {
    HorizonBasis basis = HorizonBasis::Unknown;
    std::optional<TimePoint> at;          ///< for display only with Ledger
    std::map<Partition, Offset> offsets;  ///< only with Ledger
    std::optional<TimePoint> lostBefore;
    Duration margin{};  ///< added to every comparison of a record's timestamp with a time (domain rule 11)
    std::string why;    ///< one plain sentence
};

enum class Severity { Info, Warn, Refuse };
enum class Answer { None, Accept, Phrase };

/// What the guard objects to. `code` is stable (contract.md, Findings).
struct Finding {
    std::string code;
    Severity severity = Severity::Info;
    Answer answer = Answer::None;
    std::string consumer;
    std::string text;
    std::string evidence;
    std::string mend;
};

using ClassCounts = std::array<std::int64_t, messageClassCount>;

struct PlanRange {
    Partition partition;
    Offset from;
    Offset to;
    friend bool operator==(const PlanRange&, const PlanRange&) = default;
};

struct ClassRun {
    Partition partition;
    Offset from;
    Offset to;
    MessageClass klass = MessageClass::Protected;
};

struct UnprotectedRange {
    Partition partition;
    Offset from;
    Offset to;
    std::int64_t count = 0;
};

/// What a replay would do at one consumer.
struct ConsumerForecast {
    std::string consumer;  ///< our consumer, or "group:NAME" for a group that no profile names
    bool guarded = true;
    Horizon horizon;
    ClassCounts classes{};
    std::map<std::string, std::int64_t> unprotectedReasons;
    std::vector<UnprotectedRange> unprotected;
    std::vector<ClassRun> runs;
    std::vector<ClassCounts> histogram;  ///< on the plan's grid; for the window, not in the document
    std::map<std::string, std::vector<std::string>> samples;  ///< class → a few message IDs; for the window
};

/// How the messages were chosen.
struct PlanSource {
    enum class Kind { TimeWindow, Offsets } kind = Kind::TimeWindow;
    std::optional<TimeRange> window;
    std::vector<PlanRange> offsets;
};

struct PlanOptions {
    std::int64_t rate = 500;  ///< records per second
    bool keepTimestamps = false;
    std::vector<std::string> dropHeaders;
    std::string onlyFor;
};

/// What a person asks to be planned.
struct PlanRequest {
    ConsumerName consumer;
    Topic topic;
    PlanSource source;
    std::string target = "same";
    PlanOptions options;
};

/// The plan file and `replay plan --json` (contract.md, A replay). Frozen; `digest` covers everything else.
struct ReplayPlan {
    std::string planId;
    std::string digest;
    TimePoint createdAt;  ///< milliseconds
    std::string clusterId;
    std::string consumer;
    std::string topic;
    PlanSource source;
    std::string target = "same";  ///< same | topic:NAME | group
    PlanOptions options;
    std::int64_t expectedSeconds = 0;
    std::vector<PlanRange> ranges;
    std::int64_t records = 0;
    std::string fingerprint;  ///< over offset, timestamp and content of what was chosen: another log is noticed
    bool complete = true;     ///< false: could not see everything (exit 6)
    std::string incompleteWhy;
    std::vector<ConsumerForecast> consumers;
    std::vector<Finding> findings;
    std::optional<std::string> phrase;
    TimeGrid grid;  ///< for the window's histogram, not in the document
};

}  // namespace redeliver
