// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart/outcome_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace redeliver::ui {

namespace {
constexpr qreal dragThreshold = 4;
}

void OutcomeChart::setCurrent(std::int64_t bucket) {
    const std::int64_t wanted =
        m_data.grid.count > 0 ? std::clamp<std::int64_t>(bucket, -1, m_data.grid.count - 1) : -1;
    if (wanted != m_current) {
        m_current = wanted;
        setAccessibleDescription(readOut(wanted).join(QStringLiteral(", ")));
        viewport()->update();
    }
}

// A selection covers whole buckets: what is dragged over is what is seen afterwards.
TimeRange OutcomeChart::snapped(qreal a, qreal b) const {
    const TimeRange range = m_scale.between(a, b);
    if (m_data.grid.count <= 0) {
        return range;
    }
    const std::int64_t first = std::max<std::int64_t>(0, m_data.grid.bucketOf(range.from));
    const std::int64_t last = m_data.grid.bucketOf(range.to - Duration(1));
    return {m_data.grid.at(first), m_data.grid.at((last < 0 ? m_data.grid.count - 1 : last) + 1)};
}

void OutcomeChart::takeSelection() {
    if (m_selection && m_data.grid.count > 0) {
        const TimeRange range = snapped(m_selection->first, m_selection->second);
        m_selection.reset();
        viewport()->update();
        Q_EMIT rangeSelected(range);
    }
}

void OutcomeChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_plot.adjusted(-8, 0, 8, 0).contains(event->position())) {
        event->ignore();
        return;
    }
    m_dragging = true;
    m_selection = {event->position().x(), event->position().x()};
}

void OutcomeChart::mouseMoveEvent(QMouseEvent* event) {
    const QPointF at = event->position();
    if (m_dragging && m_selection) {
        m_selection->second = std::clamp(at.x(), m_plot.left(), m_plot.right());
        viewport()->update();
    }
    setCurrent(m_plot.contains(at) ? m_data.grid.bucketOf(m_scale.toTime(at.x())) : -1);
}

void OutcomeChart::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || !m_dragging) {
        event->ignore();
        return;
    }
    m_dragging = false;
    if (m_selection && std::abs(m_selection->first - m_selection->second) >= dragThreshold) {
        takeSelection();
    } else {
        m_selection.reset();
        viewport()->update();
    }
}

void OutcomeChart::mouseDoubleClickEvent(QMouseEvent* event) {
    event->accept();
    m_dragging = false;
    m_selection.reset();
    Q_EMIT backRequested();
}

void OutcomeChart::wheelEvent(QWheelEvent* event) {
    const int turn = event->angleDelta().y();
    if (turn == 0 || m_data.grid.count <= 0) {
        event->ignore();
        return;
    }
    event->accept();
    Q_EMIT zoomRequested(turn > 0 ? 0.5 : 2.0, m_scale.toTime(event->position().x()));
}

void OutcomeChart::leaveEvent(QEvent* event) {
    QChartView::leaveEvent(event);
    setCurrent(-1);
}

// The selection covers all buckets from where Shift was first held to the cursor, both included.
void OutcomeChart::selectTo(std::int64_t start) {
    if (!m_selection || !m_anchor) {
        m_anchor = start;
    }
    const auto middle = [this](std::int64_t bucket) {
        const auto [left, right] = edgesOf(bucket);
        return (left + right) / 2;  // edges are snapped to pixels and may lie in the neighbour
    };
    m_selection = {middle(std::min(*m_anchor, m_current)), middle(std::max(*m_anchor, m_current))};
}

void OutcomeChart::keyPressEvent(QKeyEvent* event) {
    const bool right = event->key() == Qt::Key_Right;
    const std::int64_t at = m_current < 0 ? m_data.grid.count : m_current;
    const TimePoint centre = m_current < 0 ? m_scale.toTime(m_plot.center().x()) : m_data.grid.at(m_current);
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Right: {
            if (event->modifiers() & Qt::AltModifier) {
                event->ignore();
                return;
            }
            const std::int64_t before = m_current;
            setCurrent(std::max<std::int64_t>(0, right ? at + 1 : at - 1));
            if (event->modifiers() & Qt::ShiftModifier && m_current >= 0) {
                selectTo(before < 0 ? m_current : before);
            } else {
                m_anchor.reset();
            }
            break;
        }
        case Qt::Key_Return:
        case Qt::Key_Enter:
            takeSelection();
            break;
        case Qt::Key_Plus:
            Q_EMIT zoomRequested(0.5, centre);
            break;
        case Qt::Key_Minus:
            Q_EMIT zoomRequested(2.0, centre);
            break;
        case Qt::Key_Backspace:
            Q_EMIT backRequested();
            break;
        case Qt::Key_Escape:
            m_selection.reset();
            m_dragging = false;
            break;
        default:
            event->ignore();
            return;
    }
    viewport()->update();
}

}  // namespace redeliver::ui
