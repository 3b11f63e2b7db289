// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/planner.h"

#include "core/identity/message_id_rules.h"
#include "core/replay/findings.h"
#include "core/replay/plan_document.h"
#include "core/replay/provenance.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::replay {
namespace {

constexpr std::size_t mostExamples = 20;

// Headers known to change what a consumer does with a record (PC-03).
bool mattersToConsumers(std::string_view name) {
    static const std::vector<std::string> patterns{"attempts", "kafka_dlt-original-timestamp*", "retry_topic-*"};
    return isDropped(name, patterns);
}

std::int64_t sizeOf(const Record& record) {
    std::size_t size = record.key.value_or("").size() + record.value.value_or("").size();
    for (const Header& one : record.headers) {
        size += one.name.size() + one.value.value_or("").size() + 4;
    }
    return static_cast<std::int64_t>(size);
}

// Reads the frozen ranges and keeps what the rule chooses.
class Examiner {
  public:
    Examiner(const PlanSetup& setup, Planned& planned, std::vector<std::optional<MessageIdRules>> rules)
        : m_setup(setup), m_planned(planned), m_rules(std::move(rules)) {}

    Result<void> read(ports::TopicReader& reader, const StepProgress& progress, const std::stop_token& stop) {
        std::vector<ports::OffsetRange> ranges;
        std::int64_t total = 0;
        for (const PlanRange& range : m_planned.plan.ranges) {
            ranges.push_back({range.partition, range.from, range.to});
            total += range.to.value() - range.from.value();
        }
        if (ranges.empty()) {
            m_planned.plan.fingerprint = m_fingerprint.text();
            return {};
        }
        std::int64_t met = 0;
        bool overflow = false;
        const auto end = reader.scan(
            m_setup.request.topic, ranges,
            [&](Record&& record) {
                if (++met % 1000 == 0 && progress) {
                    progress("reading", met, total);
                }
                look(record);
                overflow = static_cast<std::int64_t>(m_planned.records.size()) > mostRecords;
                return !overflow && !stop.stop_requested();
            },
            stop);
        if (stop.stop_requested()) {
            throw Error(ErrorKind::Cancelled, "cancelled");
        }
        if (overflow) {
            return failure({ErrorKind::Limit, fmt::format("more than {} messages are chosen", mostRecords),
                            "Plan smaller windows one after the other"});
        }
        if (!end) {
            return failure(end.error());
        }
        m_planned.facts.complete = end->complete;
        m_planned.facts.why = end->why;
        m_planned.plan.fingerprint = m_fingerprint.text();
        sortRecords();
        return {};
    }

  private:
    void look(const Record& record) {
        ScanFacts& facts = m_planned.facts;
        if (!record.timestamp && m_setup.request.source.kind == PlanSource::Kind::TimeWindow) {
            ++facts.withoutTimestamp;
        }
        if (!takes(m_setup.request.source, m_setup.planId, record)) {
            return;
        }
        m_fingerprint.add(record);
        const Provenance from = provenanceOf(record);
        m_planned.records.push_back(
            {record.tp.partition, record.offset, record.timestamp, from.isCopy, from.origin, from.originTimestamp});
        for (std::size_t i = 0; i < m_rules.size(); ++i) {
            std::optional<MessageId> id;
            if (m_rules[i]) {
                IdResult result = m_rules[i]->extract(record);
                if (auto* found = std::get_if<MessageId>(&result)) {
                    id = std::move(*found);
                }
            }
            m_planned.ids[i].push_back(std::move(id));
        }
        noteFacts(record);
    }

    void noteFacts(const Record& record) {
        ScanFacts& facts = m_planned.facts;
        const std::string place = fmt::format("{}/{}", record.tp.partition.value(), record.offset.value());
        if (record.timestamp && *record.timestamp > m_setup.createdAt + std::chrono::hours{1}) {
            ++facts.farFuture;
        }
        if (lastHeader(record, header::replay)) {
            ++facts.replayedBefore;
        }
        for (const Header& one : record.headers) {
            if (mattersToConsumers(one.name) && !isDropped(one.name, m_setup.request.options.dropHeaders)) {
                ++facts.headers[one.name];
            }
        }
        // Room for our own headers and the batch's frame.
        if (m_setup.mostBytes && sizeOf(record) + 600 > *m_setup.mostBytes && facts.tooLarge.size() < mostExamples) {
            facts.tooLarge.push_back(fmt::format("{} ({} bytes)", place, sizeOf(record)));
        }
        if (m_setup.request.options.keepTimestamps && facts.unsendable.size() < mostExamples &&
            (!record.timestamp || toUnixMillis(*record.timestamp) <= 0 ||
             record.timestampType == TimestampType::LogAppendTime)) {
            facts.unsendable.push_back(place);
        }
    }

