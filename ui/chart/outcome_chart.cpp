// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/chart/outcome_chart.h"

#include "ui/chart/outcome_style.h"
#include "ui/common/figures.h"
#include "ui/common/formats.h"
#include "ui/context/zone.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QtCharts/QAreaSeries>
#include <QtCharts/QChart>
#include <QtCharts/QLineSeries>
#include <QtCharts/QScatterSeries>
#include <QtCharts/QValueAxis>

#include <algorithm>
#include <cmath>

namespace redeliver::ui {

namespace {

constexpr qreal axisHeight = 22;
constexpr qreal topRoom = 12;
constexpr qreal markSize = 8;
constexpr qreal narrowestBar = 8;  // with its gap

double topOf(const Counts& counts) {
    return static_cast<double>(counts.deliveries());
}

}  // namespace

OutcomeChart::OutcomeChart(const Zone& zone, QWidget* parent) : QChartView(new QChart, parent), m_zone(zone) {
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing, false);
    setMouseTracking(true);
    viewport()->setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(120);
    setAccessibleName(tr("Deliveries by outcome over time"));
    chart()->setBackgroundVisible(false);
    chart()->setMargins({});
    chart()->legend()->hide();
    setUpSeries();
    restyle();
}

void OutcomeChart::setUpSeries() {
    m_x = new QValueAxis(this);
    m_y = new QValueAxis(this);
    // Our own labels are drawn in drawForeground: Qt Charts' date axis knows only the desktop's zone and cuts labels.
    m_x->setVisible(false);
    m_y->setVisible(false);
    chart()->addAxis(m_x, Qt::AlignBottom);
    chart()->addAxis(m_y, Qt::AlignLeft);
    const auto attach = [this](QAbstractSeries* series) {
        chart()->addSeries(series);
        series->attachAxis(m_x);
        series->attachAxis(m_y);
    };
    m_base = new QLineSeries(this);
    QLineSeries* below = m_base;
    for (const Outcome outcome : OutcomeStyle::stackOrder) {
        const auto at = static_cast<std::size_t>(outcome);
        m_tops[at] = new QLineSeries(this);
        m_areas[at] = new QAreaSeries(m_tops[at], below);
        below = m_tops[at];
        attach(m_areas[at]);
    }
    m_ackFailed = new QScatterSeries;
    m_ackFailed->setMarkerShape(QScatterSeries::MarkerShapeRotatedRectangle);
    m_inDoubt = new QScatterSeries;
    m_inDoubt->setMarkerShape(QScatterSeries::MarkerShapeTriangle);
    for (QScatterSeries* marks : {m_ackFailed, m_inDoubt}) {
        marks->setMarkerSize(markSize);
        attach(marks);
    }
}

void OutcomeChart::restyle() {
    const Palette& colors = Palette::of(*this);
    for (const Outcome outcome : OutcomeStyle::stackOrder) {
        QAreaSeries* area = m_areas[static_cast<std::size_t>(outcome)];
        area->setPen(Qt::NoPen);
        area->setBrush(OutcomeStyle::brush(outcome, colors));
    }
    for (const auto& [marks, color] : {std::pair{m_ackFailed, colors.ackFailed}, std::pair{m_inDoubt, colors.stale}}) {
        marks->setColor(color);
        marks->setPen(Qt::NoPen);
    }
    setBackgroundBrush(colors.panel);
}

void OutcomeChart::setData(ChartData data) {
    const bool sameGrid = data.grid == m_data.grid;
    m_data = std::move(data);
    m_data.buckets.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, m_data.grid.count)));
    if (!sameGrid && !m_dragging) {
        m_selection.reset();
    }
    m_current = std::min(m_current, m_data.grid.count - 1);
    rebuild();
}

std::int64_t OutcomeChart::fittingBuckets() const {
    const qreal width = isVisible() ? m_plot.width() : 1000;
    return std::clamp(static_cast<std::int64_t>(width / narrowestBar), std::int64_t{20}, std::int64_t{400});
}

// Bars are snapped to device pixels, so that all gaps look alike; the x axis is in pixels of the plot for that reason.
std::pair<qreal, qreal> OutcomeChart::edgesOf(std::int64_t bucket) const {
    const qreal ratio = devicePixelRatioF();
    const auto snap = [ratio](qreal pixel) { return std::round(pixel * ratio) / ratio; };
    const qreal left = snap(m_scale.toPixel(m_data.grid.at(bucket)));
    const qreal right = snap(m_scale.toPixel(m_data.grid.at(bucket + 1)));
    const qreal gap = right - left >= 4 ? 1 : 0;
    return {left, std::max(left + 1 / ratio, right - gap)};
}

