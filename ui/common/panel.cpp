// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/panel.h"

#include "ui/common/palette.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStyle>
#include <QVBoxLayout>

namespace redeliver::ui {

void setKind(QWidget* widget, const char* kind) {
    const QString value = QString::fromLatin1(kind);
    if (widget->property("kind").toString() == value) {
        return;
    }
    widget->setProperty("kind", value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

Panel::Panel(const QString& title, QWidget* parent)
    : QFrame(parent),
      m_heading(new QWidget(this)),
      m_headingRow(new QHBoxLayout(m_heading)),
      m_title(new QLabel(m_heading)),
      m_detail(new ElidedLabel({}, m_heading)),
      m_body(new QVBoxLayout) {
    setKind(this, "panel");
    m_title->setFont(fonts::strong());
    setKind(m_detail, "muted");
    m_headingRow->setContentsMargins(0, 0, 0, 0);
    m_headingRow->setSpacing(grid::half);
    m_headingRow->addWidget(m_title);
    m_headingRow->addWidget(m_detail, 1);
    m_body->setContentsMargins(0, 0, 0, 0);
    m_body->setSpacing(grid::unit);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(grid::gap, 12, grid::gap, 12);
    all->setSpacing(grid::unit);
    all->addWidget(m_heading);
    all->addLayout(m_body, 1);
    setTitle(title);
}

void Panel::setTitle(const QString& title) {
    m_title->setText(title);
    m_heading->setVisible(!title.isEmpty());
    setAccessibleName(title);
}

void Panel::setDetail(const QString& detail) {
    static_cast<ElidedLabel*>(m_detail)->setFullText(detail.isEmpty() ? QString() : QStringLiteral("· ") + detail);
}

void Panel::addToHeading(QWidget* control) {
    m_headingRow->addWidget(control);
}

void Panel::setFlush(bool flush) {
    const int side = flush ? grid::gap - grid::unit : grid::gap;
    layout()->setContentsMargins(side, flush ? grid::half : 12, side, flush ? grid::half : 12);
    m_headingRow->setContentsMargins(flush ? grid::unit : 0, flush ? grid::unit : 0, flush ? grid::unit : 0, 0);
}

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent) : QLabel(parent) {
    setFullText(text);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
}

void ElidedLabel::setFullText(const QString& text) {
    m_full = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize ElidedLabel::minimumSizeHint() const {
    return {fontMetrics().averageCharWidth() * 3, fontMetrics().height()};
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_full) + 2, fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
    (void)event;
    QPainter painter(this);
    const QString shown = fontMetrics().elidedText(m_full, m_mode, width());
    const QString tip = shown == m_full ? QString() : m_full;
    if (toolTip() != tip) {
        setToolTip(tip);
    }
    style()->drawItemText(&painter, rect(), static_cast<int>(alignment()), palette(), isEnabled(), shown,
                          foregroundRole());
}

}  // namespace redeliver::ui
