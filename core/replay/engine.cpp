// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/engine.h"

#include "core/replay/plan_document.h"
#include "core/replay/sending.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::replay {
namespace {

constexpr std::chrono::seconds readBackLimit{60};

// The target's end per partition, before anything is sent.
Result<std::map<Partition, ports::LogInfo>> targetLogs(ports::TopicReader& reader, const ReplayPlan& plan) {
    auto logs = reader.logs(targetTopic(plan));
    if (!logs) {
        return logs;
    }
    for (const PlanRange& range : plan.ranges) {
        if (!logs->contains(range.partition)) {
            return failure({ErrorKind::Refused,
                            fmt::format("fewer-partitions: the target has no partition {}", range.partition.value()),
                            "Choose a target with as many partitions", "fewer-partitions"});
        }
    }
    return logs;
}

// A fenced producer fails in many ways; who owns the row is the truth.
bool takenOver(EngineParts& parts, const ReplayPlan& plan, const Error& error) noexcept {
    if (error.code() == "taken-over" || error.code() == "_FENCED") {
        return true;
    }
    try {
        const auto stored = parts.ledger.load(ReplayId{plan.planId});
        return stored && stored->owner != parts.owner;
    } catch (const std::exception&) {
        return false;
    }
}

// Ends the replay's row in the right state, whatever happened; a lost owner writes nothing.
Result<ReplayProgress> guarded(EngineParts& parts, const ReplayPlan& plan, Sending& sending,
                               const std::function<void()>& work) {
    try {
        work();
        return sending.progress();
    } catch (const Error& error) {
        if (takenOver(parts, plan, error)) {
            return failure(
                {ErrorKind::Limit, "another engine has taken this replay over", "It goes on there", "taken-over"});
        }
        sending.giveUp(error);
        return failure(error);
    }
}

// What the engine before us sent after its last checkpoint. An open transaction of another producer may hide our own
// committed copies from a read_committed reader: wait until nothing is hidden, or send nothing.
void readBack(EngineParts& parts, const ReplayPlan& plan, Sending& sending, const std::stop_token& stop) {
    const auto begun = parts.clock.steady();
    std::vector<ports::OffsetRange> ranges;
    for (;;) {
        const auto logs = targetLogs(parts.reader, plan);
        if (!logs) {
            throw Error(logs.error());
        }
        ranges.clear();
        std::string hidden;
        for (const auto& [partition, from] : sending.readBackFrom()) {
            const ports::LogInfo& log = logs->at(partition);
            if (log.start > from) {
                throw Error(
                    ErrorKind::Refused,
                    fmt::format("records-gone: partition {} of the target now begins at {}, what was sent after {} "
                                "can't be read back",
                                partition.value(), log.start.value(), from.value()),
                    "Abort this replay and read its report", "records-gone");
            }
            if (log.end < log.highWatermark) {
                hidden = fmt::format("partition {} of the target: an open transaction hides what lies behind {}",
                                     partition.value(), log.end.value());
            }
            if (from < log.end) {
                ranges.push_back({partition, from, log.end});
            }
        }
        if (hidden.empty()) {
            break;
        }
        if (parts.clock.steady() - begun > readBackLimit || stop.stop_requested()) {
            throw Error(ErrorKind::Limit, hidden, "Try again when that producer has ended its transaction");
        }
        parts.clock.sleep(std::chrono::milliseconds{200}, stop);
    }
    if (ranges.empty()) {
        return;
    }
    const auto end = parts.reader.scan(
        targetTopic(plan), ranges,
        [&](Record&& record) {
            sending.noteSentBefore(record);
            return true;
        },
        stop);
    if (!end) {
        throw Error(end.error());
    }
    if (!end->complete) {
        throw Error(ErrorKind::Limit, "what was sent before could not be read back: " + end->why, "Resume again");
    }
}

}  // namespace

std::string transactionalIdOf(const ReplayId& id) {
    return fmt::format("redeliver-{}-0", id.value());
}

Result<ReplayProgress> Engine::run(const ApprovedPlan& approved, const ReplayWatcher& watcher,
                                   const std::stop_token& stop) {
    const ReplayPlan& plan = approved.plan();
    const auto logs = targetLogs(m_parts.reader, plan);
    if (!logs) {
        return failure(logs.error());
    }
    std::vector<ports::ReplayCursor> cursors;
    for (const PlanRange& range : plan.ranges) {
        const ports::LogInfo& log = logs->at(range.partition);
        const Offset end = std::max(log.end, log.highWatermark);
        cursors.push_back({range.partition, range.from, range.to, range.from, 0, 0, end, end});
    }
    if (auto begun = m_parts.ledger.begin(plan, writePlan(plan), approved.confirmation(), cursors, m_parts.owner);
        !begun) {
        return failure(begun.error());
    }
    Sending sending(m_parts, approved, cursors, watcher, stop);
    return guarded(m_parts, plan, sending, [&] {
        sending.open();
        sending.sendAll();
    });
}

Result<ReplayProgress> Engine::resume(const ApprovedPlan& approved, const ReplayWatcher& watcher,
                                      const std::stop_token& stop) {
    const ReplayPlan& plan = approved.plan();
    auto taken = m_parts.ledger.takeOver(ReplayId{plan.planId}, m_parts.owner);
    if (!taken) {
        return failure(taken.error());
    }
    Sending sending(m_parts, approved, taken->cursors, watcher, stop);
    return guarded(m_parts, plan, sending, [&] {
        sending.open();
        readBack(m_parts, plan, sending, stop);
        sending.sendAll();
    });
}

}  // namespace redeliver::replay
