// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/service/idempotent_consumer.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/consumer/loop.h"
#include "core/identity/message_id_rules.h"
#include "core/kafka/group_consumer.h"
#include "core/kafka/producer.h"
#include "core/postgres/guard_store.h"
#include "core/postgres/migrations.h"
#include "core/service/stop_on_signal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <optional>

namespace redeliver {
namespace {

/// Hands the open transaction to the user's function and makes answers of what it throws.
class BoundHandler final : public consumer::Handler {
  public:
    BoundHandler(const IdempotentConsumer::One& one, const IdempotentConsumer::Batch& batch)
        : m_one(one), m_batch(batch) {}

    bool takesBatches() const override { return m_batch != nullptr; }

    std::vector<consumer::Answer> handle(ports::Transaction& transaction,
                                         std::span<const consumer::Message> messages) override {
        auto& open = postgres::handlersTransaction(transaction);
        try {
            if (m_batch) {
                return m_batch(open, messages);
            }
            return {m_one(open, messages.front())};
        } catch (...) {
            const auto error = postgres::handlersError(transaction);
            auto answer = consumer::retryLater(error.text(), error.code().empty() ? "exception" : error.code());
            answer.transient = consumer::isTransient(error.code());
            return std::vector<consumer::Answer>(messages.size(), answer);
        }
    }

  private:
    const IdempotentConsumer::One& m_one;
    const IdempotentConsumer::Batch& m_batch;
};

std::string thisWorker() {
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) != 0) {
        host[0] = '\0';
    }
    return fmt::format("{}-{}", host.data(), getpid());
}

consumer::Options loopOptions(const IdempotentConsumerOptions& options) {
    auto loop = options.tuning;
    auto& info = loop.consumer;
    info.name = ConsumerName{options.name};
    info.group = GroupName{options.group};
    info.topics.clear();
    for (const auto& topic : options.topics) {
        info.topics.emplace_back(topic);
    }
    info.deadLetter = options.deadLetter.empty() ? std::nullopt : std::optional(Topic{options.deadLetter});
    info.formerly.clear();
    for (const auto& name : options.formerly) {
        info.formerly.emplace_back(name);
    }
    info.messageId = options.messageId;
    loop.worker = WorkerName{options.worker.empty() ? thisWorker() : options.worker};
    if (const auto it = options.kafka.find("max.poll.interval.ms"); it != options.kafka.end()) {
        if (const auto millis = toInt64(it->second)) {
            loop.maxPollInterval = std::chrono::milliseconds(*millis);
        }
    }
    return loop;
}

void need(bool given, std::string_view what) {
    if (!given) {
        throw Error(ErrorKind::BadInput, fmt::format("an idempotent consumer needs {}", what));
    }
}

template <class T>
T orThrow(Result<T> result) {
    if (!result) {
        throw result.error();
    }
    return std::move(*result);
}

// Not there yet is waited for by the loop; a wrong schema is said at once.
void checkSchemaIfReachable(const postgres::ConnectOptions& options) {
    try {
        postgres::Session session(options);
        postgres::checkSchema(session);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Connection) {
            throw;
        }
    }
}

}  // namespace

IdempotentConsumer::IdempotentConsumer(IdempotentConsumerOptions options, One handler)
    : m_options(std::move(options)), m_one(std::move(handler)) {}

IdempotentConsumer::IdempotentConsumer(IdempotentConsumerOptions options, Batch handler)
    : m_options(std::move(options)), m_batch(std::move(handler)) {}

void IdempotentConsumer::run(const std::stop_token& stop) {
    need(!m_options.name.empty(), "a name");
    need(!m_options.group.empty(), "a consumer group");
    need(!m_options.topics.empty(), "at least one topic");
    need(m_one || m_batch, "a handler");
    serve(stop);
}

void IdempotentConsumer::serve(const std::stop_token& stop) {
    const auto rules = orThrow(MessageIdRules::parse(m_options.messageId));
    const auto config = orThrow(kafka::Config::make(m_options.kafka));
    const auto options = loopOptions(m_options);
    postgres::ConnectOptions database;
    database.dsn = m_options.dsn;
    database.password = m_options.password;
    database.schema = m_options.schema;
    database.applicationName = "redeliver-consumer " + options.worker.value();
    checkSchemaIfReachable(database);

    const auto clock = systemClock();
    const auto entropy = systemEntropy();
    postgres::PgGuardStore store(database, options.consumer.name, options.consumer.formerly, options.worker);
    kafka::GroupConsumerOptions membership;
    membership.group = GroupName{m_options.group};
    membership.clientId = options.worker.value();
    kafka::GroupConsumer source(config, membership);
    std::optional<kafka::Producer> deadLetters;
    if (options.consumer.deadLetter) {
        kafka::ProducerOptions producing;
        producing.clientId = options.worker.value();
        deadLetters.emplace(config, producing);
    }
    BoundHandler handler(m_one, m_batch);
    const auto identify = [&rules](const Record& record) -> consumer::Identified {
        const auto found = rules.extract(record);
        if (const auto* id = std::get_if<MessageId>(&found)) {
            return {*id, {}};
        }
        return {std::nullopt, whyNoIdentity(found)};
    };
    consumer::Loop loop(options,
                        {source, store, deadLetters ? &*deadLetters : nullptr, handler, *clock, *entropy, identify});
    loop.run(stop);
}

void IdempotentConsumer::runUntilSignal() {
    const StopOnSignal signals;
    run(signals.token());
}

}  // namespace redeliver
