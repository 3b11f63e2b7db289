// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart/sparkline.h"

#include <QPainter>
#include <QPolygonF>

#include <algorithm>

namespace redeliver::ui {

namespace {

// As many points as fit: the largest of each group, so that a short spike survives.
struct Point {
    double all = 0;
    double duplicates = 0;
};

std::vector<Point> grouped(const std::vector<Counts>& buckets, std::size_t most) {
    const std::size_t per = (buckets.size() + most - 1) / std::max<std::size_t>(1, most);
    std::vector<Point> points;
    for (std::size_t start = 0; start < buckets.size(); start += per) {
        Point point;
        for (std::size_t i = start; i < std::min(buckets.size(), start + per); ++i) {
            point.all = std::max(point.all, static_cast<double>(buckets[i].deliveries()));
            point.duplicates = std::max(point.duplicates, static_cast<double>(buckets[i].of(Outcome::Duplicate)));
        }
        points.push_back(point);
    }
    return points;
}

}  // namespace

void drawSparkline(QPainter& painter, const QRectF& rect, const std::vector<Counts>& buckets, const Palette& palette) {
    const std::vector<Point> points = grouped(buckets, static_cast<std::size_t>(std::max(2.0, rect.width() / 2)));
    double largest = 0;
    for (const Point& point : points) {
        largest = std::max(largest, point.all);
    }
    if (points.size() < 2 || largest <= 0) {
        return;
    }
    const double step = rect.width() / static_cast<double>(points.size() - 1);
    QPolygonF line;
    QPolygonF duplicates{rect.bottomLeft()};
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double x = rect.left() + step * static_cast<double>(i);
        line << QPointF(x, rect.bottom() - rect.height() * points[i].all / largest);
        duplicates << QPointF(x, rect.bottom() - rect.height() * points[i].duplicates / largest);
    }
    duplicates << rect.bottomRight();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette.duplicate);
    painter.drawPolygon(duplicates);
    painter.setPen(QPen(palette.processed, 1.4, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPolyline(line);
    painter.restore();
}

}  // namespace redeliver::ui
