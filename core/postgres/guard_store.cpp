// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/guard_store.h"

#include "core/postgres/guard_sql.h"
#include "core/postgres/guard_transaction.h"
#include "core/postgres/telemetry_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace redeliver::postgres {
namespace {

const TransactionOptions writing{.readOnly = false};

std::vector<std::string> textsOf(const std::vector<ConsumerName>& names) {
    std::vector<std::string> out;
    out.reserve(names.size());
    for (const auto& name : names) {
        out.push_back(name.value());
    }
    return out;
}

SqlParams& addPartitions(SqlParams& params, const std::vector<TopicPartition>& partitions) {
    std::vector<std::string> topics;
    std::vector<std::int64_t> numbers;
    for (const auto& tp : partitions) {
        topics.push_back(tp.topic.value());
        numbers.push_back(tp.partition.value());
    }
    return params.addArray(topics).addArray(numbers);
}

SqlParams keyOf(const ConsumerName& consumer, const ClusterId& cluster, const TopicPartition& tp) {
    SqlParams params;
    params.add(consumer.value()).add(cluster.value()).add(tp.topic.value()).add(tp.partition.value());
    return params;
}

std::optional<Offset> maybeOffset(const pqxx::field& field) {
    const auto number = maybeInt64(field);
    return number ? std::optional(Offset{*number}) : std::nullopt;
}

void readPosition(ports::StoredPosition& stored, const pqxx::row& row) {
    const bool own = boolOf(row["own"]);
    if (!boolOf(row["here"])) {
        stored.otherCluster = stored.otherCluster || !row["next_offset"].is_null();
        return;
    }
    if (own && textOf(row["state"]) == "stopped") {
        stored.stopped = true;
        stored.stoppedCode = textOf(row["stop_code"]);
        stored.stoppedReason = textOf(row["stop_reason"]);
        stored.requested = textOf(row["requested"]);
        stored.requestedOffset = maybeOffset(row["requested_offset"]);
    }
    const auto higher = [](std::optional<Offset>& at, std::optional<Offset> other) { at = std::max(at, other); };
    higher(stored.highest, maybeOffset(row["highest_offset"]));
    higher(stored.ackedHighest, maybeOffset(row["acked_offset"]));
    if (stored.next || row["next_offset"].is_null()) {
        return;  // the newest one that knows a position decides
    }
    stored.next = maybeOffset(row["next_offset"]);
    stored.topicId = textOf(row["topic_id"]);
    stored.lastRecordOffset = maybeOffset(row["last_record_offset"]);
    stored.lastRecordTimestamp = maybeTime(row["last_ts"]);
    if (const auto crc = maybeInt64(row["last_record_crc"])) {
        stored.lastRecordCrc = static_cast<std::uint32_t>(*crc);
    }
}

}  // namespace

PgGuardStore::PgGuardStore(ConnectOptions options, ConsumerName consumer, std::vector<ConsumerName> formerly,
                           WorkerName worker)
    : m_session(std::move(options)),
      m_consumer(std::move(consumer)),
      m_formerly(std::move(formerly)),
      m_worker(std::move(worker)) {}

void PgGuardStore::ensureConnected() {
    m_session.ensureOpen();
}

void PgGuardStore::registerConsumer(const ConsumerInfo& info) {
    std::vector<std::string> topics;
    topics.reserve(info.topics.size());
    for (const auto& topic : info.topics) {
        topics.push_back(topic.value());
    }
    PinnedTransaction tx(m_session, writing);
    SqlParams params;
    params.add(info.name.value());
    info.group ? params.add(info.group->value()) : params.addNull();
    params.addArray(topics);
    info.deadLetter ? params.add(info.deadLetter->value()) : params.addNull();
    params.addArray(textsOf(info.formerly)).addArray(info.messageId);
    params.add(info.markerRetention ? std::optional<Duration>(*info.markerRetention) : std::nullopt);
    params.add(info.replayHorizon ? std::optional<Duration>(*info.replayHorizon) : std::nullopt);
    tx.run(guard_sql::registerConsumer, params);
    tx.commit();
}

