// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workspace/replay_desk.h"
#include "ui/replays/models.h"

#include <QElapsedTimer>
#include <QWidget>

#include <optional>

class QComboBox;
class QTableView;

namespace redeliver::ui {

class BannerView;
class ClassChart;
class FactGrid;
class Panel;
class StateView;
class Zone;

/// Step 3: what would happen, per consumer that will see the copies, and what the guard objects to.
class PreviewStep : public QWidget {
    Q_OBJECT
  public:
    explicit PreviewStep(Zone& zone, QWidget* parent = nullptr);

    void showPlanning(const QString& what);
    void showProgress(const Progress& progress);
    void showPlan(const ReplayPlan& plan);
    void showError(const Error& error);
    void showCancelled();
    [[nodiscard]] const BannerView& banner() const noexcept { return *m_banner; }
    [[nodiscard]] const ClassModel& classes() const noexcept { return *m_classes; }

  Q_SIGNALS:
    void retry();
    void cancelled();
    void mendChosen(const redeliver::PlanRequest& request);

  private:
    QWidget* makeChart();
    QWidget* makeTable();
    QWidget* makeFacts();
    void chooseConsumer(int index);
    void fillFacts();
    void applyZone();

    Zone& m_zone;
    std::optional<ReplayPlan> m_plan;
    QElapsedTimer m_since;
    qint64 m_took = 0;
    StateView* m_state = nullptr;
    BannerView* m_banner = nullptr;
    Panel* m_chartPanel = nullptr;
    QComboBox* m_consumer = nullptr;
    ClassChart* m_chart = nullptr;
    ClassModel* m_classes = nullptr;
    QTableView* m_table = nullptr;
    FactGrid* m_who = nullptr;
    FactGrid* m_source = nullptr;
    FactGrid* m_run = nullptr;
};

}  // namespace redeliver::ui
