// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/client.h"
#include "core/ports/record_sink.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace redeliver::kafka {

struct ProducerOptions {
    std::string clientId = "redeliver";
    /// Of one record, when the profile has no message.timeout.ms: after it the record's Result is _MSG_TIMED_OUT.
    std::chrono::milliseconds deliveryLimit{30'000};
    /// The smallest max.message.bytes of the topics to be written: the broker measures whole batches with it, and the
    /// library doesn't split one that is refused. Absent: librdkafka's own 1,000,000.
    std::optional<std::int64_t> batchBytes{};
};

/// Idempotent producer, acks=all, Java's partitioner for keys. After a fatal error of the library the next publish()
/// starts a new client. A record with a time that librdkafka can't send (0 or before 1970) is refused with code
/// "timestamp-not-sendable", never sent with another time. Records refused because their batch was too large are sent
/// again one by one. One thread.
class Producer final : public ports::RecordSink {
  public:
    /// Throws Error(BadInput) for a bad property. Makes no connection yet.
    explicit Producer(const Config& config, ProducerOptions options = {});
    ~Producer() override;
    Producer(const Producer&) = delete;
    Producer& operator=(const Producer&) = delete;

    std::vector<Result<ports::Published>> publish(std::span<const OutgoingRecord> records) override;
    [[nodiscard]] const ConnectionState& connection() const noexcept { return m_client->connection(); }

  private:
    Config m_config;
    ProducerOptions m_options;
    std::unique_ptr<Client> m_client;
};

struct TransactionLimits {
    std::chrono::milliseconds init{30'000};
    std::chrono::milliseconds end{30'000};          ///< of one commit or abort
    std::chrono::milliseconds transaction{60'000};  ///< transaction.timeout.ms: the broker aborts older ones
};

/// Producer with Kafka transactions. When a record failed at the broker (its Result says why), the transaction can only
/// be aborted: commit() then throws Error with code "transaction-must-abort" and abort() makes the producer ready
/// again. A record that the library refuses by itself (timestamp-not-sendable) does no such harm. A commit whose answer
/// didn't come is Error(InDoubt). Fenced: code "_FENCED"; this object is of no use then.
class TransactionalProducer final : public ports::TransactionalSink {
  public:
    TransactionalProducer(const Config& config, const std::string& transactionalId, const ProducerOptions& options = {},
                          TransactionLimits limits = {});
    ~TransactionalProducer() override;
    TransactionalProducer(const TransactionalProducer&) = delete;
    TransactionalProducer& operator=(const TransactionalProducer&) = delete;

    void initTransactions() override;
    void begin() override;
    std::vector<Result<ports::Published>> publish(std::span<const OutgoingRecord> records) override;
    void commit() override;
    void abort() override;
    [[nodiscard]] const ConnectionState& connection() const noexcept { return m_client.connection(); }

  private:
    std::vector<Result<ports::Published>> publishAfterPurge(std::span<const OutgoingRecord> records);

    TransactionLimits m_limits;
    Client m_client;
    bool m_spoiled = false;  ///< a record of this transaction failed
    bool m_purging = false;  ///< the one before was spoiled
};

}  // namespace redeliver::kafka
