// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/profile.h"
#include "core/workspace/replay_desk.h"

#include <QFrame>

#include <optional>
#include <utility>
#include <vector>

class QCheckBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QVBoxLayout;

namespace redeliver::ui {

class FactGrid;

/// Step 4: target, environment and counts once more; why, what is accepted, the phrase, and production's name. Framed
/// in the environment's colour.
class ConfirmStep : public QFrame {
    Q_OBJECT
  public:
    explicit ConfirmStep(QWidget* parent = nullptr);

    void setPlan(const ReplayPlan& plan, const Profile& profile);
    [[nodiscard]] Confirmation confirmation() const;

  Q_SIGNALS:
    void changed();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QWidget* makeSummary();
    QWidget* makeAnswers();
    void fillSummary(const ReplayPlan& plan, const Profile& profile);
    void fillAccepts(const ReplayPlan& plan);

    Environment m_environment = Environment::Development;
    FactGrid* m_facts = nullptr;
    QLabel* m_warnings = nullptr;
    QPlainTextEdit* m_reason = nullptr;
    QVBoxLayout* m_accepts = nullptr;
    std::vector<std::pair<std::string, QCheckBox*>> m_codes;
    QWidget* m_phraseForm = nullptr;
    QLabel* m_phraseWanted = nullptr;
    QLineEdit* m_phrase = nullptr;
    QWidget* m_nameForm = nullptr;
    QLabel* m_nameWanted = nullptr;
    QLineEdit* m_name = nullptr;
};

}  // namespace redeliver::ui
