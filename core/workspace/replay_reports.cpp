// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/replay_reports.h"

#include "core/base/log.h"
#include "core/replay/plan_document.h"
#include "core/replay/provenance.h"
#include "core/replay/reconcile.h"
#include "core/replay/report_document.h"
#include "core/workspace/replay_setup.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver {
namespace {

constexpr std::chrono::seconds quietEnough{10};
constexpr std::chrono::milliseconds betweenLooks{500};

std::int64_t notSeen(const ReplayReport& report) {
    std::int64_t sum = 0;
    for (const ConsumerReport& one : report.consumers) {
        sum += one.found.notSeen;
    }
    return sum;
}

ReplayReport frame(const ports::StoredReplay& stored) {
    ReplayReport report;
    report.line = stored.line;
    report.setAside = stored.setAside;
    return report;
}

}  // namespace

Result<ReplayReport> ReplayReports::compare(const ports::StoredReplay& stored) {
    const auto plan = replay::parsePlan(stored.plan);
    if (!plan) {
        return failure(plan.error());
    }
    std::vector<replay::ReconciledConsumer> consumers;
    for (const ConsumerForecast& forecast : plan->consumers) {
        const auto info = std::find_if(m_consumers.begin(), m_consumers.end(),
                                       [&](const ConsumerInfo& one) { return one.name.value() == forecast.consumer; });
        if (forecast.guarded && info != m_consumers.end()) {
            consumers.push_back({*info, committedOf(*info, replay::targetTopic(*plan), m_admin)});
        }
    }
    const auto copies = replay::readCopies(*plan, stored, consumers, m_reader, {});
    if (!copies) {
        return failure(copies.error());
    }
    ReplayReport report = frame(stored);
    for (std::size_t i = 0; i < consumers.size(); ++i) {
        report.consumers.push_back(replay::reconcile(*plan, stored, *copies, consumers[i], i, m_markers, {}));
    }
    return report;
}

void ReplayReports::save(const ReplayReport& report) {
    try {
        m_ledger.saveReport(report.line.progress.id, replay::reportJson(report), notSeen(report) == 0);
    } catch (const Error& error) {
        // A reader's role may look, but not store what it saw.
        log(LogLevel::Debug,
            fmt::format("replay={} report not stored: {}", report.line.progress.id.value(), error.text()));
    }
}

Result<ReplayReport> ReplayReports::now(const ReplayId& id) {
    const auto stored = m_ledger.load(id);
    if (!stored) {
        return failure(
            {ErrorKind::NotFound, fmt::format("there is no replay {}", id.value()), "See: redeliverctl replay list"});
    }
    if (stored->line.progress.state == ReplayState::Reconciled && stored->report) {
        ReplayReport report = frame(*stored);
        auto consumers = replay::parseConsumerReports(*stored->report);
        if (!consumers) {
            return failure(consumers.error());
        }
        report.consumers = std::move(*consumers);
        return report;
    }
    auto report = compare(*stored);
    if (report && stored->line.progress.state == ReplayState::Finished) {
        save(*report);
    }
    return report;
}

Result<ReplayReport> ReplayReports::untilSeen(const ReplayId& id, Clock& clock, const ReplayWatcher& watcher,
                                              const std::stop_token& stop) {
    std::int64_t leftBefore = -1;
    auto lastMove = clock.steady();
    for (;;) {
        const auto stored = m_ledger.load(id);
        if (!stored) {
            return failure({ErrorKind::NotFound, fmt::format("replay {} is gone", id.value())});
        }
        auto report = compare(*stored);
        if (!report) {
            return report;
        }
        const std::int64_t left = notSeen(*report);
        const auto now = clock.steady();
        if (left != leftBefore) {
            leftBefore = left;
            lastMove = now;
        }
        if (watcher) {
            ReplayProgress shown = report->line.progress;
            shown.text = fmt::format("comparing with the markers: {} not seen yet", left);
            (void)watcher(shown);
        }
        if (left == 0 || now - lastMove >= quietEnough || stop.stop_requested()) {
            save(*report);
            if (left == 0) {
                report->line.progress.state = ReplayState::Reconciled;
            }
            return report;
        }
        clock.sleep(betweenLooks, stop);
    }
}

}  // namespace redeliver
