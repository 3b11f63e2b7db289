// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QRectF>
#include <QString>

class QFontMetricsF;
class QPainter;

namespace redeliver::ui {

/// Draws text with every digit in a cell of the widest digit's width, so that numbers under each other line up and
/// don't jump while they change (Qt below 6.7 can't ask a font for its tabular figures). Elides by cutting nothing: the
/// caller gives room. Pen and font are the painter's.
void drawFigures(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text);
[[nodiscard]] qreal figuresWidth(const QFontMetricsF& metrics, const QString& text);

/// A label for a number that changes.
class FigureLabel : public QLabel {
    Q_OBJECT
  public:
    using QLabel::QLabel;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

  protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace redeliver::ui
