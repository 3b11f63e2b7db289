// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/replay/engine.h"
#include "core/replay/provenance.h"
#include "core/replay/token_bucket.h"

#include <algorithm>
#include <map>

namespace redeliver::replay {

/// One engine's pass over a plan: batches, rate, transactions, checkpoints. A detail of Engine.
class Sending {
  public:
    Sending(EngineParts& parts, const ApprovedPlan& approved, std::vector<ports::ReplayCursor> cursors,
            const ReplayWatcher& watcher, std::stop_token stop);

    /// Opens the producer and fences whoever used the same transactional id.
    void open();
    /// Per target partition: where to begin reading back.
    [[nodiscard]] std::map<Partition, Offset> readBackFrom() const;
    /// A record met while reading back: if it is a copy of this replay, its source is not sent again.
    void noteSentBefore(const Record& copy);
    void sendAll();
    /// After an error: the row says why, and a resume is possible.
    void giveUp(const Error& error) noexcept;
    [[nodiscard]] ReplayProgress progress() const;

  private:
    struct Waiting {
        std::size_t cursor;
        Record record;
        std::optional<Offset> sentBefore;  ///< where the copy already lies: it is only counted
    };

    [[nodiscard]] std::size_t cursorOf(const Record& record) const;
    [[nodiscard]] bool flush();
    void publish();
    [[nodiscard]] bool tryPublish();
    void countSentBefore();
    [[nodiscard]] bool take(Record&& record);
    void setAside(const Waiting& waiting, const Error& why);
    void saveProgress(ReplayState state);
    [[nodiscard]] bool mayGoOn();
    [[nodiscard]] ReplayControl wish() const { return std::max(m_ledgerWish, m_watcherWish); }
    void watch();
    void waitWhilePaused();
    [[nodiscard]] bool pass();
    void finish(ReplayState state, const std::string& text);

    EngineParts& m_parts;
    const ApprovedPlan& m_approved;
    std::vector<ports::ReplayCursor> m_cursors;
    const ReplayWatcher& m_watcher;
    std::stop_token m_stop;
    std::unique_ptr<ports::TransactionalSink> m_sink;
    TokenBucket m_bucket;
    std::vector<Waiting> m_waiting;
    std::vector<Offset> m_seen;                                  // per cursor: everything below was looked at
    std::map<Partition, std::map<Offset, Offset>> m_sentBefore;  // source → target
    std::vector<std::string> m_newlySetAside;
    ReplayControl m_ledgerWish = ReplayControl::Go;
    ReplayControl m_watcherWish = ReplayControl::Go;
    ReplayState m_state = ReplayState::Running;
    std::string m_text;
    std::chrono::steady_clock::time_point m_begun;
    std::chrono::steady_clock::time_point m_lastSaved;
    std::chrono::steady_clock::time_point m_lastWatched;
    std::int64_t m_sentHere = 0;
};

}  // namespace redeliver::replay
