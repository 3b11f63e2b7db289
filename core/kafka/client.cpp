// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/client.h"

#include "core/base/log.h"
#include "core/kafka/doctor.h"
#include "core/kafka/errors.h"
#include "core/kafka/publish.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>
#include <syslog.h>

#include <array>
#include <string_view>

namespace redeliver::kafka {
namespace {

ClientEvents& eventsOf(void* opaque) {
    return *static_cast<ClientEvents*>(opaque);
}

void onError(rd_kafka_t* handle, int code, const char* reason, void* opaque) {
    std::string text = reason != nullptr ? reason : "";
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        std::array<char, 512> fatal{};
        code = rd_kafka_fatal_error(handle, fatal.data(), fatal.size());
        text = fatal.data();
    }
    ClientEvents& events = eventsOf(opaque);
    events.connection.failed(code, text);
    if (events.failed) {
        events.failed(code, text);
    }
}

void onRebalance(rd_kafka_t* /*handle*/, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t* partitions,
                 void* opaque) {
    eventsOf(opaque).rebalance(code, partitions);
}

void onLog(const rd_kafka_t* /*handle*/, int level, const char* facility, const char* text) {
    // Its connection errors come through error_cb too; its property warnings are about our own defaults.
    log(level <= LOG_CRIT ? LogLevel::Error : LogLevel::Debug,
        fmt::format("component=librdkafka facility={} text=\"{}\"", facility, text));
}

}  // namespace

Client::Client(ClientRole role, const Config& config, const Properties& own, std::unique_ptr<ClientEvents> events)
    : m_events(events ? std::move(events) : std::make_unique<ClientEvents>()),
      m_polledByConsumer(role == ClientRole::GroupMember || role == ClientRole::Reader) {
    m_events->connection.setLoginHint(scramHint(config));
    ConfHandle conf = config.build(role, own);
    rd_kafka_conf_set_opaque(conf.get(), m_events.get());
    rd_kafka_conf_set_error_cb(conf.get(), onError);
    rd_kafka_conf_set_log_cb(conf.get(), onLog);
    if (m_events->rebalance) {
        rd_kafka_conf_set_rebalance_cb(conf.get(), onRebalance);
    }
    if (role == ClientRole::Producer) {
        rd_kafka_conf_set_dr_msg_cb(conf.get(), onDelivered);
    }
    std::array<char, 512> text{};
    const rd_kafka_type_t type = role == ClientRole::Producer ? RD_KAFKA_PRODUCER : RD_KAFKA_CONSUMER;
    m_handle.reset(rd_kafka_new(type, conf.get(), text.data(), text.size()));
    if (!m_handle) {
        throw Error(ErrorKind::BadInput, fmt::format("kafka: {}", text.data()),
                    hintFor(RD_KAFKA_RESP_ERR__INVALID_ARG, text.data()), "bad-property");
    }
    (void)conf.release();  // the client owns it now
    if (m_polledByConsumer) {
        rd_kafka_poll_set_consumer(m_handle.get());
    }
}

ClusterId Client::clusterId(std::chrono::milliseconds limit) const {
    char* id = rd_kafka_clusterid(m_handle.get(), static_cast<int>(limit.count()));
    if (id == nullptr) {
        throw error(RD_KAFKA_RESP_ERR__TIMED_OUT, "reading the cluster ID", "no broker answered");
    }
    ClusterId result{std::string(id)};
    rd_kafka_mem_free(m_handle.get(), id);
    connection().worked();
    return result;
}

Error Client::error(int code, std::string_view what, std::string_view detail) const {
    if (!m_polledByConsumer) {
        rd_kafka_poll(m_handle.get(), 0);
    }
    return toError(code, what, detail, &connection());
}

}  // namespace redeliver::kafka
