// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/kafka_asker.h"

#include "core/kafka/group_lag.h"

#include <fmt/format.h>

#include <chrono>

namespace redeliver {
namespace {

constexpr std::chrono::milliseconds callLimit{3'000};

}  // namespace

Observed KafkaAsker::lagOf(const ConsumerInfo& info) {
    if (!info.group) {
        return {std::nullopt, "its consumer group isn't known: set group in the profile or by `consumers set`"};
    }
    if (info.topics.empty()) {
        return {std::nullopt, "its topics aren't known: set topics in the profile or by `consumers set`"};
    }
    auto lag = kafka::readLag(*m_admin, *info.group, info.topics);
    return lag ? lag->total : Observed{std::nullopt, lag.error().text()};
}

KafkaNews KafkaAsker::ask(const std::vector<ConsumerInfo>& consumers, const std::stop_token& stop) {
    KafkaNews news;
    if (!m_connections.hasKafka()) {
        news.server.error = "the profile has no [kafka]";
        news.server.hint = "Add [kafka] with \"bootstrap.servers\" = \"…\".";
        return news;
    }
    if (!m_admin) {
        m_admin.emplace(m_connections.kafkaConfig(), kafka::AdminOptions{"redeliver", callLimit});
    }
    const auto before = std::chrono::steady_clock::now();
    const auto brokers = m_admin->brokers();
    if (!brokers) {
        news.server.error = brokers.error().text();
        news.server.hint = brokers.error().hint();
        return news;
    }
    news.server.ok = true;
    news.server.text = fmt::format("Kafka · {} {}", brokers->size(), brokers->size() == 1 ? "broker" : "brokers");
    news.server.roundTrip = std::chrono::floor<Duration>(std::chrono::steady_clock::now() - before);
    for (const ConsumerInfo& info : consumers) {
        if (stop.stop_requested()) {
            break;
        }
        news.lag[info.name] = lagOf(info);
    }
    return news;
}

}  // namespace redeliver
