// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/config.h"
#include "core/kafka/connection_state.h"
#include "core/kafka/handles.h"
#include "core/model/ids.h"

#include <chrono>
#include <functional>
#include <memory>

namespace redeliver::kafka {

/// What librdkafka calls back into; lives at a stable address as the handle's opaque.
struct ClientEvents {
    ConnectionState connection;
    /// Code and partitions of rebalance_cb, on the polling thread. Must not throw.
    std::function<void(int, rd_kafka_topic_partition_list_s*)> rebalance;
    /// Connection errors, on the polling thread, after `connection` took them. Must not throw.
    std::function<void(int, const std::string&)> failed;
};

/// One librdkafka client instance with its connection state. One thread, but for connection().
class Client {
  public:
    /// Throws Error(BadInput) for a bad property or file. Makes no connection yet.
    Client(ClientRole role, const Config& config, const Properties& own,
           std::unique_ptr<ClientEvents> events = nullptr);

    [[nodiscard]] rd_kafka_s* get() const noexcept { return m_handle.get(); }
    [[nodiscard]] ConnectionState& connection() const noexcept { return m_events->connection; }
    [[nodiscard]] ClientEvents& events() const noexcept { return *m_events; }

    /// Kafka's cluster ID; empty from brokers that have none. Throws Error(Connection) when none answers in time.
    [[nodiscard]] ClusterId clusterId(std::chrono::milliseconds limit) const;
    /// The code as an Error, after collecting what error_cb has to say about it.
    [[nodiscard]] Error error(int code, std::string_view what, std::string_view detail = {}) const;

  private:
    std::unique_ptr<ClientEvents> m_events;
    bool m_polledByConsumer;
    KafkaHandle m_handle;  // last: destroyed before what it calls back into
};

}  // namespace redeliver::kafka
