// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/attempts_view.h"

#include "ui/common/convert.h"
#include "ui/common/palette.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace redeliver::ui {

namespace {

constexpr double side = 14;  ///< free space left and right, so that no mark or label is cut
constexpr double lineY = 28;
constexpr double radius = 6;
constexpr double gap = 34;  ///< room for a label

QColor colourOf(AttemptKind kind, const Palette& palette) {
    switch (kind) {
        case AttemptKind::Processed:
            return palette.good;
        case AttemptKind::Duplicate:
            return palette.duplicate;
        case AttemptKind::Failed:
            return palette.transactionFailed;
        case AttemptKind::AckFailed:
            return palette.ackFailed;
        case AttemptKind::Rejected:
            return palette.rejected;
        case AttemptKind::InDoubt:
        case AttemptKind::Stale:
        case AttemptKind::Note:
            break;
    }
    return palette.stale;
}

}  // namespace

AttemptsView::AttemptsView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Attempts over time"));
}

void AttemptsView::setLine(AttemptLine line) {
    m_line = std::move(line);
    setAccessibleDescription(m_line.sentence);
    place();
    setCurrent(-1);
}

void AttemptsView::setTimeText(std::function<QString(TimePoint)> text) {
    m_timeText = std::move(text);
    update();
}

void AttemptsView::place() {
    m_places = Attempts::places(m_line.attempts, std::max(width() - 2 * side, 1.0), gap);
    update();
}

void AttemptsView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place();
}

int AttemptsView::at(const QPointF& position) const {
    int best = -1;
    double nearest = radius * 2;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const double distance = std::abs(m_places[i] + side - position.x());
        if (distance < nearest && std::abs(position.y() - lineY) < radius * 3) {
            nearest = distance;
            best = static_cast<int>(i);
        }
    }
    return best;
}

QString AttemptsView::tip(int index) const {
    if (index < 0 || static_cast<std::size_t>(index) >= m_line.attempts.size()) {
        return {};
    }
    const Attempt& attempt = m_line.attempts[static_cast<std::size_t>(index)];
    QString text = m_timeText ? m_timeText(attempt.at) : toQt(toRfc3339(attempt.at));
    text += QStringLiteral(" · ") + attempt.tooltip;
    if (!attempt.worker.empty()) {
        text += QLatin1Char('\n') + tr("worker %1").arg(toQt(attempt.worker));
    }
    return text;
}

void AttemptsView::setCurrent(int index) {
    m_current = index;
    Q_EMIT described(tip(index));
    update();
}

bool AttemptsView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tip(at(help->pos())), this);
        return true;
    }
    return QWidget::event(event);
}

void AttemptsView::mousePressEvent(QMouseEvent* event) {
    setCurrent(at(event->position()));
}

void AttemptsView::keyPressEvent(QKeyEvent* event) {
    const int last = static_cast<int>(m_line.attempts.size()) - 1;
    switch (event->key()) {
        case Qt::Key_Left:
            setCurrent(std::max(m_current - 1, std::min(last, 0)));
            return;
        case Qt::Key_Right:
            setCurrent(std::min(m_current + 1, last));
            return;
        case Qt::Key_Home:
            setCurrent(std::min(last, 0));
            return;
        case Qt::Key_End:
            setCurrent(last);
            return;
        default:
            QWidget::keyPressEvent(event);
    }
}

void AttemptsView::paintMark(QPainter& painter, const QPointF& middle, AttemptKind kind) const {
    const QColor colour = colourOf(kind, Palette::of(*this));
    painter.setBrush(colour);
    painter.setPen(QPen(Palette::of(*this).panel, 1.5));
    const double r = radius;
    switch (kind) {
        case AttemptKind::Processed:
        case AttemptKind::Note:
            painter.drawEllipse(middle, r, r);
            break;
        case AttemptKind::Duplicate: {
            QPainterPath diamond(middle + QPointF(0, -r * 1.2));
            diamond.lineTo(middle + QPointF(r * 1.2, 0));
            diamond.lineTo(middle + QPointF(0, r * 1.2));
            diamond.lineTo(middle + QPointF(-r * 1.2, 0));
            diamond.closeSubpath();
            painter.drawPath(diamond);
            break;
        }
        case AttemptKind::Failed:
        case AttemptKind::Rejected:
            painter.drawRect(QRectF(middle.x() - r * 0.9, middle.y() - r * 0.9, r * 1.8, r * 1.8));
            break;
        case AttemptKind::AckFailed: {
            QPainterPath triangle(middle + QPointF(0, -r * 1.15));
            triangle.lineTo(middle + QPointF(r * 1.15, r * 0.9));
            triangle.lineTo(middle + QPointF(-r * 1.15, r * 0.9));
            triangle.closeSubpath();
            painter.drawPath(triangle);
            break;
        }
        case AttemptKind::InDoubt:
        case AttemptKind::Stale:
            painter.setBrush(Palette::of(*this).panel);
            painter.setPen(QPen(colour, 2));
            painter.drawEllipse(middle, r - 1, r - 1);
            break;
    }
}

void AttemptsView::paintEvent(QPaintEvent* /*event*/) {
    const Palette& palette = Palette::of(*this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(palette.line, 2));
    painter.drawLine(QPointF(side, lineY), QPointF(width() - side, lineY));
    painter.setFont(fonts::small());
    const QFontMetricsF metrics(painter.font());
    double free = 0;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
        const Attempt& attempt = m_line.attempts[i];
        const QPointF middle(m_places[i] + side, lineY);
        if (static_cast<int>(i) == m_current) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(palette.selection);
            painter.drawEllipse(middle, radius * 2, radius * 2);
        }
        paintMark(painter, middle, attempt.kind);
        const double labelWidth = metrics.horizontalAdvance(attempt.label);
        const double x = std::clamp(middle.x() - labelWidth / 2, 0.0, std::max(width() - labelWidth, 0.0));
        if (x >= free) {  // in a crowd the shapes speak; a label over another says nothing
            painter.setPen(palette.muted);
            painter.drawText(QPointF(x, lineY - 16), attempt.label);
            free = x + labelWidth + 4;
        }
    }
    if (m_places.empty()) {
        return;
    }
    const auto timeOf = [this](const Attempt& attempt) {
        return m_timeText ? m_timeText(attempt.at) : toQt(toRfc3339(attempt.at, 0));
    };
    painter.setPen(palette.muted);
    const QString first = timeOf(m_line.attempts.front());
    painter.drawText(QPointF(std::max(m_places.front() + side - radius, 0.0), lineY + 26), first);
    const QString last = timeOf(m_line.attempts.back());
    const double lastX = std::min(m_places.back() + side + radius, width() - 0.0) - metrics.horizontalAdvance(last);
    if (m_line.attempts.size() > 1 && lastX > m_places.front() + side + metrics.horizontalAdvance(first)) {
        painter.drawText(QPointF(lastX, lineY + 26), last);
    }
}

}  // namespace redeliver::ui
