// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/admin.h"

#include "core/base/clock.h"
#include "core/kafka/errors.h"
#include "core/kafka/log_lookup.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>

namespace redeliver::kafka {
namespace {

std::string describeTopic(const Topic& topic) {
    return fmt::format("topic {}", topic.value());
}

template <class Result_>
Result<void> firstError(const Client& client, const Result_* const* results, std::size_t count,
                        const std::string& what) {
    for (std::size_t i = 0; i < count; ++i) {
        if (const auto code = rd_kafka_topic_result_error(results[i]); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            const char* text = rd_kafka_topic_result_error_string(results[i]);
            return failure(client.error(code, what, text != nullptr ? text : ""));
        }
    }
    return {};
}

// The group is never joined. Without one librdkafka (at least to 2.10) dereferences a null pointer when a coordinator
// answers NOT_COORDINATOR to a look-up of committed offsets, i.e. whenever a broker restarts.
Properties adminProperties(const AdminOptions& options) {
    return {{"client.id", options.clientId},
            {"group.id", "redeliver-admin-" + randomUuid(*systemEntropy())},
            {"enable.auto.commit", "false"}};
}

}  // namespace

Admin::Admin(const Config& config, AdminOptions options)
    : m_options(std::move(options)), m_client(ClientRole::Admin, config, adminProperties(m_options)) {}

AdminOptionsHandle Admin::optionsFor(int operation) const {
    AdminOptionsHandle options(rd_kafka_AdminOptions_new(m_client.get(), static_cast<rd_kafka_admin_op_t>(operation)));
    const int millis = static_cast<int>(m_options.callLimit.count());
    rd_kafka_AdminOptions_set_request_timeout(options.get(), millis, nullptr, 0);
    return options;
}

Result<EventHandle> Admin::await(const QueueHandle& queue, const std::string& what) const {
    // The request has its own limit; a little more lets its error arrive.
    EventHandle event(rd_kafka_queue_poll(queue.get(), static_cast<int>(m_options.callLimit.count()) + 1'000));
    if (!event) {
        return failure(m_client.error(RD_KAFKA_RESP_ERR__TIMED_OUT, what));
    }
    if (const auto code = rd_kafka_event_error(event.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(m_client.error(code, what, rd_kafka_event_error_string(event.get())));
    }
    m_client.connection().worked();
    return event;
}

ClusterId Admin::clusterId() {
    return m_client.clusterId(m_options.callLimit);
}

Result<std::vector<Broker>> Admin::brokers() {
    const struct rd_kafka_metadata* metadata = nullptr;
    if (const auto code =
            rd_kafka_metadata(m_client.get(), 0, nullptr, &metadata, static_cast<int>(m_options.callLimit.count()));
        code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(m_client.error(code, "reading the brokers"));
    }
    m_client.connection().worked();
    std::vector<Broker> brokers;
    brokers.reserve(static_cast<std::size_t>(metadata->broker_cnt));
    for (int i = 0; i < metadata->broker_cnt; ++i) {
        brokers.push_back({metadata->brokers[i].id, metadata->brokers[i].host, metadata->brokers[i].port});
    }
    rd_kafka_metadata_destroy(metadata);
    return brokers;
}

Result<std::vector<Topic>> Admin::topics() {
    const struct rd_kafka_metadata* metadata = nullptr;
    if (const auto code =
            rd_kafka_metadata(m_client.get(), 1, nullptr, &metadata, static_cast<int>(m_options.callLimit.count()));
        code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return failure(m_client.error(code, "reading the topics"));
    }
    m_client.connection().worked();
    std::vector<Topic> topics;
    for (int i = 0; i < metadata->topic_cnt; ++i) {
        const std::string_view name = metadata->topics[i].topic;
        if (!name.starts_with("__")) {
            topics.emplace_back(std::string(name));
        }
    }
    rd_kafka_metadata_destroy(metadata);
    std::ranges::sort(topics);
    return topics;
}

Result<std::vector<Partition>> Admin::partitions(const Topic& topic) {
    return partitionsOf(m_client, topic, m_options.callLimit);
}

Result<std::map<std::string, std::string>> Admin::topicConfig(const Topic& topic) {
    const std::string what = "reading the settings of " + describeTopic(topic);
    rd_kafka_ConfigResource_t* resource = rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.value().c_str());
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    const AdminOptionsHandle options = optionsFor(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
    rd_kafka_DescribeConfigs(m_client.get(), &resource, 1, options.get(), queue.get());
    rd_kafka_ConfigResource_destroy(resource);
    const Result<EventHandle> event = await(queue, what);
    if (!event) {
        return failure(event.error());
    }
    std::size_t count = 0;
    const auto* const* resources =
        rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event->get()), &count);
    std::map<std::string, std::string> configs;
    for (std::size_t i = 0; i < count; ++i) {
        if (const auto code = rd_kafka_ConfigResource_error(resources[i]); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
            const char* text = rd_kafka_ConfigResource_error_string(resources[i]);
            return failure(m_client.error(code, what, text != nullptr ? text : ""));
        }
        std::size_t entries = 0;
        const auto* const* entry = rd_kafka_ConfigResource_configs(resources[i], &entries);
        for (std::size_t k = 0; k < entries; ++k) {
            const char* value = rd_kafka_ConfigEntry_value(entry[k]);
            configs.emplace(rd_kafka_ConfigEntry_name(entry[k]), value != nullptr ? value : "");
        }
    }
    return configs;
}

Result<void> Admin::createTopic(const Topic& topic, int partitions, int replication,
                                const std::map<std::string, std::string>& configs) {
    const std::string what = "creating " + describeTopic(topic);
    std::array<char, 256> text{};
    rd_kafka_NewTopic_t* wanted =
        rd_kafka_NewTopic_new(topic.value().c_str(), partitions, replication, text.data(), text.size());
    if (wanted == nullptr) {
        return failure(Error(ErrorKind::BadInput, fmt::format("{}: {}", what, text.data())));
    }
    for (const auto& [name, value] : configs) {
        rd_kafka_NewTopic_set_config(wanted, name.c_str(), value.c_str());
    }
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    const AdminOptionsHandle options = optionsFor(RD_KAFKA_ADMIN_OP_CREATETOPICS);
    rd_kafka_CreateTopics(m_client.get(), &wanted, 1, options.get(), queue.get());
    rd_kafka_NewTopic_destroy(wanted);
    const Result<EventHandle> event = await(queue, what);
    if (!event) {
        return failure(event.error());
    }
    std::size_t count = 0;
    const auto* const* results =
        rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event->get()), &count);
    if (Result<void> made = firstError(m_client, results, count, what); !made) {
        return made;
    }
    return awaitLeaders(topic, partitions);
}

