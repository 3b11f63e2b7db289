// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/run_step.h"

#include "ui/common/convert.h"
#include "ui/common/figures.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/pill.h"
#include "ui/replays/labels.h"
#include "ui/replays/plan_text.h"
#include "ui/replays/state_tone.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include <chrono>

namespace redeliver::ui {

RunStep::RunStep(QWidget* parent) : QWidget(parent) {
    m_panel = new Panel(tr("Run"), this);
    m_state = new Pill({}, Tone::Neutral, m_panel);
    m_panel->addToHeading(m_state);
    m_bar = new QProgressBar(m_panel);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress"));
    m_text = makeLabel(m_panel, {}, "muted");
    m_error = makeLabel(m_panel, {}, "bad");
    m_error->hide();
    QVBoxLayout* const body = m_panel->body();
    body->addWidget(m_bar);
    body->addWidget(makeFigures());
    body->addWidget(m_text);
    body->addWidget(m_error);
    body->addWidget(makeButtons());
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(grid::gap);
    all->addWidget(m_panel);
    all->addWidget(makeForecast());
    all->addStretch(1);
    setFocusProxy(m_pause);
}

QWidget* RunStep::makeFigures() {
    auto* const row = new QWidget(m_panel);
    auto* const layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, grid::unit, 0, grid::unit);
    layout->setSpacing(40);
    const auto add = [&](const QString& name) {
        auto* const column = new QVBoxLayout;
        column->setSpacing(0);
        column->addWidget(makeLabel(row, name, "muted"));
        auto* const figure = new FigureLabel(row);
        figure->setFont(fonts::figure());
        figure->setMinimumWidth(120);
        figure->setAccessibleName(name);
        column->addWidget(figure);
        layout->addLayout(column);
        return figure;
    };
    m_sent = add(tr("Sent"));
    m_setAside = add(tr("Set aside"));
    m_left = add(tr("Left"));
    m_rate = add(tr("Per second"));
    layout->addStretch(1);
    return row;
}

QWidget* RunStep::makeButtons() {
    auto* const row = new QWidget(m_panel);
    auto* const layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    m_pause = new QPushButton(tr("Pause"), row);
    m_abort = new QPushButton(tr("Abort…"), row);
    m_keep = new QPushButton(tr("Keep going"), row);
    m_keep->hide();
    layout->addWidget(m_pause);
    layout->addWidget(m_abort);
    layout->addWidget(m_keep);
    layout->addStretch(1);
    connect(m_pause, &QPushButton::clicked, this, &RunStep::pause);
    connect(m_abort, &QPushButton::clicked, this, &RunStep::abort);
    connect(m_keep, &QPushButton::clicked, this, &RunStep::endAsking);
    return row;
}

QWidget* RunStep::makeForecast() {
    auto* const panel = new Panel(tr("What the plan predicts"), this);
    m_forecastPanel = panel;
    m_forecast = new FactGrid(panel);
    panel->body()->addWidget(m_forecast);
    panel->body()->addWidget(makeLabel(
        panel,
        tr("The run goes on while you look at other pages. If this window ends, it stops where it can be resumed."),
        "muted"));
    return panel;
}

void RunStep::fillForecast(const ReplayPlan& plan) {
    m_forecast->clear();
    for (const ConsumerForecast& forecast : plan.consumers) {
        m_forecast->add(PlanText::consumerName(forecast),
                        PlanText::counts(forecast, plan.records, QStringLiteral(" · ")));
    }
}

void RunStep::begin(const ReplayPlan& plan) {
    fillForecast(plan);
    m_forecastPanel->show();
    ReplayProgress none;
    none.records = plan.records;
    none.text = toStd(tr("The guard looks at the plan once more before the first message is sent."));
    start(tr("%1 → %2 · %3 messages")
              .arg(toQt(plan.topic), PlanText::targetName(plan.target), Formats::number(plan.records)),
          none);
}

void RunStep::beginAgain(const ReplayLine& line) {
    m_forecastPanel->hide();
    ReplayProgress progress = line.progress;
    progress.text = toStd(tr("What is left is classified again before anything is sent."));
    start(tr("%1 → %2 · %3 messages · %4")
              .arg(toQt(line.topic), PlanText::targetName(line.target), Formats::number(progress.records),
                   toQt(line.reason)),
          progress);
}

void RunStep::start(const QString& detail, const ReplayProgress& progress) {
    m_since.start();
    m_paused = false;
    endAsking();
    m_error->hide();
    for (QPushButton* const button : {m_pause, m_abort}) {
        button->setEnabled(true);
        button->setToolTip({});
    }
    m_pause->setText(tr("Pause"));
    m_panel->setDetail(detail);
    showProgress(progress);
}

void RunStep::showProgress(const ReplayProgress& progress) {
    m_state->set(PlanText::stateName(progress.state), toneOf(progress.state));
    m_bar->setRange(0, 1000);
    const std::int64_t done = progress.records - progress.left();
    m_bar->setValue(progress.records > 0 ? static_cast<int>(done * 1000 / progress.records) : 0);
    m_sent->setText(Formats::number(progress.sent));
    m_setAside->setText(Formats::number(progress.setAside));
    m_left->setText(Formats::number(progress.left()));
    m_rate->setText(Formats::rate(progress.rate));
    QString text = toQt(progress.text);
    if (progress.rate > 0 && progress.left() > 0 && progress.state == ReplayState::Running) {
        const auto seconds = static_cast<std::int64_t>(static_cast<double>(progress.left()) / progress.rate);
        const QString left = tr("about %1 left").arg(Formats::age(std::chrono::seconds(seconds)));
        text = text.isEmpty() ? left : text + QStringLiteral(" · ") + left;
    }
    m_text->setText(tr("%1 since the start").arg(Formats::age(std::chrono::milliseconds(m_since.elapsed()))) +
                    (text.isEmpty() ? QString() : QStringLiteral(" · ") + text));
}

void RunStep::showEnded(const ReplayProgress& progress) {
    showProgress(progress);
    endAsking();
    for (QPushButton* const button : {m_pause, m_abort}) {
        button->setEnabled(false);
        button->setToolTip(tr("The run has ended"));
    }
}

void RunStep::showError(const Error& error) {
    QString text = toQt(error.text());
    if (!error.hint().empty()) {
        text += QStringLiteral("\n") + toQt(error.hint());
    }
    const bool refused = error.kind() == ErrorKind::Refused;
    m_error->setText(refused ? tr("The guard refused, and nothing was sent. %1").arg(text) : text);
    m_error->show();
    m_state->set(refused ? tr("refused") : tr("ended with an error"), Tone::Bad);
    endAsking();
    for (QPushButton* const button : {m_pause, m_abort}) {
        button->setEnabled(false);
        button->setToolTip(tr("The run has ended"));
    }
}

void RunStep::pause() {
    m_paused = !m_paused;
    m_pause->setText(m_paused ? tr("Go on") : tr("Pause"));
    Q_EMIT controlWanted(m_paused ? ReplayControl::Pause : ReplayControl::Go);
}

void RunStep::abort() {
    if (!m_asking) {
        m_asking = true;
        m_abort->setText(tr("Abort for good: what is sent stays sent"));
        setKind(m_abort, "danger");
        m_keep->show();
        return;
    }
    endAsking();
    m_abort->setEnabled(false);
    m_pause->setEnabled(false);
    Q_EMIT controlWanted(ReplayControl::Abort);
}

void RunStep::endAsking() {
    m_asking = false;
    m_abort->setText(tr("Abort…"));
    setKind(m_abort, "");
    m_keep->hide();
}

}  // namespace redeliver::ui
