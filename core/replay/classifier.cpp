// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/classifier.h"

#include <algorithm>
#include <array>
#include <set>
#include <unordered_map>

namespace redeliver::replay {
namespace {

constexpr std::size_t idsPerQuestion = 1000;
constexpr std::size_t streamFrom = 20'000;  // below, asking per thousand IDs is quick enough

using LastSeen = std::unordered_map<std::string, TimePoint>;  // compares exactly: a guard may not err by collision

void stopIfAsked(const std::stop_token& stop) {
    if (stop.stop_requested()) {
        throw Error(ErrorKind::Cancelled, "cancelled");
    }
}

// The markers of the given IDs. Large windows against not much larger tables: stream the table once.
LastSeen findMarkers(const ClassifyInput& input, ports::MarkerReader& markers, const std::stop_token& stop) {
    std::vector<MessageId> wanted;
    for (const auto& id : input.ids) {
        if (id) {
            wanted.push_back(*id);
        }
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    LastSeen found;
    const ConsumerInfo& info = input.seer.info;
    const bool few = wanted.size() < streamFrom;
    if (!few && markers.estimate(info.name) <= static_cast<std::int64_t>(wanted.size()) * 10) {
        markers.stream(
            info.name, info.formerly, std::nullopt,
            [&](Marker&& marker) {
                if (std::binary_search(wanted.begin(), wanted.end(), marker.messageId)) {
                    TimePoint& seen = found.try_emplace(marker.messageId.value(), marker.lastSeen()).first->second;
                    seen = std::max(seen, marker.lastSeen());
                }
                return !stop.stop_requested();
            },
            stop);
        stopIfAsked(stop);
        return found;
    }
    for (std::size_t i = 0; i < wanted.size(); i += idsPerQuestion) {
        stopIfAsked(stop);
        const std::size_t count = std::min(idsPerQuestion, wanted.size() - i);
        for (const auto& [id, marker] : markers.find(info.name, info.formerly, {wanted.data() + i, count}, stop)) {
            found[id] = marker.lastSeen();
        }
    }
    return found;
}

// What is known of how far the consumer has come in one partition.
struct Stand {
    std::optional<Offset> passed;  // everything below it was given to the consumer
    std::optional<Offset> ours;    // next offset by our own table
    std::optional<Offset> committed;
};

// Judges coordinates of the source log for a record without a marker.
class Judge {
  public:
    Judge(const ClassifyInput& input, const Classified& known, const markers::MarkerHorizon& horizon,
          ports::MarkerReader& markers)
        : m_input(input), m_horizon(horizon), m_markers(markers) {
        for (const ports::LedgerEntry& entry : known.ledger.partitions) {
            if (entry.tp.topic != input.topic) {
                continue;
            }
            Stand& stand = m_stands[entry.tp.partition];
            stand.ours = entry.next ? entry.next : entry.highest;
            for (const auto& position : {entry.highest, entry.highestMarker, entry.next}) {
                stand.passed = std::max(stand.passed, position);
            }
        }
        for (const auto& [partition, offset] : input.seer.committed) {
            Stand& stand = m_stands[partition];
            stand.committed = offset;
            stand.passed = std::max(stand.passed, std::optional(offset));
            // A group ahead of us has lost or skipped something somewhere: then no event proves anything.
            m_groupAhead = m_groupAhead || offset > stand.ours.value_or(Offset{0});
        }
        m_standKnown = std::any_of(m_stands.begin(), m_stands.end(), [](const auto& one) { return one.second.passed; });
    }

    [[nodiscard]] bool standKnown() const { return m_standKnown; }

    // Nothing: never processed, and its absence is proof.
    std::optional<UnprotectedReason> judge(Partition partition, Offset offset, std::optional<TimePoint> timestamp) {
        if (const auto outside = m_horizon.outside(partition, offset, timestamp)) {
            return outside;
        }
        const auto found = m_stands.find(partition);
        if (found == m_stands.end() || !found->second.passed || offset >= *found->second.passed) {
            return std::nullopt;
        }
        if (!m_groupAhead && hasEvidence(partition, offset)) {
            return std::nullopt;
        }
        const Stand& stand = found->second;
        const bool between = stand.ours && stand.committed && offset >= *stand.ours && offset < *stand.committed;
        return between ? UnprotectedReason::RestoredOrSkipped : UnprotectedReason::Hole;
    }

  private:
    bool hasEvidence(Partition partition, Offset offset) {
        auto known = m_evidence.find(partition);
        if (known == m_evidence.end()) {
            const auto offsets = m_markers.evidence(m_input.seer.info.name, m_input.seer.info.formerly, m_input.cluster,
                                                    {m_input.topic, partition}, Offset{0}, *m_stands[partition].passed);
            known = m_evidence.emplace(partition, std::set<Offset>(offsets.begin(), offsets.end())).first;
        }
        return known->second.contains(offset);
    }

    const ClassifyInput& m_input;
    const markers::MarkerHorizon& m_horizon;
    ports::MarkerReader& m_markers;
    std::map<Partition, Stand> m_stands;
    std::map<Partition, std::set<Offset>> m_evidence;
    bool m_groupAhead = false;
    bool m_standKnown = false;
};

// A record without a marker: by its own coordinates and, for a copy, by its origin's; the worse of both.
std::optional<UnprotectedReason> judgeUnmarked(const ClassifyInput& input, const Classified& known,
                                               const ChosenRecord& record, Judge& judge) {
    if (!known.visibility.complete || known.visibility.replica) {
        return UnprotectedReason::RowsHidden;
    }
    if (!input.seer.readsSource) {
        return UnprotectedReason::OtherLog;
    }
    if (const auto own = judge.judge(record.partition, record.offset, record.timestamp)) {
        return own;
    }
    if (!record.isCopy) {
        return std::nullopt;
    }
    if (!record.origin || record.origin->topic != input.topic) {
        return UnprotectedReason::OtherLog;
    }
    return judge.judge(record.origin->partition, record.origin->offset, record.originTimestamp);
}

bool isExpiring(const ClassifyInput& input, const Classified& known, TimePoint lastSeen, std::size_t position) {
    if (!input.seer.info.markerRetention) {
        return false;
    }
    // lastSeen may be ±infinity: compare without adding to it.
    const Duration retention = *input.seer.info.markerRetention;
    if (lastSeen <= input.at - retention) {
        return true;
    }
    if (known.ledger.ownedByUs) {
        return false;  // our sweep waits while a replay runs
    }
    const double seconds =
        1.2 * static_cast<double>(position) / static_cast<double>(std::max<std::int64_t>(input.rate, 1)) + 60;
    return lastSeen <=
           input.at + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds)) - retention;
}

// Of an ID that is several times in the plan without a marker the first is applied and the rest suppressed, provided
// that none of them may have been processed before.
void judgeRepeats(const ClassifyInput& input, Classified& result, const std::vector<bool>& unmarked) {
    std::unordered_map<std::string_view, std::vector<std::size_t>> byId;
    for (std::size_t i = 0; i < input.records.size(); ++i) {
        if (unmarked[i]) {
            byId[input.ids[i]->value()].push_back(i);
        }
    }
    for (const auto& [id, places] : byId) {
        const auto bad = std::find_if(places.begin(), places.end(),
                                      [&](std::size_t i) { return result.classes[i] == MessageClass::Unprotected; });
        if (bad != places.end()) {
            const auto reason = result.reasons[*bad];
            for (const std::size_t i : places) {
                result.classes[i] = MessageClass::Unprotected;
                result.reasons[i] = result.reasons[i] ? result.reasons[i] : reason;
            }
            continue;
        }
        for (std::size_t k = 1; k < places.size(); ++k) {
            result.classes[places[k]] = MessageClass::Protected;
        }
    }
}

Classified allUnprotected(const ClassifyInput& input) {
    Classified result;
    result.classes.assign(input.records.size(), MessageClass::Unprotected);
    result.reasons.assign(input.records.size(), UnprotectedReason::HorizonUnknown);
    result.horizon.why = "no markers of this group are known";
    return result;
}

std::vector<TopicPartition> partitionsOf(const ClassifyInput& input) {
    std::set<Partition> seen;
    for (const ChosenRecord& record : input.records) {
        seen.insert(record.partition);
        if (record.origin && record.origin->topic == input.topic) {
            seen.insert(record.origin->partition);
        }
    }
    for (const auto& [partition, offset] : input.seer.committed) {
        seen.insert(partition);  // one partition's group ahead of ours devalues the evidence of all
    }
    std::vector<TopicPartition> list;
    list.reserve(seen.size());
    for (const Partition partition : seen) {
        list.push_back({input.topic, partition});
    }
    return list;
}

}  // namespace

