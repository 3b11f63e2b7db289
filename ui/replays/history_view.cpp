// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/history_view.h"

#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/state_view.h"
#include "ui/common/table.h"
#include "ui/context/zone.h"
#include "ui/replays/state_tone.h"

#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <array>

namespace redeliver::ui {

HistoryView::HistoryView(Zone& zone, QWidget* parent) : QWidget(parent), m_zone(zone), m_model(new HistoryModel(this)) {
    auto* const panel = new Panel(tr("Replays"), this);
    m_open = new QPushButton(tr("Open report"), panel);
    m_pause = new QPushButton(tr("Pause"), panel);
    m_goOn = new QPushButton(tr("Go on"), panel);
    auto* const fresh = new QPushButton(tr("New replay…"), panel);
    setKind(fresh, "primary");
    for (QPushButton* const button : {m_open, m_pause, m_goOn, fresh}) {
        panel->addToHeading(button);
    }
    m_table = new QTableView(panel);
    setUpTable(*m_table);
    m_table->setModel(m_model);
    m_table->setAccessibleName(tr("Replays so far"));
    m_table->setItemDelegateForColumn(HistoryModel::State, new PillDelegate(
                                                               [](const QModelIndex& index) {
                                                                   return toneOf(static_cast<ReplayState>(
                                                                       index.data(HistoryModel::StateCode).toInt()));
                                                               },
                                                               m_table));
    const std::array<int, HistoryModel::ColumnCount> widths{152, 168, 170, 106, 250, 80, 120};
    for (int i = 0; i < HistoryModel::ColumnCount; ++i) {
        m_table->horizontalHeader()->resizeSection(i, widths.at(static_cast<std::size_t>(i)));
    }
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_state = new StateView(m_table, panel);
    panel->body()->addWidget(m_state, 1);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(panel);
    connect(fresh, &QPushButton::clicked, this, &HistoryView::newWanted);
    connect(m_open, &QPushButton::clicked, this, &HistoryView::openCurrent);
    connect(m_pause, &QPushButton::clicked, this, &HistoryView::pause);
    connect(m_goOn, &QPushButton::clicked, this, &HistoryView::goOn);
    connect(m_table, &QTableView::activated, this, &HistoryView::openCurrent);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &HistoryView::updateButtons);
    connect(m_state, &StateView::retry, this, &HistoryView::retry);
    connect(m_state, &StateView::nextStep, this, [this](StateView::State state) {
        if (state == StateView::State::NoSchema) {
            Q_EMIT migrationWanted();
        } else {
            Q_EMIT newWanted();
        }
    });
    connect(&m_zone, &Zone::changed, this, &HistoryView::applyZone);
    applyZone();
    updateButtons();
}

void HistoryView::applyZone() {
    m_model->setTimeText([zone = &m_zone](TimePoint at) { return zone->full(at).section(QLatin1Char('.'), 0, 0); },
                         m_zone.name());
}

void HistoryView::showLoading() {
    m_state->showLoading(tr("Reading the list of replays"));
}

void HistoryView::showLines(const std::vector<ReplayLine>& lines) {
    const ReplayLine* const before = m_model->line(m_table->currentIndex());
    const ReplayId chosen = before != nullptr ? before->progress.id : ReplayId();
    m_model->setLines(lines);
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (lines[static_cast<std::size_t>(row)].progress.id == chosen || row == 0) {
            m_table->setCurrentIndex(m_model->index(row, 0));
        }
    }
    updateButtons();
    if (lines.empty()) {
        m_state->showEmpty(
            tr("No replay yet"),
            tr("A replay publishes old messages again. Before one is sent you see what each consumer will do "
               "with every message, and the guard says what could repeat an effect."),
            tr("Plan a replay"));
    } else {
        m_state->showReady();
    }
}

void HistoryView::showError(const Error& error) {
    m_state->showError(error);
}

void HistoryView::updateButtons() {
    const ReplayLine* const line = m_model->line(m_table->currentIndex());
    const ReplayState state = line != nullptr ? line->progress.state : ReplayState::Planned;
    const QString choose = tr("Choose a replay first");
    m_open->setEnabled(line != nullptr);
    m_open->setToolTip(line != nullptr ? QString() : choose);
    const bool running = line != nullptr && state == ReplayState::Running;
    const bool open = line != nullptr && (running || state == ReplayState::Paused || state == ReplayState::Stopped);
    m_pause->setEnabled(running);
    m_pause->setToolTip(running ? QString() : tr("Only a running replay can be paused"));
    m_goOn->setEnabled(open);
    m_goOn->setToolTip(open ? tr("Takes the replay over where its process is gone, else watches it")
                            : tr("Only a replay that is paused, stopped or under way can go on"));
}

void HistoryView::openCurrent() {
    if (const ReplayLine* const line = m_model->line(m_table->currentIndex())) {
        Q_EMIT reportWanted(line->progress.id);
    }
}

void HistoryView::pause() {
    if (const ReplayLine* const line = m_model->line(m_table->currentIndex())) {
        Q_EMIT controlWanted(line->progress.id, ReplayControl::Pause);
    }
}

void HistoryView::goOn() {
    if (const ReplayLine* const line = m_model->line(m_table->currentIndex())) {
        Q_EMIT goOnWanted(*line);
    }
}

}  // namespace redeliver::ui
