// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/common/palette.h"

#include <QStyledItemDelegate>
#include <QTableView>

#include <functional>

namespace redeliver::ui {

/// The look and the keys that every table of a page shares: whole rows, one selected, no grid, no row header, Tab
/// leaves the table, columns elide and can be resized. `rowHeight` is the same for all rows.
void setUpTable(QTableView& table, int rowHeight = 32);

/// Draws the cells of one column as badges: the cell's text in the tone that `toneOf` answers.
class PillDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    using ToneOf = std::function<Tone(const QModelIndex&)>;
    explicit PillDelegate(ToneOf toneOf, QObject* parent = nullptr);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  private:
    ToneOf m_toneOf;
};

}  // namespace redeliver::ui
