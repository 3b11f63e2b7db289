// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/plan_document.h"

#include "core/replay/canonical_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace redeliver::replay {
namespace {

using nlohmann::ordered_json;

ordered_json rangesJson(const std::vector<PlanRange>& ranges) {
    ordered_json list = ordered_json::array();
    for (const PlanRange& range : ranges) {
        list.push_back(
            {{"partition", range.partition.value()}, {"from", range.from.value()}, {"to", range.to.value()}});
    }
    return list;
}

ordered_json sourceJson(const PlanSource& source) {
    if (source.kind == PlanSource::Kind::Offsets) {
        return {{"kind", "offsets"}, {"ranges", rangesJson(source.offsets)}};
    }
    const TimeRange window = source.window.value_or(TimeRange{});
    return {{"kind", "time_window"}, {"from", toRfc3339(window.from)}, {"to", toRfc3339(window.to)}};
}

ordered_json horizonJson(const Horizon& horizon) {
    ordered_json offsets = nullptr;
    if (horizon.basis == HorizonBasis::Ledger) {
        offsets = ordered_json::object();
        for (const auto& [partition, offset] : horizon.offsets) {
            offsets[fmt::format("{}", partition.value())] = offset.value();
        }
    }
    ordered_json at = nullptr;
    if (horizon.at && horizon.basis != HorizonBasis::Unknown) {
        at = toRfc3339(*horizon.at);
    }
    return {{"basis", toText(horizon.basis)}, {"at", at}, {"offsets", offsets}};
}

ordered_json forecastJson(const ConsumerForecast& forecast) {
    ordered_json classes = ordered_json::object();
    for (std::size_t i = 0; i < messageClassCount; ++i) {
        classes[std::string(toText(static_cast<MessageClass>(i)))] = forecast.classes[i];
    }
    ordered_json reasons = ordered_json::object();
    for (const auto& [reason, count] : forecast.unprotectedReasons) {
        reasons[reason] = count;
    }
    ordered_json unprotected = ordered_json::array();
    for (const UnprotectedRange& range : forecast.unprotected) {
        unprotected.push_back({{"partition", range.partition.value()},
                               {"from", range.from.value()},
                               {"to", range.to.value()},
                               {"count", range.count}});
    }
    ordered_json runs = ordered_json::array();
    for (const ClassRun& run : forecast.runs) {
        runs.push_back({{"partition", run.partition.value()},
                        {"from", run.from.value()},
                        {"to", run.to.value()},
                        {"class", toText(run.klass)}});
    }
    return {{"consumer", forecast.consumer},
            {"guarded", forecast.guarded},
            {"horizon", horizonJson(forecast.horizon)},
            {"classes", classes},
            {"unprotected", {{"reasons", reasons}, {"ranges", unprotected}}},
            {"runs", runs}};
}

ordered_json findingJson(const Finding& finding) {
    constexpr std::array<std::string_view, 3> severities{"info", "warn", "refuse"};
    ordered_json answer = nullptr;
    if (finding.answer != Answer::None) {
        answer = finding.answer == Answer::Phrase ? "phrase" : "accept";
    }
    ordered_json consumer = nullptr;
    if (!finding.consumer.empty()) {
        consumer = finding.consumer;
    }
    return {{"code", finding.code}, {"severity", severities[static_cast<std::size_t>(finding.severity)]},
            {"answer", answer},     {"consumer", consumer},
            {"text", finding.text}, {"evidence", finding.evidence},
            {"mend", finding.mend}};
}

ordered_json planJson(const ReplayPlan& plan) {
    ordered_json consumers = ordered_json::array();
    for (const ConsumerForecast& forecast : plan.consumers) {
        consumers.push_back(forecastJson(forecast));
    }
    ordered_json findings = ordered_json::array();
    for (const Finding& finding : plan.findings) {
        findings.push_back(findingJson(finding));
    }
    ordered_json onlyFor = nullptr;
    if (!plan.options.onlyFor.empty()) {
        onlyFor = plan.options.onlyFor;
    }
    ordered_json phrase = nullptr;
    if (plan.phrase) {
        phrase = *plan.phrase;
    }
    return {{"plan_id", plan.planId},
            {"digest", plan.digest},
            {"created_at", toRfc3339(plan.createdAt)},
            {"cluster_id", plan.clusterId},
            {"consumer", plan.consumer},
            {"topic", plan.topic},
            {"source", sourceJson(plan.source)},
            {"target", plan.target},
            {"options",
             {{"rate", plan.options.rate},
              {"keep_timestamps", plan.options.keepTimestamps},
              {"drop_headers", plan.options.dropHeaders},
              {"only_for", onlyFor}}},
            {"expected_seconds", plan.expectedSeconds},
            {"ranges", rangesJson(plan.ranges)},
            {"records", plan.records},
            {"fingerprint", plan.fingerprint},
            {"complete", plan.complete},
            {"incomplete_why", plan.incompleteWhy},
            {"consumers", consumers},
            {"findings", findings},
            {"phrase", phrase}};
}

}  // namespace

std::string writePlan(const ReplayPlan& plan) {
    return planJson(plan).dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

void sealPlan(ReplayPlan& plan) {
    nlohmann::json document =
        nlohmann::json::parse(planJson(plan).dump(-1, ' ', false, ordered_json::error_handler_t::replace));
    document.erase("digest");
    plan.digest = sha256Hex(canonicalJson(document).value());
}

std::optional<std::string> phraseFor(std::int64_t mayRepeat, const std::string& topic) {
    if (mayRepeat == 0) {
        return std::nullopt;
    }
    return fmt::format("apply {} {} of {} again", mayRepeat, mayRepeat == 1 ? "message" : "messages", topic);
}

}  // namespace redeliver::replay
