// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ports/replay_ledger.h"
#include "core/postgres/session.h"

namespace redeliver::postgres {

/// Replays, their progress and their audit rows. One session, one thread; a call takes at most 10 s.
class PgReplayStore final : public ports::ReplayLedger {
  public:
    explicit PgReplayStore(Session& session) : m_session(session) {}

    Result<void> begin(const ReplayPlan& plan, const std::string& planText, const Confirmation& confirmation,
                       const std::vector<ports::ReplayCursor>& cursors, const std::string& owner) override;
    Result<ports::StoredReplay> takeOver(const ReplayId& id, const std::string& owner) override;
    std::optional<ports::StoredReplay> load(const ReplayId& id) override;
    std::vector<ports::StoredReplay> list(int limit) override;
    ReplayControl checkpoint(const ReplayId& id, const std::string& owner, ReplayState state,
                             const std::vector<ports::ReplayCursor>& cursors,
                             const std::vector<std::string>& newlySetAside) override;
    void end(const ReplayId& id, const std::string& owner, ReplayState state, const std::string& text) override;
    void saveReport(const ReplayId& id, const std::string& reportJson, bool reconciled) override;
    Result<void> control(const ReplayId& id, ReplayControl control) override;

    /// True when this role may write what a run writes; false also on a replica.
    [[nodiscard]] bool mayRun();

  private:
    Session& m_session;
};

}  // namespace redeliver::postgres
