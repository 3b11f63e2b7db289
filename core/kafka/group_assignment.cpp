// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
// The rebalance callback of GroupConsumer: runs inside librdkafka's frames, so nothing may be thrown out of it.
#include "core/kafka/convert.h"
#include "core/kafka/errors.h"
#include "core/kafka/group_consumer.h"
#include "core/kafka/topic_reader.h"

#include <librdkafka/rdkafka.h>

#include <cstring>

namespace redeliver::kafka {

bool GroupConsumer::cooperative() const {
    return std::strcmp(rd_kafka_rebalance_protocol(m_client.get()), "COOPERATIVE") == 0;
}

void GroupConsumer::onRebalance(int code, rd_kafka_topic_partition_list_s* partitions) {
    if (code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS) {
        assign(partitions);
        return;
    }
    // Revoked, or an error of the rebalance itself: either way nothing is ours any more.
    revoke(partitions);
    if (code != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS) {
        m_errors.push_back({std::nullopt, codeName(code), toError(code, "rebalance").text(), false});
    }
}

void GroupConsumer::assign(rd_kafka_topic_partition_list_s* partitions) {
    std::vector<Position> starts;
    const std::vector<TopicPartition> given = toPartitions(*partitions);
    try {
        if (m_listener != nullptr) {
            starts = m_listener->assigned(given);
        }
    } catch (...) {
        m_thrown = std::current_exception();
    }
    std::vector<TopicPartition> leftOut;
    for (const TopicPartition& tp : given) {
        m_next[tp] = std::nullopt;
        m_paused.erase(tp);
    }
    for (const Position& start : starts) {
        if (const auto it = m_next.find(start.tp); it != m_next.end()) {
            it->second = start.next;
        }
    }
    for (int i = 0; i < partitions->cnt; ++i) {
        rd_kafka_topic_partition_t& element = partitions->elems[i];
        const TopicPartition& tp = given[static_cast<std::size_t>(i)];
        const std::optional<Offset>& next = m_next[tp];
        // The log's end never fails to be found, and nothing before it is read while the pause is on its way.
        element.offset = next ? next->value() : RD_KAFKA_OFFSET_END;
        if (!next) {
            leftOut.push_back(tp);
        }
    }
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (cooperative()) {
        if (rd_kafka_error_t* error = rd_kafka_incremental_assign(m_client.get(), partitions)) {
            code = rd_kafka_error_code(error);
            rd_kafka_error_destroy(error);
        }
    } else {
        code = rd_kafka_assign(m_client.get(), partitions);
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        m_errors.push_back({std::nullopt, codeName(code), toError(code, "assigning partitions").text(), false});
    }
    if (!leftOut.empty()) {
        m_paused.insert(leftOut.begin(), leftOut.end());
        const ListHandle list = toList(leftOut);
        rd_kafka_pause_partitions(m_client.get(), list.get());
    }
}

/// After an error (an offset out of range) the library has given up a partition, and seeking can't bring it back:
/// assign it again. An eager member can only do that for all it has; what is buffered is read again.
void GroupConsumer::restart(const TopicPartition& tp) {
    const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(m_next.size())));
    for (const auto& [assigned, next] : m_next) {
        if (assigned == tp || !cooperative()) {
            rd_kafka_topic_partition_list_add(list.get(), assigned.topic.value().c_str(), assigned.partition.value())
                ->offset = next ? next->value() : RD_KAFKA_OFFSET_END;
        }
    }
    rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (cooperative()) {
        for (auto* change : {&rd_kafka_incremental_unassign, &rd_kafka_incremental_assign}) {
            if (rd_kafka_error_t* error = change(m_client.get(), list.get())) {
                code = rd_kafka_error_code(error);
                rd_kafka_error_destroy(error);
            }
        }
    } else {
        code = rd_kafka_assign(m_client.get(), list.get());
    }
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        throw m_client.error(code, "assigning partitions again");
    }
    const std::vector<TopicPartition> paused(m_paused.begin(), m_paused.end());
    const ListHandle pausedList = toList(paused);
    rd_kafka_pause_partitions(m_client.get(), pausedList.get());
}

void GroupConsumer::revoke(rd_kafka_topic_partition_list_s* partitions) {
    const std::vector<TopicPartition> given = toPartitions(*partitions);
    try {
        if (m_listener != nullptr && !given.empty()) {
            m_listener->revoked(given, assignmentLost());
        }
    } catch (...) {
        m_thrown = std::current_exception();
    }
    for (const TopicPartition& tp : given) {
        m_next.erase(tp);
        m_paused.erase(tp);
    }
    if (cooperative()) {
        if (rd_kafka_error_t* error = rd_kafka_incremental_unassign(m_client.get(), partitions)) {
            rd_kafka_error_destroy(error);
        }
        return;
    }
    m_next.clear();
    m_paused.clear();
    rd_kafka_assign(m_client.get(), nullptr);
}

}  // namespace redeliver::kafka
