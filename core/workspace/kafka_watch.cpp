// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/kafka_watch.h"

#include "core/base/error.h"

#include <utility>

namespace redeliver {
namespace {

constexpr std::chrono::seconds interest{30};

}  // namespace

KafkaWatch::KafkaWatch(Ask ask, std::chrono::milliseconds interval) : m_ask(std::move(ask)), m_interval(interval) {
    m_news.server.text = "not asked yet";
    m_thread = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
}

void KafkaWatch::want(std::vector<ConsumerInfo> consumers) {
    const std::lock_guard lock{m_mutex};
    m_consumers = std::move(consumers);
    m_lastWant = std::chrono::steady_clock::now();
    ++m_wanted;
    m_changed.notify_all();
}

KafkaNews KafkaWatch::latest() const {
    const std::lock_guard lock{m_mutex};
    return m_news;
}

bool KafkaWatch::waitForAnswer(std::chrono::milliseconds limit, const std::stop_token& stop) {
    std::unique_lock lock{m_mutex};
    const std::uint64_t wanted = m_wanted;
    return m_changed.wait_for(lock, stop, limit, [&] { return m_answered >= wanted; });
}

void KafkaWatch::run(const std::stop_token& stop) {
    std::unique_lock lock{m_mutex};
    while (!stop.stop_requested()) {
        m_changed.wait(lock, stop, [&] {
            return m_wanted > m_answered && std::chrono::steady_clock::now() - m_lastWant < interest;
        });
        if (stop.stop_requested()) {
            return;
        }
        const std::uint64_t wanted = m_wanted;
        const auto consumers = m_consumers;
        lock.unlock();
        KafkaNews news;
        try {
            news = m_ask(consumers, stop);
        } catch (const Error& error) {
            news.server.error = error.text();
            news.server.hint = error.hint();
        } catch (const std::exception& error) {
            news.server.error = error.what();
        }
        if (!news.server.ok) {
            for (const ConsumerInfo& info : consumers) {
                news.lag.try_emplace(info.name, Observed{std::nullopt, "Kafka can't be asked: " + news.server.error});
            }
        }
        lock.lock();
        m_news = std::move(news);
        m_answered = wanted;
        m_changed.notify_all();
        // No want() shortens the pause: a window that refreshes faster doesn't ask Kafka more often.
        m_changed.wait_for(lock, stop, m_interval, [] { return false; });
    }
}

}  // namespace redeliver
