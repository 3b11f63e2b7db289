// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/table.h"

#include "ui/common/pill.h"

#include <QHeaderView>
#include <QPainter>

#include <utility>

namespace redeliver::ui {

void setUpTable(QTableView& table, int rowHeight) {
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    table.setShowGrid(false);
    table.setTabKeyNavigation(false);
    table.setWordWrap(false);
    table.setFrameShape(QFrame::NoFrame);
    table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table.setMouseTracking(true);
    table.verticalHeader()->hide();
    table.verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table.verticalHeader()->setMinimumSectionSize(16);
    table.verticalHeader()->setDefaultSectionSize(rowHeight);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setFixedHeight(rowHeight);
    table.horizontalHeader()->setMinimumSectionSize(40);
    // Cells have a text margin of 3 px that header sections lack.
    table.horizontalHeader()->setStyleSheet(QStringLiteral("QHeaderView::section { padding: 0 11px; }"));
}

PillDelegate::PillDelegate(ToneOf toneOf, QObject* parent) : QStyledItemDelegate(parent), m_toneOf(std::move(toneOf)) {}

void PillDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    const QString text = std::exchange(ground.text, QString());
    const QWidget& widget = *option.widget;
    widget.style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, &widget);
    if (!text.isEmpty()) {
        drawPill(*painter, option.rect.adjusted(grid::unit + 3, 0, -grid::half, 0), text, m_toneOf(index),
                 Palette::of(widget));
    }
}

QSize PillDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    return {pillWidth(index.data(Qt::DisplayRole).toString()) + 2 * grid::unit, size.height()};
}

}  // namespace redeliver::ui
