// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/overview/overview_page.h"

#include "core/workspace/telemetry_desk.h"
#include "ui/chart/legend.h"
#include "ui/chart/outcome_chart.h"
#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/state_view.h"
#include "ui/common/tile.h"
#include "ui/context/live.h"
#include "ui/context/navigator.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/overview/consumers_model.h"
#include "ui/overview/consumers_view.h"
#include "ui/overview/migration_dialog.h"
#include "ui/overview/stopped_panel.h"
#include "ui/overview/tile_text.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include <algorithm>

namespace redeliver::ui {

OverviewPage::OverviewPage(const PageContext& context, QWidget* parent) : Page(parent), m_context(context) {
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(grid::margin, grid::margin, grid::margin, grid::margin);
    m_state = new StateView(makeContent(), this);
    all->addWidget(m_state);
    connect(m_state, &StateView::retry, this, &OverviewPage::refresh);
    connect(m_state, &StateView::cancelled, this, [this] {
        m_ticket.cancel();
        m_state->showError(Error(ErrorKind::Cancelled, toStd(tr("Cancelled")), toStd(tr("Refresh with F5"))));
    });
    connect(m_state, &StateView::nextStep, this,
            [this](StateView::State state) { state == StateView::State::NoSchema ? openMigration() : refresh(); });
    connect(m_context.time, &TimeWindow::changed, this, &OverviewPage::refresh);
    connect(m_context.zone, &Zone::changed, this, [this] {
        if (m_snapshot) {
            show(m_snapshot);
        }
    });
    connect(m_context.live, &Live::tick, this, &OverviewPage::tick);
    m_resized.setSingleShot(true);
    m_resized.setInterval(400);
    connect(&m_resized, &QTimer::timeout, this, [this] {
        if (m_snapshot && m_snapshot->grid.step != stepFor(m_snapshot->range, m_chart->fittingBuckets())) {
            refresh();
        }
    });
    m_staleTimer.setInterval(1000);
    connect(&m_staleTimer, &QTimer::timeout, this, &OverviewPage::markStale);
    m_staleTimer.start();
}

OverviewPage::~OverviewPage() = default;

QWidget* OverviewPage::makeContent() {
    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::gap);
    m_stopped = new StoppedPanel(*m_context.session, *m_context.zone, content);
    connect(m_stopped, &StoppedPanel::released, this, &OverviewPage::refresh);
    column->addWidget(m_stopped);
    column->addWidget(makeTiles());
    column->addWidget(makeChart());
    column->addWidget(makeTable(), 1);
    column->addStretch(0);
    return content;
}

QWidget* OverviewPage::makeTiles() {
    auto* holder = new QWidget(this);
    auto* row = new QHBoxLayout(holder);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(grid::gap);
    const std::array<QString, 5> names = TileTexts::names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        m_tiles[i] = new Tile(names[i], holder);
        row->addWidget(m_tiles[i], 1);
    }
    return holder;
}

QWidget* OverviewPage::makeChart() {
    m_chartPanel = new Panel(tr("Deliveries by outcome"), this);
    m_showAll = new QPushButton(tr("Show all consumers"), m_chartPanel);
    setKind(m_showAll, "link");
    m_showAll->hide();
    m_chartPanel->addToHeading(m_showAll);
    m_chart = new OutcomeChart(*m_context.zone, m_chartPanel);
    m_legend = new Legend(m_chartPanel);
    m_chartPanel->body()->addWidget(m_chart, 1);
    m_chartPanel->body()->addWidget(m_legend);
    connect(m_showAll, &QPushButton::clicked, this, [this] { m_table->clearSelection(); });
    connect(m_chart, &OutcomeChart::rangeSelected, m_context.time, &TimeWindow::setRange);
    connect(m_chart, &OutcomeChart::zoomRequested, m_context.time, &TimeWindow::zoom);
    connect(m_chart, &OutcomeChart::backRequested, m_context.time, &TimeWindow::back);
    return m_chartPanel;
}

