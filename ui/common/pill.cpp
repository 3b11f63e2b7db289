// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/pill.h"

#include <QFontMetrics>
#include <QPainter>

namespace redeliver::ui {

namespace {

constexpr int pillHeight = 20;
constexpr int pillSide = 7;

QFont pillFont() {
    QFont font = fonts::strong();
    font.setPixelSize(12);
    return font;
}

}  // namespace

int pillWidth(const QString& text) {
    return QFontMetrics(pillFont()).horizontalAdvance(text) + 2 * pillSide;
}

int drawPill(QPainter& painter, const QRect& cell, const QString& text, Tone tone, const Palette& palette, bool right) {
    const int width = qMin(pillWidth(text), cell.width());
    const int left = right ? cell.right() + 1 - width : cell.left();
    const QRect badge(left, cell.top() + (cell.height() - pillHeight) / 2, width, pillHeight);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette.ground(tone));
    painter.drawRoundedRect(badge, 4, 4);
    painter.setFont(pillFont());
    painter.setPen(palette.ink(tone));
    const QString shown = QFontMetrics(painter.font()).elidedText(text, Qt::ElideRight, width - pillSide);
    painter.drawText(badge, Qt::AlignCenter, shown);
    painter.restore();
    return width;
}

Pill::Pill(const QString& text, Tone tone, QWidget* parent) : QWidget(parent), m_tone(tone) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    set(text, tone);
}

void Pill::set(const QString& text, Tone tone) {
    m_text = text;
    m_tone = tone;
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize Pill::sizeHint() const {
    return {pillWidth(m_text), pillHeight + 2};
}

void Pill::paintEvent(QPaintEvent* event) {
    (void)event;
    QPainter painter(this);
    drawPill(painter, rect(), m_text, m_tone, Palette::of(*this));
}

}  // namespace redeliver::ui
