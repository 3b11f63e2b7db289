// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/replays/draft.h"
#include "ui/replays/plan_text.h"

#include <QFrame>

#include <vector>

class QGridLayout;
class QHBoxLayout;
class QLabel;

namespace redeliver::ui {

/// What the guard says, in plain words, with its one-click mends.
class BannerView : public QFrame {
    Q_OBJECT
  public:
    explicit BannerView(QWidget* parent = nullptr);

    void setPlan(const ReplayPlan& plan, const std::function<QString(TimePoint)>& time);
    [[nodiscard]] QString headline() const;
    [[nodiscard]] const std::vector<Mend>& mends() const noexcept { return m_mends; }

  Q_SIGNALS:
    void mendChosen(const redeliver::PlanRequest& request);

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void addFinding(const Finding& finding);
    void addMends();
    void clear();

    BannerTone m_tone = BannerTone::Good;
    QLabel* m_headline;
    QGridLayout* m_findings;
    QWidget* m_buttons;
    QHBoxLayout* m_buttonRow;
    std::vector<Mend> m_mends;
};

}  // namespace redeliver::ui
