// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workspace/replay_desk.h"
#include "ui/async/lane.h"

#include <QObject>
#include <QTimer>

#include <memory>

namespace redeliver::ui {

class Session;

/// One replay under way, on a lane of its own. The engine's thread fills a box; a timer of 100 ms empties it here, so
/// that the window never sees more than ten updates a second. GUI thread. Destroying it asks the run to stop where it
/// can be resumed.
class RunEngine : public QObject {
    Q_OBJECT
  public:
    RunEngine(const Session& session, ReplayPlan plan, Confirmation confirmation, QObject* parent = nullptr);
    ~RunEngine() override;

    void start();
    void setControl(ReplayControl control);
    [[nodiscard]] ReplayControl control() const noexcept;
    [[nodiscard]] const ReplayPlan& plan() const noexcept { return m_plan; }
    [[nodiscard]] const ReplayProgress& progress() const noexcept { return m_progress; }
    [[nodiscard]] bool isRunning() const noexcept { return m_ticket.pending(); }

  Q_SIGNALS:
    void progressed(const redeliver::ReplayProgress& progress);
    void reported(const redeliver::ReplayReport& report);
    void failed(
        const redeliver::Error& error);  ///< refused, lost, or ended by a limit; nothing is lost: it can be resumed

  private:
    struct Box;
    void empty();

    ReplayPlan m_plan;
    Confirmation m_confirmation;
    std::shared_ptr<Box> m_box;
    std::unique_ptr<Lane<ReplayDesk>> m_lane;
    Ticket m_ticket;
    QTimer m_timer;
    ReplayProgress m_progress;
};

}  // namespace redeliver::ui
