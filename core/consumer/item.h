// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/consumer/dead_letter.h"
#include "core/consumer/duplicate.h"
#include "core/consumer/handler.h"
#include "core/consumer/options.h"
#include "core/model/record.h"

#include <chrono>
#include <optional>
#include <vector>

namespace redeliver::consumer {

using SteadyTime = std::chrono::steady_clock::time_point;

/// One record on its way through a batch.
struct Item {
    enum class Fate {
        Claim,         ///< to be claimed, and handled if it is new
        NotAddressed,  ///< a replay meant for another consumer
        Rejected,      ///< goes to the dead-letter topic
        Excluded,      ///< not part of this batch any more: it waits, or lies behind one that does
        Deferred,      ///< no time left: first in the next batch
    };

    Record record;
    SteadyTime polledAt{};
    Coordinates at;
    std::optional<MessageId> id;
    std::string hash;
    std::optional<ReplayId> replay;
    int attempt = 1;
    Fate fate = Fate::Claim;
    Rejection why;           ///< with Rejected
    bool published = false;  ///< its dead letter is acknowledged

    // Set by one attempt, anew in the next.
    bool isNew = false;
    std::optional<std::size_t> twin;  ///< an earlier item of the same batch with this ID
    std::optional<FirstCopy> first;
    Answer answer;

    [[nodiscard]] bool included() const noexcept { return fate != Fate::Excluded && fate != Fate::Deferred; }
};

using Items = std::vector<Item>;

/// Identity, address and content hash of a freshly polled record.
[[nodiscard]] Item prepare(Record record, SteadyTime polledAt, const ClusterId& cluster, const Options& options,
                           const Identify& identify);

/// The outcome of an item that is part of a batch about to commit, and of which kind it is when it is a duplicate.
struct ItemOutcome {
    Outcome outcome;
    std::optional<DuplicateFacts> duplicate;
};
[[nodiscard]] ItemOutcome outcomeOf(const Item& item);

/// Who, which message, where, which attempt; outcome and the rest are the caller's.
[[nodiscard]] DeliveryEvent eventOf(const Item& item, const Options& options, TimePoint at);

/// Everything of the same partition behind `index` waits with it.
void excludeFrom(Items& items, std::size_t index);

}  // namespace redeliver::consumer
