// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/kafka_probe.h"

#include "core/base/error.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace redeliver::lab {

namespace {

using Handle = std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)>;

Handle quietClient(const std::string& bootstrap) {
    std::array<char, 512> text{};
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set(conf, "bootstrap.servers", bootstrap.c_str(), nullptr, 0);
    rd_kafka_conf_set(conf, "reconnect.backoff.ms", "50", nullptr, 0);
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    rd_kafka_conf_set_error_cb(conf, [](rd_kafka_t*, int, const char*, void*) {});
    rd_kafka_t* client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text.data(), text.size());
    if (client == nullptr) {
        rd_kafka_conf_destroy(conf);
        throw Error(ErrorKind::Internal, fmt::format("librdkafka: {}", text.data()));
    }
    return {client, &rd_kafka_destroy};
}

bool leadersKnown(rd_kafka_t* client, const std::string& topic) {
    const std::unique_ptr<rd_kafka_topic_t, decltype(&rd_kafka_topic_destroy)> handle(
        rd_kafka_topic_new(client, topic.c_str(), nullptr), &rd_kafka_topic_destroy);
    const struct rd_kafka_metadata* metadata = nullptr;
    if (rd_kafka_metadata(client, 0, handle.get(), &metadata, 2000) != RD_KAFKA_RESP_ERR_NO_ERROR)
        return false;
    const std::unique_ptr<const struct rd_kafka_metadata, decltype(&rd_kafka_metadata_destroy)> owner(
        metadata, &rd_kafka_metadata_destroy);
    if (metadata->topic_cnt != 1 || metadata->topics[0].err != RD_KAFKA_RESP_ERR_NO_ERROR)
        return false;
    for (int index = 0; index < metadata->topics[0].partition_cnt; ++index)
        if (metadata->topics[0].partitions[index].leader < 0)
            return false;
    return metadata->topics[0].partition_cnt > 0;
}

void throwTopicErrors(rd_kafka_event_t* event, const std::string& topic) {
    if (event == nullptr)
        throw Error(ErrorKind::Limit, fmt::format("creating the topic {} took too long", topic));
    if (const auto code = rd_kafka_event_error(event); code != RD_KAFKA_RESP_ERR_NO_ERROR)
        throw Error(ErrorKind::Server, fmt::format("{}: {}", topic, rd_kafka_event_error_string(event)), "",
                    rd_kafka_err2name(code));
    std::size_t count = 0;
    const auto* results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event), &count);
    for (std::size_t index = 0; index < count; ++index)
        if (const auto code = rd_kafka_topic_result_error(results[index]); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            const char* text = rd_kafka_topic_result_error_string(results[index]);
            throw Error(ErrorKind::Server,
                        fmt::format("{}: {}", topic, text != nullptr ? text : rd_kafka_err2str(code)), "",
                        rd_kafka_err2name(code));
        }
}

}  // namespace

bool portAnswers(int port) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool answers =
        descriptor >= 0 && connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return answers;
}

bool brokerAnswers(const std::string& bootstrap, std::chrono::milliseconds limit) {
    const Handle client = quietClient(bootstrap);
    const struct rd_kafka_metadata* metadata = nullptr;
    if (rd_kafka_metadata(client.get(), 1, nullptr, &metadata, static_cast<int>(limit.count())) !=
        RD_KAFKA_RESP_ERR_NO_ERROR)
        return false;
    const bool member = metadata->broker_cnt > 0 && metadata->brokers[0].id >= 0;
    rd_kafka_metadata_destroy(metadata);
    return member;
}

void createTopic(const std::string& bootstrap, const std::string& topic, int partitions,
                 const std::map<std::string, std::string>& configs) {
    const Handle client = quietClient(bootstrap);
    std::array<char, 512> text{};
    const std::unique_ptr<rd_kafka_NewTopic_t, decltype(&rd_kafka_NewTopic_destroy)> wanted(
        rd_kafka_NewTopic_new(topic.c_str(), partitions, 1, text.data(), text.size()), &rd_kafka_NewTopic_destroy);
    if (!wanted)
        throw Error(ErrorKind::BadInput, fmt::format("topic {}: {}", topic, text.data()));
    for (const auto& [name, value] : configs)
        rd_kafka_NewTopic_set_config(wanted.get(), name.c_str(), value.c_str());
    const std::unique_ptr<rd_kafka_queue_t, decltype(&rd_kafka_queue_destroy)> queue(rd_kafka_queue_new(client.get()),
                                                                                     &rd_kafka_queue_destroy);
    rd_kafka_NewTopic_t* topics[] = {wanted.get()};
    rd_kafka_CreateTopics(client.get(), topics, 1, nullptr, queue.get());
    const std::unique_ptr<rd_kafka_event_t, decltype(&rd_kafka_event_destroy)> event(
        rd_kafka_queue_poll(queue.get(), 15'000), &rd_kafka_event_destroy);
    throwTopicErrors(event.get(), topic);
    for (int attempt = 0; attempt < 200; ++attempt) {
        if (leadersKnown(client.get(), topic))
            return;
        rd_kafka_poll(client.get(), 25);
    }
    throw Error(ErrorKind::Limit, fmt::format("the topic {} got no leader", topic));
}

}  // namespace redeliver::lab
