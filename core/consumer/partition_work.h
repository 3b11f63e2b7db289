// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/consumer/item.h"
#include "core/model/ids.h"
#include "core/ports/guard_store.h"

#include <map>
#include <optional>
#include <string>

namespace redeliver::consumer {

/// One assigned partition. `committed` is what this assignment last committed in the database, or found there.
struct PartitionWork {
    enum class State {
        Undecided,  ///< assigned; where to start isn't known yet
        Running,
        Stopped,  ///< until a person says so
        NotOurs,  ///< its row carries another token: we are the zombie; until it is given up
    };

    State state = State::Undecided;
    ClusterId cluster;
    std::string topicId;
    Offset committed;
    std::optional<Offset> alsoExpected;   ///< after an in-doubt COMMIT, until passed
    std::optional<Offset> unackedBelow;   ///< committed work whose ack is due
    std::optional<Offset> ackedUnsaved;   ///< acked, but not yet noted in the database
    std::optional<SteadyTime> waitUntil;  ///< a retry; the partition stands until then
    std::map<Offset, int> tries;          ///< failed attempts of records not yet passed
    bool paused = true;                   ///< as told to the source
    bool dirty = false;                   ///< records were dropped: seek to `committed` before reading on
    SteadyTime logCheckedAt{};

    [[nodiscard]] bool readable(SteadyTime now) const noexcept {
        return state == State::Running && (!waitUntil || *waitUntil <= now);
    }
    /// The transaction that moved us to `next` has committed.
    void passed(Offset next) {
        committed = std::max(committed, next);
        if (alsoExpected && *alsoExpected <= committed) {
            alsoExpected.reset();
        }
        unackedBelow = committed;
        tries.erase(tries.begin(), tries.lower_bound(committed));
    }
};

using PartitionTable = std::map<TopicPartition, PartitionWork>;

/// The moves of the items that are part of the batch: next offset and fingerprint per partition.
[[nodiscard]] std::vector<ports::Advance> movesOf(const Items& items, const PartitionTable& table);

/// Delay before try number `tries` + 1: exponential with jitter in its upper half.
[[nodiscard]] Duration retryDelay(const RetryPolicy& policy, int tries, Entropy& entropy);

}  // namespace redeliver::consumer
