// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/messages/attempts.h"

#include <QWidget>

#include <functional>
#include <vector>

namespace redeliver::ui {

/// The attempts at one consumer as marks on a line: shape, label and colour say what happened. Left and right walk from
/// mark to mark; the mark under the pointer or the keyboard tells its details.
class AttemptsView : public QWidget {
    Q_OBJECT
  public:
    explicit AttemptsView(QWidget* parent = nullptr);

    void setLine(AttemptLine line);
    void setTimeText(std::function<QString(TimePoint)> text);
    [[nodiscard]] QSize sizeHint() const override { return {320, 62}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {160, 62}; }

  Q_SIGNALS:
    void described(const QString& text);  ///< the mark in focus, or empty

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

  private:
    void place();
    void setCurrent(int index);
    [[nodiscard]] int at(const QPointF& position) const;
    [[nodiscard]] QString tip(int index) const;
    void paintMark(QPainter& painter, const QPointF& middle, AttemptKind kind) const;

    AttemptLine m_line;
    std::vector<double> m_places;
    std::function<QString(TimePoint)> m_timeText;
    int m_current = -1;
};

}  // namespace redeliver::ui
