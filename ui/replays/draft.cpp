// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/draft.h"

#include "ui/common/convert.h"

#include <algorithm>
#include <set>

namespace redeliver::ui {

namespace {

bool blank(const std::string& value) {
    return toQt(value).trimmed().isEmpty();
}

}  // namespace

Obstacles DraftRules::source(const PlanRequest& request) {
    Obstacles missing;
    if (request.consumer.value().empty()) {
        missing.push_back(tr("Choose the consumer whose markers the plan is judged by."));
    }
    if (request.topic.value().empty()) {
        missing.push_back(tr("Choose the topic to read the messages from."));
    }
    if (request.source.kind == PlanSource::Kind::TimeWindow) {
        if (!request.source.window) {
            missing.push_back(
                tr("Type a window: both times with their zone, for example 2026-11-30T10:30:00Z or -3d."));
        } else if (request.source.window->from >= request.source.window->to) {
            missing.push_back(tr("The window ends before it begins: its start must be earlier than its end."));
        }
    } else if (request.source.offsets.empty()) {
        missing.push_back(tr("Choose at least one offset range."));
    }
    return missing;
}

Obstacles DraftRules::target(const PlanRequest& request) {
    Obstacles missing;
    if (request.target.starts_with("topic:")) {
        const std::string name = request.target.substr(6);
        if (name.empty()) {
            missing.push_back(tr("Name the side topic."));
        } else if (name == request.topic.value()) {
            missing.push_back(tr("The side topic is the source topic: choose “same topic” for that."));
        }
    }
    if (request.options.rate <= 0) {
        missing.push_back(tr("The rate must be at least 1 message per second."));
    }
    return missing;
}

bool DraftRules::needsProfileName(const Profile& profile) noexcept {
    return profile.environment == Environment::Production;
}

std::vector<Finding> DraftRules::acceptable(const ReplayPlan& plan) {
    std::vector<Finding> found;
    std::set<std::string> seen;
    for (const Finding& finding : plan.findings) {
        if (finding.severity == Severity::Refuse && finding.answer == Answer::Accept &&
            seen.insert(finding.code).second) {
            found.push_back(finding);
        }
    }
    return found;
}

Obstacles DraftRules::preview(const ReplayPlan& plan, const Profile& profile) {
    Obstacles missing;
    if (profile.readOnly.value_or(false)) {
        missing.push_back(
            tr("The profile says read_only = true, so nothing can be sent with it. Change that line in "
               "Connections, or open a profile that may write."));
    }
    if (plan.records == 0) {
        missing.push_back(tr("The plan holds no message: choose another window."));
    }
    for (const Finding& finding : plan.findings) {
        if (finding.severity == Severity::Refuse && finding.answer == Answer::None) {
            const QString mend = toQt(finding.mend);
            missing.push_back(
                tr("The guard refuses (%1): %2").arg(toQt(finding.code), mend.isEmpty() ? toQt(finding.text) : mend));
        }
    }
    return missing;
}

Obstacles DraftRules::confirm(const ReplayPlan& plan, const Profile& profile, const Confirmation& answers) {
    Obstacles missing = preview(plan, profile);
    if (blank(answers.reason)) {
        missing.push_back(tr("Say why: the reason goes into the audit list."));
    }
    for (const Finding& finding : acceptable(plan)) {
        const auto& codes = answers.acceptedCodes;
        if (std::find(codes.begin(), codes.end(), finding.code) == codes.end()) {
            missing.push_back(tr("Accept “%1”, or change the plan.").arg(toQt(finding.code)));
        }
    }
    if (plan.phrase && answers.phrase != *plan.phrase) {
        missing.push_back(answers.phrase.empty()
                              ? tr("Type the phrase for the unprotected messages.")
                              : tr("The phrase differs: it must be typed exactly, in the same case."));
    }
    if (needsProfileName(profile) && answers.confirmedProfile != profile.name) {
        missing.push_back(tr("This is production: type the profile's name, %1.").arg(toQt(profile.name)));
    }
    return missing;
}

}  // namespace redeliver::ui
