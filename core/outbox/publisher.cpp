// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/outbox/publisher.h"

#include "core/base/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace redeliver::outbox {
namespace {

/// Rows without a key have no order among each other: each is a key of its own.
std::pair<Topic, std::string> orderKey(const PendingMessage& message) {
    return {message.record.topic, message.record.key ? "k" + *message.record.key : "r" + std::to_string(message.row)};
}

OutgoingRecord withId(const PendingMessage& message) {
    OutgoingRecord record = message.record;
    std::erase_if(record.headers, [](const Header& header) { return header.name == messageIdHeader; });
    record.headers.push_back({std::string(messageIdHeader), message.id.value()});
    return record;
}

}  // namespace

struct Publisher::Work {
    std::vector<PendingMessage> messages;
    std::set<Key> heldBack;  ///< keys that got no further in this pass
    std::vector<SentMessage> sent;
    std::vector<FailedMessage> refused;
    Pass pass;
};

Publisher::Publisher(Store& store, ports::RecordSink& sink, Clock& clock, Entropy& entropy, PublisherOptions options)
    : m_store(store), m_sink(sink), m_clock(clock), m_entropy(entropy), m_options(std::move(options)) {}

Pass Publisher::pass(const std::stop_token& stop) {
    Work work;
    struct Release {
        Store& store;
        ~Release() { store.release(); }
    } release{m_store};
    collect(work, stop);
    if (work.messages.empty()) {
        return work.pass;
    }
    sendWaves(work, stop);
    if (m_options.atPoint) {
        m_options.atPoint("outbox-published");
    }
    m_store.settle(work.sent, work.refused);
    work.pass.sent = work.sent.size();
    work.pass.failed = work.refused.size();
    return work.pass;
}

/// One batch of rows whose keys aren't waiting for a retry.
void Publisher::collect(Work& work, const std::stop_token& stop) {
    std::int64_t after = 0;
    const auto now = m_clock.steady();
    for (std::size_t page = 0; page < m_options.mostPages && work.messages.empty() && !stop.stop_requested(); ++page) {
        auto rows = m_store.claim(after, m_options.batch, stop);
        if (!rows) {
            work.pass.standby = true;
            return;
        }
        if (rows->empty()) {
            return;
        }
        after = rows->back().row;
        for (PendingMessage& row : *rows) {
            const auto waiting = m_waiting.find(orderKey(row));
            if (waiting == m_waiting.end() || waiting->second.until <= now) {
                work.messages.push_back(std::move(row));
            }
        }
    }
}

/// Of each key one row at a time: a later one may not overtake an earlier one that fails.
void Publisher::sendWaves(Work& work, const std::stop_token& stop) {
    const auto deadline = m_clock.steady() + m_options.mostPerPass;
    std::vector<std::size_t> left(work.messages.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        left[i] = i;
    }
    while (!left.empty() && !work.pass.lost && !stop.stop_requested() && m_clock.steady() < deadline) {
        std::vector<std::size_t> wave;
        std::vector<std::size_t> later;
        std::set<Key> taken;
        for (const std::size_t i : left) {
            const Key key = orderKey(work.messages[i]);
            if (work.heldBack.contains(key)) {
                continue;
            }
            (taken.insert(key).second ? wave : later).push_back(i);
        }
        if (wave.empty()) {
            return;
        }
        sendWave(work, wave);
        left = std::move(later);
    }
}

void Publisher::sendWave(Work& work, std::vector<std::size_t>& wave) {
    std::vector<OutgoingRecord> records;
    records.reserve(wave.size());
    for (const std::size_t i : wave) {
        records.push_back(withId(work.messages[i]));
    }
    const auto results = m_sink.publish(records);
    for (std::size_t k = 0; k < wave.size(); ++k) {
        const PendingMessage& message = work.messages[wave[k]];
        if (results[k]) {
            work.sent.push_back({message.row, results[k]->tp.partition, results[k]->offset});
            m_waiting.erase(orderKey(message));
        } else {
            failed(work, message, results[k].error());
        }
    }
}

void Publisher::failed(Work& work, const PendingMessage& message, const Error& error) {
    const Key key = orderKey(message);
    work.heldBack.insert(key);
    if (error.kind() == ErrorKind::Connection) {
        work.pass.lost = true;  // the broker's fault, not the row's
        log(LogLevel::Warn, fmt::format("outbox=waiting code={} error=\"{}\"", error.code(), error.text()));
        return;
    }
    const Waiting fresh{Backoff(m_options.firstRetry, m_options.mostRetry), {}};
    Waiting& waiting = m_waiting.emplace(key, fresh).first->second;
    waiting.until = m_clock.steady() + waiting.backoff.next(m_entropy);
    work.refused.push_back({message.row, fmt::format("{}: {}", error.code(), error.text())});
    log(LogLevel::Error, fmt::format("outbox=refused message_id=\"{}\" topic={} code={} error=\"{}\"",
                                     message.id.value(), message.record.topic.value(), error.code(), error.text()));
}

Pass Publisher::drain(const std::stop_token& stop) {
    Pass total;
    while (!stop.stop_requested()) {
        const Pass one = pass(stop);
        total.sent += one.sent;
        total.failed += one.failed;
        total.standby = one.standby;
        total.lost = one.lost;
        if (one.standby || one.lost || one.sent + one.failed == 0) {
            break;
        }
    }
    return total;
}

void Publisher::run(const std::stop_token& stop) {
    Backoff backoff(m_options.firstRetry, m_options.mostRetry);
    while (!stop.stop_requested()) {
        try {
            const Pass done = drain(stop);
            if (!done.lost) {
                backoff.reset();
            }
            m_clock.sleep(done.lost ? backoff.next(m_entropy) : m_options.idle, stop);
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::Cancelled && stop.stop_requested()) {
                return;
            }
            const bool passes =
                error.kind() == ErrorKind::Connection || error.kind() == ErrorKind::InDoubt || error.retriable();
            if (!passes) {
                throw;
            }
            log(LogLevel::Warn, fmt::format("outbox=waiting code={} error=\"{}\"", error.code(), error.text()));
            m_clock.sleep(backoff.next(m_entropy), stop);
        }
    }
}

}  // namespace redeliver::outbox
