// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/profile.h"
#include "core/workspace/action_desk.h"
#include "ui/async/lane.h"
#include "ui/common/panel.h"
#include "ui/context/session.h"

#include <QElapsedTimer>
#include <QTimer>

#include <memory>
#include <optional>

class QLabel;
class QPushButton;
class QScrollArea;

namespace redeliver::ui {

/// Tests a connection step by step and says which step failed and what to do.
class DoctorView : public Panel {
    Q_OBJECT
  public:
    DoctorView(const DeskMaker& desks, QWidget* parent);
    void run(const Profile& profile);
    void clear();
    [[nodiscard]] const std::optional<DoctorReport>& report() const noexcept { return m_report; }

  Q_SIGNALS:
    void finished();

  private:
    void show(const Result<DoctorReport>& report);
    void addStep(const DoctorStep& step);
    void addLine(const QString& text, const char* kind);
    void updateWaiting();
    void startList();

    const DeskMaker& m_desks;
    std::unique_ptr<Lane<ActionDesk>> m_lane;  ///< of the profile under test
    Ticket m_ticket;
    std::optional<DoctorReport> m_report;
    QScrollArea* m_scroll;
    QWidget* m_list = nullptr;
    QPushButton* m_cancel;
    QString m_step;
    QElapsedTimer m_since;
    QTimer m_tick;
};

}  // namespace redeliver::ui
