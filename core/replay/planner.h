// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/plan.h"
#include "core/ports/marker_reader.h"
#include "core/ports/replay_ledger.h"
#include "core/ports/topic_reader.h"
#include "core/replay/chooser.h"
#include "core/replay/classifier.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::replay {

using StepProgress = std::function<void(std::string_view step, std::int64_t done, std::int64_t total)>;

/// More chosen records than this end a plan with ErrorKind::Limit: they are held in memory while they are classified.
inline constexpr std::int64_t mostRecords = 5'000'000;

/// What a plan is made from besides log and markers.
struct PlanSetup {
    std::string planId;
    TimePoint createdAt;
    PlanRequest request;      ///< normalised
    std::vector<Seer> seers;  ///< who will see it, the planned consumer first where it does
    Duration skew{};
    std::optional<std::int64_t> mostBytes;  ///< max.message.bytes of the target
    std::optional<std::int32_t> targetPartitions;
    std::string groupsUnlisted;             ///< which groups couldn't be listed, a sentence; empty: all were
    bool groupsFailed = false;              ///< the broker refused or failed, beside what the library can't do
    std::vector<std::string> notAddressed;  ///< guarded consumers that will leave the records alone (only_for)
    std::string blockedCode;                ///< why a run would be refused now: "read-only", "privilege", or empty
    std::string blockedText;
    bool blockIsFinal = false;  ///< an explicit read_only = true, or a missing privilege: no confirmation lifts it
    std::vector<ports::StoredReplay> otherReplays;  ///< of any topic; those that overlap are said
};

/// What was met while reading, for the findings.
struct ScanFacts {
    FrozenRanges frozen;
    bool complete = true;
    std::string why;
    std::int64_t withoutTimestamp = 0;            ///< in no time window
    std::int64_t farFuture = 0;                   ///< chosen, more than an hour ahead of the plan's instant
    std::int64_t replayedBefore = 0;              ///< chosen records that an earlier replay sent
    std::map<std::string, std::int64_t> headers;  ///< attempt counters, back-off and original-time headers
    std::vector<std::string> tooLarge;            ///< "partition/offset (bytes)"
    std::vector<std::string> unsendable;          ///< timestamps that can't be kept
};

/// A plan and what it was made from; the guard compares two of them.
struct Planned {
    ReplayPlan plan;
    ScanFacts facts;
    std::vector<ChosenRecord> records;
    std::vector<Classified> classified;                      ///< one per seer
    std::vector<std::vector<std::optional<MessageId>>> ids;  ///< one list per seer
};

/// Makes a plan: freezes offsets, reads every record, classifies it for each seer, and adds findings, phrase and
/// digest. BadInput and NotFound come back as values; a lost server is thrown.
[[nodiscard]] Result<Planned> makePlan(const PlanSetup& setup, ports::TopicReader& reader, ports::MarkerReader& markers,
                                       const StepProgress& progress, const std::stop_token& stop);

/// The same again over the frozen ranges of `plan`, with everything reckoned from `setup.createdAt`.
[[nodiscard]] Result<Planned> planAgain(const ReplayPlan& plan, const PlanSetup& setup, ports::TopicReader& reader,
                                        ports::MarkerReader& markers, const StepProgress& progress,
                                        const std::stop_token& stop);

}  // namespace redeliver::replay
