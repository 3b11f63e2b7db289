// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workspace/replay_desk.h"

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace redeliver::ui {

class FactGrid;
class FigureLabel;
class Panel;
class Pill;

/// Step 5: how far it is, pause, go on, abort. Ending it is asked for twice, since it can't be taken back.
class RunStep : public QWidget {
    Q_OBJECT
  public:
    explicit RunStep(QWidget* parent = nullptr);

    void begin(const ReplayPlan& plan);
    void beginAgain(const ReplayLine& line);  ///< a replay of the history goes on
    void showProgress(const ReplayProgress& progress);
    void showEnded(const ReplayProgress& progress);
    void showError(const Error& error);

  Q_SIGNALS:
    void controlWanted(redeliver::ReplayControl control);

  private:
    QWidget* makeFigures();
    QWidget* makeButtons();
    QWidget* makeForecast();
    void fillForecast(const ReplayPlan& plan);
    void pause();
    void abort();
    void endAsking();
    void start(const QString& detail, const ReplayProgress& progress);

    QElapsedTimer m_since;
    Panel* m_panel = nullptr;
    Pill* m_state = nullptr;
    QProgressBar* m_bar = nullptr;
    FigureLabel* m_sent = nullptr;
    FigureLabel* m_setAside = nullptr;
    FigureLabel* m_left = nullptr;
    FigureLabel* m_rate = nullptr;
    QWidget* m_forecastPanel = nullptr;
    FactGrid* m_forecast = nullptr;
    QLabel* m_text = nullptr;
    QLabel* m_error = nullptr;
    QPushButton* m_pause = nullptr;
    QPushButton* m_abort = nullptr;
    QPushButton* m_keep = nullptr;
    bool m_paused = false;
    bool m_asking = false;
};

}  // namespace redeliver::ui