/// A fresh topic is unknown to the brokers for some milliseconds.
Result<void> Admin::awaitLeaders(const Topic& topic, int partitions) {
    const auto deadline = std::chrono::steady_clock::now() + m_options.callLimit;
    for (;;) {
        const auto known = partitionsOf(m_client, topic, m_options.callLimit);
        const auto ends = known ? offsetsFor(m_client, topic, *known, latest, m_options.callLimit)
                                : Result<std::map<Partition, std::int64_t>>(failure(known.error()));
        if (ends && ends->size() == static_cast<std::size_t>(partitions)) {
            return {};
        }
        if (std::chrono::steady_clock::now() > deadline) {
            return failure(m_client.error(RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE, describeTopic(topic)));
        }
        rd_kafka_poll(m_client.get(), 20);
    }
}

Result<void> Admin::deleteTopic(const Topic& topic) {
    const std::string what = "deleting " + describeTopic(topic);
    rd_kafka_DeleteTopic_t* wanted = rd_kafka_DeleteTopic_new(topic.value().c_str());
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    const AdminOptionsHandle options = optionsFor(RD_KAFKA_ADMIN_OP_DELETETOPICS);
    rd_kafka_DeleteTopics(m_client.get(), &wanted, 1, options.get(), queue.get());
    rd_kafka_DeleteTopic_destroy(wanted);
    const Result<EventHandle> event = await(queue, what);
    if (!event) {
        return failure(event.error());
    }
    std::size_t count = 0;
    const auto* const* results =
        rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event->get()), &count);
    return firstError(m_client, results, count, what);
}

Result<std::map<Partition, Offset>> Admin::deleteRecords(const Topic& topic, const std::map<Partition, Offset>& below) {
    const std::string what = "deleting records of " + describeTopic(topic);
    const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(below.size())));
    for (const auto& [partition, offset] : below) {
        rd_kafka_topic_partition_list_add(list.get(), topic.value().c_str(), partition.value())->offset =
            offset.value();
    }
    rd_kafka_DeleteRecords_t* wanted = rd_kafka_DeleteRecords_new(list.get());
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    const AdminOptionsHandle options = optionsFor(RD_KAFKA_ADMIN_OP_DELETERECORDS);
    rd_kafka_DeleteRecords(m_client.get(), &wanted, 1, options.get(), queue.get());
    rd_kafka_DeleteRecords_destroy(wanted);
    const Result<EventHandle> event = await(queue, what);
    if (!event) {
        return failure(event.error());
    }
    const rd_kafka_topic_partition_list_t* done =
        rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event->get()));
    std::map<Partition, Offset> starts;
    for (int i = 0; i < done->cnt; ++i) {
        const rd_kafka_topic_partition_t& element = done->elems[i];
        if (element.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            return failure(m_client.error(element.err, fmt::format("{}, partition {}", what, element.partition)));
        }
        starts.emplace(element.partition, element.offset);
    }
    return starts;
}

}  // namespace redeliver::kafka
