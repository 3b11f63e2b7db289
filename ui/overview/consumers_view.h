// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStyledItemDelegate>
#include <QTableView>

namespace redeliver::ui {

class ConsumersModel;

/// Paints the cells of the consumers table: badges, sparklines, figures under each other.
class ConsumersDelegate : public QStyledItemDelegate {
    Q_OBJECT
  public:
    ConsumersDelegate(const ConsumersModel& model, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  private:
    const ConsumersModel& m_model;
};

/// The table: whole rows are selected, the name column takes the room that is left.
class ConsumersView : public QTableView {
    Q_OBJECT
  public:
    explicit ConsumersView(ConsumersModel& model, QWidget* parent = nullptr);
    /// Widths after the content; wider, never jumping back at every refresh.
    void fitColumns();
    [[nodiscard]] int contentHeight() const;  ///< of all rows and the heading
    [[nodiscard]] QSize sizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void shareWidth();
    ConsumersModel& m_model;
    bool m_fitted = false;
};

}  // namespace redeliver::ui
