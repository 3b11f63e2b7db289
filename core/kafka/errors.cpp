// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/errors.h"

#include "core/kafka/connection_state.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <utility>

namespace redeliver::kafka {
namespace {

ErrorKind kindOf(int code) {
    switch (code) {
        case RD_KAFKA_RESP_ERR__TRANSPORT:
        case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        case RD_KAFKA_RESP_ERR__RESOLVE:
        case RD_KAFKA_RESP_ERR__SSL:
        case RD_KAFKA_RESP_ERR__AUTHENTICATION:
        case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
        case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
        case RD_KAFKA_RESP_ERR__TIMED_OUT:
        case RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE:
        case RD_KAFKA_RESP_ERR__MSG_TIMED_OUT:
        case RD_KAFKA_RESP_ERR__WAIT_COORD:
        case RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT:
        case RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION:
        case RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE:
        case RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS:
        case RD_KAFKA_RESP_ERR_NOT_COORDINATOR:
        case RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE:
        case RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION:
        case RD_KAFKA_RESP_ERR_BROKER_NOT_AVAILABLE:
            return ErrorKind::Connection;
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
        case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
        case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
        case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
            return ErrorKind::Privilege;
        case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
        case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
        case RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND:
            return ErrorKind::NotFound;
        case RD_KAFKA_RESP_ERR__INVALID_ARG:
            return ErrorKind::BadInput;
        default:
            return ErrorKind::Server;
    }
}

bool isRetriable(int code, ErrorKind kind) {
    switch (code) {
        case RD_KAFKA_RESP_ERR__AUTHENTICATION:
        case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
        case RD_KAFKA_RESP_ERR_UNSUPPORTED_SASL_MECHANISM:
        case RD_KAFKA_RESP_ERR__SSL:
            return false;
        case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS:
        case RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS_AFTER_APPEND:
        case RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS:
        case RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT:
        case RD_KAFKA_RESP_ERR_CONCURRENT_TRANSACTIONS:
        case RD_KAFKA_RESP_ERR__RETRY:
        case RD_KAFKA_RESP_ERR__QUEUE_FULL:
        case RD_KAFKA_RESP_ERR__PURGE_QUEUE:
        case RD_KAFKA_RESP_ERR__PURGE_INFLIGHT:
            return true;
        default:
            return kind == ErrorKind::Connection;
    }
}

bool isGeneric(int code) {
    return code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
           code == RD_KAFKA_RESP_ERR__TIMED_OUT || code == RD_KAFKA_RESP_ERR__TIMED_OUT_QUEUE ||
           code == RD_KAFKA_RESP_ERR__MSG_TIMED_OUT || code == RD_KAFKA_RESP_ERR__WAIT_COORD;
}

std::string hintByText(std::string_view text) {
    // Parts of librdkafka's own sentences; the only place where it says which of these it was.
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> known{{
        {"PLAINTEXT broker listener", "this port speaks no TLS: use its TLS port, or security.protocol without ssl"},
        {"connecting to a SSL listener", "this port wants TLS: set security.protocol to ssl or sasl_ssl"},
        {"requires SASL", "this listener wants a login: set security.protocol to sasl_ssl or sasl_plaintext"},
        {"certificate verify failed",
         "the broker's certificate isn't trusted or names another host: check ssl.ca.location, and that "
         "bootstrap.servers uses a name in the certificate"},
        {"Connection refused", "nothing listens there: check host and port, and that the broker runs"},
        {"Failed to resolve", "the host name is unknown: check it, and the DNS of this machine"},
        {"state SSL_HANDSHAKE",
         "the TLS handshake was cut: check ssl.ca.location, client certificate and that the port speaks TLS"},
        {"state APIVERSION",
         "the broker closed the connection at once: the port probably wants TLS or a login (security.protocol)"},
        {"timed out", "no answer in time: a firewall, a wrong port, or an overloaded broker"},
        {"supported mechanisms", "set sasl.mechanism to one that the broker supports"},
    }};
    for (const auto& [part, hint] : known) {
        if (text.find(part) != std::string_view::npos) {
            return std::string(hint);
        }
    }
    return {};
}

}  // namespace

std::string codeName(int code) {
    return rd_kafka_err2name(static_cast<rd_kafka_resp_err_t>(code));
}

std::string hintFor(int code, std::string_view text) {
    if (std::string hint = hintByText(text); !hint.empty()) {
        return hint;
    }
    switch (code) {
        case RD_KAFKA_RESP_ERR__AUTHENTICATION:
        case RD_KAFKA_RESP_ERR_SASL_AUTHENTICATION_FAILED:
            return "check sasl.username, sasl.password and sasl.mechanism";
        case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
            return "the user needs an ACL for the topic: Describe and Read to consume, Write to produce";
        case RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED:
            return "the user needs an ACL for the group: Read to consume, Describe to look at it";
        case RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED:
            return "the user needs an ACL: Write on the topic to produce (before Kafka 2.8 also IdempotentWrite on the "
                   "cluster), Describe or Alter on the cluster to administer";
        case RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED:
            return "the user needs an ACL for the transactional ID: Write and Describe";
        case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
        case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
            return "check the topic's name; without the right to see it the broker answers the same";
        case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
            return "raise the topic's max.message.bytes, or leave the record out";
        case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
            return "the topic's message.timestamp.before/after.max.ms refuses this time";
        case RD_KAFKA_RESP_ERR__FENCED:
        case RD_KAFKA_RESP_ERR_PRODUCER_FENCED:
            return "another process took over the same transactional ID";
        case RD_KAFKA_RESP_ERR_FENCED_INSTANCE_ID:
            return "another process uses the same group.instance.id";
        default:
            return {};
    }
}

Error toError(int code, std::string_view what, std::string_view detail, const ConnectionState* connection) {
    if (connection != nullptr && isGeneric(code)) {
        if (const std::optional<Error> telling = connection->error()) {
            return {telling->kind(), what.empty() ? telling->text() : fmt::format("{}: {}", what, telling->text()),
                    telling->hint(), telling->code(), telling->retriable()};
        }
    }
    const std::string text =
        detail.empty() ? std::string(rd_kafka_err2str(static_cast<rd_kafka_resp_err_t>(code))) : std::string(detail);
    const ErrorKind kind = kindOf(code);
    return {kind, what.empty() ? text : fmt::format("{}: {}", what, text), hintFor(code, text), codeName(code),
            isRetriable(code, kind)};
}

Error toError(rd_kafka_error_s* error, std::string_view what, const ConnectionState* connection) {
    Error mapped = toError(rd_kafka_error_code(error), what, rd_kafka_error_string(error), connection);
    const bool retriable = mapped.retriable() || rd_kafka_error_is_retriable(error) != 0;
    rd_kafka_error_destroy(error);
    return {mapped.kind(), mapped.text(), mapped.hint(), mapped.code(), retriable};
}

}  // namespace redeliver::kafka
