// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/partition_work.h"

#include "core/base/backoff.h"

#include <algorithm>

namespace redeliver::consumer {

std::vector<ports::Advance> movesOf(const Items& items, const PartitionTable& table) {
    std::map<TopicPartition, ports::Advance> moves;
    for (const auto& item : items) {
        const auto work = table.find(item.record.tp);
        if (!item.included() || work == table.end()) {
            continue;
        }
        auto [it, fresh] = moves.try_emplace(item.record.tp);
        auto& move = it->second;
        if (fresh) {
            move.tp = item.record.tp;
            move.expected = work->second.committed;
            move.alsoExpected = work->second.alsoExpected;
            move.acked = work->second.ackedUnsaved;
            move.next = work->second.committed;
        }
        const Offset next{item.record.offset.value() + 1};
        if (next > move.next) {  // the same offset again, or an older one, moves nothing
            move.next = next;
            move.lastRecordOffset = item.record.offset;
            move.lastRecordTimestamp = item.record.timestamp;
            move.lastRecordCrc = contentCrc(item.record);
        }
    }
    std::vector<ports::Advance> out;
    out.reserve(moves.size());
    for (auto& [tp, move] : moves) {
        out.push_back(std::move(move));
    }
    return out;
}

Duration retryDelay(const RetryPolicy& policy, int tries, Entropy& entropy) {
    constexpr int mostDoublings = 30;
    Duration first = policy.first;
    for (int i = 1; i < std::min(tries, mostDoublings) && first < policy.most; ++i) {
        first *= 2;
    }
    return Backoff(std::min(first, policy.most), policy.most).next(entropy);
}

}  // namespace redeliver::consumer
