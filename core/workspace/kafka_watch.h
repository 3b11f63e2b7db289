// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/model/snapshot.h"
#include "core/workspace/telemetry_desk.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace redeliver {

/// What Kafka said last. Lag is never negative: what can't be told is absent, with the reason.
struct KafkaNews {
    ServerState server;
    std::map<ConsumerName, Observed> lag;
};

/// Asks Kafka on a thread of its own, so that a dead broker never delays the database's answers. It asks while
/// somebody looks (want() within the last 30 s), at most every `interval`. latest() and want() never block on I/O.
class KafkaWatch {
  public:
    using Ask = std::function<KafkaNews(const std::vector<ConsumerInfo>&, const std::stop_token&)>;

    explicit KafkaWatch(Ask ask, std::chrono::milliseconds interval = std::chrono::seconds{5});
    ~KafkaWatch() = default;
    KafkaWatch(const KafkaWatch&) = delete;
    KafkaWatch& operator=(const KafkaWatch&) = delete;

    void want(std::vector<ConsumerInfo> consumers);
    [[nodiscard]] KafkaNews latest() const;
    /// Waits until an answer to the newest want() is there, at most `limit`. For the command line, which asks once.
    bool waitForAnswer(std::chrono::milliseconds limit, const std::stop_token& stop);

  private:
    void run(const std::stop_token& stop);

    Ask m_ask;
    std::chrono::milliseconds m_interval;
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::vector<ConsumerInfo> m_consumers;
    std::uint64_t m_wanted = 0;    ///< counts want()
    std::uint64_t m_answered = 0;  ///< the want() that the newest answer belongs to
    std::chrono::steady_clock::time_point m_lastWant;
    KafkaNews m_news;
    std::jthread m_thread;  // last: it uses all of the above
};

}  // namespace redeliver
