// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/reconcile.h"

#include "core/identity/message_id_rules.h"
#include "core/replay/provenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace redeliver::replay {
namespace {

enum class Found { Suppressed, Applied, Failed, DeadLettered, NotSeen };

std::string_view textOf(Found found) {
    constexpr std::array<std::string_view, 5> texts{"suppressed", "applied", "failed", "dead_lettered", "not_seen"};
    return texts[static_cast<std::size_t>(found)];
}

std::optional<MessageClass> predictedClass(const ConsumerForecast& forecast, Partition partition, Offset offset) {
    const auto after =
        std::upper_bound(forecast.runs.begin(), forecast.runs.end(), std::pair(partition, offset),
                         [](const auto& at, const ClassRun& run) { return at < std::pair(run.partition, run.from); });
    if (after == forecast.runs.begin()) {
        return std::nullopt;
    }
    const ClassRun& run = *std::prev(after);
    return run.partition == partition && offset < run.to ? std::optional(run.klass) : std::nullopt;
}

bool isDifference(std::optional<MessageClass> predicted, Found found) {
    switch (found) {
        case Found::Failed:
        case Found::NotSeen:
            return true;
        case Found::DeadLettered:
            return predicted != MessageClass::NoIdentity;  // that was what the plan said
        case Found::Applied:
            return predicted == MessageClass::Protected;
        case Found::Suppressed:
            return predicted == MessageClass::NeverProcessed;
    }
    return true;
}

// What is known of one consumer now, prepared for many look-ups.
class Witness {
  public:
    Witness(const ReplayPlan& plan, const ports::StoredReplay& stored, const ReconciledConsumer& consumer,
            ports::MarkerReader& markers, const std::set<Partition>& partitions)
        : m_cluster(plan.clusterId), m_target(targetTopic(plan)), m_started(stored.line.startedAt) {
        std::vector<TopicPartition> tps;
        tps.reserve(partitions.size());
        for (const Partition partition : partitions) {
            tps.push_back({m_target, partition});
        }
        m_stands = consumer.committed;
        for (const auto& entry :
             markers.ledger(consumer.info.name, consumer.info.formerly, m_cluster, tps).partitions) {
            Offset& stand = m_stands[entry.tp.partition];
            stand = std::max(stand, std::max(entry.next, entry.highest).value_or(Offset{0}));
        }
        for (const DeliveryEvent& event :
             markers.replayEvents(ReplayId{plan.planId}, consumer.info.name, consumer.info.formerly)) {
            if (event.at_record && event.at_record->topic == m_target) {
                // By time: the last word counts; a duplicate or processed later than a failure overrides it.
                m_events[{event.at_record->partition, event.at_record->offset}] = event.outcome;
            }
        }
    }

    Found find(const SentCopy& copy, const std::optional<MessageId>& id, const std::map<std::string, Marker>& markers) {
        const auto event = m_events.find({copy.partition, copy.target});
        const std::string_view outcome = event == m_events.end() ? std::string_view() : event->second;
        const bool past = copy.target < m_stands[copy.partition];
        const auto marker = id ? markers.find(id->value()) : markers.end();
        if (marker != markers.end()) {
            if (isOf(marker->second, copy)) {
                return Found::Applied;
            }
            if (outcome == toText(Outcome::Rejected)) {
                return Found::DeadLettered;
            }
            return past || outcome == toText(Outcome::Duplicate) || outcome == toText(Outcome::Stale)
                       ? Found::Suppressed
                       : Found::NotSeen;
        }
        if (outcome == toText(Outcome::Rejected)) {
            return Found::DeadLettered;
        }
        if (outcome == toText(Outcome::Stale)) {
            return Found::Suppressed;
        }
        return outcome == toText(Outcome::TransactionFailed) ? Found::Failed : Found::NotSeen;
    }

  private:
    // Without coordinates a marker newer than the run stands for the first copy of its ID, and for no other.
    bool isOf(const Marker& marker, const SentCopy& copy) {
        if (marker.at) {
            return sameRecord(*marker.at, {m_cluster, m_target, copy.partition, copy.target});
        }
        return m_started && marker.processedAt >= *m_started && m_applied.insert(marker.messageId).second;
    }

    ClusterId m_cluster;
    Topic m_target;
    std::optional<TimePoint> m_started;
    std::map<Partition, Offset> m_stands;
    std::map<std::pair<Partition, Offset>, std::string> m_events;
    std::set<MessageId> m_applied;
};

void count(FoundCounts& counts, Found found) {
    switch (found) {
        case Found::Suppressed:
            ++counts.suppressed;
            return;
        case Found::Applied:
            ++counts.applied;
            return;
        case Found::Failed:
            ++counts.failed;
            return;
        case Found::DeadLettered:
            ++counts.deadLettered;
            return;
        case Found::NotSeen:
            ++counts.notSeen;
            return;
    }
}

}  // namespace