int badness(MessageClass klass) noexcept {
    //                                       protected never unprotected expiring in_flight abandoned no_identity
    constexpr std::array<int, messageClassCount> ranks{0, 1, 4, 2, 2, 3, 3};
    return ranks[static_cast<std::size_t>(klass)];
}

Classified classify(const ClassifyInput& input, ports::MarkerReader& markers, const std::stop_token& stop) {
    if (!input.seer.markersKnown) {
        return allUnprotected(input);
    }
    const ConsumerInfo& info = input.seer.info;
    Classified result;
    result.visibility = markers.visibility();
    result.ledger = markers.ledger(info.name, info.formerly, input.cluster, partitionsOf(input));
    const redeliver::markers::MarkerHorizon horizon(
        {result.ledger, input.topic, info.markerRetention, input.at, input.skew, Duration{}});
    result.horizon = horizon.shown();
    const LastSeen marked = findMarkers(input, markers, stop);
    Judge judge(input, result, horizon, markers);
    result.standKnown = judge.standKnown();

    result.classes.assign(input.records.size(), MessageClass::NoIdentity);
    result.reasons.assign(input.records.size(), std::nullopt);
    std::vector<bool> unmarked(input.records.size(), false);
    for (std::size_t i = 0; i < input.records.size(); ++i) {
        if (i % 4096 == 0) {
            stopIfAsked(stop);
        }
        if (!input.ids[i]) {
            continue;
        }
        const auto marker = marked.find(input.ids[i]->value());
        if (marker == marked.end()) {
            unmarked[i] = true;
            result.reasons[i] = judgeUnmarked(input, result, input.records[i], judge);
            result.classes[i] = result.reasons[i] ? MessageClass::Unprotected : MessageClass::NeverProcessed;
        } else if (!result.visibility.unique) {
            result.classes[i] = MessageClass::Unprotected;
            result.reasons[i] = UnprotectedReason::NotUnique;
        } else {
            result.classes[i] =
                isExpiring(input, result, marker->second, i) ? MessageClass::Expiring : MessageClass::Protected;
        }
    }
    judgeRepeats(input, result, unmarked);
    return result;
}

}  // namespace redeliver::replay
