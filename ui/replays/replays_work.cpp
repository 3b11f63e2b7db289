// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The half of ReplaysPage that asks the desks; the steps' order is in replays_page.cpp.
#include "core/replay/plan_document.h"
#include "ui/common/convert.h"
#include "ui/context/session.h"
#include "ui/replays/confirm_step.h"
#include "ui/replays/draft.h"
#include "ui/replays/history_view.h"
#include "ui/replays/preview_step.h"
#include "ui/replays/replays_page.h"
#include "ui/replays/report_step.h"
#include "ui/replays/run_engine.h"
#include "ui/replays/run_step.h"
#include "ui/replays/source_step.h"
#include "ui/replays/target_step.h"

#include <QFileDialog>
#include <QLabel>
#include <QSaveFile>
#include <QSettings>

#include <algorithm>
#include <utility>

namespace redeliver::ui {

namespace {

constexpr int historyLimit = 200;

bool same(const PlanRequest& a, const PlanRequest& b) {
    return a.consumer == b.consumer && a.topic == b.topic && a.target == b.target && a.source.kind == b.source.kind &&
           a.source.window == b.source.window && a.source.offsets == b.source.offsets &&
           a.options.rate == b.options.rate && a.options.keepTimestamps == b.options.keepTimestamps &&
           a.options.dropHeaders == b.options.dropHeaders && a.options.onlyFor == b.options.onlyFor;
}

}  // namespace

bool ReplaysPage::planFits() const {
    return m_plan && m_planned && same(*m_planned, m_request);
}

void ReplaysPage::readDraft() {
    m_source->fill(m_request);
    m_target->fill(m_request);
    updateFooter();
}

void ReplaysPage::fetchLists() {
    if (m_listsFetched) {
        return;
    }
    m_listsFetched = true;
    m_topicTicket = m_context.session->replays().run(
        [](ReplayDesk& desk, Job&) { return desk.topics(); },
        [this](const Result<std::vector<std::string>>& topics) {
            if (topics) {
                m_source->setTopics(*topics);
                m_target->setTopics(*topics);
            } else {
                m_listsFetched = false;
                m_source->setListsNote(
                    tr("The topics can't be listed, so type the name: %1").arg(toQt(topics.error().text())));
            }
        });
    m_consumerTicket = m_context.session->actions().run(
        [](ActionDesk& desk, Job&) { return desk.consumers(); },
        [this](const Result<std::vector<ConsumerInfo>>& consumers) {
            if (consumers) {
                m_source->setConsumers(*consumers);
            } else {
                m_listsFetched = false;
                m_source->setListsNote(
                    tr("The consumers can't be listed, so type the name: %1").arg(toQt(consumers.error().text())));
            }
        });
}

void ReplaysPage::fetchHistory() {
    m_history->showLoading();
    m_listTicket = m_context.session->replays().run(
        [](ReplayDesk& desk, Job&) { return desk.list(historyLimit); },
        [this](const Result<std::vector<ReplayLine>>& lines) {
            if (!lines) {
                m_history->showError(lines.error());
                return;
            }
            m_history->showLines(*lines);
            const auto waiting = std::count_if(lines->begin(), lines->end(), [](const ReplayLine& line) {
                return line.progress.state == ReplayState::Paused || line.progress.state == ReplayState::Stopped;
            });
            Q_EMIT badgeChanged(static_cast<int>(waiting));
        });
}

void ReplaysPage::fetchReport(const ReplayId& id) {
    m_reportId = id;
    m_hasReport = true;
    m_report->showLoading();
    goTo(ReplayStep::Report);
    m_reportTicket = m_context.session->replays().run([id](ReplayDesk& desk, Job&) { return desk.report(id); },
                                                      [this](const Result<ReplayReport>& report) {
                                                          if (report) {
                                                              m_report->showReport(*report);
                                                          } else {
                                                              m_report->showError(report.error());
                                                          }
                                                      });
}

void ReplaysPage::control(const ReplayId& id, ReplayControl wanted) {
    if (m_engine && m_engine->isRunning() && m_engine->progress().id == id) {
        m_engine->setControl(wanted);
        return;
    }
    m_controlTicket =
        m_context.session->replays().run([id, wanted](ReplayDesk& desk, Job&) { return desk.control(id, wanted); },
                                         [this](const Result<void>& answer) {
                                             if (answer) {
                                                 fetchHistory();
                                             } else {
                                                 m_history->showError(answer.error());
                                             }
                                         });
}

void ReplaysPage::takeLock() {
    // The session made new lanes: answers of the old ones never come.
    m_listsFetched = false;
    if (m_planTicket.pending()) {
        plan();
    }
    if (m_listTicket.pending()) {
        fetchHistory();
    }
    updateFooter();
}

void ReplaysPage::plan() {
    m_plan.reset();
    m_planned = m_request;
    m_preview->showPlanning(tr("Freezing the offsets"));
    m_planTicket = m_context.session->replays().run(
        [request = m_request, preview = m_preview](ReplayDesk& desk, Job& job) {
            const ProgressSink show =
                job.progress([preview](const Progress& progress) { preview->showProgress(progress); });
            return desk.plan(request, show, job.stop());
        },
        [this](const Result<ReplayPlan>& answer) { showPlan(answer); });
    updateFooter();
}

void ReplaysPage::showPlan(const Result<ReplayPlan>& answer) {
    if (answer) {
        m_plan = *answer;
        m_preview->showPlan(*m_plan);
    } else {
        m_preview->showError(answer.error());
    }
    updateFooter();
}

void ReplaysPage::cancelPlan() {
    m_planTicket.cancel();
    m_preview->showCancelled();
    updateFooter();
}

void ReplaysPage::mend(const PlanRequest& request) {
    m_source->setRequest(request);
    m_target->setRequest(request);
    m_request = request;
    plan();
}

void ReplaysPage::savePlan() {
    auto* const dialog = new QFileDialog(this, tr("Save the plan"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->selectFile(QStringLiteral("replay-%1.json").arg(toQt(m_plan->planId).left(8)));
    connect(
        dialog, &QFileDialog::fileSelected, this, [this, document = replay::writePlan(*m_plan)](const QString& name) {
            QSaveFile file(name);
            const bool saved = file.open(QIODevice::WriteOnly) && file.write(toBytes(document)) >= 0 && file.commit();
            m_note->setText(saved ? tr("Saved to %1").arg(name) : tr("Could not save: %1").arg(file.errorString()));
        });
    dialog->open();
}

void ReplaysPage::run() {
    const Confirmation answers = m_confirm->confirmation();
    if (!planFits() || !DraftRules::confirm(*m_plan, m_context.session->profile(), answers).empty()) {
        return;
    }
    m_run->begin(*m_plan);
    startEngine(std::make_unique<RunEngine>(*m_context.session, *m_plan, answers));
}

void ReplaysPage::goOn(const ReplayLine& line) {
    if (m_engine && m_engine->isRunning()) {
        goTo(ReplayStep::Run);
        return;
    }
    m_run->beginAgain(line);
    startEngine(std::make_unique<RunEngine>(*m_context.session, line.progress));
}

void ReplaysPage::startEngine(std::unique_ptr<RunEngine> engine) {
    m_engine = std::move(engine);
    m_hasReport = false;
    m_reportId = m_engine->progress().id;
    connect(m_engine.get(), &RunEngine::progressed, m_run, &RunStep::showProgress);
    connect(m_engine.get(), &RunEngine::reported, this, &ReplaysPage::showReport);
    connect(m_engine.get(), &RunEngine::failed, this, &ReplaysPage::showRunError);
    m_engine->start();
    goTo(ReplayStep::Run);
}

void ReplaysPage::showReport(const ReplayReport& report) {
    m_hasReport = true;
    m_run->showEnded(report.line.progress);
    m_report->showReport(report);
    if (!showsHistory()) {
        goTo(ReplayStep::Report);
    }
    // A plan is run once: the same click must not find it again.
    m_plan.reset();
    m_planned.reset();
    updateFooter();
}

void ReplaysPage::showRunError(const Error& error) {
    m_run->showError(error);
    if (error.kind() == ErrorKind::Refused) {
        m_plan.reset();  // the guard refused it now: only a new plan can be confirmed
        m_planned.reset();
    }
    updateFooter();
}

void ReplaysPage::saveState(QSettings& settings) const {
    settings.setValue(QStringLiteral("consumer"), toQt(m_request.consumer.value()));
    settings.setValue(QStringLiteral("topic"), toQt(m_request.topic.value()));
    settings.setValue(QStringLiteral("rate"), static_cast<qlonglong>(m_request.options.rate));
}

void ReplaysPage::restoreState(QSettings& settings) {
    PlanRequest request;
    request.consumer = ConsumerName(toStd(settings.value(QStringLiteral("consumer")).toString()));
    request.topic = Topic(toStd(settings.value(QStringLiteral("topic")).toString()));
    request.options.rate =
        std::clamp<qlonglong>(settings.value(QStringLiteral("rate"), 500).toLongLong(), 1, 1'000'000);
    m_source->setRequest(request);
    m_target->setRequest(request);
    readDraft();
}

}  // namespace redeliver::ui
