// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/profile.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver::lab {

/// One topic of the demo.
struct DemoTopic {
    std::string name;
    int partitions = 3;
    std::string idPrefix;  ///< of its message IDs, e.g. "pay"
    std::string type;      ///< of its JSON messages
    double share = 0;      ///< of all messages that the producer sends; 0: fed by an outbox only
    double hoursIdle = 0;  ///< no messages in the last hours
};

/// One consumer of the demo; as in the pictures: two share a topic, one has an outbox to another, one a sequence guard.
struct DemoConsumer {
    std::string name;
    std::string group;
    std::string topic;
    std::string retention;  ///< marker retention, e.g. "12h"
    std::string replayHorizon;
    std::string outboxTopic;  ///< where its handler's outbox rows go
    bool sequenceGuard = false;
    int workers = 1;
    double duplicateRate = 0.01;  ///< usual share of redelivered messages in the generated history
    double latencyMillis = 10;    ///< median
};

[[nodiscard]] const std::vector<DemoTopic>& demoTopics();
[[nodiscard]] const std::vector<DemoConsumer>& demoConsumers();
[[nodiscard]] const DemoTopic& demoTopic(std::string_view name);

/// The profile's `[[consumers]]` entry of a demo consumer.
[[nodiscard]] ProfileConsumer profileOf(const DemoConsumer& consumer);

}  // namespace redeliver::lab
