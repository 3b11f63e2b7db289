// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/guard_transaction.h"

#include "core/base/clock.h"
#include "core/postgres/guard_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace redeliver::postgres {
namespace {

using Texts = std::vector<std::optional<std::string>>;

std::optional<std::string> numberText(std::optional<Offset> offset) {
    return offset ? std::optional(std::to_string(offset->value())) : std::nullopt;
}

std::uint32_t low(const std::string& transaction) {
    return static_cast<std::uint32_t>(std::stoull(transaction));
}

TransactionOptions guardOptions(std::chrono::milliseconds limit) {
    TransactionOptions options;
    options.readOnly = false;
    options.statementTimeout = limit;
    options.lockTimeout = std::min<std::chrono::milliseconds>(limit, std::chrono::seconds(10));
    options.idleTimeout = limit;
    options.keepSearchPath = true;  // a handler's unqualified names are its role's
    return options;
}

std::string freshToken() {
    static thread_local const auto entropy = systemEntropy();
    return randomUuid(*entropy);
}

}  // namespace

PgGuardTransaction::PgGuardTransaction(PgGuardStore& store, std::chrono::milliseconds limit)
    : m_store(store), m_options(guardOptions(limit)), m_token(freshToken()) {
    m_open.emplace(store.m_session, m_options);
    const auto row = m_open->runScript(
        "guard.begin", withSchema("INSERT INTO :schema.transaction_seal (seal) VALUES (" + quoteLiteral(m_token) +
                                      ");SELECT pg_catalog.pg_current_xact_id()::pg_catalog.text, "
                                      "pg_catalog.pg_current_snapshot()::pg_catalog.text",
                                  store.m_session.options().schema));
    m_transaction = textOf(row[0][0]);
    const std::string snapshot = textOf(row[0][1]);  // xmin:xmax:xip,xip,…
    const auto first = snapshot.find(':');
    const auto second = snapshot.find(':', first + 1);
    m_snapshotMax = low(snapshot.substr(first + 1, second - first - 1));
    for (auto at = second + 1; at < snapshot.size();) {
        const auto comma = std::min(snapshot.find(',', at), snapshot.size());
        m_inProgress.push_back(low(snapshot.substr(at, comma - at)));
        at = comma + 1;
    }
}

// What a handler left in the session survives a rollback where it isn't transactional (prepared statements, advisory
// locks); after a handler that ended the transaction nothing about the session is known.
PgGuardTransaction::~PgGuardTransaction() {
    const bool committed = m_open && m_open->committed();
    m_open.reset();
    if (m_ended) {
        m_store.m_session.close();
    } else if (m_handled && !committed && m_store.m_session.isOpen()) {
        try {
            PinnedTransaction mend(m_store.m_session, m_options);
            mend.runScript("guard.clean", cleaning());
            mend.commit();
        } catch (const Error&) {
            m_store.m_session.close();
        }
    }
}

pqxx::transaction_base& PgGuardTransaction::handlersBase() {
    m_handled = true;
    return m_open->base();
}

Error PgGuardTransaction::handlersError() noexcept {
    return currentError("handler", m_store.m_session);
}

std::vector<std::string> PgGuardTransaction::allNames() const {
    std::vector<std::string> names = {m_store.m_consumer.value()};
    for (const auto& name : m_store.m_formerly) {
        names.push_back(name.value());
    }
    return names;
}

