// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/delivery.h"

#include <numeric>

namespace redeliver {
namespace {

constexpr std::array<std::string_view, outcomeCount> outcomeTexts{"processed",     "duplicate", "stale",
                                                                  "not_addressed", "rejected",  "transaction_failed"};
constexpr std::array<std::string_view, duplicateKindCount> kindTexts{"redelivered", "published_again", "replayed",
                                                                     "concurrent", "unknown"};

template <class Enum, std::size_t N>
std::optional<Enum> parse(const std::array<std::string_view, N>& texts, std::string_view text) noexcept {
    for (std::size_t i = 0; i < N; ++i) {
        if (texts[i] == text) {
            return static_cast<Enum>(i);
        }
    }
    return std::nullopt;
}

}  // namespace

std::string_view toText(Outcome outcome) noexcept {
    return outcomeTexts[static_cast<std::size_t>(outcome)];
}

std::string_view toText(DuplicateKind kind) noexcept {
    return kindTexts[static_cast<std::size_t>(kind)];
}

std::string_view toText(SideEvent event) noexcept {
    return event == SideEvent::AckFailed ? "ack_failed" : "in_doubt";
}

std::optional<Outcome> parseOutcome(std::string_view text) noexcept {
    return parse<Outcome>(outcomeTexts, text);
}

std::optional<DuplicateKind> parseDuplicateKind(std::string_view text) noexcept {
    return parse<DuplicateKind>(kindTexts, text);
}

std::int64_t Counts::deliveries() const noexcept {
    return std::accumulate(outcomes.begin(), outcomes.end(), std::int64_t{0});
}

Counts& Counts::operator+=(const Counts& other) noexcept {
    for (std::size_t i = 0; i < outcomeCount; ++i) {
        outcomes[i] += other.outcomes[i];
    }
    for (std::size_t i = 0; i < duplicateKindCount; ++i) {
        duplicates[i] += other.duplicates[i];
    }
    ackFailed += other.ackFailed;
    inDoubt += other.inDoubt;
    return *this;
}

}  // namespace redeliver
