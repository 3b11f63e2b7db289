// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/base/clock.h"
#include "core/outbox/store.h"
#include "core/ports/record_sink.h"

#include <functional>
#include <map>
#include <string_view>

namespace redeliver::outbox {

inline constexpr std::string_view messageIdHeader = "message-id";

struct PublisherOptions {
    std::size_t batch = 500;       ///< rows per transaction
    std::size_t mostPages = 20;    ///< pages looked through in one pass for rows that aren't waiting
    Duration idle{200'000};        ///< between looks at an empty outbox
    Duration firstRetry{500'000};  ///< of a refused row, doubled up to mostRetry; other keys go on meanwhile
    Duration mostRetry{30'000'000};
    Duration mostPerPass{10'000'000};  ///< after so long what was sent is marked, the rest waits for the next pass
    /// Called at "outbox-published": everything of a pass is acknowledged, nothing is marked yet. For crash tests.
    std::function<void(std::string_view)> atPoint;
};

struct Pass {
    std::size_t sent = 0;
    std::size_t failed = 0;
    bool standby = false;  ///< another publisher is at work
    bool lost = false;     ///< the broker didn't answer; nothing was counted against the rows
};

/// Publishes outbox rows: in order per topic and key, each with its message ID in the header "message-id" (one that the
/// row had is replaced). Published first, marked afterwards: a crash between repeats the publish under the same ID,
/// which the next consumer's guard absorbs. A row that the broker refuses keeps the later ones of its key waiting and
/// nobody else. Several publishers may run: one works, the others stand by. One thread.
class Publisher {
  public:
    Publisher(Store& store, ports::RecordSink& sink, Clock& clock, Entropy& entropy, PublisherOptions options = {});

    /// One transaction's worth. Throws Error on a lost database.
    Pass pass(const std::stop_token& stop);
    /// Until nothing is left that could be sent now, or the broker is lost. Throws Error on a lost database.
    Pass drain(const std::stop_token& stop);
    /// Until stopped; lost servers are waited for with back-off. Throws Error for what no waiting mends (schema,
    /// privilege, configuration).
    void run(const std::stop_token& stop);

  private:
    using Key = std::pair<Topic, std::string>;
    struct Waiting {
        Backoff backoff;
        std::chrono::steady_clock::time_point until;
    };
    struct Work;

    void collect(Work& work, const std::stop_token& stop);
    void sendWaves(Work& work, const std::stop_token& stop);
    void sendWave(Work& work, std::vector<std::size_t>& wave);
    void failed(Work& work, const PendingMessage& message, const Error& error);

    Store& m_store;
    ports::RecordSink& m_sink;
    Clock& m_clock;
    Entropy& m_entropy;
    PublisherOptions m_options;
    std::map<Key, Waiting> m_waiting;  ///< keys whose first row was refused
};

}  // namespace redeliver::outbox
