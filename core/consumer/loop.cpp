// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/loop.h"

#include "core/base/log.h"
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::consumer {
namespace {

constexpr auto longestIdle = std::chrono::milliseconds(100);
constexpr auto gap = std::chrono::milliseconds(5);  // nothing for so long ends a batch early

std::chrono::milliseconds millis(std::chrono::steady_clock::duration span) {
    return std::chrono::ceil<std::chrono::milliseconds>(span);
}

}  // namespace

Loop::Loop(Options options, LoopParts parts)
    : m_options(std::move(options)),
      m_parts(std::move(parts)),
      m_recorder(m_options, m_parts.clock),
      m_storeBackoff(std::chrono::milliseconds(100), std::chrono::seconds(5)),
      m_target(m_options.batchRecords) {}

void Loop::run(const std::stop_token& stop) {
    start();
    while (!stop.stop_requested()) {
        step(stop);
    }
    finish();
}

void Loop::start() {
    try {
        m_parts.store.ensureConnected();
        m_parts.store.registerConsumer(m_options.consumer);
        m_registered = true;
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Schema || error.kind() == ErrorKind::Privilege) {
            throw;  // no waiting mends a missing schema or privilege at the start
        }
        storeTrouble(error.text());
    }
    m_parts.source.subscribe(m_options.consumer.topics, *this);
}

void Loop::step(const std::stop_token& stop) {
    housekeeping();
    gather(stop);
    if (!m_pending.empty() && !m_retryStoreAt) {
        runBatch(stop);
    }
}

void Loop::finish() {
    ack();
    if (!m_retryStoreAt) {
        m_recorder.flush(m_parts.store);
    }
    m_recorder.spill();
    m_parts.source.close();
}

void Loop::gather(const std::stop_token& stop) {
    const std::size_t target = m_singles > 0 ? 1 : m_target;
    if (m_pending.size() >= target) {
        pollOnce(std::chrono::milliseconds(0));  // stays a member of the group
        return;
    }
    if (m_pending.empty() && !pollOnce(idleWait())) {
        return;
    }
    const auto until = m_parts.clock.steady() + m_options.batchWindow;
    while (m_pending.size() < target && !stop.stop_requested()) {
        const auto left = millis(until - m_parts.clock.steady());
        if (left.count() <= 0 || !pollOnce(std::min<std::chrono::milliseconds>(left, gap))) {
            return;
        }
    }
}

// True: something came.
bool Loop::pollOnce(std::chrono::milliseconds timeout) {
    auto polled = m_parts.source.poll(timeout);
    if (auto* record = std::get_if<Record>(&polled)) {
        const auto work = m_table.find(record->tp);
        if (work != m_table.end() && !work->second.paused && work->second.state == PartitionWork::State::Running) {
            m_pending.push_back({std::move(*record), m_parts.clock.steady()});
        } else if (work != m_table.end()) {
            work->second.dirty = true;  // handed out although it stands: read again from where we are
        }
        return true;
    }
    if (const auto* error = std::get_if<ports::SourceError>(&polled)) {
        onSourceError(*error);
        return true;
    }
    return false;
}

void Loop::onSourceError(const ports::SourceError& error) {
    if (error.fatal) {
        throw Error(ErrorKind::Server, "the Kafka client gave up: " + error.text,
                    "Another member may use the same group.instance.id.", error.code);
    }
    if (error.tp && error.code == "_AUTO_OFFSET_RESET") {
        outOfRange(*error.tp);
        return;
    }
    std::string line;
    appendLogfmt(line, "consumer", m_options.consumer.name.value());
    appendLogfmt(line, "event", "source_error");
    appendLogfmt(line, "code", error.code);
    appendLogfmt(line, "text", error.text);
    log(LogLevel::Warn, line);
}

std::chrono::milliseconds Loop::idleWait() const {
    const auto now = m_parts.clock.steady();
    auto wait = longestIdle;
    const auto notAfter = [&](SteadyTime at) {
        wait = std::clamp<std::chrono::milliseconds>(millis(at - now), std::chrono::milliseconds(0), wait);
    };
    if (m_retryStoreAt) {
        notAfter(*m_retryStoreAt);
    }
    for (const auto& [tp, work] : m_table) {
        if (work.waitUntil) {
            notAfter(*work.waitUntil);
        }
    }
    return std::max(wait, std::chrono::milliseconds(1));
}