std::vector<ports::AdvanceRefusal> PgGuardTransaction::advance(std::span<const ports::Advance> moves) {
    std::array<Texts, 11> columns;
    std::vector<ports::AdvanceRefusal> refused;
    for (const auto& move : moves) {
        const auto owned = m_store.m_owned.find(move.tp);
        const bool ours = owned != m_store.m_owned.end();
        std::size_t column = 0;
        const auto add = [&](std::optional<std::string> text) { columns[column++].push_back(std::move(text)); };
        add(ours ? owned->second.cluster.value() : std::string());
        add(move.tp.topic.value());
        add(std::to_string(move.tp.partition.value()));
        add(ours ? owned->second.token : std::string("-"));
        add(numberText(move.expected));
        add(numberText(move.alsoExpected));
        add(numberText(move.next));
        add(numberText(move.acked));
        add(numberText(move.lastRecordOffset));
        add(move.lastRecordTimestamp ? std::optional(timeText(*move.lastRecordTimestamp)) : std::nullopt);
        add(std::to_string(move.lastRecordCrc));
    }
    SqlParams params;
    params.add(m_store.m_consumer.value()).add(m_store.m_worker.value());
    for (const auto& column : columns) {
        params.addArray(column);
    }
    std::set<TopicPartition> moved;
    for (const auto& row : m_open->run(guard_sql::advance, params)) {
        moved.insert({Topic{textOf(row[0])}, Partition{int32Of(row[1])}});
    }
    for (const auto& move : moves) {
        if (moved.contains(move.tp)) {
            continue;
        }
        ports::AdvanceRefusal refusal{move.tp, false, std::nullopt};
        const auto owned = m_store.m_owned.find(move.tp);
        if (owned != m_store.m_owned.end()) {
            const auto rows = m_open->run(guard_sql::refused, SqlParams()
                                                                  .add(m_store.m_consumer.value())
                                                                  .add(owned->second.cluster.value())
                                                                  .add(move.tp.topic.value())
                                                                  .add(move.tp.partition.value())
                                                                  .add(owned->second.token));
            if (!rows.empty()) {
                refusal.owned = boolOf(rows[0][0]);
                if (const auto stored = maybeInt64(rows[0][1])) {
                    refusal.stored = Offset{*stored};
                }
            }
        }
        refused.push_back(std::move(refusal));
    }
    return refused;
}

ports::ClaimResult PgGuardTransaction::claim(std::span<const ports::MarkerClaim> claims) {
    ports::ClaimResult result;
    result.isNew.assign(claims.size(), false);
    std::vector<std::string> ids;
    for (const auto& one : claims) {
        ids.push_back(one.id.value());
    }
    // Former names' workers lost their rows when we took ownership: what they committed doesn't change any more.
    std::set<std::string> former;
    if (!m_store.m_formerly.empty()) {
        auto names = allNames();
        names.erase(names.begin());
        for (const auto& row : m_open->run(guard_sql::claimFormer, SqlParams().addArray(names).addArray(ids))) {
            former.insert(textOf(row[0]));
        }
    }
    std::array<Texts, 8> columns;
    for (const auto& one : claims) {
        if (former.contains(one.id.value())) {
            continue;
        }
        columns[0].emplace_back(one.id.value());
        columns[1].emplace_back(one.at.topic.value());
        columns[2].emplace_back(std::to_string(one.at.partition.value()));
        columns[3].emplace_back(std::to_string(one.at.offset.value()));
        columns[4].emplace_back(one.at.cluster.value());
        columns[5].push_back(one.recordTimestamp ? std::optional(timeText(*one.recordTimestamp)) : std::nullopt);
        columns[6].push_back(one.replay ? std::optional(one.replay->value()) : std::nullopt);
        columns[7].push_back(one.contentHash.empty() ? std::nullopt : std::optional(byteaText(one.contentHash)));
    }
    SqlParams params;
    params.add(m_store.m_consumer.value());
    for (const auto& column : columns) {
        params.addArray(column);
    }
    params.add(m_store.m_worker.value());
    std::set<std::string> inserted;
    for (const auto& row : m_open->run(guard_sql::claim, params)) {
        inserted.insert(textOf(row[0]));
    }
    std::vector<std::string> there;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        // erase: of equal IDs in one batch only the first is new
        result.isNew[i] = inserted.erase(ids[i]) > 0;
        if (!result.isNew[i]) {
            there.push_back(ids[i]);
        }
    }
    if (!there.empty()) {
        readExisting(result, there);
    }
    return result;
}

void PgGuardTransaction::readExisting(ports::ClaimResult& result, const std::vector<std::string>& ids) {
    const auto own = low(m_transaction);
    for (const auto& row : m_open->run(guard_sql::existing, SqlParams().addArray(allNames()).addArray(ids))) {
        const auto transaction = int64Of(row["x"]);
        if (static_cast<std::uint32_t>(transaction) == own) {
            continue;  // an equal ID of this very batch
        }
        ports::ExistingMarker existing;
        auto& marker = existing.marker;
        marker.consumer = ConsumerName{textOf(row["consumer_name"])};
        marker.messageId = MessageId{textOf(row["message_id"])};
        marker.processedAt = timeOf(row["processed"]);
        if (!row["topic"].is_null()) {
            marker.at = Coordinates{ClusterId{maybeText(row["cluster_id"]).value_or("")}, Topic{textOf(row["topic"])},
                                    Partition{int32Of(row["partition"])}, Offset{int64Of(row["offset"])}};
        }
        marker.contentHash = maybeBytes(row["hash"]);
        existing.concurrent = !beganBefore(transaction);
        result.existing.insert_or_assign(marker.messageId.value(), std::move(existing));
    }
}

