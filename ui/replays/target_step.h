// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workspace/replay_desk.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QRadioButton;
class QSpinBox;

namespace redeliver::ui {

/// Step 2: where the copies go, how fast, and what of the record changes.
class TargetStep : public QWidget {
    Q_OBJECT
  public:
    explicit TargetStep(QWidget* parent = nullptr);

    void setTopics(const std::vector<std::string>& topics);
    void setRequest(const PlanRequest& request);
    void fill(PlanRequest& request) const;

  Q_SIGNALS:
    void changed();

  private:
    QWidget* makeTargets();
    QWidget* makeOptions();
    void explain();

    PlanRequest m_request;
    QRadioButton* m_same = nullptr;
    QRadioButton* m_side = nullptr;
    QComboBox* m_topic = nullptr;
    QLabel* m_sameText = nullptr;
    QLabel* m_sideText = nullptr;
    QSpinBox* m_rate = nullptr;
    QCheckBox* m_keepTimestamps = nullptr;
    QCheckBox* m_onlyFor = nullptr;
};

}  // namespace redeliver::ui
