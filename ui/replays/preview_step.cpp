// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/preview_step.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/common/panel.h"
#include "ui/common/pill.h"
#include "ui/common/state_view.h"
#include "ui/common/table.h"
#include "ui/context/zone.h"
#include "ui/replays/class_chart.h"
#include "ui/replays/guard_banner.h"
#include "ui/replays/labels.h"
#include "ui/replays/plan_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLocale>
#include <QPainter>
#include <QScrollArea>
#include <QTableView>
#include <QVBoxLayout>

#include <chrono>

namespace redeliver::ui {

namespace {

/// The class's mark before its name.
class ClassDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyledItemDelegate::paint(painter, option, index);
        const QRectF cell(option.rect);
        const QRectF mark(cell.left() + 10, cell.center().y() - 4.5, 10, 10);
        paintClassMark(*painter, mark, static_cast<MessageClass>(index.data(ClassModel::ClassCode).toInt()),
                       Palette::of(*option.widget));
    }

  protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        option->text.prepend(QStringLiteral("     "));
    }
};

Pill* horizonPill(const ConsumerForecast& forecast, const Zone& zone, QWidget* parent) {
    if (!forecast.guarded) {
        return new Pill(PreviewStep::tr("no markers known"), Tone::Bad, parent);
    }
    const bool unprotected = forecast.classes[indexOf(MessageClass::Unprotected)] > 0;
    const Horizon& horizon = forecast.horizon;
    const QString text = horizon.basis == HorizonBasis::Ledger ? PreviewStep::tr("by offset")
                         : horizon.at ? PreviewStep::tr("since %1").arg(zone.minute(*horizon.at))
                                      : PreviewStep::tr("horizon unknown");
    auto* const pill = new Pill(text, unprotected ? Tone::Bad : Tone::Good, parent);
    pill->setToolTip(toQt(horizon.why));
    return pill;
}

}  // namespace

PreviewStep::PreviewStep(Zone& zone, QWidget* parent) : QWidget(parent), m_zone(zone) {
    auto* const content = new QWidget(this);
    auto* const column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(grid::gap);
    m_banner = new BannerView(content);
    column->addWidget(m_banner);
    column->addWidget(makeChart(), 1);
    column->addWidget(makeTable());
    column->addWidget(makeFacts());
    auto* const scroll = new QScrollArea(this);
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_state = new StateView(scroll, this);
    auto* const all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(m_state);
    connect(m_state, &StateView::retry, this, &PreviewStep::retry);
    connect(m_state, &StateView::nextStep, this, &PreviewStep::retry);
    connect(m_state, &StateView::cancelled, this, &PreviewStep::cancelled);
    connect(m_banner, &BannerView::mendChosen, this, &PreviewStep::mendChosen);
    connect(&m_zone, &Zone::changed, this, &PreviewStep::applyZone);
}

QWidget* PreviewStep::makeChart() {
    m_chartPanel = new Panel(tr("What would happen"), this);
    m_consumer = new QComboBox(m_chartPanel);
    m_consumer->setAccessibleName(tr("Consumer whose forecast is shown"));
    m_consumer->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_chartPanel->addToHeading(m_consumer);
    m_chart = new ClassChart(m_chartPanel);
    m_chartPanel->body()->addWidget(m_chart, 1);
    connect(m_consumer, &QComboBox::activated, this, &PreviewStep::chooseConsumer);
    return m_chartPanel;
}

QWidget* PreviewStep::makeTable() {
    auto* const panel = new Panel({}, this);
    panel->setFlush(true);
    m_classes = new ClassModel(this);
    m_table = new QTableView(panel);
    setUpTable(*m_table, 30);
    m_table->setModel(m_classes);
    m_table->setItemDelegateForColumn(ClassModel::Name, new ClassDelegate(m_table));
    m_table->setAccessibleName(tr("Messages by class"));
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    QHeaderView* const header = m_table->horizontalHeader();
    header->resizeSection(ClassModel::Name, 170);
    header->resizeSection(ClassModel::WillDo, 330);
    header->resizeSection(ClassModel::Messages, 110);
    header->resizeSection(ClassModel::Share, 84);
    header->setStretchLastSection(true);
    panel->body()->addWidget(m_table);
    return panel;
}

QWidget* PreviewStep::makeFacts() {
    auto* const row = new QWidget(this);
    auto* const layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(grid::gap);
    const auto add = [&](const QString& title) {
        auto* const panel = new Panel(title, row);
        auto* const facts = new FactGrid(panel);
        panel->body()->addWidget(facts);
        panel->body()->addStretch(1);
        layout->addWidget(panel, 1);
        return facts;
    };
    m_who = add(tr("Consumers that will see it"));
    m_source = add(tr("Source"));
    m_run = add(tr("Run"));
    return row;
}