// False: that transaction was running, or had not begun, when ours began. xmin has 32 bits; what is older than two
// thousand million transactions can be mistaken, and only the kind of a duplicate would be wrong.
bool PgGuardTransaction::beganBefore(std::int64_t rowTransaction) const noexcept {
    const auto x = static_cast<std::uint32_t>(rowTransaction);
    const bool before = static_cast<std::int32_t>(x - m_snapshotMax) < 0;
    return before && std::find(m_inProgress.begin(), m_inProgress.end(), x) == m_inProgress.end();
}

void PgGuardTransaction::seenAgain(std::span<const MessageId> ids) {
    std::vector<std::string> texts;
    for (const auto& id : ids) {
        texts.push_back(id.value());
    }
    m_open->run(guard_sql::seenAgain, SqlParams().addArray(allNames()).addArray(texts));
}

void PgGuardTransaction::withdraw(std::span<const MessageId> ids) {
    std::vector<std::string> texts;
    for (const auto& id : ids) {
        texts.push_back(id.value());
    }
    m_open->run(guard_sql::withdraw, SqlParams().add(m_store.m_consumer.value()).addArray(texts));
}

void PgGuardTransaction::setSavepoint() {
    const auto name = quoteName("redeliver_" + m_token);
    m_open->runScript("guard.savepoint",
                      (m_savepoint ? "RELEASE SAVEPOINT " + name + ";" : std::string()) + "SAVEPOINT " + name);
    m_savepoint = true;
}

void PgGuardTransaction::rollbackToSavepoint() {
    m_open->runScript("guard.rollback-to", "ROLLBACK TO SAVEPOINT " + quoteName("redeliver_" + m_token));
}

ports::TransactionState PgGuardTransaction::check() {
    try {
        // exec(), not exec_params(): only that notices in libpqxx 6 that the handler called commit() or abort().
        const auto row = m_open->runScript(guard_sql::check.name, std::string(guard_sql::check.text));
        if (maybeText(row[0][0]) == m_transaction) {
            return ports::TransactionState::Open;
        }
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Connection) {
            return ports::TransactionState::Lost;
        }
        if (error.code() == "25P02") {
            return ports::TransactionState::Failed;
        }
    }
    m_ended = true;
    return ports::TransactionState::Ended;
}

// Transaction-scoped where it can be: behind a pooler a statement after COMMIT may reach another server session.
std::string PgGuardTransaction::cleaning() const {
    std::string pins = pinStatement(m_options);
    pins.erase(0, pins.find(';') + 1);  // the isolation level can't be set again, and isn't reset either
    return "RESET SESSION AUTHORIZATION;RESET ROLE;CLOSE ALL;DEALLOCATE ALL;UNLISTEN *;DISCARD TEMP;DISCARD SEQUENCES;"
           "RESET ALL;" +
           pins + ";SELECT pg_catalog.pg_advisory_unlock_all()";
}

void PgGuardTransaction::afterHandlers() {
    std::string lift = "RESET SESSION AUTHORIZATION;RESET ROLE;DELETE FROM :schema.transaction_seal WHERE seal = " +
                       quoteLiteral(m_token) + ";";
    if (m_handled) {
        lift += "SET CONSTRAINTS ALL IMMEDIATE;" + cleaning();
    }
    m_open->runScript("guard.after-handlers", withSchema(lift, m_store.m_session.options().schema));
}

void PgGuardTransaction::record(const ports::TelemetryBatch& batch) {
    writeTelemetry([this](const Sql& sql, const SqlParams& params) { m_open->run(sql, params); }, m_store.m_consumer,
                   batch);
}

ports::CommitResult PgGuardTransaction::commit() {
    return m_open->commit();
}

pqxx::transaction_base& handlersTransaction(ports::Transaction& transaction) {
    return dynamic_cast<PgGuardTransaction&>(transaction).handlersBase();
}

Error handlersError(ports::Transaction& transaction) {
    return dynamic_cast<PgGuardTransaction&>(transaction).handlersError();
}

}  // namespace redeliver::postgres
