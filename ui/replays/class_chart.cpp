// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/class_chart.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/replays/plan_text.h"

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <utility>

namespace redeliver::ui {

namespace {

// From the bottom of a bar to its top: what can hurt stands on the ground line, where lengths compare best.
constexpr std::array<MessageClass, messageClassCount> stackOrder{
    MessageClass::Unprotected, MessageClass::Abandoned, MessageClass::Expiring,      MessageClass::NoIdentity,
    MessageClass::InFlight,    MessageClass::Protected, MessageClass::NeverProcessed};

constexpr double axisLeft = 52;
constexpr double axisBottom = 20;
constexpr double top = 18;

std::int64_t sum(const ClassCounts& counts) {
    std::int64_t total = 0;
    for (const std::int64_t count : counts) {
        total += count;
    }
    return total;
}

/// A round number, at least `value`.
std::int64_t roundUp(std::int64_t value) {
    std::int64_t power = 1;
    while (power <= value / 10) {
        power *= 10;
    }
    for (const std::int64_t factor : {1, 2, 3, 4, 6, 8, 10}) {
        if (power * factor >= value) {
            return power * factor;
        }
    }
    return value;
}

}  // namespace

ClassLook lookOf(MessageClass klass, const Palette& palette) {
    switch (klass) {
        case MessageClass::Protected: {
            QColor calm = palette.good;
            calm.setAlpha(palette.dark ? 150 : 140);
            return {calm, Qt::SolidPattern};
        }
        case MessageClass::NeverProcessed:
            return {palette.processed, Qt::SolidPattern};
        case MessageClass::Unprotected:
            return {palette.transactionFailed, Qt::BDiagPattern};
        case MessageClass::Expiring:
            return {palette.duplicate, Qt::Dense4Pattern};
        case MessageClass::InFlight:
            return {palette.ackFailed, Qt::SolidPattern};
        case MessageClass::Abandoned:
            return {palette.ackFailed, Qt::DiagCrossPattern};
        case MessageClass::NoIdentity:
            break;
    }
    return {palette.stale, Qt::HorPattern};
}

void paintClassMark(QPainter& painter, const QRectF& box, MessageClass klass, const Palette& palette) {
    QColor colour = lookOf(klass, palette).colour;
    colour.setAlpha(255);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPointF middle = box.center();
    const double r = box.width() / 2;
    switch (klass) {
        case MessageClass::Protected:
            painter.drawEllipse(middle, r, r);
            break;
        case MessageClass::NeverProcessed:
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(colour, 2));
            painter.drawEllipse(middle, r - 1, r - 1);
            break;
        case MessageClass::Unprotected: {
            QPainterPath triangle(middle + QPointF(0, -r));
            triangle.lineTo(middle + QPointF(r, r * 0.8));
            triangle.lineTo(middle + QPointF(-r, r * 0.8));
            triangle.closeSubpath();
            painter.drawPath(triangle);
            break;
        }
        case MessageClass::Expiring: {
            painter.translate(middle);
            painter.rotate(45);
            painter.drawRect(QRectF(-r * 0.75, -r * 0.75, r * 1.5, r * 1.5));
            break;
        }
        case MessageClass::InFlight:
        case MessageClass::Abandoned:
        case MessageClass::NoIdentity:
            painter.drawRect(QRectF(middle.x() - r * 0.8, middle.y() - r * 0.8, r * 1.6, r * 1.6));
            break;
    }
    painter.restore();
}

ClassChart::ClassChart(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Messages by class over time"));
}

void ClassChart::setForecast(const ConsumerForecast& forecast, const TimeGrid& grid) {
    m_buckets = forecast.histogram;
    m_grid = grid;
    m_byOffset = forecast.horizon.basis == HorizonBasis::Ledger;
    m_horizon = m_byOffset ? std::nullopt : forecast.horizon.at;
    if (forecast.horizon.lostBefore && (!m_horizon || *forecast.horizon.lostBefore > *m_horizon)) {
        m_horizon = forecast.horizon.lostBefore;
    }
    ClassCounts total{};
    for (const ClassCounts& bucket : m_buckets) {
        for (std::size_t i = 0; i < messageClassCount; ++i) {
            total[i] += bucket[i];
        }
    }
    QStringList parts;
    for (std::size_t i = 0; i < messageClassCount; ++i) {
        if (total[i] > 0) {
            parts += Formats::number(total[i]) + QLatin1Char(' ') + PlanText::className(static_cast<MessageClass>(i));
        }
    }
    setAccessibleDescription(parts.join(QStringLiteral(", ")));
    update();
}

void ClassChart::setTimeText(TimeText axis, TimeText full) {
    m_axisText = std::move(axis);
    m_timeText = std::move(full);
    update();
}

QRectF ClassChart::plot() const {
    return QRectF(rect()).adjusted(axisLeft, top, -8, -axisBottom);
}

double ClassChart::xOf(TimePoint at) const {
    const QRectF area = plot();
    const double length = static_cast<double>((m_grid.to() - m_grid.from).count());
    return area.left() + area.width() * static_cast<double>((at - m_grid.from).count()) / length;
}

std::int64_t ClassChart::highest() const {
    std::int64_t most = 1;
    for (const ClassCounts& bucket : m_buckets) {
        most = std::max(most, sum(bucket));
    }
    return roundUp(most);
}

