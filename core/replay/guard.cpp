// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/guard.h"

#include "core/replay/plan_document.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::replay {
namespace {

constexpr std::size_t mostLines = 20;

Error refusal(std::string code, const std::string& text, std::string hint) {
    return {ErrorKind::Refused, fmt::format("{}: {}", code, text), std::move(hint), code};
}

const ConsumerForecast* find(const ReplayPlan& plan, const std::string& consumer) {
    const auto found = std::find_if(plan.consumers.begin(), plan.consumers.end(),
                                    [&](const ConsumerForecast& one) { return one.consumer == consumer; });
    return found == plan.consumers.end() ? nullptr : &*found;
}

// Both run lists are in order of partition and offset: one walk compares them record by record.
void compareRuns(const ConsumerForecast& before, const ConsumerForecast& after, std::vector<std::string>& lines) {
    std::size_t i = 0;
    for (const ClassRun& now : after.runs) {
        std::int64_t cursor = now.from.value();
        while (cursor < now.to.value()) {
            while (i < before.runs.size() &&
                   (before.runs[i].partition < now.partition ||
                    (before.runs[i].partition == now.partition && before.runs[i].to.value() <= cursor))) {
                ++i;
            }
            const bool covers = i < before.runs.size() && before.runs[i].partition == now.partition &&
                                before.runs[i].from.value() <= cursor;
            const std::int64_t end = covers ? std::min(now.to.value(), before.runs[i].to.value()) : now.to.value();
            const bool worse = !covers || badness(now.klass) > badness(before.runs[i].klass);
            if (worse && lines.size() < mostLines) {
                lines.push_back(fmt::format("{}: partition {}, {} to {}: {} was {}", before.consumer,
                                            now.partition.value(), cursor, end, toText(now.klass),
                                            covers ? toText(before.runs[i].klass) : "not in the plan"));
            }
            cursor = end;
        }
    }
}

Result<void> stillHolds(const ReplayPlan& plan, const ReplayPlan& fresh) {
    const std::string again = "Plan again: redeliverctl replay plan …";
    if (fresh.clusterId != plan.clusterId) {
        return failure(refusal("other-log",
                               fmt::format("the plan is for cluster {}, this is {}", plan.clusterId, fresh.clusterId),
                               again));
    }
    if (!fresh.complete) {
        return failure(refusal("plan-stale", "not every record could be read again: " + fresh.incompleteWhy, again));
    }
    if (fresh.records != plan.records || fresh.fingerprint != plan.fingerprint) {
        return failure(
            refusal("plan-stale",
                    fmt::format("the log has changed since the plan was made: {} records were chosen, {} are "
                                "there now, or their content differs (deleted, compacted, or the topic was "
                                "made again)",
                                plan.records, fresh.records),
                    again));
    }
    const auto worse = worseThanPlanned(plan, fresh);
    if (!worse.empty()) {
        return failure(
            refusal("plan-stale", "worse than planned: " + fmt::format("{}", fmt::join(worse, "; ")), again));
    }
    return {};
}

Result<void> answered(const ReplayPlan& plan, const ReplayPlan& fresh, const Confirmation& confirmation) {
    for (const Finding& finding : fresh.findings) {
        if (finding.severity != Severity::Refuse) {
            continue;
        }
        if (finding.answer == Answer::None) {
            return failure(refusal(finding.code, finding.text, finding.mend));
        }
        const auto& codes = confirmation.acceptedCodes;
        if (finding.answer == Answer::Accept && std::find(codes.begin(), codes.end(), finding.code) == codes.end()) {
            return failure(refusal(finding.code, finding.text, fmt::format("Answer with --accept {}", finding.code)));
        }
        if (finding.answer == Answer::Phrase && (!plan.phrase || confirmation.phrase != *plan.phrase)) {
            const std::string how = plan.phrase
                                        ? fmt::format("If that is meant: --accept-unprotected \"{}\"", *plan.phrase)
                                        : std::string("Plan again: redeliverctl replay plan …");
            return failure(refusal(finding.code, finding.text, how));
        }
    }
    // A phrase without its finding would be a hole in the guard: the counts alone demand it.
    if (fresh.phrase && (!plan.phrase || confirmation.phrase != *plan.phrase)) {
        return failure(
            refusal("window-past-horizon", "effects may be repeated, and the phrase was not typed",
                    fmt::format("If that is meant: --accept-unprotected \"{}\"", plan.phrase.value_or(*fresh.phrase))));
    }
    return {};
}

}  // namespace

std::vector<std::string> worseThanPlanned(const ReplayPlan& plan, const ReplayPlan& fresh) {
    std::vector<std::string> lines;
    for (const ConsumerForecast& after : fresh.consumers) {
        const ConsumerForecast* before = find(plan, after.consumer);
        if (before == nullptr) {
            lines.push_back(fmt::format("{} was not in the plan, and will see the records now", after.consumer));
            continue;
        }
        compareRuns(*before, after, lines);
    }
    return lines;
}

Result<void> Guard::admits(const ReplayPlan& plan, const Confirmation& confirmation, const GuardContext& context) {
    if (confirmation.reason.find_first_not_of(" \t\r\n") == std::string::npos) {
        return failure({ErrorKind::BadInput, "a replay needs a reason", "Say why: --reason TEXT"});
    }
    if (confirmation.rate && *confirmation.rate < 1) {
        return failure({ErrorKind::BadInput, "the rate is below 1 record per second"});
    }
    ReplayPlan sealed = plan;
    sealPlan(sealed);
    if (sealed.digest != plan.digest) {
        return failure(refusal("plan-stale", "the plan was changed after it was written (its digest doesn't hold)",
                               "Plan again: redeliverctl replay plan …"));
    }
    if (plan.target == "group") {
        return failure(refusal("group-active", "moving a group's offsets isn't offered by this version",
                               "Publish again instead: --target same or --target topic:NAME"));
    }
    if (context.readOnly.value_or(false)) {
        return failure(refusal("read-only", fmt::format("profile {} says read_only = true", context.profile),
                               "Use a profile that allows changes"));
    }
    if (context.production && !context.readOnly.has_value() && confirmation.confirmedProfile != context.profile) {
        return failure(refusal("read-only", fmt::format("{} is a production profile", context.profile),
                               fmt::format("Confirm it by name: --confirm-profile {}", context.profile)));
    }
    return {};
}

Result<ApprovedPlan> Guard::approve(const ReplayPlan& plan, const Planned& fresh, const Confirmation& confirmation,
                                    const GuardContext& context) {
    if (auto admitted = admits(plan, confirmation, context); !admitted) {
        return failure(admitted.error());
    }
    if (auto holds = stillHolds(plan, fresh.plan); !holds) {
        return failure(holds.error());
    }
    if (auto done = answered(plan, fresh.plan, confirmation); !done) {
        return failure(done.error());
    }
    return ApprovedPlan(plan, confirmation);
}

Result<ApprovedPlan> Guard::approveResume(const ReplayPlan& plan, const Planned& fresh, const Confirmation& recorded) {
    if (auto holds = stillHolds(plan, fresh.plan); !holds) {
        return failure(holds.error());
    }
    if (auto done = answered(plan, fresh.plan, recorded); !done) {
        return failure(done.error());
    }
    return ApprovedPlan(plan, recorded);
}

}  // namespace redeliver::replay