void PreviewStep::showPlanning(const QString& what) {
    m_since.start();
    m_state->showLoading(what);
}

void PreviewStep::showProgress(const Progress& progress) {
    const QString step = toQt(progress.step);
    m_state->showLoading(
        progress.total > 0
            ? tr("%1: %2 of %3").arg(step, Formats::number(progress.done), Formats::number(progress.total))
        : progress.done > 0 ? tr("%1: %2").arg(step, Formats::number(progress.done))
                            : step);
}

void PreviewStep::showError(const Error& error) {
    m_state->showError(error);
}

void PreviewStep::showCancelled() {
    m_state->showEmpty(tr("Planning was cancelled"), tr("Nothing was sent, and nothing was written."),
                       tr("Plan again"));
}

void PreviewStep::showPlan(const ReplayPlan& plan) {
    m_took = m_since.isValid() ? m_since.elapsed() : 0;
    m_plan = plan;
    m_consumer->clear();
    int own = 0;
    for (std::size_t i = 0; i < plan.consumers.size(); ++i) {
        m_consumer->addItem(PlanText::consumerName(plan.consumers[i]));
        own = plan.consumers[i].consumer == plan.consumer ? static_cast<int>(i) : own;
    }
    m_consumer->setCurrentIndex(plan.consumers.empty() ? -1 : own);
    m_consumer->setVisible(plan.consumers.size() > 1);
    m_state->showReady();
    applyZone();
}

void PreviewStep::applyZone() {
    if (!m_plan) {
        return;
    }
    const TimeText minute = [zone = &m_zone](TimePoint at) { return zone->minute(at); };
    // The heading names the zone; here only what tells the labels apart.
    const bool seconds = m_plan->grid.step < std::chrono::minutes(1);
    const bool days = m_plan->grid.to() - m_plan->grid.from > std::chrono::hours(20);
    const QString format = days      ? QStringLiteral("MMM d HH:mm")
                           : seconds ? QStringLiteral("HH:mm:ss")
                                     : QStringLiteral("HH:mm");
    m_chart->setTimeText(
        [zone = &m_zone, format](TimePoint at) { return QLocale::c().toString(zone->dateTime(at), format); },
        [zone = &m_zone](TimePoint at) { return zone->clock(at); });
    m_banner->setPlan(*m_plan, minute);
    chooseConsumer(m_consumer->currentIndex());
    fillFacts();
    m_chartPanel->setDetail(tr("%1 · %2 · %3 messages read in %4")
                                .arg(toQt(m_plan->topic), PlanText::sourceName(m_plan->source, minute),
                                     Formats::number(m_plan->records),
                                     Formats::latency(std::chrono::milliseconds(m_took))));
}

void PreviewStep::chooseConsumer(int index) {
    const bool inside = index >= 0 && static_cast<std::size_t>(index) < m_plan->consumers.size();
    const ConsumerForecast nobody;
    const ConsumerForecast& forecast = inside ? m_plan->consumers[static_cast<std::size_t>(index)] : nobody;
    m_chart->setForecast(forecast, m_plan->grid);
    m_classes->setForecast(forecast, m_plan->records);
    m_table->setFixedHeight(m_table->horizontalHeader()->height() + 30 * m_classes->rowCount() + 4);
}

void PreviewStep::fillFacts() {
    m_who->clear();
    for (const ConsumerForecast& forecast : m_plan->consumers) {
        m_who->add(PlanText::consumerName(forecast), horizonPill(forecast, m_zone, m_who));
    }
    if (m_plan->consumers.empty()) {
        m_who->add(tr("nobody that the broker knows"), Formats::none());
    }
    const TimeText minute = [zone = &m_zone](TimePoint at) { return zone->minute(at); };
    m_source->clear();
    m_source->add(tr("topic"), toQt(m_plan->topic));
    m_source->add(tr("frozen ranges"), Formats::number(static_cast<std::int64_t>(m_plan->ranges.size())));
    m_source->add(tr("messages"), Formats::number(m_plan->records));
    m_run->clear();
    m_run->add(tr("to"), PlanText::targetName(m_plan->target));
    m_run->add(tr("rate limit"), tr("%1 /s").arg(Formats::number(m_plan->options.rate)));
    m_run->add(tr("estimated"), Formats::age(std::chrono::seconds(m_plan->expectedSeconds)));
    m_run->add(tr("timestamps"), m_plan->options.keepTimestamps ? tr("kept") : tr("new"));
}

}  // namespace redeliver::ui