void ClassChart::paintBars(QPainter& painter, const QRectF& area, const Palette& palette) const {
    const double scale = area.height() / static_cast<double>(highest());
    const double width = area.width() / static_cast<double>(std::max<std::size_t>(m_buckets.size(), 1));
    const double gap = width > 5 ? 1 : 0;
    for (std::size_t i = 0; i < m_buckets.size(); ++i) {
        double y = area.bottom();
        for (const MessageClass klass : stackOrder) {
            const std::int64_t count = m_buckets[i][indexOf(klass)];
            if (count == 0) {
                continue;
            }
            // One message among a million is still drawn: a bar that can't be seen is a lie.
            const double height = std::max(static_cast<double>(count) * scale, 1.0);
            const QRectF bar(area.left() + width * static_cast<double>(i), y - height, std::max(width - gap, 1.0),
                             height);
            const ClassLook look = lookOf(klass, palette);
            painter.fillRect(bar, look.colour);
            if (look.hatch != Qt::SolidPattern) {
                QColor ink = palette.panel;
                ink.setAlpha(110);
                painter.fillRect(bar, QBrush(ink, look.hatch));
            }
            y -= height;
        }
    }
}

void ClassChart::paintHorizon(QPainter& painter, const QRectF& area, const Palette& palette) const {
    painter.setFont(fonts::small());
    const QFontMetricsF metrics(painter.font());
    if (!m_horizon) {
        painter.setPen(m_byOffset ? palette.muted : palette.badText);
        painter.drawText(QPointF(area.left(), area.top() - 5),
                         m_byOffset ? tr("marker horizon by offset, from the ledger") : tr("marker horizon not known"));
        return;
    }
    const QString when = m_timeText ? m_timeText(*m_horizon) : toQt(toRfc3339(*m_horizon, 0));
    const double x = xOf(*m_horizon);
    QString label = tr("marker horizon · %1").arg(when);
    if (x < area.left() || x > area.right()) {
        label = x < area.left() ? tr("◂ marker horizon, before this window · %1").arg(when)
                                : tr("marker horizon, after this window · %1 ▸").arg(when);
        painter.setPen(x < area.left() ? palette.goodText : palette.badText);
        const double at = x < area.left() ? area.left() : area.right() - metrics.horizontalAdvance(label);
        painter.drawText(QPointF(at, area.top() - 5), label);
        return;
    }
    painter.setPen(QPen(palette.transactionFailed, 1.5, Qt::DashLine));
    painter.drawLine(QPointF(x, area.top() - 14), QPointF(x, area.bottom()));
    painter.setPen(palette.badText);
    const double width = metrics.horizontalAdvance(label);
    const double at = x + 6 + width > area.right() ? x - 6 - width : x + 6;
    painter.drawText(QPointF(at, area.top() - 5), label);
}

void ClassChart::paintAxis(QPainter& painter, const QRectF& area, const Palette& palette) const {
    painter.setFont(fonts::small());
    const QFontMetricsF metrics(painter.font());
    const std::int64_t most = highest();
    for (const std::int64_t part : {0, 1, 2}) {
        const double y = area.bottom() - area.height() * static_cast<double>(part) / 2;
        painter.setPen(palette.line);
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
        if (most % 2 == 0 || part != 1) {
            painter.setPen(palette.muted);
            painter.drawText(QRectF(0, y - 8, axisLeft - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                             Formats::compact(most * part / 2));
        }
    }
    painter.setPen(palette.muted);
    double free = area.left();
    constexpr int labels = 4;
    for (int i = 0; i <= labels; ++i) {
        const auto bucket = m_grid.count * i / labels;
        const TimePoint at = m_grid.at(bucket);
        const QString label = m_axisText ? m_axisText(at) : toQt(toRfc3339(at, 0));
        const double width = metrics.horizontalAdvance(label);
        const double x = std::clamp(xOf(at) - (i == 0 ? 0 : width / 2), area.left(), area.right() - width);
        if (x >= free) {
            painter.drawText(QPointF(x, area.bottom() + 14), label);
            free = x + width + 16;
        }
    }
}

void ClassChart::paintEvent(QPaintEvent* /*event*/) {
    const Palette& palette = Palette::of(*this);
    QPainter painter(this);
    const QRectF area = plot();
    if (m_buckets.empty() || m_grid.count <= 0) {
        painter.setPen(palette.muted);
        painter.drawText(rect(), Qt::AlignCenter, tr("No message in these ranges has a time to draw."));
        return;
    }
    paintAxis(painter, area, palette);
    paintBars(painter, area, palette);
    paintHorizon(painter, area, palette);
}

QString ClassChart::tipAt(double x) const {
    const QRectF area = plot();
    if (m_buckets.empty() || x < area.left() || x >= area.right()) {
        return {};
    }
    const auto i = static_cast<std::size_t>((x - area.left()) / area.width() * static_cast<double>(m_buckets.size()));
    const TimePoint at = m_grid.at(static_cast<std::int64_t>(i));
    QString tip = m_timeText ? m_timeText(at) : toQt(toRfc3339(at, 0));
    for (std::size_t k = 0; k < messageClassCount; ++k) {
        if (m_buckets[i][k] > 0) {
            tip += QLatin1Char('\n') + PlanText::className(static_cast<MessageClass>(k)) + QStringLiteral(": ") +
                   Formats::number(m_buckets[i][k]);
        }
    }
    return tip;
}

bool ClassChart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), tipAt(help->pos().x()), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace redeliver::ui