    // Partitions arrive interleaved; the order of a plan is by partition and offset.
    void sortRecords() {
        std::vector<std::size_t> order(m_planned.records.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        const auto& records = m_planned.records;
        const auto less = [&](std::size_t a, std::size_t b) {
            return std::pair(records[a].partition, records[a].offset) <
                   std::pair(records[b].partition, records[b].offset);
        };
        if (std::is_sorted(order.begin(), order.end(), less)) {
            return;
        }
        std::sort(order.begin(), order.end(), less);
        std::vector<ChosenRecord> sorted;
        sorted.reserve(order.size());
        for (const std::size_t i : order) {
            sorted.push_back(records[i]);
        }
        m_planned.records = std::move(sorted);
        for (auto& ids : m_planned.ids) {
            std::vector<std::optional<MessageId>> moved;
            moved.reserve(order.size());
            for (const std::size_t i : order) {
                moved.push_back(std::move(ids[i]));
            }
            ids = std::move(moved);
        }
    }

    const PlanSetup& m_setup;
    Planned& m_planned;
    std::vector<std::optional<MessageIdRules>> m_rules;
    Fingerprint m_fingerprint;
};

void addTo(std::vector<UnprotectedRange>& ranges, const ChosenRecord& record, bool joins) {
    if (joins) {
        ranges.back().to = Offset{record.offset.value() + 1};
        ++ranges.back().count;
        return;
    }
    ranges.push_back({record.partition, record.offset, Offset{record.offset.value() + 1}, 1});
}

ConsumerForecast forecastOf(const Planned& planned, std::size_t seerIndex, const Seer& seer) {
    const Classified& classified = planned.classified[seerIndex];
    ConsumerForecast forecast;
    forecast.consumer = seer.info.name.value();
    forecast.guarded = seer.markersKnown;
    forecast.horizon = classified.horizon;
    forecast.histogram.assign(static_cast<std::size_t>(planned.plan.grid.count), ClassCounts{});
    for (std::size_t i = 0; i < planned.records.size(); ++i) {
        const ChosenRecord& record = planned.records[i];
        const MessageClass klass = classified.classes[i];
        const auto slot = static_cast<std::size_t>(klass);
        ++forecast.classes[slot];
        const Offset next{record.offset.value() + 1};
        const bool sameRun = !forecast.runs.empty() && forecast.runs.back().partition == record.partition &&
                             forecast.runs.back().to == record.offset && forecast.runs.back().klass == klass;
        if (sameRun) {
            forecast.runs.back().to = next;
        } else {
            forecast.runs.push_back({record.partition, record.offset, next, klass});
        }
        if (klass == MessageClass::Unprotected) {
            addTo(forecast.unprotected, record, sameRun);
            ++forecast.unprotectedReasons[std::string(
                toText(classified.reasons[i].value_or(UnprotectedReason::HorizonUnknown)))];
        }
        const auto bucket = record.timestamp ? planned.plan.grid.bucketOf(*record.timestamp) : -1;
        if (bucket >= 0) {
            ++forecast.histogram[static_cast<std::size_t>(bucket)][slot];
        }
        auto& samples = forecast.samples[std::string(toText(klass))];
        if (samples.size() < 5) {
            const auto& id = planned.ids[seerIndex][i];
            samples.push_back(id ? id->value() : fmt::format("{}/{}", record.partition.value(), record.offset.value()));
        }
    }
    return forecast;
}

TimeGrid gridFor(const Planned& planned, const PlanRequest& request) {
    TimeRange range{};
    if (request.source.window) {
        range = *request.source.window;
    } else {
        bool any = false;
        for (const ChosenRecord& record : planned.records) {
            if (record.timestamp) {
                range.from = any ? std::min(range.from, *record.timestamp) : *record.timestamp;
                range.to = any ? std::max(range.to, *record.timestamp + Duration{1}) : *record.timestamp + Duration{1};
                any = true;
            }
        }
        if (!any) {
            return {};
        }
    }
    TimeGrid grid = gridOf(range, stepFor(range, 120));
    grid.count = std::min<std::int64_t>(grid.count, 2000);
    return grid;
}

Result<std::vector<std::optional<MessageIdRules>>> rulesOf(const std::vector<Seer>& seers) {
    std::vector<std::optional<MessageIdRules>> rules;
    for (const Seer& seer : seers) {
        if (!seer.markersKnown) {
            rules.emplace_back(std::nullopt);
            continue;
        }
        auto parsed = MessageIdRules::parse(seer.info.messageId);
        if (!parsed) {
            return failure({parsed.error().kind(),
                            fmt::format("consumer {}: {}", seer.info.name.value(), parsed.error().text()),
                            parsed.error().hint()});
        }
        rules.emplace_back(std::move(*parsed));
    }
    return rules;
}

void noteWhatWasHidden(Planned& planned) {
    ReplayPlan& plan = planned.plan;
    plan.complete = planned.facts.complete && planned.facts.frozen.openBehind.empty();
    plan.incompleteWhy = planned.facts.why;
    for (const PlanRange& hidden : planned.facts.frozen.openBehind) {
        plan.incompleteWhy += fmt::format("{}partition {}: {} to {} lie behind a producer's open transaction",
                                          plan.incompleteWhy.empty() ? "" : "; ", hidden.partition.value(),
                                          hidden.from.value(), hidden.to.value());
    }
}

Result<Planned> examine(Planned planned, const PlanSetup& setup, ports::TopicReader& reader,
                        ports::MarkerReader& markers, const StepProgress& progress, const std::stop_token& stop) {
    const PlanRequest& request = setup.request;
    ReplayPlan& plan = planned.plan;
    plan.planId = setup.planId;
    plan.createdAt = std::chrono::floor<std::chrono::milliseconds>(setup.createdAt);
    plan.clusterId = reader.clusterId().value();
    plan.consumer = request.consumer.value();
    plan.topic = request.topic.value();
    plan.source = request.source;
    plan.target = request.target;
    plan.options = request.options;
    auto rules = rulesOf(setup.seers);
    if (!rules) {
        return failure(rules.error());
    }
    planned.ids.resize(setup.seers.size());
    if (auto done = Examiner(setup, planned, std::move(*rules)).read(reader, progress, stop); !done) {
        return failure(done.error());
    }
    plan.records = static_cast<std::int64_t>(planned.records.size());
    plan.expectedSeconds = (plan.records + plan.options.rate - 1) / plan.options.rate;
    plan.grid = gridFor(planned, request);
    noteWhatWasHidden(planned);
    for (std::size_t i = 0; i < setup.seers.size(); ++i) {
        if (progress) {
            progress("comparing with the markers of " + setup.seers[i].info.name.value(), static_cast<std::int64_t>(i),
                     static_cast<std::int64_t>(setup.seers.size()));
        }
        planned.classified.push_back(
            classify({ClusterId{plan.clusterId}, request.topic, planned.records, planned.ids[i], setup.seers[i],
                      plan.createdAt, plan.options.rate, setup.skew},
                     markers, stop));
        plan.consumers.push_back(forecastOf(planned, i, setup.seers[i]));
    }
    addFindings(planned, setup);
    sealPlan(plan);
    return planned;
}

}  // namespace

Result<Planned> makePlan(const PlanSetup& setup, ports::TopicReader& reader, ports::MarkerReader& markers,
                         const StepProgress& progress, const std::stop_token& stop) {
    auto frozen = freeze(reader, setup.request.topic, setup.request.source);
    if (!frozen) {
        return failure(frozen.error());
    }
    Planned planned;
    planned.plan.ranges = frozen->ranges;
    planned.facts.frozen = std::move(*frozen);
    return examine(std::move(planned), setup, reader, markers, progress, stop);
}

Result<Planned> planAgain(const ReplayPlan& plan, const PlanSetup& setup, ports::TopicReader& reader,
                          ports::MarkerReader& markers, const StepProgress& progress, const std::stop_token& stop) {
    Planned planned;
    planned.plan.ranges = plan.ranges;
    planned.facts.frozen.ranges = plan.ranges;
    return examine(std::move(planned), setup, reader, markers, progress, stop);
}

}  // namespace redeliver::replay
