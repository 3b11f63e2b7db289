// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/mock_kafka.h"

#include "core/base/error.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
// The mock's header needs the other one first.
#include <librdkafka/rdkafka_mock.h>

#include <array>

namespace redeliver::lab {

struct MockKafka::Impl {
    rd_kafka_t* client = nullptr;
    rd_kafka_mock_cluster_t* cluster = nullptr;

    ~Impl() {
        if (cluster != nullptr)
            rd_kafka_mock_cluster_destroy(cluster);
        if (client != nullptr)
            rd_kafka_destroy(client);
    }
};

namespace {

void check(rd_kafka_resp_err_t code, const std::string& what) {
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR)
        throw Error(ErrorKind::Server, fmt::format("mock cluster, {}: {}", what, rd_kafka_err2str(code)), "",
                    rd_kafka_err2name(code));
}

}  // namespace

MockKafka::MockKafka(int brokers) : m_impl(std::make_unique<Impl>()) {
    std::array<char, 512> text{};
    rd_kafka_conf_t* conf = rd_kafka_conf_new();
    rd_kafka_conf_set_log_cb(conf, [](const rd_kafka_t*, int, const char*, const char*) {});
    m_impl->client = rd_kafka_new(RD_KAFKA_PRODUCER, conf, text.data(), text.size());
    if (m_impl->client == nullptr) {
        rd_kafka_conf_destroy(conf);
        throw Error(ErrorKind::Internal, fmt::format("librdkafka: {}", text.data()));
    }
    m_impl->cluster = rd_kafka_mock_cluster_new(m_impl->client, brokers);
    if (m_impl->cluster == nullptr)
        throw Error(ErrorKind::Internal, "librdkafka's mock cluster didn't start");
}

MockKafka::~MockKafka() = default;

std::string MockKafka::bootstrap() const {
    return rd_kafka_mock_cluster_bootstraps(m_impl->cluster);
}

void MockKafka::createTopic(const std::string& topic, int partitions, int replication) {
    check(rd_kafka_mock_topic_create(m_impl->cluster, topic.c_str(), partitions, replication), "topic " + topic);
}

void MockKafka::pushErrors(KafkaApi api, const std::vector<int>& codes) {
    std::vector<rd_kafka_resp_err_t> errors;
    errors.reserve(codes.size());
    for (const int code : codes)
        errors.push_back(static_cast<rd_kafka_resp_err_t>(code));
    rd_kafka_mock_push_request_errors_array(m_impl->cluster, static_cast<std::int16_t>(api), errors.size(),
                                            errors.data());
}

void MockKafka::clearErrors(KafkaApi api) {
    rd_kafka_mock_clear_request_errors(m_impl->cluster, static_cast<std::int16_t>(api));
}

void MockKafka::setTopicError(const std::string& topic, int code) {
    rd_kafka_mock_topic_set_error(m_impl->cluster, topic.c_str(), static_cast<rd_kafka_resp_err_t>(code));
}

void MockKafka::brokerDown(int broker) {
    check(rd_kafka_mock_broker_set_down(m_impl->cluster, broker), "broker down");
}

void MockKafka::brokerUp(int broker) {
    check(rd_kafka_mock_broker_set_up(m_impl->cluster, broker), "broker up");
}

void MockKafka::setDelay(std::chrono::milliseconds roundTrip, int broker) {
    check(rd_kafka_mock_broker_set_rtt(m_impl->cluster, broker, static_cast<int>(roundTrip.count())), "delay");
}

void MockKafka::setLeader(const std::string& topic, int partition, int broker) {
    check(rd_kafka_mock_partition_set_leader(m_impl->cluster, topic.c_str(), partition, broker), "leader");
}

}  // namespace redeliver::lab
