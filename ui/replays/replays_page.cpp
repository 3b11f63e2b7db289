// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/replays_page.h"

#include "ui/common/convert.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/context/live.h"
#include "ui/context/navigator.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/replays/confirm_step.h"
#include "ui/replays/draft.h"
#include "ui/replays/history_view.h"
#include "ui/replays/preview_step.h"
#include "ui/replays/report_step.h"
#include "ui/replays/run_engine.h"
#include "ui/replays/run_step.h"
#include "ui/replays/source_step.h"
#include "ui/replays/target_step.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTimer>
#include <QUrlQuery>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace redeliver::ui {

namespace {

QWidget* scrolled(QWidget* content, QWidget* parent) {
    auto* const scroll = new QScrollArea(parent);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return scroll;
}

QString joined(const Obstacles& obstacles) {
    QStringList lines;
    for (const QString& obstacle : obstacles) {
        lines += obstacle;
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

ReplaysPage::ReplaysPage(const PageContext& context, QWidget* parent) : Page(parent), m_context(context) {
    m_stack = new QStackedWidget(this);
    m_history = new HistoryView(*m_context.zone, m_stack);
    m_source = new SourceStep(*m_context.time, *m_context.zone, m_stack);
    m_target = new TargetStep(m_stack);
    m_preview = new PreviewStep(*m_context.zone, m_stack);
    m_confirm = new ConfirmStep(m_stack);
    m_run = new RunStep(m_stack);
    m_report = new ReportStep(*m_context.zone, m_stack);
    m_stack->addWidget(m_history);
    m_stack->addWidget(scrolled(m_source, m_stack));
    m_stack->addWidget(scrolled(m_target, m_stack));
    m_stack->addWidget(m_preview);
    m_stack->addWidget(scrolled(m_confirm, m_stack));
    m_stack->addWidget(m_run);
    m_stack->addWidget(m_report);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(grid::margin, grid::margin, grid::margin, grid::margin);
    all->setSpacing(grid::gap);
    all->addWidget(makeTop());
    all->addWidget(m_stack, 1);
    all->addWidget(makeFooter());
    connectSteps();
    showHistory();
}

ReplaysPage::~ReplaysPage() = default;

QWidget* ReplaysPage::makeTop() {
    auto* const top = new QWidget(this);
    auto* const row = new QHBoxLayout(top);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::unit);
    m_steps = new StepBar(top);
    m_toHistory = new QPushButton(tr("History"), top);
    m_toHistory->setToolTip(tr("The list of replays; a draft and a running replay are kept"));
    row->addWidget(m_steps);
    row->addStretch(1);
    row->addWidget(m_toHistory);
    connect(m_steps, &StepBar::chosen, this, &ReplaysPage::goTo);
    connect(m_toHistory, &QPushButton::clicked, this, [this] {
        showHistory();
        fetchHistory();
    });
    return top;
}

QWidget* ReplaysPage::makeFooter() {
    m_footer = new QWidget(this);
    auto* const row = new QHBoxLayout(m_footer);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::unit);
    m_note = new QLabel(m_footer);
    m_note->setWordWrap(true);
    setKind(m_note, "muted");
    m_save = new QPushButton(tr("Save plan…"), m_footer);
    m_back = new QPushButton(tr("Back"), m_footer);
    m_next = new QPushButton(m_footer);
    setKind(m_next, "primary");
    row->addWidget(m_note, 1);
    row->addWidget(m_save);
    row->addWidget(m_back);
    row->addWidget(m_next);
    connect(m_save, &QPushButton::clicked, this, &ReplaysPage::savePlan);
    connect(m_back, &QPushButton::clicked, this, &ReplaysPage::back);
    connect(m_next, &QPushButton::clicked, this, &ReplaysPage::next);
    return m_footer;
}

void ReplaysPage::connectSteps() {
    connect(m_history, &HistoryView::retry, this, &ReplaysPage::fetchHistory);
    connect(m_history, &HistoryView::newWanted, this, [this] { startNew({}); });
    connect(m_history, &HistoryView::reportWanted, this, &ReplaysPage::fetchReport);
    connect(m_history, &HistoryView::controlWanted, this, &ReplaysPage::control);
    connect(m_history, &HistoryView::goOnWanted, this, &ReplaysPage::goOn);
    connect(m_history, &HistoryView::migrationWanted, this, [this] {
        m_context.navigator->go({PageId::Connections, QStringLiteral("migrate"), std::nullopt});
    });
    connect(m_source, &SourceStep::changed, this, &ReplaysPage::readDraft);
    connect(m_target, &TargetStep::changed, this, &ReplaysPage::readDraft);
    connect(m_preview, &PreviewStep::retry, this, &ReplaysPage::plan);
    connect(m_preview, &PreviewStep::cancelled, this, &ReplaysPage::cancelPlan);
    connect(m_preview, &PreviewStep::mendChosen, this, &ReplaysPage::mend);
    connect(m_confirm, &ConfirmStep::changed, this, &ReplaysPage::updateFooter);
    connect(m_run, &RunStep::controlWanted, this, [this](ReplayControl wanted) {
        if (m_engine) {
            m_engine->setControl(wanted);
        }
    });
    connect(m_report, &ReportStep::retry, this, [this] {
        if (m_reportId) {
            fetchReport(*m_reportId);
        }
    });
    connect(m_context.session, &Session::readOnlyChanged, this, &ReplaysPage::takeLock);
    connect(m_context.live, &Live::tick, this, [this] {
        if (m_active && showsHistory() && !m_listTicket.pending()) {
            fetchHistory();
        }
    });
}

bool ReplaysPage::showsHistory() const {
    return m_stack->currentIndex() == 0;
}

ReplayStep ReplaysPage::step() const {
    return m_steps->current();
}

void ReplaysPage::setActive(bool active) {
    m_active = active;
}

void ReplaysPage::refresh() {
    if (showsHistory()) {
        fetchHistory();
    } else if (step() == ReplayStep::Preview && !m_engine) {
        plan();
    } else if (step() == ReplayStep::Report && m_reportId) {
        fetchReport(*m_reportId);
    }
}

void ReplaysPage::open(const Link& link) {
    if (link.argument.startsWith(QLatin1String("new"))) {
        startNew(requestOf(link.argument));
    } else if (link.argument.startsWith(QLatin1String("preview"))) {
        startNew(requestOf(link.argument));
        goTo(ReplayStep::Preview);
    } else if (!link.argument.isEmpty()) {
        fetchReport(ReplayId(toStd(link.argument)));
    } else {
        showHistory();
        fetchHistory();
    }
}

PlanRequest ReplaysPage::requestOf(const QString& argument) const {
    const QUrlQuery query(argument.section(QLatin1Char('?'), 1));
    const auto value = [&](const char* name) { return query.queryItemValue(QLatin1String(name), QUrl::FullyDecoded); };
    PlanRequest request;
    request.consumer = ConsumerName(toStd(value("consumer")));
    request.topic = Topic(toStd(value("topic")));
    bool good = false;
    bool goodFrom = false;
    bool goodTo = false;
    const int partition = value("partition").toInt(&good);
    const qlonglong from = value("from").toLongLong(&goodFrom);
    const qlonglong to = value("to").toLongLong(&goodTo);
    if (good && goodFrom && goodTo && from < to) {
        request.source.kind = PlanSource::Kind::Offsets;
        request.source.offsets = {{Partition(partition), Offset(from), Offset(to)}};
    } else if (goodFrom && goodTo && from < to) {
        request.source.window = TimeRange{fromUnixMillis(from), fromUnixMillis(to)};
    } else {
        request.source.window = m_context.time->range();
    }
    return request;
}

void ReplaysPage::showHistory() {
    m_stack->setCurrentIndex(0);
    m_steps->hide();
    m_toHistory->parentWidget()->hide();
    m_footer->hide();
}

void ReplaysPage::startNew(const PlanRequest& request) {
    fetchLists();
    if (m_engine && m_engine->isRunning()) {
        goTo(ReplayStep::Run);
        return;
    }
    m_engine.reset();
    m_hasReport = false;
    PlanRequest fresh = request;
    if (fresh.source.kind == PlanSource::Kind::TimeWindow && !fresh.source.window) {
        fresh.source.window = m_context.time->range();
    }
    m_source->setRequest(fresh);
    m_target->setRequest(fresh);
    readDraft();
    goTo(ReplayStep::Source);
}

void ReplaysPage::goTo(ReplayStep step) {
    if (!obstacleTo(step).isEmpty()) {
        return;
    }
    if (step == ReplayStep::Target) {
        m_target->setRequest(m_request);
    }
    m_stack->setCurrentIndex(static_cast<int>(step) + 1);
    m_toHistory->parentWidget()->show();
    m_steps->show();
    m_steps->setCurrent(step);
    m_footer->show();
    if (step == ReplayStep::Preview && !planFits() && !m_planTicket.pending()) {
        plan();
    }
    updateFooter();
    // Keys go where the step's first decision is: its form, or the button that goes on.
    if (step == ReplayStep::Source || step == ReplayStep::Confirm) {
        (step == ReplayStep::Source ? static_cast<QWidget*>(m_source) : m_confirm)->setFocus();
    } else if (step == ReplayStep::Run) {
        m_run->setFocus();
    } else {
        (m_next->isEnabled() ? static_cast<QWidget*>(m_next) : m_stack->currentWidget())->setFocus();
    }
}

void ReplaysPage::next() {
    switch (step()) {
        case ReplayStep::Source:
            goTo(ReplayStep::Target);
            break;
        case ReplayStep::Target:
            goTo(ReplayStep::Preview);
            break;
        case ReplayStep::Preview:
            m_confirm->setPlan(*m_plan, m_context.session->profile());
            goTo(ReplayStep::Confirm);
            break;
        case ReplayStep::Confirm:
            run();
            break;
        case ReplayStep::Run:
            goTo(ReplayStep::Report);
            break;
        case ReplayStep::Report:
            showHistory();
            fetchHistory();
            break;
    }
}

void ReplaysPage::back() {
    switch (step()) {
        case ReplayStep::Source:
        case ReplayStep::Report:
            showHistory();
            fetchHistory();
            break;
        case ReplayStep::Run:
            goTo(obstacleTo(ReplayStep::Preview).isEmpty() ? ReplayStep::Preview : ReplayStep::Source);
            break;
        default:
            goTo(static_cast<ReplayStep>(static_cast<int>(step()) - 1));
    }
}

QString ReplaysPage::obstacleTo(ReplayStep step) const {
    const bool running = m_engine && m_engine->isRunning();
    if (running && step < ReplayStep::Run) {
        return tr("A replay is running: wait for its end, or abort it");
    }
    Obstacles obstacles;
    if (step == ReplayStep::Target || step == ReplayStep::Preview || step == ReplayStep::Confirm) {
        obstacles = DraftRules::source(m_request);
    }
    if (step == ReplayStep::Preview || step == ReplayStep::Confirm) {
        const Obstacles target = DraftRules::target(m_request);
        obstacles.insert(obstacles.end(), target.begin(), target.end());
    }
    if (step == ReplayStep::Confirm && obstacles.empty()) {
        obstacles = planFits()
                        ? DraftRules::preview(*m_plan, m_context.session->profile())
                        : Obstacles{m_planTicket.pending() ? tr("Wait for the preview") : tr("Make the preview first")};
    }
    if (step == ReplayStep::Run && !m_engine) {
        obstacles.push_back(tr("Confirm first"));
    }
    if (step == ReplayStep::Report && !m_hasReport) {
        obstacles.push_back(running ? tr("The report is written when the run has ended") : tr("Nothing has run yet"));
    }
    return joined(obstacles);
}

void ReplaysPage::updateFooter() {
    for (int i = 0; i < 6; ++i) {
        m_steps->setObstacle(static_cast<ReplayStep>(i), obstacleTo(static_cast<ReplayStep>(i)));
    }
    QString obstacle;
    QString text = tr("Continue");
    switch (step()) {
        case ReplayStep::Source:
            obstacle = obstacleTo(ReplayStep::Target);
            break;
        case ReplayStep::Target:
            obstacle = obstacleTo(ReplayStep::Preview);
            text = tr("Preview");
            break;
        case ReplayStep::Preview:
            obstacle = obstacleTo(ReplayStep::Confirm);
            text = tr("Continue…");
            break;
        case ReplayStep::Confirm:
            text = tr("Start the replay");
            obstacle =
                m_plan ? joined(DraftRules::confirm(*m_plan, m_context.session->profile(), m_confirm->confirmation()))
                       : tr("Make the preview first");
            break;
        case ReplayStep::Run:
            obstacle = obstacleTo(ReplayStep::Report);
            text = tr("Report");
            break;
        case ReplayStep::Report:
            text = tr("To the history");
            break;
    }
    const bool hazard = step() == ReplayStep::Confirm && m_plan && m_plan->phrase;
    setKind(m_next, hazard ? "danger" : "primary");
    m_next->setText(text);
    m_next->setShortcut(Qt::CTRL | Qt::Key_Return);  // setText() took it away
    m_next->setEnabled(obstacle.isEmpty());
    m_next->setToolTip(obstacle);
    m_note->setText(obstacle.section(QLatin1Char('\n'), 0, 0));
    m_note->setToolTip(obstacle);
    m_save->setVisible(step() == ReplayStep::Preview || step() == ReplayStep::Confirm);
    m_save->setEnabled(planFits());
    m_save->setToolTip(planFits() ? tr("The plan as a file, for redeliverctl replay run")
                                  : tr("Make the preview first"));
    m_back->setVisible(step() != ReplayStep::Report && !(m_engine && m_engine->isRunning()));
}

}  // namespace redeliver::ui
