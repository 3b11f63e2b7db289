// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/model/ids.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redeliver {

/// Exactly one per delivery; the six add up to the deliveries (domain.md, Words).
enum class Outcome { Processed, Duplicate, Stale, NotAddressed, Rejected, TransactionFailed };
inline constexpr std::size_t outcomeCount = 6;

/// Precedence: Replayed before Concurrent before Redelivered before PublishedAgain; Unknown without coordinates.
enum class DuplicateKind { Redelivered, PublishedAgain, Replayed, Concurrent, Unknown };
inline constexpr std::size_t duplicateKindCount = 5;

/// Beside the outcomes, not in their sum.
enum class SideEvent { AckFailed, InDoubt };

[[nodiscard]] std::string_view toText(
    Outcome outcome) noexcept;  ///< processed duplicate stale not_addressed rejected transaction_failed
[[nodiscard]] std::string_view toText(
    DuplicateKind kind) noexcept;  ///< redelivered published_again replayed concurrent unknown
[[nodiscard]] std::string_view toText(SideEvent event) noexcept;  ///< ack_failed in_doubt
[[nodiscard]] std::optional<Outcome> parseOutcome(std::string_view text) noexcept;
[[nodiscard]] std::optional<DuplicateKind> parseDuplicateKind(std::string_view text) noexcept;

/// A row of delivery_events: a delivery that was not plainly processed, or an ack failure, in-doubt COMMIT, adoption,
/// stop, release.
struct DeliveryEvent {
    TimePoint at;
    ConsumerName consumer;
    std::string outcome;  ///< toText(Outcome|SideEvent), or a note's code such as "adopted", "group_behind", "stopped",
                          ///< "released"
    std::optional<DuplicateKind> kind;
    std::optional<MessageId> messageId;
    std::optional<Coordinates> at_record;
    WorkerName worker;
    int attempt = 1;
    std::string errorCode;
    std::string errorText;
    std::optional<Duration> latency;
    std::optional<Duration> sinceFirstProcessed;
    std::optional<ReplayId> replay;
    std::optional<bool> identicalContent;  ///< published again: same bytes as the first copy, other, or not known
};

/// Counts of one span: the shape of delivery_counts and of every chart.
struct Counts {
    std::array<std::int64_t, outcomeCount> outcomes{};
    std::array<std::int64_t, duplicateKindCount> duplicates{};
    std::int64_t ackFailed = 0;
    std::int64_t inDoubt = 0;

    [[nodiscard]] std::int64_t of(Outcome outcome) const noexcept {
        return outcomes[static_cast<std::size_t>(outcome)];
    }
    [[nodiscard]] std::int64_t& of(Outcome outcome) noexcept { return outcomes[static_cast<std::size_t>(outcome)]; }
    [[nodiscard]] std::int64_t of(DuplicateKind kind) const noexcept {
        return duplicates[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] std::int64_t& of(DuplicateKind kind) noexcept { return duplicates[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] std::int64_t deliveries() const noexcept;  ///< the sum of the six outcomes
    Counts& operator+=(const Counts& other) noexcept;
    friend bool operator==(const Counts&, const Counts&) = default;
};

}  // namespace redeliver