ports::StoredState PgGuardStore::takeOwnership(const ClusterId& cluster, const std::vector<TopicPartition>& partitions,
                                               const std::string& token) {
    auto options = writing;
    options.lockTimeout = std::chrono::seconds(10);  // the former owner's transaction may still hold the row
    options.statementTimeout = std::chrono::seconds(20);
    PinnedTransaction tx(m_session, options);
    SqlParams own;
    own.add(m_consumer.value()).add(cluster.value());
    tx.run(guard_sql::takeOwn, addPartitions(own, partitions).add(token).add(m_worker.value()));
    const auto former = textsOf(m_formerly);
    if (!former.empty()) {
        SqlParams params;
        params.addArray(former);
        tx.run(guard_sql::takeFormer, addPartitions(params, partitions).add(token));
    }
    std::map<TopicPartition, ports::StoredPosition> found;
    for (const auto& tp : partitions) {
        found[tp].tp = tp;
    }
    SqlParams params;
    params.add(m_consumer.value()).addArray(former).add(cluster.value());
    for (const auto& row : tx.run(guard_sql::positions, addPartitions(params, partitions))) {
        readPosition(found[{Topic{textOf(row["topic"])}, Partition{int32Of(row["partition"])}}], row);
    }
    const auto names = SqlParams().add(m_consumer.value()).addArray(former);
    for (const auto& row : tx.run(guard_sql::ledgers, SqlParams(names).add(cluster.value()))) {
        const auto it = found.find({Topic{textOf(row[0])}, Partition{int32Of(row[1])}});
        if (it != found.end()) {
            it->second.ledger = maybeOffset(row[2]);
        }
    }
    const auto known = tx.run(guard_sql::known, names);
    ports::StoredState state;
    state.anyRow = boolOf(known[0][0]) || boolOf(known[0][1]) || boolOf(known[0][2]);
    tx.commit();
    for (auto& [tp, stored] : found) {
        stored.otherCluster = stored.otherCluster && !stored.next;
        state.partitions.push_back(std::move(stored));
        m_owned[tp] = {cluster, token};
    }
    return state;
}

void PgGuardStore::adopt(const ClusterId& cluster, const std::string& token,
                         const std::vector<ports::Adoption>& adoptions, const std::vector<DeliveryEvent>& events) {
    PinnedTransaction tx(m_session, writing);
    const auto former = textsOf(m_formerly);
    const auto known = tx.run(guard_sql::known, SqlParams().add(m_consumer.value()).addArray(former));
    if (boolOf(known[0][1]) && !boolOf(known[0][2])) {
        tx.run(guard_sql::lostBeforeUnknown, SqlParams().add(m_consumer.value()).addArray(former));
    }
    for (const auto& adoption : adoptions) {
        const auto& tp = adoption.position.tp;
        auto params = keyOf(m_consumer, cluster, tp);
        params.add(adoption.position.next.value()).add(adoption.topicId);
        if (adoption.owned) {
            tx.run(guard_sql::adoptOwned, params.add(token));
        } else {
            tx.run(guard_sql::adoptOther, params);
        }
        if (adoption.ledger) {
            tx.run(guard_sql::adoptLedger,
                   keyOf(m_consumer, cluster, tp).add(adoption.ledger->value()).addArray(former));
        }
    }
    if (!events.empty()) {
        tx.run(addEvents, addEventsParams(events));
    }
    tx.commit();
}

void PgGuardStore::recordLoss(const ClusterId& cluster, const TopicPartition& tp, Offset highest) {
    PinnedTransaction tx(m_session, writing);
    tx.run(guard_sql::lossHighest, keyOf(m_consumer, cluster, tp).add(highest.value()));
    tx.run(guard_sql::lossBefore, SqlParams().add(m_consumer.value()));
    tx.commit();
}

void PgGuardStore::stopPartition(const StoppedPartition& stop, const WorkerName& worker) {
    const auto owned = m_owned.find(stop.tp);
    PinnedTransaction tx(m_session, writing);
    auto params = keyOf(m_consumer, stop.cluster, stop.tp);
    params.add(stop.code).add(stop.reason);
    stop.suggestedSkip ? params.add(stop.suggestedSkip->value()) : params.addNull();
    params.add(stop.since).add(worker.value()).add(owned == m_owned.end() ? std::string() : owned->second.token);
    if (!tx.run(guard_sql::stop, params).empty()) {
        DeliveryEvent event;
        event.at = stop.since;
        event.consumer = m_consumer;
        event.worker = worker;
        event.outcome = "stopped";
        event.at_record = Coordinates{stop.cluster, stop.tp.topic, stop.tp.partition, stop.next};
        event.errorCode = stop.code;
        event.errorText = stop.reason;
        tx.run(addEvents, addEventsParams(std::vector{event}));
    }
    tx.commit();
}

