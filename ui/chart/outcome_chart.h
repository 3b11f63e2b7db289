// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/snapshot.h"
#include "ui/chart/ticks.h"
#include "ui/chart/time_scale.h"
#include "ui/common/palette.h"

#include <QtCharts/QChartView>

#include <array>
#include <optional>
#include <vector>

QT_BEGIN_NAMESPACE
class QAreaSeries;
class QChart;
class QLineSeries;
class QScatterSeries;
class QValueAxis;
QT_END_NAMESPACE

namespace redeliver::ui {

class Zone;

/// What an outcome chart draws. Buckets lie on the grid; rates are counts over the step.
struct ChartData {
    TimeGrid grid;
    std::vector<Counts> buckets;
    std::vector<ReplayBand> bands;
    std::optional<TimePoint> takenAt;  ///< a bucket that ends later is "so far"
};

/// Deliveries by outcome over time, stacked; ack failures and in-doubt commits as marks above, since they aren't in the
/// sum. Drag selects, the wheel zooms, a double click goes back; by keyboard: arrows move, Shift+arrows select, Enter
/// takes the selection, + and − zoom, Backspace goes back, Esc drops the selection.
class OutcomeChart : public QChartView {
    Q_OBJECT
  public:
    explicit OutcomeChart(const Zone& zone, QWidget* parent = nullptr);

    void setData(ChartData data);
    [[nodiscard]] const ChartData& data() const noexcept { return m_data; }
    /// About as many buckets as fit now.
    [[nodiscard]] std::int64_t fittingBuckets() const;
    /// The rectangle of the bars, and the scale that maps it; for tests and overlays.
    [[nodiscard]] QRectF plot() const noexcept { return m_plot; }
    [[nodiscard]] const TimeScale& scale() const noexcept { return m_scale; }
    /// The bucket under the pointer or the keyboard's cursor, or −1.
    [[nodiscard]] std::int64_t current() const noexcept { return m_current; }
    /// The read-out's lines for a bucket: also what a screen reader gets.
    [[nodiscard]] QStringList readOut(std::int64_t bucket) const;
    [[nodiscard]] QSize sizeHint() const override { return {600, 220}; }

  Q_SIGNALS:
    void rangeSelected(const redeliver::TimeRange& range);
    void zoomRequested(double factor, const redeliver::TimePoint& centre);
    void backRequested();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void drawBackground(QPainter* painter, const QRectF& rect) override;
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

  private:
    void setUpSeries();
    void restyle();
    void rebuild();
    void setBarPoints(double perSecond);
    void setMarks(double perSecond);
    [[nodiscard]] std::pair<qreal, qreal> edgesOf(std::int64_t bucket) const;
    void setCurrent(std::int64_t bucket);
    void takeSelection();
    void selectTo(std::int64_t start);
    [[nodiscard]] TimeRange snapped(qreal a, qreal b) const;
    void drawAxis(QPainter& painter, const Palette& colors) const;
    void drawGaps(QPainter& painter, const Palette& colors) const;
    void drawBands(QPainter& painter, const Palette& colors) const;
    void drawSelection(QPainter& painter, const Palette& colors) const;
    void drawReadOut(QPainter& painter, const Palette& colors) const;

    const Zone& m_zone;
    ChartData m_data;
    TimeScale m_scale;
    ValueTicks m_values;
    QRectF m_plot;
    std::int64_t m_current = -1;
    std::optional<std::pair<qreal, qreal>> m_selection;  ///< pixels, in the order of the drag
    std::optional<std::int64_t> m_anchor;                ///< where a selection by keyboard began
    bool m_dragging = false;
    QLineSeries* m_base = nullptr;
    std::array<QLineSeries*, outcomeCount> m_tops{};
    std::array<QAreaSeries*, outcomeCount> m_areas{};
    QScatterSeries* m_ackFailed = nullptr;
    QScatterSeries* m_inDoubt = nullptr;
    QValueAxis* m_x = nullptr;
    QValueAxis* m_y = nullptr;
};

}  // namespace redeliver::ui
