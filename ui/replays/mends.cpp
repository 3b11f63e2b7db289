// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/convert.h"
#include "ui/replays/draft.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace redeliver::ui {

namespace {

constexpr std::size_t mostRanges = 10'000;  ///< a request with more is better made by another window

bool hasUnprotected(const ConsumerForecast& forecast) {
    return forecast.classes[static_cast<std::size_t>(MessageClass::Unprotected)] > 0;
}

bool found(const ReplayPlan& plan, std::string_view code) {
    return std::any_of(plan.findings.begin(), plan.findings.end(),
                       [code](const Finding& finding) { return finding.code == code; });
}

using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// What of [from, to) no interval covers; `holes` sorted.
void appendRest(std::vector<PlanRange>& out, const PlanRange& range, const Intervals& holes) {
    std::int64_t at = range.from.value();
    for (const auto& [from, to] : holes) {
        if (to <= at || from >= range.to.value()) {
            continue;
        }
        if (from > at) {
            out.push_back({range.partition, Offset(at), Offset(from)});
        }
        at = std::max(at, to);
    }
    if (at < range.to.value()) {
        out.push_back({range.partition, Offset(at), range.to});
    }
}

}  // namespace

PlanRequest Mends::requestOf(const ReplayPlan& plan) {
    return {ConsumerName(plan.consumer), Topic(plan.topic), plan.source, plan.target, plan.options};
}

std::vector<PlanRange> Mends::withoutUnprotected(const ReplayPlan& plan) {
    std::map<Partition, Intervals> holes;
    for (const ConsumerForecast& forecast : plan.consumers) {
        for (const ClassRun& run : forecast.runs) {
            if (run.klass == MessageClass::Unprotected) {
                holes[run.partition].emplace_back(run.from.value(), run.to.value());
            }
        }
        if (forecast.runs.empty()) {
            for (const UnprotectedRange& range : forecast.unprotected) {
                holes[range.partition].emplace_back(range.from.value(), range.to.value());
            }
        }
    }
    std::vector<PlanRange> rest;
    for (const PlanRange& range : plan.ranges) {
        Intervals& of = holes[range.partition];
        std::sort(of.begin(), of.end());
        appendRest(rest, range, of);
    }
    return rest;
}

std::optional<TimePoint> Mends::shortenTo(const ReplayPlan& plan) {
    if (plan.source.kind != PlanSource::Kind::TimeWindow || !plan.source.window) {
        return std::nullopt;
    }
    std::optional<TimePoint> latest;
    for (const ConsumerForecast& forecast : plan.consumers) {
        if (!hasUnprotected(forecast)) {
            continue;
        }
        // A ledger decides by offsets, its time is for display: leaving out ranges is exact, a later start isn't.
        std::optional<TimePoint> at;
        if (forecast.horizon.basis != HorizonBasis::Ledger) {
            at = forecast.horizon.at;
        }
        if (forecast.horizon.lostBefore && (!at || *forecast.horizon.lostBefore > *at)) {
            at = forecast.horizon.lostBefore;
        }
        if (!at) {
            return std::nullopt;  // an unknown horizon, or one of offsets: no start is known to be safe
        }
        latest = latest ? std::max(*latest, *at) : *at;
    }
    if (!latest) {
        return std::nullopt;
    }
    // Record timestamps are milliseconds, and a minute's edge reads better; later is never less safe.
    const TimePoint start{std::chrono::ceil<std::chrono::minutes>(*latest)};
    const TimeRange& window = *plan.source.window;
    return start > window.from && start < window.to ? std::optional(start) : std::nullopt;
}

std::vector<Mend> Mends::of(const ReplayPlan& plan, const std::function<QString(TimePoint)>& time) {
    std::vector<Mend> mends;
    if (const auto start = shortenTo(plan)) {
        Mend mend{tr("Shorten to %1").arg(time(*start)),
                  tr("Begins the window at the marker horizon, and makes the plan again"), requestOf(plan)};
        mend.request.source.window->from = *start;
        mends.push_back(std::move(mend));
    }
    const bool any = std::any_of(plan.consumers.begin(), plan.consumers.end(), hasUnprotected);
    if (any) {
        std::vector<PlanRange> rest = withoutUnprotected(plan);
        if (!rest.empty() && rest.size() <= mostRanges) {
            Mend mend{tr("Leave out the unprotected"),
                      tr("Plans the offset ranges that are left when every unprotected message is taken out"),
                      requestOf(plan)};
            mend.request.source = {PlanSource::Kind::Offsets, std::nullopt, std::move(rest)};
            mends.push_back(std::move(mend));
        }
    }
    const bool others =
        std::any_of(plan.consumers.begin(), plan.consumers.end(),
                    [&](const ConsumerForecast& forecast) { return forecast.consumer != plan.consumer; });
    if (plan.options.onlyFor.empty() && others) {
        Mend mend{tr("Send only for %1").arg(toQt(plan.consumer)),
                  tr("Marks the copies with redeliver-only: guarded consumers of another name leave them alone. Groups "
                     "without our guard don't know the header"),
                  requestOf(plan)};
        mend.request.options.onlyFor = plan.consumer;
        mends.push_back(std::move(mend));
    }
    if (plan.options.keepTimestamps && found(plan, "timestamps")) {
        Mend mend{tr("Use new timestamps"), tr("Lets the broker stamp the copies with the present time"),
                  requestOf(plan)};
        mend.request.options.keepTimestamps = false;
        mends.push_back(std::move(mend));
    }
    if (found(plan, "expires-during-run")) {
        const std::int64_t rate = plan.options.rate * 4;
        Mend mend{tr("Send at %1/s").arg(rate),
                  tr("Faster, so that fewer markers leave before the replay reaches them"), requestOf(plan)};
        mend.request.options.rate = rate;
        mends.push_back(std::move(mend));
    }
    if (found(plan, "plan-stale")) {
        mends.push_back({tr("Plan again"), tr("Reads topic and markers once more"), requestOf(plan)});
    }
    return mends;
}

}  // namespace redeliver::ui
