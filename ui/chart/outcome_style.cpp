// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart/outcome_style.h"

#include <QPainter>
#include <QPixmap>
#include <QPolygonF>

namespace redeliver::ui {

namespace {

constexpr int tile = 6;

enum class Hatch { None, Rising, Falling, Level, Dots };

Hatch hatchOf(Outcome outcome) {
    switch (outcome) {
        case Outcome::Processed:
            return Hatch::None;
        case Outcome::Duplicate:
            return Hatch::Rising;
        case Outcome::TransactionFailed:
            return Hatch::Falling;
        case Outcome::Rejected:
            return Hatch::Level;
        case Outcome::Stale:
            return Hatch::None;
        case Outcome::NotAddressed:
            return Hatch::Dots;
    }
    return Hatch::None;
}

QBrush hatched(const QColor& ground, Hatch hatch, bool dark) {
    if (hatch == Hatch::None) {
        return ground;
    }
    QPixmap pixmap(tile, tile);
    pixmap.fill(ground);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(dark ? ground.darker(128) : ground.lighter(130), 1.3));
    switch (hatch) {
        case Hatch::Rising:
            painter.drawLine(QPointF(-1, tile + 1), QPointF(tile + 1, -1));
            painter.drawLine(QPointF(-1, 1), QPointF(1, -1));
            painter.drawLine(QPointF(tile - 1, tile + 1), QPointF(tile + 1, tile - 1));
            break;
        case Hatch::Falling:
            painter.drawLine(QPointF(-1, -1), QPointF(tile + 1, tile + 1));
            painter.drawLine(QPointF(tile - 1, -1), QPointF(tile + 1, 1));
            painter.drawLine(QPointF(-1, tile - 1), QPointF(1, tile + 1));
            break;
        case Hatch::Level:
            painter.drawLine(QPointF(0, tile / 2.0), QPointF(tile, tile / 2.0));
            break;
        case Hatch::Dots:
            painter.drawEllipse(QPointF(tile / 2.0, tile / 2.0), 1, 1);
            break;
        case Hatch::None:
            break;
    }
    return QBrush(pixmap);
}

}  // namespace

QString OutcomeStyle::name(Outcome outcome) {
    switch (outcome) {
        case Outcome::Processed:
            return tr("processed");
        case Outcome::Duplicate:
            return tr("duplicate");
        case Outcome::Stale:
            return tr("stale");
        case Outcome::NotAddressed:
            return tr("not addressed");
        case Outcome::Rejected:
            return tr("rejected");
        case Outcome::TransactionFailed:
            return tr("transaction failed");
    }
    return {};
}

QString OutcomeStyle::name(SideEvent event) {
    return event == SideEvent::AckFailed ? tr("ack failed") : tr("in doubt");
}

QBrush OutcomeStyle::brush(Outcome outcome, const Palette& palette) {
    return hatched(palette.of(outcome), hatchOf(outcome), palette.dark);
}

void OutcomeStyle::drawSwatch(QPainter& painter, const QRectF& rect, Outcome outcome, const Palette& palette) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrushOrigin(rect.topLeft());
    painter.setBrush(brush(outcome, palette));
    painter.drawRoundedRect(rect, 2, 2);
    painter.restore();
}

void OutcomeStyle::drawSwatch(QPainter& painter, const QRectF& rect, SideEvent event, const Palette& palette) {
    const QPointF c = rect.center();
    const qreal r = rect.width() / 2;
    QPolygonF shape;
    if (event == SideEvent::AckFailed) {
        shape << QPointF(c.x(), c.y() - r) << QPointF(c.x() + r, c.y()) << QPointF(c.x(), c.y() + r)
              << QPointF(c.x() - r, c.y());
    } else {
        shape << QPointF(c.x(), c.y() - r) << QPointF(c.x() + r, c.y() + r) << QPointF(c.x() - r, c.y() + r);
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(event == SideEvent::AckFailed ? palette.ackFailed : palette.stale);
    painter.drawPolygon(shape);
    painter.restore();
}

}  // namespace redeliver::ui
