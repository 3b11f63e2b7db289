// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/report_step.h"

#include "core/replay/report_document.h"
#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/pill.h"
#include "ui/common/state_view.h"
#include "ui/common/table.h"
#include "ui/context/zone.h"
#include "ui/replays/labels.h"
#include "ui/replays/models.h"
#include "ui/replays/plan_text.h"
#include "ui/replays/report_text.h"
#include "ui/replays/state_tone.h"

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include <array>

namespace redeliver::ui {

ReportStep::ReportStep(Zone& zone, QWidget* parent) : QWidget(parent), m_zone(zone) {
    auto* const content = new QWidget(this);
    auto* const column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::gap);
    column->addWidget(makeHead());
    auto* const compared = new Panel(tr("Predicted against found"), content);
    m_consumers = new QWidget(compared);
    m_grid = new QGridLayout(m_consumers);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(24);
    m_grid->setVerticalSpacing(6);
    m_grid->setColumnStretch(0, 1);
    compared->body()->addWidget(m_consumers);
    column->addWidget(compared);
    column->addWidget(makeDifferences(), 4);
    column->addStretch(1);
    auto* const scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_state = new StateView(scroll, this);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_state);
    connect(m_state, &StateView::retry, this, &ReportStep::retry);
    connect(&m_zone, &Zone::changed, this, &ReportStep::fillHead);
}

QWidget* ReportStep::makeHead() {
    auto* const panel = new Panel(tr("Report"), this);
    m_pill = new Pill({}, Tone::Neutral, panel);
    panel->addToHeading(m_pill);
    m_sentence = makeLabel(panel, {});
    m_sentence->setFont(fonts::strong());
    m_audit = makeLabel(panel, {}, "muted");
    auto* const row = new QHBoxLayout;
    auto* const markdown = new QPushButton(tr("Copy as Markdown"), panel);
    auto* const json = new QPushButton(tr("Copy as JSON"), panel);
    row->addWidget(markdown);
    row->addWidget(json);
    row->addStretch(1);
    panel->body()->addWidget(m_sentence);
    panel->body()->addWidget(m_audit);
    panel->body()->addLayout(row);
    connect(markdown, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(toQt(replay::reportMarkdown(*m_report))); });
    connect(json, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(toQt(replay::reportJson(*m_report))); });
    return panel;
}

QWidget* ReportStep::makeDifferences() {
    m_differencePanel = new Panel(tr("Differences"), this);
    m_differences = new DifferenceModel(this);
    m_table = new QTableView(m_differencePanel);
    setUpTable(*m_table, 30);
    m_table->setModel(m_differences);
    m_table->setMinimumHeight(120);
    m_table->setAccessibleName(tr("Messages that went otherwise than predicted"));
    const std::array<int, DifferenceModel::ColumnCount> widths{220, 240, 160, 150, 150};
    for (int i = 0; i < DifferenceModel::ColumnCount; ++i) {
        m_table->horizontalHeader()->resizeSection(i, widths.at(static_cast<std::size_t>(i)));
    }
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_differencePanel->body()->addWidget(m_table, 1);
    return m_differencePanel;
}

void ReportStep::showLoading() {
    m_state->showLoading(tr("Comparing the prediction with the markers"));
}

void ReportStep::showError(const Error& error) {
    m_state->showError(error);
}

QString ReportStep::sentence() const {
    return m_sentence->text();
}

void ReportStep::fillHead() {
    if (!m_report) {
        return;
    }
    const ReplayLine& line = m_report->line;
    QStringList parts{tr("replay %1").arg(toQt(line.progress.id.value()))};
    if (!line.who.empty()) {
        parts += tr("by %1").arg(toQt(line.who));
    }
    if (line.startedAt) {
        parts += m_zone.full(*line.startedAt);
    }
    if (line.startedAt && line.endedAt) {
        parts += tr("took %1").arg(Formats::age(*line.endedAt - *line.startedAt));
    }
    parts += toQt(line.topic) + QStringLiteral(" → ") + PlanText::targetName(line.target);
    parts += m_report->exactlyOnce ? tr("each source record is in the target exactly once")
                                   : tr("sent at least once: transactions weren't allowed");
    QString text = parts.join(QStringLiteral(" · "));
    if (!line.reason.empty()) {
        text += QLatin1Char('\n') + tr("Why: %1").arg(toQt(line.reason));
    }
    if (!line.progress.text.empty()) {
        text += QLatin1Char('\n') + toQt(line.progress.text);
    }
    m_audit->setText(text);
}

void ReportStep::showReport(const ReplayReport& report) {
    m_report = report;
    m_pill->set(PlanText::stateName(report.line.progress.state), toneOf(report.line.progress.state));
    m_sentence->setText(ReportText::sentence(report));
    fillHead();
    fillConsumers();
    m_differences->setReport(report);
    const std::int64_t count = ReportText::differences(report);
    m_differencePanel->setDetail(Formats::number(count));
    m_differencePanel->setVisible(count > 0);
    m_state->showReady();
}

void ReportStep::fillConsumers() {
    while (QLayoutItem* const item = m_grid->takeAt(0)) {
        if (QWidget* const widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    int row = 0;
    const std::array<QString, 4> names{tr("Consumer and outcome"), tr("Predicted"), tr("Found"), QString()};
    for (int i = 0; i < 4; ++i) {
        QLabel* const label = makeLabel(m_consumers, names.at(static_cast<std::size_t>(i)), "muted");
        label->setAlignment(i == 0 ? Qt::AlignLeft : Qt::AlignRight);
        m_grid->addWidget(label, row, i);
    }
    ++row;
    for (const ConsumerReport& consumer : m_report->consumers) {
        addConsumer(consumer, row);
    }
    if (m_report->consumers.empty()) {
        m_grid->addWidget(makeLabel(m_consumers, tr("No consumer was known to see the copies."), "muted"), row, 0, 1,
                          4);
    }
}

void ReportStep::addConsumer(const ConsumerReport& consumer, int& row) {
    auto* const rule = new QFrame(m_consumers);
    setKind(rule, "rule");
    m_grid->addWidget(rule, row++, 0, 1, 4);
    QLabel* const name = makeLabel(m_consumers, toQt(consumer.consumer));
    name->setFont(fonts::strong());
    m_grid->addWidget(name, row++, 0);
    for (const ReportLine& line : ReportText::lines(consumer)) {
        if (line.most == 0 && line.found == 0) {
            continue;
        }
        QLabel* const what = makeLabel(m_consumers, line.what);
        what->setIndent(grid::margin);
        m_grid->addWidget(what, row, 0);
        QLabel* const predicted = makeLabel(m_consumers, ReportText::predicted(line));
        QLabel* const found = makeLabel(m_consumers, Formats::number(line.found));
        for (QLabel* const number : {predicted, found}) {
            number->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
            number->setWordWrap(false);
        }
        m_grid->addWidget(predicted, row, 1);
        m_grid->addWidget(found, row, 2);
        m_grid->addWidget(new Pill(line.asPredicted() ? tr("as predicted") : tr("differs"),
                                   line.asPredicted() ? Tone::Good : Tone::Bad, m_consumers),
                          row++, 3, Qt::AlignRight | Qt::AlignVCenter);
    }
}

}  // namespace redeliver::ui
