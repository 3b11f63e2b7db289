// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/model/ids.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver {

enum class ReplayState { Planned, Running, Paused, Aborted, Stopped, Finished, Reconciled };
[[nodiscard]] std::string_view toText(ReplayState state) noexcept;

/// At every moment sent + setAside + left = records.
struct ReplayProgress {
    ReplayId id;
    ReplayState state = ReplayState::Planned;
    std::int64_t records = 0;
    std::int64_t sent = 0;
    std::int64_t setAside = 0;
    [[nodiscard]] std::int64_t left() const noexcept { return records - sent - setAside; }
    double rate = 0;
    std::string text;  ///< what it is doing or why it stopped
};

/// One line of the history.
struct ReplayLine {
    ReplayProgress progress;
    std::string consumer;
    std::string topic;
    std::string target;
    std::string who;
    std::string reason;
    TimePoint createdAt;
    std::optional<TimePoint> startedAt;
    std::optional<TimePoint> endedAt;
};

/// What a person answered at the confirm step.
struct Confirmation {
    std::string reason;
    std::string phrase;  ///< for unprotected messages, exact
    std::vector<std::string> acceptedCodes;
    std::string confirmedProfile;      ///< production: the profile's name
    std::optional<std::int64_t> rate;  ///< records per second for this run; the plan's where absent
};

/// Called from the engine's thread, at most ten times a second. Answers whether to go on, pause or abort.
enum class ReplayControl { Go, Pause, Abort };
using ReplayWatcher = std::function<ReplayControl(const ReplayProgress&)>;

struct FoundCounts {
    std::int64_t suppressed = 0;
    std::int64_t applied = 0;
    std::int64_t failed = 0;
    std::int64_t deadLettered = 0;
    std::int64_t notSeen = 0;
    friend bool operator==(const FoundCounts&, const FoundCounts&) = default;
};

struct ReplayDifference {
    std::string messageId;
    Partition partition;
    Offset offset;
    std::string predicted;
    std::string found;
};

struct ConsumerReport {
    std::string consumer;
    std::map<std::string, std::int64_t> predicted;  ///< class → count
    FoundCounts found;
    std::vector<ReplayDifference> differences;
};

/// `replay report ID --json`; also rendered as Markdown.
struct ReplayReport {
    ReplayLine line;
    std::vector<ConsumerReport> consumers;
    std::vector<std::string> setAside;  ///< "partition/offset: why", capped at 1,000
    bool exactlyOnce = true;            ///< false: published with an idempotent producer only
};

}  // namespace redeliver
