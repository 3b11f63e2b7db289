// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/plan_text.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace redeliver::ui {

QString PlanText::className(MessageClass klass) {
    switch (klass) {
        case MessageClass::Protected:
            return tr("Protected");
        case MessageClass::NeverProcessed:
            return tr("Never processed");
        case MessageClass::Unprotected:
            return tr("Unprotected");
        case MessageClass::Expiring:
            return tr("Expiring");
        case MessageClass::InFlight:
            return tr("In flight");
        case MessageClass::Abandoned:
            return tr("Abandoned");
        case MessageClass::NoIdentity:
            return tr("No identity");
    }
    return {};
}

QString PlanText::willDo(const ConsumerForecast& forecast, MessageClass klass) {
    if (!forecast.guarded) {
        return tr("will process it: nothing known stops a second time");
    }
    switch (klass) {
        case MessageClass::Protected:
            return tr("suppressed as a duplicate");
        case MessageClass::NeverProcessed:
            return tr("applied for the first time, once");
        case MessageClass::Unprotected:
            return tr("may be applied a second time");
        case MessageClass::Expiring:
            return tr("protected now, perhaps not when it arrives");
        case MessageClass::InFlight:
            return tr("suppressed, if the worker that claimed it finishes");
        case MessageClass::Abandoned:
            return tr("skipped, although its effect may be missing");
        case MessageClass::NoIdentity:
            return tr("rejected to the dead-letter topic");
    }
    return {};
}

QString PlanText::reason(std::string_view code) {
    static const std::array<std::pair<std::string_view, const char*>, 8> texts{{
        {"older-than-horizon", QT_TR_NOOP("older than the horizon")},
        {"horizon-unknown", QT_TR_NOOP("the horizon isn't known")},
        {"rows-hidden", QT_TR_NOOP("marker rows may be hidden from this role")},
        {"not-unique", QT_TR_NOOP("the table's key lets the ID in again")},
        {"hole", QT_TR_NOOP("passed, but no marker was left")},
        {"restored-or-skipped", QT_TR_NOOP("passed by the group, not by the database")},
        {"other-log", QT_TR_NOOP("its origin lies in another log")},
        {"no-timestamp", QT_TR_NOOP("the record has no timestamp")},
    }};
    const auto* const found =
        std::find_if(texts.begin(), texts.end(), [code](const auto& entry) { return entry.first == code; });
    return found == texts.end() ? toQt(code) : tr(found->second);
}

QString PlanText::evidence(const ConsumerForecast& forecast, MessageClass klass) {
    switch (klass) {
        case MessageClass::Protected:
            return tr("marker present, and its key is unique");
        case MessageClass::NeverProcessed:
            return tr("no marker, and its absence is proof");
        case MessageClass::Unprotected: {
            QStringList reasons;
            for (const auto& [code, count] : forecast.unprotectedReasons) {
                const QString text = reason(code);
                reasons +=
                    forecast.unprotectedReasons.size() == 1 ? text : Formats::number(count) + QLatin1Char(' ') + text;
            }
            return reasons.isEmpty() ? tr("no marker, and its absence proves nothing")
                                     : tr("no marker: %1").arg(reasons.join(QStringLiteral(" · ")));
        }
        case MessageClass::Expiring:
            return tr("its marker's retention ends before the replay is there");
        case MessageClass::InFlight:
            return tr("claimed a short while ago, not finished");
        case MessageClass::Abandoned:
            return tr("claimed long ago, never finished");
        case MessageClass::NoIdentity:
            return tr("no usable message ID by this consumer's rule");
    }
    return {};
}

QString PlanText::consumerName(const ConsumerForecast& forecast) {
    const QString name = toQt(forecast.consumer);
    return name.startsWith(QLatin1String("group:")) ? tr("group %1").arg(name.mid(6)) : name;
}

QString PlanText::counts(const ConsumerForecast& forecast, std::int64_t records, const QString& separator) {
    if (!forecast.guarded) {
        return tr("will process %1 of %1").arg(Formats::number(records));
    }
    QStringList parts;
    for (std::size_t i = 0; i < messageClassCount; ++i) {
        if (forecast.classes[i] > 0) {
            parts += Formats::number(forecast.classes[i]) + QLatin1Char(' ') +
                     className(static_cast<MessageClass>(i)).toLower();
        }
    }
    return parts.isEmpty() ? Formats::none() : parts.join(separator);
}

QString PlanText::stateName(ReplayState state) {
    switch (state) {
        case ReplayState::Planned:
            return tr("planned");
        case ReplayState::Running:
            return tr("running");
        case ReplayState::Paused:
            return tr("paused");
        case ReplayState::Aborted:
            return tr("aborted");
        case ReplayState::Stopped:
            return tr("stopped by itself");
        case ReplayState::Finished:
            return tr("sent, not reconciled");
        case ReplayState::Reconciled:
            return tr("reconciled");
    }
    return {};
}

QString PlanText::targetName(const std::string& target) {
    if (target.starts_with("topic:")) {
        return tr("side topic %1").arg(toQt(target.substr(6)));
    }
    return target == "same" ? tr("same topic") : toQt(target);
}

QString PlanText::sourceName(const PlanSource& source, const std::function<QString(TimePoint)>& time) {
    if (source.kind == PlanSource::Kind::TimeWindow && source.window) {
        return time(source.window->from) + QStringLiteral(" – ") + time(source.window->to);
    }
    if (source.offsets.size() == 1) {
        const PlanRange& range = source.offsets.front();
        const QString at = tr("partition %1, offset %2").arg(range.partition.value()).arg(range.from.value());
        return range.to.value() - range.from.value() == 1
                   ? at
                   : at + QStringLiteral(" – ") + QString::number(range.to.value());
    }
    return tr("%n offset ranges", nullptr, static_cast<int>(source.offsets.size()));
}

GuardBanner bannerOf(const ReplayPlan& plan) {
    GuardBanner banner;
    banner.findings = plan.findings;
    std::stable_sort(banner.findings.begin(), banner.findings.end(),
                     [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    const auto worst = banner.findings.empty() ? Severity::Info : banner.findings.front().severity;
    const bool repeats = std::any_of(plan.consumers.begin(), plan.consumers.end(), [](const auto& forecast) {
        return forecast.classes[indexOf(MessageClass::Unprotected)] > 0;
    });
    if (repeats) {
        banner.headline = PlanText::tr("This replay can repeat effects.");
    } else if (worst == Severity::Refuse) {
        banner.headline = PlanText::tr("The guard asks for a decision.");
    } else if (!plan.complete) {
        banner.headline = PlanText::tr("The plan could not see everything.");
    } else if (worst == Severity::Warn) {
        banner.headline = PlanText::tr("Read this before you go on.");
    } else if (plan.records == 0) {
        banner.headline = PlanText::tr("There is nothing to replay in this window.");
    } else {
        banner.headline =
            PlanText::tr("Every message has a marker, or its absence proves that it was never processed.");
    }
    const bool hard = std::any_of(plan.findings.begin(), plan.findings.end(), [](const Finding& finding) {
        return finding.severity == Severity::Refuse && finding.answer == Answer::None;
    });
    if (hard && !repeats) {
        banner.headline = PlanText::tr("The guard refuses this replay.");
    }
    banner.tone = repeats || worst == Severity::Refuse                             ? BannerTone::Refuse
                  : worst == Severity::Warn || !plan.complete || plan.records == 0 ? BannerTone::Warn
                                                                                   : BannerTone::Good;
    return banner;
}

}  // namespace redeliver::ui
