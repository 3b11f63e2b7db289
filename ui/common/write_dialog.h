// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/profile.h"

#include <QDialog>
#include <QString>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace redeliver::ui {

/// A dialog that writes: framed in the environment's colour, with the profile's name on top (ui.md, The frame). Show it
/// with open(), never exec(); it deletes itself when closed.
class WriteDialog : public QDialog {
    Q_OBJECT
  public:
    WriteDialog(const Profile& profile, const QString& title, const QString& action, QWidget* parent);

    [[nodiscard]] QVBoxLayout* body() const noexcept { return m_body; }
    [[nodiscard]] QPushButton* actionButton() const noexcept { return m_action; }
    /// Why the action can't be taken now: greys the button and becomes its tooltip; empty enables it.
    void setObstacle(const QString& why);
    void setBusy(const QString& what);      ///< greys everything but Close
    void setOutcome(const QString& error);  ///< empty: done, closes; else shows the error in place

  Q_SIGNALS:
    void actionRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    Environment m_environment;
    QWidget* m_content;
    QVBoxLayout* m_body;
    QLabel* m_status;
    QPushButton* m_action;
    QPushButton* m_close;
    QString m_obstacle;
};

/// "production", "staging", "development", translated.
[[nodiscard]] QString environmentName(Environment environment);

}  // namespace redeliver::ui
