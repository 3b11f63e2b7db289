// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/chooser.h"

#include "core/replay/canonical_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::replay {
namespace {

TimePoint roundUp(TimePoint at) {
    return std::chrono::ceil<std::chrono::milliseconds>(at);
}

void freezePart(FrozenRanges& frozen, const ports::LogInfo& log, const PlanRange& asked) {
    PlanRange range = asked;
    if (range.from < log.start) {
        frozen.gone.push_back({range.partition, range.from, std::min(log.start, range.to)});
        range.from = log.start;
    }
    if (range.to > log.end) {
        if (log.highWatermark > log.end && range.from < log.highWatermark) {
            frozen.openBehind.push_back(
                {range.partition, std::max(log.end, range.from), std::min(range.to, log.highWatermark)});
        }
        range.to = log.end;
    }
    if (range.from < range.to) {
        frozen.ranges.push_back(range);
    }
}

std::uint64_t mix(std::uint64_t state, std::uint64_t value) {
    // splitmix64's finaliser: every bit of the value reaches every bit of the state.
    std::uint64_t z = state ^ (value + 0x9e3779b97f4a7c15ULL + (state << 6U) + (state >> 2U));
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
}

}  // namespace

Result<PlanSource> normalise(PlanSource source) {
    if (source.kind == PlanSource::Kind::TimeWindow) {
        if (!source.window) {
            return failure({ErrorKind::BadInput, "a time window needs its beginning and its end"});
        }
        source.window->from = roundUp(source.window->from);
        source.window->to = roundUp(source.window->to);
        if (source.window->to <= source.window->from) {
            return failure(
                {ErrorKind::BadInput, fmt::format("the window ends ({}) before it begins ({})",
                                                  toRfc3339(source.window->to), toRfc3339(source.window->from))});
        }
        source.offsets.clear();
        return source;
    }
    source.window.reset();
    if (source.offsets.empty()) {
        return failure({ErrorKind::BadInput, "no offset range is given", "Write --offsets PARTITION:FROM-TO,…"});
    }
    std::sort(source.offsets.begin(), source.offsets.end(), [](const PlanRange& a, const PlanRange& b) {
        return std::pair(a.partition, a.from) < std::pair(b.partition, b.from);
    });
    for (std::size_t i = 0; i < source.offsets.size(); ++i) {
        const PlanRange& range = source.offsets[i];
        if (range.from.value() < 0 || range.to <= range.from) {
            return failure(
                {ErrorKind::BadInput, fmt::format("{}:{}-{} is empty (the end is exclusive)", range.partition.value(),
                                                  range.from.value(), range.to.value())});
        }
        if (i > 0 && source.offsets[i - 1].partition == range.partition && source.offsets[i - 1].to > range.from) {
            return failure(
                {ErrorKind::BadInput, fmt::format("the ranges of partition {} overlap", range.partition.value())});
        }
    }
    return source;
}

Result<FrozenRanges> freeze(ports::TopicReader& reader, const Topic& topic, const PlanSource& source) {
    const auto logs = reader.logs(topic);
    if (!logs) {
        return failure(logs.error());
    }
    FrozenRanges frozen;
    if (source.kind == PlanSource::Kind::Offsets) {
        for (const PlanRange& asked : source.offsets) {
            const auto log = logs->find(asked.partition);
            if (log == logs->end()) {
                frozen.outside.push_back(
                    fmt::format("partition {} doesn't exist ({} partitions)", asked.partition.value(), logs->size()));
                continue;
            }
            const Offset end = std::max(log->second.end, log->second.highWatermark);
            if (asked.to > end) {
                frozen.outside.push_back(fmt::format("partition {} ends at {}, asked for up to {}",
                                                     asked.partition.value(), end.value(), asked.to.value()));
            }
            freezePart(frozen, log->second, asked);
        }
        return frozen;
    }
    const auto starts = reader.offsetsAt(topic, source.window->from);
    if (!starts) {
        return failure(starts.error());
    }
    for (const auto& [partition, log] : *logs) {
        const auto start = starts->find(partition);
        const Offset from = start == starts->end() ? log.start : std::max(log.start, start->second);
        freezePart(frozen, log, {partition, from, std::max(log.end, log.highWatermark)});
    }
    return frozen;
}

bool takes(const PlanSource& source, const std::string& planId, const Record& record) {
    const auto replay = lastHeader(record, header::replay);
    if (replay && *replay == planId) {
        return false;
    }
    if (source.kind == PlanSource::Kind::Offsets) {
        return true;
    }
    return record.timestamp && source.window->contains(*record.timestamp);
}

void Fingerprint::add(const Record& record) {
    std::uint64_t& state = m_states[record.tp.partition];
    state = mix(state, static_cast<std::uint64_t>(record.offset.value()));
    state = mix(state, record.timestamp ? static_cast<std::uint64_t>(toUnixMillis(*record.timestamp)) : ~0ULL);
    state = mix(state, contentCrc(record));
}

std::string Fingerprint::text() const {
    std::string all;
    for (const auto& [partition, state] : m_states) {
        all += fmt::format("{}:{:016x};", partition.value(), state);
    }
    return sha256Hex(all);
}

}  // namespace redeliver::replay