QWidget* OverviewPage::makeTable() {
    auto* panel = new Panel({}, this);
    m_tablePanel = panel;
    panel->setFlush(true);
    m_model = new ConsumersModel(this);
    m_table = new ConsumersView(*m_model, panel);
    panel->body()->addWidget(m_table);
    panel->setMinimumHeight(34 + 3 * grid::rowHeight);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &OverviewPage::selectionChanged);
    connect(m_table, &QTableView::activated, this,
            [this](const QModelIndex& index) { openMessages(m_model->row(index.row()).info.name); });
    connect(m_table, &QWidget::customContextMenuRequested, this, &OverviewPage::showMenu);
    return panel;
}

void OverviewPage::refresh() {
    OverviewRequest request;
    request.last = m_context.time->choice().last;
    request.range = m_context.time->range();
    request.mostBuckets = m_chart->fittingBuckets();
    m_state->showLoading(tr("Reading the counts"));
    m_ticket = m_context.session->telemetry().run(
        [request](TelemetryDesk& desk, Job& job) { return desk.overview(request, job.stop()); },
        [this](Result<SnapshotPtr> answer) {
            if (!answer) {
                m_state->showError(answer.error());
                return;
            }
            m_sinceAnswer.start();
            show(*std::move(answer));
        });
}

void OverviewPage::resizeEvent(QResizeEvent* event) {
    Page::resizeEvent(event);
    fitHeights();
    // Another number of buckets fits now: once, after the last of a row of resizes.
    m_resized.start();
}

// The table gets its rows first; the chart what is left, between 32 and 45 % of the height; the rest stays free.
void OverviewPage::fitHeights() {
    const int table = m_table->contentHeight() + 2 * grid::half + 2;
    int others = 2 * grid::margin + 2 * grid::gap + m_tiles[0]->sizeHint().height();
    others += m_stopped->isHidden() ? 0 : m_stopped->sizeHint().height() + grid::gap;
    m_chartPanel->setFixedHeight(
        std::clamp(height() - others - table, std::max(188, height() * 32 / 100), std::max(188, height() * 45 / 100)));
    m_tablePanel->setMaximumHeight(table);
}

void OverviewPage::tick() {
    if (!m_ticket.pending()) {
        refresh();
    }
}

void OverviewPage::open(const Link& link) {
    m_selected = ConsumerName(toStd(link.argument));
    if (const int row = m_model->rowOf(*m_selected); row >= 0) {
        m_table->selectRow(row);
        m_table->scrollTo(m_model->index(row, 0));
        m_table->setFocus();
    }
}

void OverviewPage::setActive(bool active) {
    if (active && m_snapshot && m_context.live->isOn() && !m_ticket.pending()) {
        refresh();
    }
}

void OverviewPage::show(SnapshotPtr snapshot) {
    m_snapshot = std::move(snapshot);
    std::vector<StoppedPartition> stopped;
    int attention = 0;
    for (const ConsumerRow& row : m_snapshot->consumers) {
        stopped.insert(stopped.end(), row.stopped.begin(), row.stopped.end());
        attention += row.state <= ConsumerState::Elevated ? 1 : 0;
    }
    m_stopped->setStopped(std::move(stopped), m_snapshot->takenAt);
    showTiles();
    const bool first = m_model->rowCount() == 0;
    m_model->setSpanText(Formats::age(m_snapshot->range.length()));
    m_model->setSnapshot(m_snapshot);
    m_table->fitColumns();
    fitHeights();
    if (first && m_selected && m_model->rowOf(*m_selected) >= 0) {
        m_table->selectRow(m_model->rowOf(*m_selected));
    }
    showChart();
    if (m_snapshot->consumers.empty()) {
        m_state->showEmpty(tr("No consumers yet"),
                           tr("A guarded worker registers itself when it starts; a consumer in another language is "
                              "registered with redeliverctl consumers set."),
                           tr("Look again"));
    } else {
        m_state->showReady();
    }
    markStale();
    Q_EMIT badgeChanged(attention);
    Q_EMIT refreshed(m_snapshot);
}

