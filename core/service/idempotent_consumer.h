// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/secret.h"
#include "core/consumer/handler.h"
#include "core/consumer/options.h"

#include <functional>
#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace pqxx {
class transaction_base;
}

namespace redeliver {

/// Where a consumer reads, where it writes, and how it is called.
struct IdempotentConsumerOptions {
    std::string name;   ///< the responsibility, e.g. "order-payment-handler"; scopes the markers
    std::string group;  ///< Kafka's consumer group
    std::vector<std::string> topics;
    std::vector<std::string> messageId;  ///< rules, e.g. {"header:message-id", "json:/message_id"}
    std::string deadLetter;              ///< topic for what can't be processed; empty: the partition stops instead
    std::vector<std::string> formerly;   ///< names this consumer had before
    std::string worker;                  ///< this process; empty: host name and process ID
    std::string dsn;                     ///< any libpq string; the database that holds the effects
    Secret password;                     ///< empty: libpq's own ways
    std::string schema = "redeliver";    ///< where the markers are
    std::map<std::string, std::string> kafka;  ///< any librdkafka property; auto commit and auto offset store stay off
    consumer::Options tuning;                  ///< batch, retries, policies; name, group … above win
};

/// An idempotent consumer on PostgreSQL and Kafka: per batch one transaction in which the markers are inserted, the
/// handler writes its effects and the offsets move; acknowledged after it has committed. For one consumer and message
/// ID what is inside the transaction is committed at most once; a message may reach the handler several times.
///
/// The handler's contract (it runs inside our transaction, on the thread of run()):
///  - It writes through the given transaction only. What it does elsewhere (an HTTP call) is not protected: write the
///    intent to the outbox in this transaction instead.
///  - It says done(), stale(), retryLater(why) or reject(why). An exception is a failure, with the SQLSTATE as its
///  code:
///    the message is tried again, then goes to the dead-letter topic. A unique violation of its own tables is such a
///    failure, never a duplicate.
///  - It may not end the transaction. Its COMMIT fails (SQLSTATE RD001) and rolls everything back, a ROLLBACK is
///  noticed
///    before the next message; either stops the partition with code handler-ended-transaction. SET CONSTRAINTS ALL
///    IMMEDIATE would fire that seal too: name the constraints. CALL of a procedure that commits is refused by the
///    server.
///  - What it leaves in the session (settings, role, cursors, prepared statements, temporary tables, LISTEN, advisory
///    locks) is removed before the next batch. Savepoints are fine.
///  - A batch may take a quarter of max.poll.interval.ms, and its statements are cut off there.
///  - A message that failed, waits or was rejected leaves neither effect nor marker.
class IdempotentConsumer {
  public:
    using One = std::function<consumer::Answer(pqxx::transaction_base&, const consumer::Message&)>;
    /// All new messages of a batch, in order; one answer each. When one fails they come again one by one.
    using Batch =
        std::function<std::vector<consumer::Answer>(pqxx::transaction_base&, std::span<const consumer::Message>)>;

    IdempotentConsumer(IdempotentConsumerOptions options, One handler);
    IdempotentConsumer(IdempotentConsumerOptions options, Batch handler);

    /// Until a stop is requested: then the batch is finished, acked, and the group left. Lost servers are waited for.
    /// Throws Error for what no waiting mends: bad options, a missing schema or privilege, a fenced member.
    void run(const std::stop_token& stop);
    /// run() until SIGTERM or SIGINT; a second one ends the process at once.
    void runUntilSignal();

  private:
    void serve(const std::stop_token& stop);

    IdempotentConsumerOptions m_options;
    One m_one;
    Batch m_batch;
};

}  // namespace redeliver
