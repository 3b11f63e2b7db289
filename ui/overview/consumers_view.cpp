// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/overview/consumers_view.h"

#include "ui/chart/sparkline.h"
#include "ui/common/figures.h"
#include "ui/common/formats.h"
#include "ui/common/pill.h"
#include "ui/overview/consumers_model.h"

#include <QFontMetrics>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>

#include <algorithm>

namespace redeliver::ui {

namespace {

constexpr int side = 8;  // as the style sheet pads headings
constexpr int sparklineWidth = 128;
constexpr int narrowestName = 120;

QString pillText(const ConsumerRow& row) {
    return ConsumersModel::stateName(row.state);
}

QString horizonText(const ConsumerRow& row) {
    // A warning sign beside the colour: the horizon reaches further than the markers.
    return Formats::span(row.info.replayHorizon) + QStringLiteral(" \u26A0\uFE0E");
}

QColor inkOf(const ConsumerRow& row, int column, const Palette& colors) {
    const bool high = row.state == ConsumerState::Spike || row.state == ConsumerState::Elevated;
    if (column == ConsumersModel::Duplicates && high) {
        return row.state == ConsumerState::Spike ? colors.badText : colors.warnText;
    }
    return column == ConsumersModel::Usual ? colors.muted : colors.text;
}

}  // namespace

ConsumersDelegate::ConsumersDelegate(const ConsumersModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

void ConsumersDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Palette& colors = Palette::of(*option.widget);
    const ConsumerRow& row = m_model.row(index.row());
    painter->save();
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    const bool hovered = option.state.testFlag(QStyle::State_MouseOver);
    painter->fillRect(option.rect, selected ? colors.selection : hovered ? colors.hover : colors.panel);
    painter->setPen(colors.line);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    const QRect cell = option.rect.adjusted(side, 0, -side, -1);
    const QString text = index.data(Qt::DisplayRole).toString();
    painter->setFont(fonts::body());
    painter->setPen(inkOf(row, index.column(), colors));
    switch (index.column()) {
        case ConsumersModel::Name: {
            painter->setFont(fonts::strong());
            const QFontMetrics metrics(painter->font());
            painter->drawText(cell, Qt::AlignLeft | Qt::AlignVCenter,
                              metrics.elidedText(text, Qt::ElideMiddle, cell.width()));
            break;
        }
        case ConsumersModel::State:
            drawPill(*painter, cell, pillText(row), Palette::toneOf(row.state), colors);
            break;
        case ConsumersModel::Deliveries:
            drawSparkline(*painter, QRectF(cell).adjusted(0, 9, 0, -9), row.buckets, colors);
            break;
        case ConsumersModel::ReplayHorizon:
            if (ConsumersModel::horizonUncovered(row.info)) {
                drawPill(*painter, cell, horizonText(row), Tone::Bad, colors, true);
                break;
            }
            [[fallthrough]];
        default:
            drawFigures(*painter, cell, Qt::AlignRight | Qt::AlignVCenter, text);
            break;
    }
    painter->restore();
}

QSize ConsumersDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    (void)option;
    const ConsumerRow& row = m_model.row(index.row());
    int width = 0;
    switch (index.column()) {
        case ConsumersModel::Name:
            width = QFontMetrics(fonts::strong()).horizontalAdvance(index.data(Qt::DisplayRole).toString()) + 2;
            break;
        case ConsumersModel::State:
            width = pillWidth(pillText(row));
            break;
        case ConsumersModel::Deliveries:
            width = sparklineWidth;
            break;
        case ConsumersModel::ReplayHorizon:
            width = ConsumersModel::horizonUncovered(row.info) ? pillWidth(horizonText(row)) : 40;
            break;
        default:
            width =
                static_cast<int>(figuresWidth(QFontMetricsF(fonts::body()), index.data(Qt::DisplayRole).toString()));
            break;
    }
    return {width + 2 * side + 2, grid::rowHeight};
}

ConsumersView::ConsumersView(ConsumersModel& model, QWidget* parent) : QTableView(parent), m_model(model) {
    setModel(&model);
    setItemDelegate(new ConsumersDelegate(model, this));
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setShowGrid(false);
    setMouseTracking(true);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setAccessibleName(tr("Consumers, sorted by need for attention"));
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(grid::rowHeight);
    horizontalHeader()->setFixedHeight(34);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(40);
    horizontalHeader()->setSectionsMovable(true);
    setContextMenuPolicy(Qt::CustomContextMenu);
}

void ConsumersView::fitColumns() {
    const QFontMetrics heading(horizontalHeader()->font());
    for (int column = 0; column < ConsumersModel::ColumnCount; ++column) {
        if (column == ConsumersModel::Name || column == ConsumersModel::Deliveries) {
            continue;
        }
        const QString title = m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const int wanted = std::max(heading.horizontalAdvance(title) + 2 * side, sizeHintForColumn(column));
        // Figures change at every refresh: a width follows in steps, and shrinks only when much is left over.
        const int stepped = (wanted + 7) / 8 * 8;
        if (!m_fitted || stepped > columnWidth(column) || stepped + 40 < columnWidth(column)) {
            setColumnWidth(column, stepped);
        }
    }
    m_fitted = m_fitted || m_model.rowCount() > 0;
    shareWidth();
}

void ConsumersView::shareWidth() {
    int others = 0;
    for (int column = 0; column < ConsumersModel::ColumnCount; ++column) {
        const bool fixed = column != ConsumersModel::Name && column != ConsumersModel::Deliveries;
        others += fixed && !isColumnHidden(column) ? columnWidth(column) : 0;
    }
    const int wanted = std::max(narrowestName, sizeHintForColumn(ConsumersModel::Name));
    const int left = viewport()->width() - others - sparklineWidth - 2 * side;
    // What is left goes to the name; on a wide window the sparkline takes a third of it, on a narrow one it gives way.
    const int extra = left - wanted;
    const int sparkline = sparklineWidth + 2 * side + (extra < 0 ? std::max(extra, -64) : std::min(extra / 3, 240));
    others += sparkline;
    setColumnWidth(ConsumersModel::Deliveries, sparkline);
    setColumnWidth(ConsumersModel::Name, std::max(narrowestName, viewport()->width() - others));
}

int ConsumersView::contentHeight() const {
    return horizontalHeader()->height() + grid::rowHeight * std::max(1, m_model.rowCount()) + 2;
}

QSize ConsumersView::sizeHint() const {
    return {800, contentHeight()};
}

void ConsumersView::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    shareWidth();
}

void ConsumersView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        clearSelection();
        setCurrentIndex({});
        return;
    }
    if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) {
        Q_EMIT activated(currentIndex());
        return;
    }
    QTableView::keyPressEvent(event);
}

}  // namespace redeliver::ui
