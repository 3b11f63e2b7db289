// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/log.h"
#include "core/base/text.h"
#include "core/consumer/delivery_log.h"
#include "core/consumer/loop.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::consumer {
namespace {

constexpr auto placeAgain = std::chrono::seconds(1);

std::map<TopicPartition, std::optional<Offset>> byPartition(const std::vector<ports::GroupOffset>& offsets) {
    std::map<TopicPartition, std::optional<Offset>> out;
    for (const auto& offset : offsets) {
        out[offset.tp] = offset.next;
    }
    return out;
}

}  // namespace

DeliveryEvent Loop::note(const TopicPartition& tp, std::string code, std::string why) const {
    DeliveryEvent event;
    event.at = m_parts.clock.now();
    event.consumer = m_options.consumer.name;
    event.worker = m_options.worker;
    event.outcome = std::move(code);
    event.errorText = std::move(why);
    const auto work = m_table.find(tp);
    event.at_record = Coordinates{work == m_table.end() ? ClusterId{} : work->second.cluster, tp.topic, tp.partition,
                                  work == m_table.end() ? Offset{} : work->second.committed};
    return event;
}

std::vector<Position> Loop::assigned(const std::vector<TopicPartition>& partitions) {
    for (const auto& tp : partitions) {
        m_table[tp] = PartitionWork{};
    }
    auto positions = placeUndecided();
    std::erase_if(positions, [&](const Position& position) {
        return std::find(partitions.begin(), partitions.end(), position.tp) == partitions.end();
    });
    for (const auto& position : positions) {
        m_table.at(position.tp).paused = false;
        m_table.at(position.tp).dirty = false;
    }
    return positions;
}

// Nothing is open between two polls: what is committed is acked, the rest was never begun.
void Loop::revoked(const std::vector<TopicPartition>& partitions, bool lost) {
    if (!lost) {
        ack();
    }
    std::vector<Position> acked;
    ClusterId cluster;
    for (const auto& tp : partitions) {
        const auto it = m_table.find(tp);
        if (it == m_table.end()) {
            continue;
        }
        cluster = it->second.cluster;
        if (it->second.ackedUnsaved && it->second.state != PartitionWork::State::NotOurs) {
            acked.push_back({tp, *it->second.ackedUnsaved});
        }
        dropPending(tp);
        m_table.erase(it);
    }
    if (!acked.empty() && !m_retryStoreAt) {
        try {
            m_parts.store.acked(cluster, acked);
        } catch (const Error& error) {
            storeTrouble(error.text());
        }
    }
}

std::vector<Position> Loop::placeUndecided() {
    std::vector<TopicPartition> undecided;
    for (const auto& [tp, work] : m_table) {
        if (work.state == PartitionWork::State::Undecided) {
            undecided.push_back(tp);
        }
    }
    if (undecided.empty() || m_retryStoreAt) {
        return {};
    }
    m_placeAt = m_parts.clock.steady() + placeAgain;
    try {
        return placeAll(undecided, false);
    } catch (const Error& error) {
        storeTrouble(error.text());
        return {};
    }
}

std::optional<PlacementFacts> Loop::factsOf(const ports::StoredPosition& stored, bool anyRow,
                                            std::optional<Offset> group, const ports::LogInfo& log) {
    PlacementFacts facts;
    facts.stored = stored;
    facts.anyRow = anyRow;
    facts.group = group;
    facts.log = log;
    facts.onGroupAhead = m_options.onGroupAhead;
    facts.onOutOfRange = m_options.onOutOfRange;
    const bool idTells = !stored.topicId.empty() && !log.topicId.empty();
    if (!idTells && stored.lastRecordOffset && stored.lastRecordCrc) {
        const auto found = *stored.lastRecordOffset < log.end
                               ? m_parts.source.recordAt(stored.tp, *stored.lastRecordOffset)
                               : Result<std::optional<Record>>(std::nullopt);
        if (!found) {
            return std::nullopt;
        }
        if (!*found) {
            facts.fingerprint = Fingerprint::Gone;
        } else {
            const auto& record = **found;
            const bool same =
                contentCrc(record) == *stored.lastRecordCrc && record.timestamp == stored.lastRecordTimestamp;
            facts.fingerprint = same ? Fingerprint::Match : Fingerprint::Different;
        }
    }
    return facts;
}

