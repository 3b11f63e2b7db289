// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include <vector>

class QPushButton;

namespace redeliver::ui {

enum class ReplayStep { Source, Target, Preview, Confirm, Run, Report };

/// The six steps in a row: the present one framed, those that can't be reached greyed with what would enable them.
class StepBar : public QWidget {
    Q_OBJECT
  public:
    explicit StepBar(QWidget* parent = nullptr);

    void setCurrent(ReplayStep step);
    [[nodiscard]] ReplayStep current() const noexcept { return m_current; }
    /// An empty obstacle enables the step.
    void setObstacle(ReplayStep step, const QString& obstacle);

  Q_SIGNALS:
    void chosen(redeliver::ui::ReplayStep step);

  private:
    std::vector<QPushButton*> m_buttons;
    ReplayStep m_current = ReplayStep::Source;
};

}  // namespace redeliver::ui
