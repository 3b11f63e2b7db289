// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart/outcome_chart.h"
#include "ui/chart/outcome_style.h"
#include "ui/common/convert.h"
#include "ui/common/figures.h"
#include "ui/common/formats.h"
#include "ui/context/zone.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace redeliver::ui {

void OutcomeChart::drawBackground(QPainter* painter, const QRectF& rect) {
    const Palette& colors = Palette::of(*this);
    painter->fillRect(rect, colors.panel);
    drawBands(*painter, colors);
    painter->setPen(QPen(colors.line, 1));
    for (double value = 0; value <= m_values.top * 1.0001; value += m_values.step) {
        const qreal y = std::round(m_plot.bottom() - m_plot.height() * value / m_values.top) + 0.5;
        painter->drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
    }
}

void OutcomeChart::drawForeground(QPainter* painter, const QRectF& rect) {
    (void)rect;
    const Palette& colors = Palette::of(*this);
    drawGaps(*painter, colors);
    drawAxis(*painter, colors);
    drawSelection(*painter, colors);
    if (!m_dragging) {
        drawReadOut(*painter, colors);
    }
}

void OutcomeChart::drawGaps(QPainter& painter, const Palette& colors) const {
    const double perPixel =
        m_values.top * static_cast<double>(m_data.grid.step.count()) / std::max(1.0, m_plot.height());
    for (std::size_t i = 0; i + 1 < m_data.buckets.size(); ++i) {
        const qreal right = edgesOf(static_cast<std::int64_t>(i)).second;
        const qreal next = edgesOf(static_cast<std::int64_t>(i) + 1).first;
        const auto highest = std::max(m_data.buckets[i].deliveries(), m_data.buckets[i + 1].deliveries());
        const qreal top = m_plot.bottom() - static_cast<qreal>(highest) / perPixel;
        if (next > right && highest > 0) {
            painter.fillRect(QRectF(right, top - 1, next - right, m_plot.bottom() - top + 1), colors.panel);
        }
    }
}

void OutcomeChart::drawAxis(QPainter& painter, const Palette& colors) const {
    painter.setFont(fonts::small());
    painter.setPen(colors.muted);
    const QFontMetricsF metrics(painter.font(), painter.device());
    for (double value = m_values.step; value <= m_values.top * 1.0001; value += m_values.step) {
        const qreal y = m_plot.bottom() - m_plot.height() * value / m_values.top;
        drawFigures(painter, QRectF(0, y - 8, m_plot.left() - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                    Formats::axis(value) + QStringLiteral("/s"));
    }
    const auto measure = [&metrics](const QString& label) { return figuresWidth(metrics, label); };
    for (const TimeTick& tick : timeTicks(m_scale, m_zone, measure)) {
        const qreal x = std::round(tick.pixel) + 0.5;
        painter.setPen(colors.line);
        painter.drawLine(QPointF(x, m_plot.bottom() + 1), QPointF(x, m_plot.bottom() + 4));
        painter.setPen(colors.muted);
        drawFigures(painter, QRectF(tick.labelLeft, m_plot.bottom() + 4, tick.labelWidth, 16),
                    Qt::AlignLeft | Qt::AlignVCenter, tick.label);
    }
}

void OutcomeChart::drawBands(QPainter& painter, const Palette& colors) const {
    painter.setFont(fonts::small());
    for (const ReplayBand& band : m_data.bands) {
        const qreal left = std::clamp(m_scale.toPixel(band.range.from), m_plot.left(), m_plot.right());
        const qreal right = std::clamp(m_scale.toPixel(band.range.to), m_plot.left(), m_plot.right());
        if (band.range.to <= m_scale.range().from || band.range.from >= m_scale.range().to) {
            continue;
        }
        const QRectF area(left, m_plot.top(), std::max(2.0, right - left), m_plot.height());
        painter.fillRect(area, colors.infoPanel);
        painter.setPen(colors.infoText);
        const QFontMetricsF metrics(painter.font(), painter.device());
        const QString label = toQt(band.label);
        const qreal wide = metrics.horizontalAdvance(label) + 8;
        // Beside a band that is too narrow for its name, on the side with room.
        const qreal at =
            wide <= area.width() || area.left() + wide <= m_plot.right() ? area.left() : area.right() - wide;
        painter.drawText(QRectF(at + 4, m_plot.top() + 2, wide, 14), Qt::AlignLeft | Qt::AlignVCenter, label);
    }
}

void OutcomeChart::drawSelection(QPainter& painter, const Palette& colors) const {
    if (!m_selection || (!m_anchor && std::abs(m_selection->first - m_selection->second) < 1)) {
        return;
    }
    const TimeRange range = snapped(m_selection->first, m_selection->second);
    const qreal left = m_scale.toPixel(range.from);
    const QRectF area(left, m_plot.top(), m_scale.toPixel(range.to) - left, m_plot.height());
    QColor fill = colors.accent;
    fill.setAlpha(36);
    painter.fillRect(area, fill);
    painter.setPen(QPen(colors.accent, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
    const QString label = m_zone.range(range) + QStringLiteral(" · ") + Formats::age(range.length());
    painter.setFont(fonts::small());
    const QFontMetricsF metrics(painter.font(), painter.device());
    const qreal wide = metrics.horizontalAdvance(label) + 12;
    const qreal x =
        std::clamp(area.center().x() - wide / 2, m_plot.left(), std::max(m_plot.left(), m_plot.right() - wide));
    const QRectF box(x, m_plot.top() + 4, wide, 18);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.accent);
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(colors.onAccent);
    painter.drawText(box, Qt::AlignCenter, label);
}

void OutcomeChart::drawReadOut(QPainter& painter, const Palette& colors) const {
    const QStringList lines = readOut(m_current);
    if (lines.isEmpty()) {
        return;
    }
    const auto [left, right] = edgesOf(m_current);
    QColor veil = colors.text;
    veil.setAlpha(26);
    painter.fillRect(QRectF(left, m_plot.top(), right - left, m_plot.height()), veil);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont bold = fonts::small();
    bold.setWeight(QFont::DemiBold);
    const QFontMetricsF metrics(bold, painter.device());
    qreal wide = 0;
    for (const QString& line : lines) {
        wide = std::max(wide, metrics.horizontalAdvance(line));
    }
    const QSizeF size(wide + 20, static_cast<qreal>(lines.size()) * 16 + 12);
    const bool leftSide = right + 10 + size.width() > m_plot.right();
    const qreal x = std::max(2.0, leftSide ? left - 10 - size.width() : right + 10);
    const QRectF box(QPointF(x, m_plot.top() + 4), size);
    painter.setPen(QPen(colors.line, 1));
    painter.setBrush(colors.panel);
    painter.drawRoundedRect(box, 6, 6);
    qreal y = box.top() + 6;
    for (qsizetype i = 0; i < lines.size(); ++i, y += 16) {
        painter.setFont(i == 0 ? bold : fonts::small());
        painter.setPen(i == 0 ? colors.text : colors.muted);
        painter.drawText(QRectF(box.left() + 10, y, box.width(), 16), Qt::AlignLeft | Qt::AlignVCenter, lines[i]);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

}  // namespace redeliver::ui
