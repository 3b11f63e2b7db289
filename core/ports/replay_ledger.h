// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/plan.h"
#include "core/model/replay.h"

#include <optional>
#include <string>
#include <vector>

namespace redeliver::ports {

/// How far one range of a replay is (a row of replay_progress).
struct ReplayCursor {
    Partition partition;
    Offset from;
    Offset to;
    Offset acknowledged;  ///< everything below is sent and acknowledged, set aside, or not chosen
    std::int64_t sent = 0;
    std::int64_t setAside = 0;
    Offset targetFrom;    ///< the target partition's end when the run began
    Offset targetOffset;  ///< our copies below it are counted; a resume reads back from here
};

/// A row of replays with its cursors.
struct StoredReplay {
    ReplayLine line;
    std::string plan;  ///< the frozen document
    Confirmation confirmation;
    std::vector<ReplayCursor> cursors;
    ReplayControl control = ReplayControl::Go;
    std::string owner;
    bool ownerLives = false;  ///< heartbeat younger than 5 s, and not known to be gone
    std::optional<std::string> report;
    std::vector<std::string> setAside;  ///< "partition/offset: why"
};

/// Where a replay's frozen plan, progress and audit live. One connection, one thread.
/// Implementations: postgres::PgReplayStore, the tests' ledger. Throws Error when the database is lost.
class ReplayLedger {
  public:
    virtual ~ReplayLedger() = default;
    /// Registers and starts. Refused (code "overlap") when the plan was run before, or another unfinished run of the
    /// same topic overlaps its ranges; decided by the database, so that two at once can't both win.
    virtual Result<void> begin(const ReplayPlan& plan, const std::string& planText, const Confirmation& confirmation,
                               const std::vector<ReplayCursor>& cursors, const std::string& owner) = 0;
    /// Takes a replay over whose owner is gone. Refused while the owner lives, and after abort or end.
    virtual Result<StoredReplay> takeOver(const ReplayId& id, const std::string& owner) = 0;
    virtual std::optional<StoredReplay> load(const ReplayId& id) = 0;
    virtual std::vector<StoredReplay> list(int limit) = 0;
    /// Heartbeat, state and progress in one statement; answers what a person asked for. Throws Error(Refused, code
    /// "taken-over") when somebody else owns the replay now.
    virtual ReplayControl checkpoint(const ReplayId& id, const std::string& owner, ReplayState state,
                                     const std::vector<ReplayCursor>& cursors,
                                     const std::vector<std::string>& newlySetAside) = 0;
    /// Gives the replay up in this state; the owner is cleared, so that a resume may take it.
    virtual void end(const ReplayId& id, const std::string& owner, ReplayState state, const std::string& text) = 0;
    virtual void saveReport(const ReplayId& id, const std::string& reportJson, bool reconciled) = 0;
    virtual Result<void> control(const ReplayId& id, ReplayControl control) = 0;
};

}  // namespace redeliver::ports
