// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/replay/sending.h"

#include "core/base/log.h"
#include "core/replay/chooser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace redeliver::replay {
namespace {

constexpr std::size_t mostInTransaction = 1000;
constexpr std::chrono::milliseconds betweenHeartbeats{1000};
constexpr std::chrono::milliseconds betweenWatches{100};

// The broker or the library will never take this very record; others are not concerned.
bool concernsOnlyThisRecord(const Error& error) {
    constexpr std::array<std::string_view, 7> codes{
        "timestamp-not-sendable", "MSG_SIZE_TOO_LARGE", "INVALID_TIMESTAMP", "INVALID_RECORD", "INVALID_MSG",
        "INVALID_MSG_SIZE",       "_INVALID_ARG"};
    return std::find(codes.begin(), codes.end(), error.code()) != codes.end();
}

}  // namespace

Sending::Sending(EngineParts& parts, const ApprovedPlan& approved, std::vector<ports::ReplayCursor> cursors,
                 const ReplayWatcher& watcher, std::stop_token stop)
    : m_parts(parts),
      m_approved(approved),
      m_cursors(std::move(cursors)),
      m_watcher(watcher),
      m_stop(std::move(stop)),
      m_bucket(approved.rate(), parts.clock.steady()),
      m_begun(parts.clock.steady()),
      m_lastSaved(m_begun),
      m_lastWatched(m_begun - betweenWatches) {
    for (const ports::ReplayCursor& cursor : m_cursors) {
        m_seen.push_back(cursor.acknowledged);
    }
}

void Sending::open() {
    m_sink = m_parts.openSink(transactionalIdOf(ReplayId{m_approved.plan().planId}));
    m_sink->initTransactions();
}

std::map<Partition, Offset> Sending::readBackFrom() const {
    std::map<Partition, Offset> from;
    for (const ports::ReplayCursor& cursor : m_cursors) {
        Offset& offset = from[cursor.partition];
        offset = std::max(offset, cursor.targetOffset);
    }
    return from;
}

void Sending::noteSentBefore(const Record& copy) {
    const auto replay = lastHeader(copy, header::replay);
    const auto source = lastHeader(copy, header::source);
    if (!replay || *replay != m_approved.plan().planId || !source) {
        return;
    }
    const auto at = parseCoordinates(*source);
    if (at && at->topic.value() == m_approved.plan().topic) {
        m_sentBefore[at->partition].emplace(at->offset, copy.offset);
    }
}

ReplayProgress Sending::progress() const {
    ReplayProgress now;
    now.id = ReplayId{m_approved.plan().planId};
    now.state = m_state;
    now.records = m_approved.plan().records;
    for (const ports::ReplayCursor& cursor : m_cursors) {
        now.sent += cursor.sent;
        now.setAside += cursor.setAside;
    }
    const double seconds = std::chrono::duration<double>(m_parts.clock.steady() - m_begun).count();
    now.rate = seconds > 0 ? static_cast<double>(m_sentHere) / seconds : 0;
    now.text = m_text;
    return now;
}

void Sending::saveProgress(ReplayState state) {
    m_state = state;
    m_ledgerWish =
        m_parts.ledger.checkpoint(ReplayId{m_approved.plan().planId}, m_parts.owner, state, m_cursors, m_newlySetAside);
    m_newlySetAside.clear();
    m_lastSaved = m_parts.clock.steady();
}

void Sending::watch() {
    const auto now = m_parts.clock.steady();
    if (m_watcher && now - m_lastWatched >= betweenWatches) {
        m_lastWatched = now;
        m_watcherWish = m_watcher(progress());
    }
}

// Heartbeat and watcher at their pace; false when nothing more may be sent now.
bool Sending::mayGoOn() {
    if (m_parts.clock.steady() - m_lastSaved >= betweenHeartbeats) {
        saveProgress(m_state);
    }
    watch();
    return wish() == ReplayControl::Go && !m_stop.stop_requested();
}

std::size_t Sending::cursorOf(const Record& record) const {
    for (std::size_t i = 0; i < m_cursors.size(); ++i) {
        const ports::ReplayCursor& cursor = m_cursors[i];
        if (cursor.partition == record.tp.partition && cursor.from <= record.offset && record.offset < cursor.to) {
            return i;
        }
    }
    throw Error(ErrorKind::Internal, "the reader gave a record outside of the plan's ranges");
}

bool Sending::take(Record&& record) {
    const std::size_t index = cursorOf(record);
    if (record.offset < m_seen[index]) {
        return true;
    }
    m_seen[index] = Offset{record.offset.value() + 1};
    if (!takes(m_approved.plan().source, m_approved.plan().planId, record)) {
        return mayGoOn();
    }
    std::optional<Offset> before;
    if (const auto sent = m_sentBefore.find(record.tp.partition); sent != m_sentBefore.end()) {
        const auto copy = sent->second.find(record.offset);
        before = copy == sent->second.end() ? std::nullopt : std::optional(copy->second);
    }
    m_waiting.push_back({index, std::move(record), before});
    const auto most = std::min(mostInTransaction, static_cast<std::size_t>(m_bucket.burst()));
    return m_waiting.size() < most ? mayGoOn() : flush();
}

bool Sending::flush() {
    const auto toSend =
        std::count_if(m_waiting.begin(), m_waiting.end(), [](const Waiting& w) { return !w.sentBefore; });
    Duration wait = m_bucket.take(toSend, m_parts.clock.steady());
    while (wait > Duration::zero() && mayGoOn()) {
        const Duration step = std::min<Duration>(wait, betweenWatches);
        m_parts.clock.sleep(step, m_stop);
        wait -= step;
    }
    if (!mayGoOn()) {
        return false;
    }
    publish();
    return mayGoOn();
}

