// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/fleet_plan.h"

#include "core/base/time.h"

#include <algorithm>
#include <stdexcept>

namespace redeliver::lab {

const std::vector<DemoTopic>& demoTopics() {
    static const std::vector<DemoTopic> topics{
        {"payments", 4, "pay", "PaymentCaptured", 0.42, 0},    {"stock", 3, "stk", "StockLevelChanged", 0.34, 0},
        {"invoices", 2, "inv", "InvoiceIssued", 0.16, 0},      {"loyalty", 2, "loy", "PointsEarned", 0.08, 3},
        {"fulfilment", 3, "ful", "FulfilmentRequested", 0, 0},
    };
    return topics;
}

const std::vector<DemoConsumer>& demoConsumers() {
    static const std::vector<DemoConsumer> consumers{
        {"order-payment-handler", "order-payments", "payments", "12h", "30d", "fulfilment", false, 2, 0.012, 14},
        {"ledger-projection", "ledger", "payments", "90d", "30d", "", false, 1, 0.009, 7},
        {"stock-granter", "stock-grants", "stock", "30d", "30d", "", true, 2, 0.011, 22},
        {"fulfilment-requester", "fulfilment-requests", "fulfilment", "45d", "30d", "", false, 1, 0.006, 10},
        {"invoice-mailer", "invoice-mails", "invoices", "30d", "30d", "", false, 1, 0.001, 38},
        {"loyalty-counter", "loyalty-points", "loyalty", "30d", "30d", "", false, 1, 0.004, 9},
    };
    return consumers;
}

const DemoTopic& demoTopic(std::string_view name) {
    const auto& topics = demoTopics();
    const auto it =
        std::find_if(topics.begin(), topics.end(), [&](const DemoTopic& topic) { return topic.name == name; });
    if (it == topics.end()) {
        throw std::logic_error("no such demo topic");
    }
    return *it;
}

ProfileConsumer profileOf(const DemoConsumer& consumer) {
    ProfileConsumer entry;
    entry.name = ConsumerName{consumer.name};
    entry.group = GroupName{consumer.group};
    entry.topics = {Topic{consumer.topic}};
    entry.deadLetter = Topic{consumer.topic + ".dlt"};
    entry.messageId = {"header:message-id", "json:/message_id"};
    entry.markerRetention = parseSpan(consumer.retention).value();
    entry.replayHorizon = parseSpan(consumer.replayHorizon).value();
    return entry;
}

}  // namespace redeliver::lab
