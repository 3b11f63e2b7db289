// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/producer.h"

#include "core/kafka/errors.h"
#include "core/kafka/publish.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace redeliver::kafka {
namespace {

Properties producerProperties(const Config& config, const ProducerOptions& options) {
    Properties own{{"client.id", options.clientId}, {"enable.idempotence", "true"}, {"acks", "all"}};
    if (config.get("message.timeout.ms").empty() && config.get("delivery.timeout.ms").empty()) {
        own.emplace("message.timeout.ms", std::to_string(options.deliveryLimit.count()));
    }
    if (options.batchBytes) {
        constexpr std::int64_t batchOverhead = 512;  // what a batch adds to its records
        const std::int64_t bytes = std::clamp<std::int64_t>(*options.batchBytes - batchOverhead, 1, 1'000'000);
        own.emplace("batch.size", std::to_string(bytes));
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
    std::vector<Result<ports::Published>> results = publishAll(*m_client, records);
    for (std::size_t i = 0; records.size() > 1 && i < records.size(); ++i) {
        if (!results[i] && results[i].error().code() == codeName(RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)) {
            results[i] = std::move(publishAll(*m_client, records.subspan(i, 1)).front());
        }
    }
    return results;
}

TransactionalProducer::TransactionalProducer(const Config& config, const std::string& transactionalId,
                                             const ProducerOptions& options, TransactionLimits limits)
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
    m_spoiled = false;
}

std::vector<Result<ports::Published>> TransactionalProducer::publish(std::span<const OutgoingRecord> records) {
    std::vector<Result<ports::Published>> results =
        m_purging ? publishAfterPurge(records) : publishAll(m_client, records);
    if (isFenced(rd_kafka_fatal_error(m_client.get(), nullptr, 0))) {
        throw fenced("publishing");
    }
    for (const auto& result : results) {
        m_spoiled = m_spoiled || !result;
    }
    return results;
}

/// After a transaction with a failed record the library may still be throwing its queue away when the next one has
/// begun: what is new goes too, and spoils that one as well. The first record of each partition finds out when that is
/// over, in as many transactions as it takes; the others follow, so that the order is kept.
std::vector<Result<ports::Published>> TransactionalProducer::publishAfterPurge(
    std::span<const OutgoingRecord> records) {
    std::vector<OutgoingRecord> first;
    std::vector<OutgoingRecord> rest;
    std::vector<bool> isFirst;
    std::set<std::pair<Topic, std::optional<Partition>>> tried;
    for (const OutgoingRecord& record : records) {
        isFirst.push_back(tried.insert({record.topic, record.partition}).second);
        (isFirst.back() ? first : rest).push_back(record);
    }
    const auto purged = [](const Result<ports::Published>& result) {
        return !result && result.error().code() == codeName(RD_KAFKA_RESP_ERR__PURGE_QUEUE);
    };
    const auto deadline = std::chrono::steady_clock::now() + m_limits.end;
    auto heads = publishAll(m_client, first);
    while (std::ranges::any_of(heads, purged) && std::chrono::steady_clock::now() < deadline) {
        abort();
        rd_kafka_poll(m_client.get(), 20);
        begin();
        heads = publishAll(m_client, first);
    }
    m_purging = false;
    auto tails = publishAll(m_client, rest);
    std::vector<Result<ports::Published>> results;
    for (std::size_t i = 0, head = 0, tail = 0; i < records.size(); ++i) {
        results.push_back(std::move(isFirst[i] ? heads[head++] : tails[tail++]));
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
    m_purging = std::exchange(m_spoiled, false);
}

}  // namespace redeliver::kafka