void Sending::countSentBefore() {
    for (const Waiting& waiting : m_waiting) {
        if (waiting.sentBefore) {
            ports::ReplayCursor& cursor = m_cursors[waiting.cursor];
            ++cursor.sent;
            cursor.targetOffset = std::max(cursor.targetOffset, Offset{waiting.sentBefore->value() + 1});
        }
    }
    std::erase_if(m_waiting, [](const Waiting& waiting) { return waiting.sentBefore.has_value(); });
}

void Sending::publish() {
    countSentBefore();
    while (!m_waiting.empty() && !tryPublish()) {
    }
    m_waiting.clear();
    for (std::size_t i = 0; i < m_cursors.size(); ++i) {
        m_cursors[i].acknowledged = m_seen[i];
    }
    saveProgress(ReplayState::Running);
}

// One transaction; false when it was rolled back because of records that are set aside, the others are tried again.
bool Sending::tryPublish() {
    std::vector<OutgoingRecord> copies;
    copies.reserve(m_waiting.size());
    for (const Waiting& waiting : m_waiting) {
        copies.push_back(makeCopy(waiting.record, m_approved.plan()));
    }
    m_sink->begin();
    const auto results = m_sink->publish(copies);
    std::vector<Waiting> rest;
    std::optional<Error> fatal;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!results[i] && concernsOnlyThisRecord(results[i].error())) {
            setAside(m_waiting[i], results[i].error());
        } else {
            // Of a batch that is rolled back, the others fail only because of it (_PURGE_QUEUE and the like).
            if (!results[i] && !fatal) {
                fatal = results[i].error();
            }
            rest.push_back(std::move(m_waiting[i]));
        }
    }
    const bool someSetAside = rest.size() < results.size();
    if (someSetAside || fatal) {
        m_sink->abort();
        m_waiting = std::move(rest);
        if (!someSetAside) {
            throw Error(*fatal);
        }
        return m_waiting.empty();
    }
    m_sink->commit();
    for (std::size_t i = 0; i < results.size(); ++i) {
        ports::ReplayCursor& cursor = m_cursors[rest[i].cursor];
        ++cursor.sent;
        ++m_sentHere;
        cursor.targetOffset = std::max(cursor.targetOffset, Offset{results[i]->offset.value() + 1});
    }
    return true;
}

void Sending::setAside(const Waiting& waiting, const Error& why) {
    ++m_cursors[waiting.cursor].setAside;
    m_newlySetAside.push_back(
        fmt::format("{}/{}: {}", waiting.record.tp.partition.value(), waiting.record.offset.value(), why.text()));
}

void Sending::waitWhilePaused() {
    saveProgress(ReplayState::Paused);
    while (wish() == ReplayControl::Pause && !m_stop.stop_requested()) {
        m_parts.clock.sleep(std::chrono::milliseconds{200}, m_stop);
        saveProgress(ReplayState::Paused);
        watch();
    }
    if (wish() == ReplayControl::Go && !m_stop.stop_requested()) {
        saveProgress(ReplayState::Running);
    }
}

// One pass over what is left; true when everything was sent or set aside.
bool Sending::pass() {
    std::vector<ports::OffsetRange> left;
    for (std::size_t i = 0; i < m_cursors.size(); ++i) {
        m_seen[i] = m_cursors[i].acknowledged;
        if (m_cursors[i].acknowledged < m_cursors[i].to) {
            left.push_back({m_cursors[i].partition, m_cursors[i].acknowledged, m_cursors[i].to});
        }
    }
    if (left.empty()) {
        return true;
    }
    m_waiting.clear();
    bool endedEarly = false;
    const auto end = m_parts.reader.scan(
        Topic{m_approved.plan().topic}, left,
        [&](Record&& record) {
            endedEarly = !take(std::move(record));
            return !endedEarly;
        },
        m_stop);
    if (!end) {
        throw Error(end.error());
    }
    if (endedEarly || m_stop.stop_requested()) {
        return false;
    }
    if (!end->complete) {
        throw Error(ErrorKind::Limit, "the source could not be read to its end: " + end->why, "Resume it later");
    }
    if (!m_waiting.empty()) {
        (void)flush();
        if (!m_waiting.empty()) {
            return false;
        }
    }
    for (ports::ReplayCursor& cursor : m_cursors) {
        cursor.acknowledged = cursor.to;
    }
    saveProgress(ReplayState::Running);
    return true;
}

void Sending::sendAll() {
    saveProgress(ReplayState::Running);
    for (;;) {
        if (wish() == ReplayControl::Abort) {
            return finish(ReplayState::Aborted, "aborted");
        }
        if (m_stop.stop_requested()) {
            return finish(ReplayState::Paused, "interrupted");
        }
        if (wish() == ReplayControl::Pause) {
            waitWhilePaused();
        } else if (pass()) {
            return finish(ReplayState::Finished, "");
        }
    }
}

void Sending::finish(ReplayState state, const std::string& text) {
    m_state = state;
    m_text = text;
    m_parts.ledger.end(ReplayId{m_approved.plan().planId}, m_parts.owner, state, text);
    if (m_watcher) {
        m_watcher(progress());
    }
}

void Sending::giveUp(const Error& error) noexcept {
    m_state = ReplayState::Stopped;
    try {
        m_text = error.text();
        m_parts.ledger.end(ReplayId{m_approved.plan().planId}, m_parts.owner, ReplayState::Stopped, m_text);
    } catch (const std::exception& second) {
        log(LogLevel::Warn,
            fmt::format("replay={} the stop could not be written: {}", m_approved.plan().planId, second.what()));
    }
}

}  // namespace redeliver::replay