std::vector<StoppedPartition> PgGuardStore::requests() {
    PinnedTransaction tx(m_session);
    std::vector<StoppedPartition> out;
    for (const auto& row : tx.run(guard_sql::requests, SqlParams().add(m_consumer.value()))) {
        StoppedPartition stop;
        stop.consumer = m_consumer;
        stop.cluster = ClusterId{textOf(row["cluster_id"])};
        stop.tp = {Topic{textOf(row["topic"])}, Partition{int32Of(row["partition"])}};
        stop.code = textOf(row["stop_code"]);
        stop.reason = textOf(row["stop_reason"]);
        stop.next = maybeOffset(row["next_offset"]).value_or(Offset{});
        stop.suggestedSkip = maybeOffset(row["stop_suggests"]);
        stop.since = maybeTime(row["since"]).value_or(TimePoint{});
        stop.requested = textOf(row["requested"]);
        if (const auto to = maybeInt64(row["requested_offset"]); to && stop.requested == "skip-to") {
            stop.requested += fmt::format(" {}", *to);
        }
        out.push_back(std::move(stop));
    }
    tx.commit();
    return out;
}

void PgGuardStore::released(const StoppedPartition& stop, Offset next, const WorkerName& worker) {
    PinnedTransaction tx(m_session, writing);
    const auto rows = tx.run(guard_sql::release, keyOf(m_consumer, stop.cluster, stop.tp));
    const std::string who = rows.empty() ? std::string() : textOf(rows[0]["requested_by"]);
    const std::string why = rows.empty() ? std::string() : textOf(rows[0]["requested_reason"]);
    DeliveryEvent event;
    event.at = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    event.consumer = m_consumer;
    event.worker = worker;
    event.outcome = "released";
    event.at_record = Coordinates{stop.cluster, stop.tp.topic, stop.tp.partition, next};
    event.errorCode = stop.code;
    event.errorText = fmt::format("{}, goes on at {}; asked for by {}{}{}", stop.requested, next.value(),
                                  who.empty() ? "nobody named" : who, why.empty() ? "" : ": ", why);
    tx.run(addEvents, addEventsParams(std::vector{event}));
    tx.commit();
}

void PgGuardStore::acked(const ClusterId& cluster, const std::vector<Position>& positions) {
    std::vector<TopicPartition> partitions;
    std::vector<std::int64_t> offsets;
    for (const auto& position : positions) {
        partitions.push_back(position.tp);
        offsets.push_back(position.next.value());
    }
    PinnedTransaction tx(m_session, writing);
    SqlParams params;
    params.add(m_consumer.value()).add(cluster.value());
    tx.run(guard_sql::acked, addPartitions(params, partitions).addArray(offsets));
    tx.commit();
}

std::unique_ptr<ports::Transaction> PgGuardStore::begin(std::chrono::milliseconds limit) {
    return std::make_unique<PgGuardTransaction>(*this, limit);
}

ports::CommitResult PgGuardStore::writeTelemetry(const ports::TelemetryBatch& batch,
                                                 const std::function<void(const std::string&)>& beforeCommit) {
    PinnedTransaction tx(m_session, writing);
    const auto id = tx.run(guard_sql::transactionId, {});
    postgres::writeTelemetry([&tx](const Sql& sql, const SqlParams& params) { tx.run(sql, params); }, m_consumer,
                             batch);
    beforeCommit(textOf(id[0][0]));
    try {
        tx.commit();
    } catch (const Error& error) {
        const bool doubt = error.kind() == ErrorKind::InDoubt;
        return {doubt ? ports::CommitResult::Kind::InDoubt : ports::CommitResult::Kind::RolledBack, error.code(),
                error.text()};
    }
    return {};
}

std::optional<bool> PgGuardStore::wasCommitted(const std::string& transaction) {
    PinnedTransaction tx(m_session);
    std::optional<std::string> status;
    try {
        const auto row = tx.run(guard_sql::transactionStatus, SqlParams().add(transaction));
        status = maybeText(row[0][0]);
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Connection) {
            throw;
        }
        return std::nullopt;  // another server, which has not come so far
    }
    if (status == "in progress") {
        throw Error(ErrorKind::Server, "the transaction is still running on the server", {}, {}, true);
    }
    return status ? std::optional(status == "committed") : std::nullopt;
}

}  // namespace redeliver::postgres
