// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/plan.h"
#include "core/model/replay.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

/// Plans and reports as the mockups show them: a window of 14 days, half of it older than the markers.
namespace redeliver::fakes {

[[nodiscard]] inline TimePoint clockNow() {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

inline std::size_t at(MessageClass klass) {
    return static_cast<std::size_t>(klass);
}

inline ConsumerForecast forecastOf(const std::string& consumer, const TimeGrid& grid, std::int64_t horizonBucket) {
    ConsumerForecast forecast;
    forecast.consumer = consumer;
    forecast.horizon.basis = HorizonBasis::Declared;
    forecast.horizon.at = grid.at(horizonBucket) + std::chrono::minutes(17);
    forecast.horizon.why = "retention as declared";
    for (std::int64_t i = 0; i < grid.count; ++i) {
        ClassCounts counts{};
        const auto height = static_cast<std::int64_t>(38'000 + 9'000 * std::sin(static_cast<double>(i) * 0.7));
        if (i < horizonBucket) {
            counts[at(MessageClass::Unprotected)] = height;
            counts[at(MessageClass::NeverProcessed)] = height / 40;
        } else {
            counts[at(MessageClass::Protected)] = height;
            counts[at(MessageClass::NeverProcessed)] = height / 25;
            counts[at(MessageClass::Expiring)] = i < horizonBucket + 2 ? 7'000 : 0;
        }
        for (std::size_t k = 0; k < messageClassCount; ++k) {
            forecast.classes[k] += counts[k];
        }
        forecast.histogram.push_back(counts);
    }
    forecast.classes[at(MessageClass::NoIdentity)] = 14;
    if (forecast.classes[at(MessageClass::Unprotected)] > 0) {
        forecast.unprotectedReasons = {{"older-than-horizon", forecast.classes[at(MessageClass::Unprotected)]}};
        forecast.unprotected = {{Partition(0), Offset(0), Offset(500), 500}};
        forecast.runs = {{Partition(0), Offset(0), Offset(500), MessageClass::Unprotected},
                         {Partition(0), Offset(500), Offset(1000), MessageClass::Protected}};
    }
    return forecast;
}

inline ReplayPlan bigPlan(const PlanRequest& request) {
    ReplayPlan plan;
    plan.planId = "6f1d2c3b-0000-4000-8000-000000000017";
    plan.consumer = request.consumer.value();
    plan.topic = request.topic.value();
    plan.source = request.source;
    plan.target = request.target;
    plan.options = request.options;
    plan.createdAt = clockNow();
    plan.ranges = {{Partition(0), Offset(0), Offset(1000)}};
    const TimeRange window =
        request.source.window.value_or(TimeRange{clockNow() - std::chrono::hours(24 * 14), clockNow()});
    plan.grid = gridOf(window, stepFor(window, 60));
    const bool shortened =
        request.source.kind == PlanSource::Kind::Offsets || window.length() < std::chrono::hours(24 * 13);
    plan.consumers = {forecastOf(plan.consumer, plan.grid, shortened ? 0 : plan.grid.count / 2),
                      forecastOf("ledger-projection", plan.grid, 0)};
    for (const std::int64_t count : plan.consumers.front().classes) {
        plan.records += count;
    }
    plan.expectedSeconds = plan.records / plan.options.rate;
    if (!shortened) {
        plan.findings.push_back(
            {"window-past-horizon", Severity::Refuse, Answer::Phrase, plan.consumer,
             "the window begins before the marker horizon: what is older can't be recognised as a duplicate",
             "1,204,113 messages lie before it", "shorten the window, or extend the retention first"});
        plan.findings.push_back({"overlap", Severity::Refuse, Answer::Accept, "",
                                 "replay R-16 sent part of this window on Nov 30", "partition 0, offsets 400 to 1,000",
                                 ""});
        plan.phrase = "REPEAT 1,204,113 OF payments";
    }
    plan.findings.push_back(
        {"other-consumers", Severity::Warn, Answer::None, "", "ledger-projection reads this topic too", "", ""});
    return plan;
}

inline ReplayReport reportOf(const ReplayPlan& plan, ReplayState state) {
    ReplayReport report;
    report.line.progress = {ReplayId(plan.planId), state, plan.records, plan.records - 3, 3, 498.0, ""};
    report.line.consumer = plan.consumer;
    report.line.topic = plan.topic;
    report.line.target = plan.target;
    report.line.who = "oncall";
    report.line.reason = "INC-4711: payments lost by the ledger";
    report.line.createdAt = clockNow() - std::chrono::hours(2);
    report.line.startedAt = clockNow() - std::chrono::minutes(87);
    report.line.endedAt = clockNow();
    ConsumerReport consumer;
    consumer.consumer = plan.consumer;
    consumer.predicted = {{"protected", 1'331'604}, {"never_processed", 61'870}, {"no_identity", 14}};
    consumer.found = {1'331'604, 61'868, 1, 14, 1};
    consumer.differences = {{"pay_01J8K6M9R2", Partition(3), Offset(88'412'907), "never_processed", "failed"},
                            {"pay_01J8K6MB71", Partition(7), Offset(11'402'118), "never_processed", "not_seen"}};
    ConsumerReport other;
    other.consumer = "ledger-projection";
    other.predicted = {{"protected", 1'393'474}};
    other.found = {1'393'474, 0, 0, 0, 0};
    report.consumers = {consumer, other};
    return report;
}

}  // namespace redeliver::fakes
