// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "core/model/replay.h"

#include <QWidget>

#include <optional>

class QGridLayout;
class QLabel;
class QPushButton;
class QTableView;

namespace redeliver::ui {

class DifferenceModel;
class Panel;
class Pill;
class StateView;
class Zone;

/// Step 6: what was predicted and what was found, per consumer, and each difference.
class ReportStep : public QWidget {
    Q_OBJECT
  public:
    explicit ReportStep(Zone& zone, QWidget* parent = nullptr);

    void showLoading();
    void showReport(const ReplayReport& report);
    void showError(const Error& error);
    [[nodiscard]] QString sentence() const;

  Q_SIGNALS:
    void retry();

  private:
    QWidget* makeHead();
    QWidget* makeDifferences();
    void fillConsumers();
    void addConsumer(const ConsumerReport& consumer, int& row);
    void fillHead();

    Zone& m_zone;
    std::optional<ReplayReport> m_report;
    StateView* m_state = nullptr;
    Pill* m_pill = nullptr;
    QLabel* m_sentence = nullptr;
    QLabel* m_audit = nullptr;
    QWidget* m_consumers = nullptr;
    QGridLayout* m_grid = nullptr;
    Panel* m_differencePanel = nullptr;
    DifferenceModel* m_differences = nullptr;
    QTableView* m_table = nullptr;
};

}  // namespace redeliver::ui
