// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/workspace/replay_desk.h"
#include "ui/async/lane.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <stop_token>

namespace redeliver::ui {

class Session;

/// One replay under way, on a lane of its own. The engine's thread fills a box; a timer of 100 ms empties it here, so
/// that the window never sees more than ten updates a second. GUI thread. Destroying it asks the run to stop where it
/// can be resumed.
class RunEngine : public QObject {
    Q_OBJECT
  public:
    /// A new run of this plan.
    RunEngine(const Session& session, const ReplayPlan& plan, const Confirmation& confirmation,
              QObject* parent = nullptr);
    /// Goes on with a replay of the history: takes it over when its engine is gone, else watches it.
    RunEngine(const Session& session, const ReplayProgress& from, QObject* parent = nullptr);
    ~RunEngine() override;

    void start();
    void setControl(ReplayControl control);
    [[nodiscard]] ReplayControl control() const noexcept;
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

    using Work = std::function<Result<ReplayReport>(ReplayDesk&, const ReplayWatcher&, const std::stop_token&)>;
    RunEngine(const Session& session, Work work, QObject* parent);

    Work m_work;
    std::shared_ptr<Box> m_box;
    std::unique_ptr<Lane<ReplayDesk>> m_lane;
    Ticket m_ticket;
    QTimer m_timer;
    ReplayProgress m_progress;
};

}  // namespace redeliver::ui
