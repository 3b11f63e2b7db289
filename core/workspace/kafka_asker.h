// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/admin.h"
#include "core/workspace/connections.h"
#include "core/workspace/kafka_watch.h"

#include <optional>

namespace redeliver {

/// Asks for the brokers and every consumer's lag, with short limits. Made once, used on the watch's thread only.
class KafkaAsker {
  public:
    explicit KafkaAsker(Connections connections) : m_connections(std::move(connections)) {}

    [[nodiscard]] KafkaNews ask(const std::vector<ConsumerInfo>& consumers, const std::stop_token& stop);

  private:
    [[nodiscard]] Observed lagOf(const ConsumerInfo& info);

    Connections m_connections;
    std::optional<kafka::Admin> m_admin;
};

}  // namespace redeliver
