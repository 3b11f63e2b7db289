// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "ui/replays/models.h"

#include <QWidget>

#include <vector>

class QPushButton;
class QTableView;

namespace redeliver::ui {

class StateView;
class Zone;

/// The list of replays: who, why, when, what, result. Enter or a double click opens the report.
class HistoryView : public QWidget {
    Q_OBJECT
  public:
    explicit HistoryView(Zone& zone, QWidget* parent = nullptr);

    void showLoading();
    void showLines(const std::vector<ReplayLine>& lines);
    void showError(const Error& error);
    [[nodiscard]] const HistoryModel& model() const noexcept { return *m_model; }
    [[nodiscard]] QTableView& table() noexcept { return *m_table; }

  Q_SIGNALS:
    void retry();
    void migrationWanted();
    void newWanted();
    void reportWanted(const redeliver::ReplayId& id);
    /// Take over or watch a replay that was paused, stopped, or whose process is gone.
    void goOnWanted(const redeliver::ReplayLine& line);
    /// Pause a replay that another window or the command line runs.
    void controlWanted(const redeliver::ReplayId& id, redeliver::ReplayControl control);

  private:
    void applyZone();
    void updateButtons();
    void openCurrent();
    void pause();
    void goOn();

    Zone& m_zone;
    HistoryModel* m_model;
    StateView* m_state = nullptr;
    QTableView* m_table = nullptr;
    QPushButton* m_open = nullptr;
    QPushButton* m_pause = nullptr;
    QPushButton* m_goOn = nullptr;
};

}  // namespace redeliver::ui