void OutcomeChart::rebuild() {
    const QFontMetricsF metrics(fonts::small());
    double largest = 0;
    const double perSecond = m_data.grid.step.count() > 0 ? 1.0 / static_cast<double>(m_data.grid.step.count()) : 1.0;
    for (const Counts& bucket : m_data.buckets) {
        largest = std::max(largest, topOf(bucket) * perSecond);
    }
    const qreal height = std::max(40.0, viewport()->height() - axisHeight - topRoom);
    m_values = valueTicks(largest, std::clamp(static_cast<int>(height / 36), 2, 6));
    qreal widest = 0;
    for (double value = m_values.step; value <= m_values.top * 1.0001; value += m_values.step) {
        widest = std::max(widest, figuresWidth(metrics, Formats::axis(value) + QStringLiteral("/s")));
    }
    const qreal left = std::ceil(widest) + 10;
    m_plot = QRectF(left, topRoom, std::max(20.0, viewport()->width() - left - 2), height);
    m_scale = TimeScale({m_data.grid.from, m_data.grid.to()}, m_plot.left(), m_plot.width());
    chart()->setGeometry(viewport()->rect());
    chart()->setPlotArea(m_plot);
    m_x->setRange(m_plot.left(), m_plot.right());
    m_y->setRange(0, m_values.top);
    setBarPoints(perSecond);
    setMarks(perSecond);
    resetCachedContent();
    viewport()->update();
}

// Stairs without gaps: a comb of bars has all its edges on every line of pixels and took 30 ms a series to fill. The
// gaps are drawn afterwards.
void OutcomeChart::setBarPoints(double perSecond) {
    const std::size_t buckets = m_data.buckets.size();
    QList<QPointF> base{{m_plot.left(), 0}, {m_plot.right(), 0}};
    m_base->replace(base);
    std::vector<double> sums(buckets, 0.0);
    for (const Outcome outcome : OutcomeStyle::stackOrder) {
        QList<QPointF> points;
        points.reserve(static_cast<qsizetype>(buckets * 2 + 2));
        for (std::size_t i = 0; i < buckets; ++i) {
            sums[i] += static_cast<double>(m_data.buckets[i].of(outcome)) * perSecond;
            points.append({edgesOf(static_cast<std::int64_t>(i)).first, sums[i]});
            points.append({edgesOf(static_cast<std::int64_t>(i) + 1).first, sums[i]});
        }
        m_tops[static_cast<std::size_t>(outcome)]->replace(points);
    }
}

void OutcomeChart::setMarks(double perSecond) {
    const double pixel = m_values.top / std::max(1.0, m_plot.height());
    QList<QPointF> ack;
    QList<QPointF> doubt;
    for (std::size_t i = 0; i < m_data.buckets.size(); ++i) {
        const Counts& bucket = m_data.buckets[i];
        const auto [left, right] = edgesOf(static_cast<std::int64_t>(i));
        const double above = topOf(bucket) * perSecond;
        const auto at = [&, l = left, r = right](qreal up) {
            return QPointF((l + r) / 2, std::min(above + up * pixel, m_values.top));
        };
        if (bucket.ackFailed > 0) {
            ack.append(at(markSize));
        }
        if (bucket.inDoubt > 0) {
            doubt.append(at(bucket.ackFailed > 0 ? 2.3 * markSize : markSize));
        }
    }
    m_ackFailed->replace(ack);
    m_inDoubt->replace(doubt);
}

QStringList OutcomeChart::readOut(std::int64_t bucket) const {
    if (bucket < 0 || bucket >= static_cast<std::int64_t>(m_data.buckets.size())) {
        return {};
    }
    const Counts& counts = m_data.buckets[static_cast<std::size_t>(bucket)];
    const TimeRange range{m_data.grid.at(bucket), m_data.grid.at(bucket + 1)};
    const bool open = m_data.takenAt && *m_data.takenAt < range.to;
    QStringList lines{open ? tr("%1, so far").arg(m_zone.range(range)) : m_zone.range(range)};
    const double seconds = static_cast<double>(m_data.grid.step.count());
    lines << tr("%1 deliveries · %2/s")
                 .arg(Formats::number(counts.deliveries()),
                      Formats::rate(static_cast<double>(counts.deliveries()) / seconds));
    for (auto outcome = OutcomeStyle::stackOrder.rbegin(); outcome != OutcomeStyle::stackOrder.rend(); ++outcome) {
        if (counts.of(*outcome) > 0) {
            lines << tr("%1: %2 (%3)")
                         .arg(OutcomeStyle::name(*outcome), Formats::number(counts.of(*outcome)),
                              Formats::share(counts.of(*outcome), counts.deliveries()));
        }
    }
    if (counts.ackFailed > 0) {
        lines << tr("%1: %2, not in the sum")
                     .arg(OutcomeStyle::name(SideEvent::AckFailed), Formats::number(counts.ackFailed));
    }
    if (counts.inDoubt > 0) {
        lines << tr("%1: %2, not in the sum")
                     .arg(OutcomeStyle::name(SideEvent::InDoubt), Formats::number(counts.inDoubt));
    }
    return lines;
}

void OutcomeChart::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    rebuild();
}

void OutcomeChart::changeEvent(QEvent* event) {
    QChartView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        if (m_x != nullptr) {
            restyle();
            rebuild();
        }
    }
}

}  // namespace redeliver::ui
