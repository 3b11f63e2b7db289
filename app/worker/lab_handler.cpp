// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/worker/lab_handler.h"

#include "core/base/text.h"
#include "core/postgres/outbox_writer.h"
#include "core/postgres/pqxx_session.h"
#include "core/service/sequence_guard.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <thread>

namespace redeliver::worker {
namespace {

constexpr auto longestSleep = std::chrono::minutes(5);

std::optional<std::int64_t> numberOf(const Record& record, std::string_view name) {
    const auto value = lastHeader(record, name);
    return value ? toInt64(*value) : std::nullopt;
}

struct Sequenced {
    std::string entity;
    std::int64_t sequence = 0;
};

// The demo's messages are JSON with "entity" and "sequence"; anything else has no order to guard.
std::optional<Sequenced> sequencedOf(const Record& record) {
    const auto body = nlohmann::json::parse(record.value.value_or(""), nullptr, false);
    if (!body.is_object() || !body.contains("sequence") || !body["sequence"].is_number_integer()) {
        return std::nullopt;
    }
    Sequenced out;
    out.sequence = body["sequence"].get<std::int64_t>();
    if (body.contains("entity") && body["entity"].is_string()) {
        out.entity = body["entity"].get<std::string>();
    } else {
        out.entity = record.key.value_or("");
    }
    return out;
}

}  // namespace

void LabHandler::createTables(const std::string& dsn, const std::string& password) {
    postgres::ConnectOptions options;
    options.dsn = dsn;
    options.password = Secret(password);
    options.applicationName = "redeliver-worker";
    postgres::Session session(options);
    postgres::PinnedTransaction tx(session, {.readOnly = false});
    // Workers start together: one makes the tables, the others find them.
    tx.runScript("lab.lock", "SELECT pg_advisory_xact_lock(7234021550)");
    const auto there = tx.runScript("lab.tables", "SELECT to_regclass('redeliver_lab.entities') IS NOT NULL");
    if (!postgres::boolOf(there[0][0])) {
        tx.runScript(
            "lab.create",
            "CREATE SCHEMA IF NOT EXISTS redeliver_lab;"
            "CREATE TABLE IF NOT EXISTS redeliver_lab.effects (consumer_name text NOT NULL, message_id text NOT "
            "NULL, worker text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp());"
            "CREATE INDEX IF NOT EXISTS effects_message ON redeliver_lab.effects (consumer_name, message_id);"
            "CREATE TABLE IF NOT EXISTS redeliver_lab.entities (entity text PRIMARY KEY, last_sequence bigint, "
            "message_id text)");
    }
    tx.commit();
}

consumer::Answer LabHandler::operator()(pqxx::transaction_base& transaction, const consumer::Message& message) const {
    const auto& record = message.record;
    if (const auto millis = numberOf(record, "lab-sleep-ms"); millis && *millis > 0) {
        std::this_thread::sleep_for(
            std::min<std::chrono::milliseconds>(std::chrono::milliseconds(*millis), longestSleep));
    }
    if (lastHeader(record, "lab-reject")) {
        return consumer::reject("the record's lab-reject header asks for it", "lab-reject");
    }
    auto answer = consumer::done();
    if (const auto sequenced = m_options.sequenceGuard ? sequencedOf(record) : std::nullopt) {
        answer = applyIfNewer(transaction, {"redeliver_lab", "entities", "entity", "last_sequence"},
                              m_options.consumer + "/" + sequenced->entity, sequenced->sequence,
                              {{"message_id", message.id.value()}});
    }
    if (answer.verdict == consumer::Answer::Verdict::Done) {
        postgres::shim::run(transaction,
                            "INSERT INTO redeliver_lab.effects (consumer_name, message_id, worker) VALUES ($1, $2, $3)",
                            {m_options.consumer, message.id.value(), m_options.worker});
        if (!m_options.outboxTopic.empty()) {
            writeOutbox(transaction, message);
        }
    }
    // Fails after its effect was written: what must not stay is there to be found.
    if (const auto times = numberOf(record, "lab-fail"); times && (*times < 0 || message.attempt <= *times)) {
        return consumer::retryLater(fmt::format("lab-fail, attempt {}", message.attempt), "lab-fail");
    }
    return answer;
}

void LabHandler::writeOutbox(pqxx::transaction_base& transaction, const consumer::Message& message) const {
    const auto id = message.id.value() + "." + m_options.outboxTopic;
    const nlohmann::json body = {{"message_id", id}, {"caused_by", message.id.value()}};
    OutgoingRecord record;
    record.topic = Topic{m_options.outboxTopic};
    record.key = message.record.key;
    record.value = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    postgres::OutboxWriter(m_options.schema).add(transaction, record, MessageId{id});
}

}  // namespace redeliver::worker