std::optional<Start> Loop::decide(const PlacementFacts& facts, PartitionWork& work,
                                  std::vector<DeliveryEvent>& events) {
    const auto& tp = facts.stored.tp;
    const auto placement = place(facts);
    if (placement.loss) {
        m_parts.store.recordLoss(work.cluster, tp, *placement.loss);
    }
    if (const auto* at = std::get_if<Stop>(&placement.decision)) {
        work.committed = at->next;
        stop(tp, at->code, at->reason, at->suggestedSkip);
        return std::nullopt;
    }
    auto start = std::get<Start>(placement.decision);
    work.committed = start.at;
    if (facts.stored.next && !facts.group) {
        work.unackedBelow = start.at;  // the group forgot: give it its offset back
    }
    if (!start.event.empty()) {
        events.push_back(note(tp, start.event, start.why));
        logDelivery(events.back());
    }
    return start;
}

// Decides where the partitions start; `released`: a person let them go on, whatever stopped them before. Those whose
// broker gives no answer now stay undecided.
std::vector<Position> Loop::placeAll(const std::vector<TopicPartition>& partitions, bool released) {
    std::map<TopicPartition, ports::LogInfo> logs;
    std::vector<TopicPartition> known;
    for (const auto& tp : partitions) {
        if (auto log = m_parts.source.logInfo(tp)) {
            logs[tp] = std::move(*log);
            known.push_back(tp);
        }
    }
    if (known.empty()) {
        return {};
    }
    const auto cluster = logs.begin()->second.cluster;
    const auto token = randomUuid(m_parts.entropy);
    const auto state = m_parts.store.takeOwnership(cluster, known, token);
    const auto committed = m_parts.source.committed(known);
    if (!committed) {
        return {};
    }
    const auto group = byPartition(*committed);
    std::vector<ports::Adoption> adoptions;
    std::vector<DeliveryEvent> events;
    for (const auto& stored : state.partitions) {
        auto& work = m_table.at(stored.tp);
        work.cluster = cluster;
        work.topicId = logs.at(stored.tp).topicId;
        if (stored.stopped && !released) {
            work.state = PartitionWork::State::Stopped;
            work.committed = stored.next.value_or(Offset{});
            continue;
        }
        const auto it = group.find(stored.tp);
        const auto facts =
            factsOf(stored, state.anyRow, it == group.end() ? std::nullopt : it->second, logs.at(stored.tp));
        if (!facts) {
            continue;
        }
        if (const auto start = decide(*facts, work, events)) {
            adoptions.push_back({{stored.tp, start->at}, true, work.topicId, start->ledger});
        }
    }
    if (!state.anyRow) {
        auto others = firstAdoptions(known);
        adoptions.insert(adoptions.end(), others.begin(), others.end());
    }
    saveStops();
    if (!adoptions.empty()) {
        m_parts.store.adopt(cluster, token, adoptions, events);
    }
    std::vector<Position> positions;
    for (const auto& adoption : adoptions) {
        if (adoption.owned) {
            auto& work = m_table.at(adoption.position.tp);
            work.state = PartitionWork::State::Running;
            work.logCheckedAt = m_parts.clock.steady();
            positions.push_back(adoption.position);
        }
    }
    return positions;
}

// The first assignment of a consumer that nobody knows here: the partitions of the others get their ledger and position
// in the same transaction, so that what they do later isn't taken for a loss.
std::vector<ports::Adoption> Loop::firstAdoptions(const std::vector<TopicPartition>& ours) {
    std::vector<ports::Adoption> out;
    const auto all = m_parts.source.partitions(m_options.consumer.topics);
    if (!all) {
        return out;
    }
    std::vector<TopicPartition> others;
    std::copy_if(all->begin(), all->end(), std::back_inserter(others),
                 [&](const TopicPartition& tp) { return std::find(ours.begin(), ours.end(), tp) == ours.end(); });
    if (others.empty()) {
        return out;
    }
    const auto committed = m_parts.source.committed(others);
    if (!committed) {
        return out;
    }
    for (const auto& [tp, group] : byPartition(*committed)) {
        if (const auto log = m_parts.source.logInfo(tp)) {
            ports::StoredPosition nothing;
            nothing.tp = tp;
            const auto facts = factsOf(nothing, false, group, *log);
            const auto placement = facts ? place(*facts) : Placement{Stop{}, std::nullopt};
            if (const auto* start = std::get_if<Start>(&placement.decision)) {
                out.push_back({{tp, start->at}, false, log->topicId, start->ledger});
            }
        }
    }
    return out;
}