Result<std::vector<SentCopy>> readCopies(const ReplayPlan& plan, const ports::StoredReplay& stored,
                                         const std::vector<ReconciledConsumer>& consumers, ports::TopicReader& reader,
                                         const std::stop_token& stop) {
    std::vector<MessageIdRules> rules;
    for (const ReconciledConsumer& consumer : consumers) {
        auto parsed = MessageIdRules::parse(consumer.info.messageId);
        if (!parsed) {
            return failure(parsed.error());
        }
        rules.push_back(std::move(*parsed));
    }
    std::map<Partition, std::pair<Offset, Offset>> spans;
    for (const ports::ReplayCursor& cursor : stored.cursors) {
        auto [span, isNew] = spans.try_emplace(cursor.partition, cursor.targetFrom, cursor.targetOffset);
        span->second.first = std::min(span->second.first, cursor.targetFrom);
        span->second.second = std::max(span->second.second, cursor.targetOffset);
    }
    const auto logs = reader.logs(targetTopic(plan));
    if (!logs) {
        return failure(logs.error());
    }
    std::vector<ports::OffsetRange> ranges;
    for (const auto& [partition, span] : spans) {
        if (span.first < span.second && logs->contains(partition)) {
            if (logs->at(partition).start > span.first) {
                return failure({ErrorKind::Refused, "records-gone: copies of this replay were deleted from the target",
                                "The counts of the last report stay valid", "records-gone"});
            }
            ranges.push_back({partition, span.first, span.second});
        }
    }
    std::vector<SentCopy> copies;
    if (ranges.empty()) {
        return copies;
    }
    const auto end = reader.scan(
        targetTopic(plan), ranges,
        [&](Record&& record) {
            const auto replay = lastHeader(record, header::replay);
            const auto source = lastHeader(record, header::source);
            const auto at = source ? parseCoordinates(*source) : std::nullopt;
            if (!replay || *replay != plan.planId || !at) {
                return true;
            }
            SentCopy copy{record.tp.partition, at->offset, record.offset, {}};
            for (const MessageIdRules& one : rules) {
                const IdResult id = one.extract(record);
                const auto* found = std::get_if<MessageId>(&id);
                copy.ids.push_back(found != nullptr ? std::optional(*found) : std::nullopt);
            }
            copies.push_back(std::move(copy));
            return true;
        },
        stop);
    if (!end) {
        return failure(end.error());
    }
    return copies;
}

ConsumerReport reconcile(const ReplayPlan& plan, const ports::StoredReplay& stored, const std::vector<SentCopy>& copies,
                         const ReconciledConsumer& consumer, std::size_t index, ports::MarkerReader& markers,
                         const std::stop_token& stop) {
    ConsumerReport report;
    report.consumer = consumer.info.name.value();
    const auto forecast = std::find_if(plan.consumers.begin(), plan.consumers.end(),
                                       [&](const ConsumerForecast& one) { return one.consumer == report.consumer; });
    for (std::size_t i = 0; i < messageClassCount; ++i) {
        report.predicted[std::string(toText(static_cast<MessageClass>(i)))] =
            forecast == plan.consumers.end() ? 0 : forecast->classes[i];
    }
    std::set<Partition> partitions;
    for (const SentCopy& copy : copies) {
        partitions.insert(copy.partition);
    }
    Witness witness(plan, stored, consumer, markers, partitions);
    constexpr std::size_t atOnce = 1000;
    for (std::size_t from = 0; from < copies.size(); from += atOnce) {
        const std::size_t to = std::min(copies.size(), from + atOnce);
        std::vector<MessageId> ids;
        for (std::size_t i = from; i < to; ++i) {
            if (copies[i].ids[index]) {
                ids.push_back(*copies[i].ids[index]);
            }
        }
        const auto found = markers.find(consumer.info.name, consumer.info.formerly, ids, stop);
        for (std::size_t i = from; i < to; ++i) {
            const auto& id = copies[i].ids[index];
            const Found what = witness.find(copies[i], id, found);
            count(report.found, what);
            const auto predicted = forecast == plan.consumers.end()
                                       ? std::nullopt
                                       : predictedClass(*forecast, copies[i].partition, copies[i].source);
            if (isDifference(predicted, what) && report.differences.size() < mostDifferences) {
                report.differences.push_back({id ? id->value() : "", copies[i].partition, copies[i].source,
                                              std::string(predicted ? toText(*predicted) : "unknown"),
                                              std::string(textOf(what))});
            }
        }
    }
    return report;
}

}  // namespace redeliver::replay