void Loop::housekeeping() {
    const auto now = m_parts.clock.steady();
    if (m_retryStoreAt) {
        if (now >= *m_retryStoreAt) {
            retryStore();
        }
        if (m_retryStoreAt) {
            m_recorder.spill();
        }
        steer();
        return;
    }
    if (now >= m_placeAt) {
        for (const auto& position : placeUndecided()) {
            goOn(position);
        }
    }
    if (now - m_housekeptAt >= m_options.housekeeping) {
        m_housekeptAt = now;
        try {
            if (!m_registered) {
                m_parts.store.registerConsumer(m_options.consumer);
                m_registered = true;
            }
            ack();
            saveStops();
            carryOutRequests();
            m_recorder.flush(m_parts.store);
            checkLogs(now);
        } catch (const Error& error) {
            storeTrouble(error.text());
        }
    }
    steer();
}

// A log that ends below us is another one, or was truncated (fine-print, "log").
void Loop::checkLogs(SteadyTime now) {
    for (auto& [tp, work] : m_table) {
        if (work.state != PartitionWork::State::Running || now - work.logCheckedAt < m_options.logCheck) {
            continue;
        }
        work.logCheckedAt = now;
        const auto log = m_parts.source.logInfo(tp);
        if (log && log->end < work.committed) {
            stop(tp, "log-shorter",
                 fmt::format("the log ends at {}, but this consumer has read up to {}: another log, or a truncated one",
                             log->end.value(), work.committed.value()),
                 log->start);
        }
        return;  // one per round: each is a round trip to the broker
    }
}

void Loop::storeTrouble(const std::string& why) {
    std::string line;
    appendLogfmt(line, "consumer", m_options.consumer.name.value());
    appendLogfmt(line, "event", "database_trouble");
    appendLogfmt(line, "text", why);
    log(LogLevel::Warn, line);
    m_retryStoreAt = m_parts.clock.steady() + m_storeBackoff.next(m_parts.entropy);
    for (auto& [tp, work] : m_table) {
        dropPending(tp);
    }
    m_pending.clear();
    steer();
}

void Loop::retryStore() {
    try {
        m_parts.store.ensureConnected();
        m_retryStoreAt.reset();
    } catch (const Error&) {
        m_retryStoreAt = m_parts.clock.steady() + m_storeBackoff.next(m_parts.entropy);
    }
}

// Tells the source which partitions may deliver now.
void Loop::steer() {
    const auto now = m_parts.clock.steady();
    for (auto& [tp, work] : m_table) {
        const bool read = !m_retryStoreAt && work.readable(now);
        if (read && (work.paused || work.dirty)) {
            if (!work.paused) {
                m_parts.source.pause(tp);
                work.paused = true;
            }
            letRun(tp, work);
        } else if (!read && !work.paused) {
            work.paused = true;
            m_parts.source.pause(tp);
        }
    }
}

// A broker that doesn't answer leaves the partition paused; the next round tries again.
void Loop::letRun(const TopicPartition& tp, PartitionWork& work) {
    try {
        if (work.dirty) {
            m_parts.source.seek({tp, work.committed});
        }
        m_parts.source.resume(tp);
    } catch (const Error& error) {
        onSourceError({tp, error.code(), error.text(), false});
        return;
    }
    work.dirty = false;
    work.waitUntil.reset();
    work.paused = false;
}

void Loop::dropPending(const TopicPartition& tp) {
    const auto size = m_pending.size();
    std::erase_if(m_pending, [&](const Polled& polled) { return polled.record.tp == tp; });
    if (const auto it = m_table.find(tp); it != m_table.end() && it->second.state == PartitionWork::State::Running) {
        it->second.dirty = it->second.dirty || size != m_pending.size();
    }
}

}  // namespace redeliver::consumer