void Loop::stop(const TopicPartition& tp, const std::string& code, const std::string& reason,
                std::optional<Offset> skip, std::optional<Offset> at) {
    auto& work = m_table.at(tp);
    work.state = PartitionWork::State::Stopped;
    dropPending(tp);
    StoppedPartition stopped;
    stopped.consumer = m_options.consumer.name;
    stopped.cluster = work.cluster;
    stopped.tp = tp;
    stopped.code = code;
    stopped.reason = reason;
    stopped.next = at.value_or(work.committed);
    stopped.suggestedSkip = skip;
    stopped.since = m_parts.clock.now();
    auto event = note(tp, "stopped", reason);
    event.errorCode = code;
    event.at_record->offset = stopped.next;
    logDelivery(event);
    m_unsavedStops.push_back(std::move(stopped));
    steer();
}

void Loop::saveStops() {
    if (m_retryStoreAt) {
        return;
    }
    try {
        while (!m_unsavedStops.empty()) {
            m_parts.store.stopPartition(m_unsavedStops.front(), m_options.worker);
            m_unsavedStops.erase(m_unsavedStops.begin());
        }
    } catch (const Error& error) {
        storeTrouble(error.text());
    }
}

void Loop::carryOutRequests() {
    for (const auto& request : m_parts.store.requests()) {
        const auto it = m_table.find(request.tp);
        if (it == m_table.end() || it->second.state != PartitionWork::State::Stopped) {
            continue;
        }
        if (request.requested.starts_with("skip-to ")) {
            if (const auto to = toInt64(std::string_view(request.requested).substr(8))) {
                skipTo(request, Offset{*to});
            }
            continue;
        }
        it->second.tries.clear();
        for (const auto& position : placeAll({request.tp}, true)) {
            m_parts.store.released(request, position.next, m_options.worker);
            goOn(position);
        }
    }
}

// Both sides move: the database first, so that a death in between leaves the request to be carried out again.
void Loop::skipTo(const StoppedPartition& request, Offset to) {
    const auto log = m_parts.source.logInfo(request.tp);
    if (!log) {
        return;
    }
    auto& work = m_table.at(request.tp);
    if (to < log->start || to > log->end) {
        stop(request.tp, "skip-outside-log",
             fmt::format("asked to skip to {}, but the log reaches from {} to {}; it had stopped because: {}",
                         to.value(), log->start.value(), log->end.value(), request.reason),
             request.suggestedSkip);
        return;
    }
    const auto token = randomUuid(m_parts.entropy);
    const auto state = m_parts.store.takeOwnership(log->cluster, {request.tp}, token);
    const bool known = !state.partitions.empty() && state.partitions.front().ledger;
    const std::optional<Offset> ledger = known ? std::nullopt : std::optional(to);
    m_parts.store.adopt(log->cluster, token, {{{request.tp, to}, true, log->topicId, ledger}}, {});
    if (const auto moved = m_parts.source.commit({{request.tp, to}}); !moved) {
        return;  // asked for again by the next round
    }
    work.cluster = log->cluster;
    work.committed = to;
    work.alsoExpected.reset();
    work.unackedBelow.reset();
    work.ackedUnsaved = to;
    work.tries.clear();
    work.state = PartitionWork::State::Running;
    m_parts.store.released(request, to, m_options.worker);
    goOn({request.tp, to});
}

void Loop::outOfRange(const TopicPartition& tp) {
    const auto it = m_table.find(tp);
    if (it == m_table.end() || it->second.state != PartitionWork::State::Running) {
        return;
    }
    const auto log = m_parts.source.logInfo(tp);
    if (!log || m_options.onOutOfRange != OnOutOfRange::Stop) {
        it->second.state = PartitionWork::State::Undecided;  // judged with all the facts, as at an assignment
        dropPending(tp);
        steer();
        return;
    }
    const auto from = it->second.committed;
    const bool beyond = from > log->end;
    stop(tp, beyond ? "log-shorter" : "offset-out-of-range",
         beyond ? fmt::format("the log ends at {}, but this consumer has read up to {}", log->end.value(), from.value())
                : fmt::format("records {} to {} are gone: the log starts at {}", from.value(), log->start.value() - 1,
                              log->start.value()),
         log->start);
    saveStops();
}

// A partition placed outside of assigned(): the source is told where, and steer() lets it run.
void Loop::goOn(const Position& position) {
    auto& work = m_table.at(position.tp);
    work.committed = position.next;
    work.waitUntil.reset();
    work.dirty = true;
    steer();
}

}  // namespace redeliver::consumer