void OverviewPage::showTiles() {
    const std::array<TileText, 5> texts = TileTexts::of(*m_snapshot, *m_context.zone);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        m_tiles[i]->set(texts[i].figure, texts[i].note, texts[i].tone);
    }
}

const ConsumerRow* OverviewPage::selected() const {
    const int row = m_selected ? m_model->rowOf(*m_selected) : -1;
    return row < 0 ? nullptr : &m_model->row(row);
}

void OverviewPage::showChart() {
    const ConsumerRow* consumer = selected();
    const QString who = consumer != nullptr ? toQt(consumer->info.name.value()) : tr("all consumers");
    QString detail = tr("%1 · %2 buckets · times in %3")
                         .arg(who, Formats::age(m_snapshot->grid.step), m_context.zone->label(m_snapshot->range.to));
    if (m_snapshot->generated) {
        detail += tr(" · partly generated history");
    }
    m_chartPanel->setDetail(detail);
    m_showAll->setVisible(consumer != nullptr);
    m_legend->setTotals(consumer != nullptr ? consumer->counts : m_snapshot->total);
    m_chart->setData({m_snapshot->grid, consumer != nullptr ? consumer->buckets : m_snapshot->buckets,
                      m_snapshot->replays, m_snapshot->takenAt});
}

void OverviewPage::selectionChanged() {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    m_selected = rows.isEmpty() ? std::nullopt : std::optional(m_model->row(rows.front().row()).info.name);
    if (m_snapshot) {
        showChart();
    }
}

void OverviewPage::markStale() {
    if (!m_sinceAnswer.isValid()) {
        return;
    }
    const bool stale = m_context.live->isOn() && m_sinceAnswer.elapsed() > 2 * m_context.live->intervalMs() + 500;
    m_state->setStale(stale ? tr("Stale: these figures are %1 old")
                                  .arg(Formats::age(std::chrono::milliseconds(m_sinceAnswer.elapsed())))
                            : QString());
}

void OverviewPage::openMessages(const ConsumerName& consumer) {
    m_context.navigator->go({PageId::Messages, QStringLiteral("consumer:") + toQt(consumer.value()), std::nullopt});
}

void OverviewPage::showMenu(const QPoint& at) {
    const QModelIndex index = m_table->indexAt(at);
    if (!index.isValid()) {
        return;
    }
    const ConsumerName name = m_model->row(index.row()).info.name;
    auto* menu = new QMenu(m_table);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Find its messages"), this, [this, name] { openMessages(name); });
    menu->addAction(tr("Plan a replay…"), this, [this, name] {
        m_context.navigator->go({PageId::Replays, QStringLiteral("new?consumer=") + toQt(name.value()), std::nullopt});
    });
    menu->addSeparator();
    menu->addAction(tr("Copy the name"), this, [name] { QGuiApplication::clipboard()->setText(toQt(name.value())); });
    menu->addAction(tr("Copy this cell"), this,
                    [text = index.data().toString()] { QGuiApplication::clipboard()->setText(text); });
    menu->popup(m_table->viewport()->mapToGlobal(at));
}

void OverviewPage::openMigration() {
    auto* dialog = new MigrationDialog(*m_context.session, window());
    connect(dialog, &QDialog::accepted, this, &OverviewPage::refresh);
    dialog->open();
}

void OverviewPage::saveState(QSettings& settings) const {
    settings.setValue(QStringLiteral("columns"), m_table->horizontalHeader()->saveState());
    settings.setValue(QStringLiteral("selected"), m_selected ? toQt(m_selected->value()) : QString());
}

void OverviewPage::restoreState(QSettings& settings) {
    m_table->horizontalHeader()->restoreState(settings.value(QStringLiteral("columns")).toByteArray());
    const QString name = settings.value(QStringLiteral("selected")).toString();
    if (!name.isEmpty()) {
        m_selected = ConsumerName(toStd(name));
    }
}

}  // namespace redeliver::ui
