// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/profile.h"
#include "core/workspace/action_desk.h"
#include "core/workspace/browse_desk.h"
#include "core/workspace/replay_desk.h"
#include "core/workspace/telemetry_desk.h"
#include "ui/async/lane.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>

namespace redeliver::ui {

/// Makes the desks of one profile. Called in the lanes' threads; app/ makes them from a Workspace, tests from fakes.
struct DeskMaker {
    std::function<std::unique_ptr<TelemetryDesk>(const Profile&)> telemetry;
    std::function<std::unique_ptr<BrowseDesk>(const Profile&)> browse;
    std::function<std::unique_ptr<ActionDesk>(const Profile&)> actions;
    std::function<std::unique_ptr<ReplayDesk>(const Profile&)> replays;
};

/// One open profile in the window: its lanes and its read-only lock. GUI thread.
class Session : public QObject {
    Q_OBJECT
  public:
    Session(Profile profile, DeskMaker desks, QObject* parent = nullptr);
    ~Session() override;

    /// As it counts now: `readOnly` is false while unlocked. Hand this to rules that ask profile.isReadOnly().
    [[nodiscard]] const Profile& profile() const noexcept { return m_profile; }
    [[nodiscard]] bool isReadOnly() const noexcept { return m_profile.isReadOnly(); }
    /// Production's default lock can be lifted; an explicit read_only = true can't.
    [[nodiscard]] bool canUnlock() const noexcept { return m_canUnlock; }
    /// Lifts the lock for this window when `typedName` is the profile's name.
    bool unlock(const QString& typedName);
    void lock();

    [[nodiscard]] Lane<TelemetryDesk>& telemetry() noexcept { return *m_telemetry; }  ///< live refresh, series, health
    [[nodiscard]] Lane<BrowseDesk>& browse() noexcept { return *m_browse; }           ///< searches, records
    [[nodiscard]] Lane<ActionDesk>& actions() noexcept { return *m_actions; }         ///< migrate, partitions, test
    /// Short calls of the replay desk: list, report, control, topics, plan.
    [[nodiscard]] Lane<ReplayDesk>& replays() noexcept { return *m_replays; }
    /// A lane of its own for a call that blocks as long as a replay runs. The caller owns it.
    [[nodiscard]] std::unique_ptr<Lane<ReplayDesk>> makeReplayEngine() const;

  Q_SIGNALS:
    void readOnlyChanged(bool readOnly);

  private:
    void makeWritingLanes();

    Profile m_profile;
    DeskMaker m_desks;
    bool m_canUnlock = false;
    std::unique_ptr<Lane<TelemetryDesk>> m_telemetry;
    std::unique_ptr<Lane<BrowseDesk>> m_browse;
    std::unique_ptr<Lane<ActionDesk>> m_actions;
    std::unique_ptr<Lane<ReplayDesk>> m_replays;
};

}  // namespace redeliver::ui
