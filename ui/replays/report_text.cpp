// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/report_text.h"

#include "core/model/plan.h"
#include "ui/common/formats.h"
#include "ui/replays/plan_text.h"

namespace redeliver::ui {

namespace {

std::int64_t predictedOf(const ConsumerReport& consumer, MessageClass klass) {
    const auto found = consumer.predicted.find(std::string(toText(klass)));
    return found == consumer.predicted.end() ? 0 : found->second;
}

}  // namespace

std::vector<ReportLine> ReportText::lines(const ConsumerReport& consumer) {
    const auto of = [&](MessageClass klass) { return predictedOf(consumer, klass); };
    // Unprotected and expiring ones may be suppressed or applied: the plan said so, and neither is a difference.
    const std::int64_t either = of(MessageClass::Unprotected) + of(MessageClass::Expiring);
    const std::int64_t suppressed =
        of(MessageClass::Protected) + of(MessageClass::InFlight) + of(MessageClass::Abandoned);
    const std::int64_t applied = of(MessageClass::NeverProcessed);
    const std::int64_t rejected = of(MessageClass::NoIdentity);
    const FoundCounts& found = consumer.found;
    return {{tr("suppressed as duplicates"), suppressed, suppressed + either, found.suppressed},
            {tr("applied"), applied, applied + either, found.applied},
            {tr("failed"), 0, 0, found.failed},
            {tr("dead-lettered"), rejected, rejected, found.deadLettered},
            {tr("not seen"), 0, 0, found.notSeen}};
}

QString ReportText::predicted(const ReportLine& line) {
    return line.least == line.most ? Formats::number(line.least)
                                   : tr("%1 to %2").arg(Formats::number(line.least), Formats::number(line.most));
}

std::int64_t ReportText::differences(const ReplayReport& report) {
    std::int64_t count = 0;
    for (const ConsumerReport& consumer : report.consumers) {
        count += static_cast<std::int64_t>(consumer.differences.size());
    }
    return count;
}

QString ReportText::sentence(const ReplayReport& report) {
    const ReplayProgress& progress = report.line.progress;
    const QString sent =
        tr("%1 of %2 messages sent").arg(Formats::number(progress.sent), Formats::number(progress.records));
    const std::int64_t count = differences(report);
    if (progress.state == ReplayState::Finished) {
        return tr("%1. The markers haven't been compared with the prediction yet.").arg(sent);
    }
    if (count == 0 && progress.left() == 0 && progress.setAside == 0 && progress.state == ReplayState::Reconciled) {
        return tr("%1, and every one went as predicted.").arg(sent);
    }
    if (count == 0) {
        return tr("%1 (%2). What was sent went as predicted.").arg(sent, PlanText::stateName(progress.state));
    }
    return count == 1 ? tr("%1. 1 message went otherwise than predicted.").arg(sent)
                      : tr("%1. %2 messages went otherwise than predicted.").arg(sent, Formats::number(count));
}

}  // namespace redeliver::ui
