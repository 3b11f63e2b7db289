// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/figures.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace redeliver::ui {

namespace {

qreal widestDigit(const QFontMetricsF& metrics) {
    qreal widest = 0;
    for (char digit = '0'; digit <= '9'; ++digit) {
        widest = std::max(widest, metrics.horizontalAdvance(QLatin1Char(digit)));
    }
    return widest;
}

// Calls visit(run, width) for single digits and for the text between them.
template <class Visit>
void forEachRun(const QFontMetricsF& metrics, const QString& text, Visit visit) {
    const qreal cell = widestDigit(metrics);
    qsizetype start = 0;
    for (qsizetype at = 0; at <= text.size(); ++at) {
        const bool digit = at < text.size() && text.at(at) >= QLatin1Char('0') && text.at(at) <= QLatin1Char('9');
        if (at < text.size() && !digit) {
            continue;
        }
        if (at > start) {
            const QString run = text.mid(start, at - start);
            visit(run, metrics.horizontalAdvance(run), false);
        }
        if (digit) {
            visit(QString(text.at(at)), cell, true);
        }
        start = at + 1;
    }
}

}  // namespace

qreal figuresWidth(const QFontMetricsF& metrics, const QString& text) {
    qreal sum = 0;
    forEachRun(metrics, text, [&sum](const QString&, qreal width, bool) { sum += width; });
    return sum;
}

void drawFigures(QPainter& painter, const QRectF& rect, Qt::Alignment alignment, const QString& text) {
    const QFontMetricsF metrics(painter.font(), painter.device());
    const qreal width = figuresWidth(metrics, text);
    qreal x = rect.left();
    if (alignment & Qt::AlignRight) {
        x = rect.right() - width;
    } else if (alignment & Qt::AlignHCenter) {
        x = rect.center().x() - width / 2;
    }
    qreal y = rect.center().y() + (metrics.ascent() - metrics.descent()) / 2;
    if (alignment & Qt::AlignTop) {
        y = rect.top() + metrics.ascent();
    } else if (alignment & Qt::AlignBottom) {
        y = rect.bottom() - metrics.descent();
    }
    forEachRun(metrics, text, [&](const QString& run, qreal cell, bool digit) {
        const qreal inset = digit ? (cell - metrics.horizontalAdvance(run)) / 2 : 0;
        painter.drawText(QPointF(x + inset, y), run);
        x += cell;
    });
}

QSize FigureLabel::sizeHint() const {
    const QFontMetricsF metrics(font());
    return {static_cast<int>(std::ceil(figuresWidth(metrics, text()))) + 1,
            static_cast<int>(std::ceil(metrics.height()))};
}

void FigureLabel::paintEvent(QPaintEvent* event) {
    (void)event;
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    drawFigures(painter, rect(), alignment(), text());
}

}  // namespace redeliver::ui
