// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/producer.h"

#include "core/kafka/errors.h"
#include "core/kafka/publish.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>

namespace redeliver::kafka {
namespace {

Properties producerProperties(const Config& config, const ProducerOptions& options) {
    Properties own{{"client.id", options.clientId}, {"enable.idempotence", "true"}, {"acks", "all"}};
    if (config.get("message.timeout.ms").empty() && config.get("delivery.timeout.ms").empty()) {
        own.emplace("message.timeout.ms", std::to_string(options.deliveryLimit.count()));
    }
    return own;
}

Properties transactionalProperties(const Config& config, const std::string& id, const ProducerOptions& options,
                                   const TransactionLimits& limits) {
    Properties own = producerProperties(config, options);
    own["transactional.id"] = id;
    own["transaction.timeout.ms"] = std::to_string(limits.transaction.count());
    // librdkafka wants no record to outlive its transaction.
    own["message.timeout.ms"] = std::to_string(std::min(options.deliveryLimit, limits.transaction).count());
    return own;
}

bool isFenced(int code) {
    return code == RD_KAFKA_RESP_ERR__FENCED || code == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
           code == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH;
}

Error fenced(const std::string& what) {
    return toError(RD_KAFKA_RESP_ERR__FENCED, what, "another process took over this transactional ID");
}

/// Calls again while the library says "retriable", until the limit: each call picks up where the last one was.
template <class Call>
rd_kafka_error_t* untilDone(std::chrono::milliseconds limit, const Call& call) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        rd_kafka_error_t* error = call(static_cast<int>(std::max<std::int64_t>(left.count(), 1)));
        if (error == nullptr || rd_kafka_error_is_retriable(error) == 0 || left.count() <= 1) {
            return error;
        }
        rd_kafka_error_destroy(error);
    }
}

/// Takes the error; throws when there is one.
void check(rd_kafka_error_t* error, const Client& client, const std::string& what) {
    if (error == nullptr) {
        return;
    }
    int code = rd_kafka_error_code(error);
    if (code == RD_KAFKA_RESP_ERR__FATAL) {
        code = rd_kafka_fatal_error(client.get(), nullptr, 0);
    }
    if (isFenced(code)) {
        rd_kafka_error_destroy(error);
        throw fenced(what);
    }
    const bool mustAbort = rd_kafka_error_txn_requires_abort(error) != 0;
    rd_kafka_poll(client.get(), 0);
    const Error mapped = toError(error, what, &client.connection());
    if (mustAbort) {
        throw Error(mapped.kind(), mapped.text(), "abort the transaction, then begin another one",
                    "transaction-must-abort", false);
    }
    throw mapped;
}

}  // namespace

Producer::Producer(const Config& config, ProducerOptions options)
    : m_config(config),
      m_options(std::move(options)),
      m_client(std::make_unique<Client>(ClientRole::Producer, m_config, producerProperties(m_config, m_options))) {}

Producer::~Producer() = default;

std::vector<Result<ports::Published>> Producer::publish(std::span<const OutgoingRecord> records) {
    if (rd_kafka_fatal_error(m_client->get(), nullptr, 0) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        m_client = std::make_unique<Client>(ClientRole::Producer, m_config, producerProperties(m_config, m_options));
    }
    return publishAll(*m_client, records);
}

TransactionalProducer::TransactionalProducer(const Config& config, std::string transactionalId, ProducerOptions options,
                                             TransactionLimits limits)
    : m_limits(limits),
      m_client(ClientRole::Producer, config, transactionalProperties(config, transactionalId, options, limits)) {}

TransactionalProducer::~TransactionalProducer() = default;

void TransactionalProducer::initTransactions() {
    check(untilDone(m_limits.init, [this](int millis) { return rd_kafka_init_transactions(m_client.get(), millis); }),
          m_client, "starting transactions");
    m_client.connection().worked();
}

void TransactionalProducer::begin() {
    check(rd_kafka_begin_transaction(m_client.get()), m_client, "beginning a transaction");
}

std::vector<Result<ports::Published>> TransactionalProducer::publish(std::span<const OutgoingRecord> records) {
    std::vector<Result<ports::Published>> results = publishAll(m_client, records);
    if (isFenced(rd_kafka_fatal_error(m_client.get(), nullptr, 0))) {
        throw fenced("publishing");
    }
    return results;
}

void TransactionalProducer::commit() {
    const std::string what = "committing a transaction";
    rd_kafka_error_t* error =
        untilDone(m_limits.end, [this](int millis) { return rd_kafka_commit_transaction(m_client.get(), millis); });
    if (error != nullptr && rd_kafka_error_is_retriable(error) != 0) {
        const Error mapped = toError(error, what, &m_client.connection());
        throw Error(ErrorKind::InDoubt, mapped.text(),
                    "the broker may have committed it: a new producer with the same ID finishes it, then read back",
                    mapped.code(), true);
    }
    check(error, m_client, what);
}

void TransactionalProducer::abort() {
    check(untilDone(m_limits.end, [this](int millis) { return rd_kafka_abort_transaction(m_client.get(), millis); }),
          m_client, "aborting a transaction");
}

}  // namespace redeliver::kafka
