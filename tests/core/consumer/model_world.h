// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/consumer/handler.h"
#include "core/ports/guard_store.h"
#include "core/ports/record_sink.h"
#include "core/ports/record_source.h"

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

/// A log, a database and a handler in memory, for the consumer's loop: deterministic, with faults to switch on. Several
/// members and stores may share one Log and one Database.
namespace redeliver::model {

/// Thrown by a crash point: everything in memory is gone, log and database stay. Not a std::exception on purpose.
struct Crash {
    std::string at;
};

class ModelClock final : public Clock {
  public:
    TimePoint now() const override { return TimePoint(std::chrono::hours(24 * 365 * 56)) + m_passed; }
    std::chrono::steady_clock::time_point steady() const override {
        return std::chrono::steady_clock::time_point(std::chrono::hours(1)) + m_passed;
    }
    void sleep(Duration span, const std::stop_token&) override { m_passed += span; }
    void advance(Duration span) { m_passed += span; }

  private:
    Duration m_passed{};
};

class ModelEntropy final : public Entropy {
  public:
    explicit ModelEntropy(std::uint64_t seed = 1) : m_state(seed * 0x9e3779b97f4a7c15ULL + 1) {}
    std::uint64_t next() override {
        m_state ^= m_state << 13U;
        m_state ^= m_state >> 7U;
        m_state ^= m_state << 17U;
        return m_state;
    }

  private:
    std::uint64_t m_state;
};

/// Topics and the group's offsets.
struct Log {
    struct PartitionLog {
        std::deque<Record> records;
        std::int64_t start = 0;
    };
    ClusterId cluster{"cluster-1"};
    std::string topicId;
    std::map<TopicPartition, PartitionLog> partitions;
    std::map<TopicPartition, Offset> group;

    [[nodiscard]] Offset endOf(const TopicPartition& tp) const {
        const auto& log = partitions.at(tp);
        return Offset{log.start + static_cast<std::int64_t>(log.records.size())};
    }
    void append(const TopicPartition& tp, const std::string& id, const std::string& value = "v",
                std::vector<Header> headers = {}) {
        auto& log = partitions[tp];
        Record record;
        record.tp = tp;
        record.offset = endOf(tp);
        record.timestamp = fromUnixMillis(1'700'000'000'000 + record.offset.value());
        record.timestampType = TimestampType::CreateTime;
        record.value = value;
        record.headers = std::move(headers);
        if (!id.empty()) {
            record.headers.push_back({"message-id", id});
        }
        log.records.push_back(std::move(record));
    }
    void deleteBelow(const TopicPartition& tp, std::int64_t offset) {
        auto& log = partitions.at(tp);
        while (log.start < offset && !log.records.empty()) {
            log.records.pop_front();
            ++log.start;
        }
    }
};

/// One group member that has every partition given to it.
class ModelSource final : public ports::RecordSource {
  public:
    ModelSource(Log& log, ModelClock& clock) : m_log(log), m_clock(clock) {}

    // what tests steer
    std::vector<TopicPartition> given;
    std::string commitFails;  ///< code; empty: works
    bool lost = false;
    bool brokerAway = false;
    std::deque<Record> inject;  ///< handed out first, whatever the positions are
    std::vector<std::vector<Position>> commits;

    void give(const std::vector<TopicPartition>& partitions) {
        given = partitions;
        m_reassign = true;
    }
    void take(bool asLost) {
        m_listener->revoked(given, asLost);
        given.clear();
        m_positions.clear();
        m_paused.clear();
    }

    void subscribe(const std::vector<Topic>&, ports::AssignmentListener& listener) override { m_listener = &listener; }
    std::variant<std::monostate, Record, ports::SourceError> poll(std::chrono::milliseconds timeout) override {
        if (m_reassign) {
            m_reassign = false;
            assign();
        }
        if (!inject.empty()) {
            auto record = inject.front();
            inject.pop_front();
            return record;
        }
        for (auto& [tp, position] : m_positions) {
            const auto& log = m_log.partitions.at(tp);
            if (m_paused.contains(tp) || brokerAway) {
                continue;
            }
            if (position < log.start) {
                m_paused.insert(tp);
                return ports::SourceError{tp, "_AUTO_OFFSET_RESET", "offset out of range", false};
            }
            if (Offset{position} < m_log.endOf(tp)) {
                return log.records[static_cast<std::size_t>(position++ - log.start)];
            }
        }
        m_clock.advance(std::max<Duration>(timeout, std::chrono::microseconds(100)));
        return std::monostate{};
    }
    void pause(const TopicPartition& tp) override { m_paused.insert(tp); }
    void resume(const TopicPartition& tp) override { m_paused.erase(tp); }
    void seek(const Position& position) override {
        if (brokerAway) {
            throw Error(ErrorKind::Server, "seek timed out", {}, "_TIMED_OUT", true);
        }
        m_positions[position.tp] = position.next.value();
    }
    Result<void> commit(const std::vector<Position>& positions) override {
        if (!commitFails.empty()) {
            return failure(Error(ErrorKind::Server, "commit failed", {}, commitFails));
        }
        commits.push_back(positions);
        for (const auto& position : positions) {
            m_log.group[position.tp] = position.next;
        }
        return {};
    }
    Result<std::vector<ports::GroupOffset>> committed(const std::vector<TopicPartition>& partitions) override {
        std::vector<ports::GroupOffset> out;
        for (const auto& tp : partitions) {
            const auto it = m_log.group.find(tp);
            out.push_back({tp, it == m_log.group.end() ? std::nullopt : std::optional(it->second), {}});
        }
        return out;
    }
    Result<ports::LogInfo> logInfo(const TopicPartition& tp) override {
        if (brokerAway) {
            return failure(Error(ErrorKind::Connection, "broker away"));
        }
        ports::LogInfo info;
        info.cluster = m_log.cluster;
        info.topicId = m_log.topicId;
        info.start = Offset{m_log.partitions.at(tp).start};
        info.end = m_log.endOf(tp);
        return info;
    }
    Result<std::vector<TopicPartition>> partitions(const std::vector<Topic>& topics) override {
        std::vector<TopicPartition> out;
        for (const auto& [tp, log] : m_log.partitions) {
            if (std::find(topics.begin(), topics.end(), tp.topic) != topics.end()) {
                out.push_back(tp);
            }
        }
        return out;
    }
    Result<std::optional<Record>> recordAt(const TopicPartition& tp, Offset offset) override {
        const auto& log = m_log.partitions.at(tp);
        if (offset.value() < log.start || offset >= m_log.endOf(tp)) {
            return std::optional<Record>();
        }
        return std::optional(log.records[static_cast<std::size_t>(offset.value() - log.start)]);
    }
    bool assignmentLost() const override { return lost; }
    void close() override {
        if (m_listener != nullptr && !given.empty()) {
            take(false);
        }
    }

  private:
    void assign() {
        for (const auto& tp : given) {
            m_paused.insert(tp);
        }
        for (const auto& position : m_listener->assigned(given)) {
            m_positions[position.tp] = position.next.value();
            m_paused.erase(position.tp);
        }
    }

    Log& m_log;
    ModelClock& m_clock;
    ports::AssignmentListener* m_listener = nullptr;
    std::map<TopicPartition, std::int64_t> m_positions;
    std::set<TopicPartition> m_paused;
    bool m_reassign = false;
};

/// What survives: markers, effects, offsets, telemetry. One transaction at a time, as the loop is single-threaded.
struct Database {
    struct Row {
        std::optional<Offset> next, highest, acked, lastOffset;
        std::string owner, topicId;
        std::optional<TimePoint> lastTimestamp;
        std::uint32_t lastCrc = 0;
        bool stopped = false;
        std::string code, reason, requested;
    };
    std::map<std::pair<std::string, std::string>, Marker> markers;  ///< consumer, ID
    std::vector<std::string> effects;                               ///< message IDs, each time it is applied
    std::map<TopicPartition, Row> rows;
    std::map<TopicPartition, Offset> ledger;
    bool lostBefore = false;
    Counts counts;
    std::vector<DeliveryEvent> events;
    bool away = false;

    // one-shot faults
    enum class CommitFault { None, RolledBack, InDoubtDone, InDoubtNotDone } commitFault = CommitFault::None;
    std::string claimFault;  ///< SQLSTATE for the next claim

    [[nodiscard]] std::int64_t effectsOf(const std::string& id) const {
        return std::count(effects.begin(), effects.end(), id);
    }
    [[nodiscard]] std::vector<std::string> outcomes(const std::string& id) const {
        std::vector<std::string> out;
        for (const auto& event : events) {
            if (event.messageId && event.messageId->value() == id) {
                out.push_back(event.outcome);
            }
        }
        return out;
    }
    [[nodiscard]] bool has(const std::string& outcome, const std::string& code = {}) const {
        return std::any_of(events.begin(), events.end(), [&](const DeliveryEvent& event) {
            return event.outcome == outcome && (code.empty() || event.errorCode == code);
        });
    }
};

class ModelTransaction final : public ports::Transaction {
  public:
    ModelTransaction(Database& database, std::string consumer, std::map<TopicPartition, std::string> tokens)
        : m_database(database), m_work(database), m_consumer(std::move(consumer)), m_tokens(std::move(tokens)) {}

    void apply(const std::string& id) { m_work.effects.push_back(id); }
    void breakStatement() { m_state = ports::TransactionState::Failed; }
    void endByHandler() { m_state = ports::TransactionState::Ended; }

    std::vector<ports::AdvanceRefusal> advance(std::span<const ports::Advance> moves) override {
        std::vector<ports::AdvanceRefusal> refused;
        for (const auto& move : moves) {
            auto& row = m_work.rows[move.tp];
            const bool owned = m_tokens.contains(move.tp) && row.owner == m_tokens.at(move.tp);
            if (!owned || (row.next != move.expected && (!move.alsoExpected || row.next != move.alsoExpected))) {
                refused.push_back({move.tp, owned, row.next});
                continue;
            }
            row.next = std::max(row.next, std::optional(move.next));
            row.highest = std::max(row.highest, std::optional(move.next));
            row.acked = std::max(row.acked, move.acked);
            if (move.lastRecordOffset) {
                row.lastOffset = move.lastRecordOffset;
                row.lastTimestamp = move.lastRecordTimestamp;
                row.lastCrc = move.lastRecordCrc;
            }
        }
        return refused;
    }
    ports::ClaimResult claim(std::span<const ports::MarkerClaim> claims) override {
        need();
        if (!m_database.claimFault.empty()) {
            const auto code = std::exchange(m_database.claimFault, {});
            throw Error(ErrorKind::Server, "claim failed", {}, code);
        }
        ports::ClaimResult result;
        for (const auto& one : claims) {
            Marker marker;
            marker.consumer = ConsumerName{m_consumer};
            marker.messageId = one.id;
            marker.at = one.at;
            marker.contentHash = one.contentHash;
            const auto [it, fresh] = m_work.markers.try_emplace({m_consumer, one.id.value()}, marker);
            result.isNew.push_back(fresh);
            if (!fresh) {
                result.existing[one.id.value()] = {it->second, false};
            }
        }
        return result;
    }
    void seenAgain(std::span<const MessageId>) override {}
    void withdraw(std::span<const MessageId> ids) override {
        for (const auto& id : ids) {
            m_work.markers.erase({m_consumer, id.value()});
        }
    }
    void setSavepoint() override { m_effectsAtSavepoint = m_work.effects.size(); }
    void rollbackToSavepoint() override {
        m_work.effects.resize(m_effectsAtSavepoint);
        m_state = ports::TransactionState::Open;
    }
    ports::TransactionState check() override { return m_database.away ? ports::TransactionState::Lost : m_state; }
    void afterHandlers() override { need(); }
    void record(const ports::TelemetryBatch& batch) override {
        m_work.counts += batch.counts;
        m_work.events.insert(m_work.events.end(), batch.events.begin(), batch.events.end());
    }
    ports::CommitResult commit() override {
        using Kind = ports::CommitResult::Kind;
        using Fault = Database::CommitFault;
        const auto fault = std::exchange(m_database.commitFault, Fault::None);
        if (fault == Fault::RolledBack) {
            return {Kind::RolledBack, "23505", "deferred"};
        }
        if (fault == Fault::InDoubtNotDone) {
            return {Kind::InDoubt, {}, "connection lost"};
        }
        m_work.commitFault = Fault::None;
        m_database = m_work;
        return {fault == Fault::InDoubtDone ? Kind::InDoubt : Kind::Committed, {}, {}};
    }

  private:
    void need() const {
        if (m_database.away) {
            throw Error(ErrorKind::Connection, "database away");
        }
    }
    Database& m_database;
    Database m_work;
    std::string m_consumer;
    std::map<TopicPartition, std::string> m_tokens;
    std::size_t m_effectsAtSavepoint = 0;
    ports::TransactionState m_state = ports::TransactionState::Open;
};

class ModelStore final : public ports::GuardStore {
  public:
    ModelStore(Database& database, std::string consumer) : m_database(database), m_consumer(std::move(consumer)) {}

    void ensureConnected() override { need(); }
    void registerConsumer(const ConsumerInfo&) override { need(); }
    ports::StoredState takeOwnership(const ClusterId&, const std::vector<TopicPartition>& partitions,
                                     const std::string& token) override {
        need();
        ports::StoredState state;
        state.anyRow = !m_database.markers.empty() || !m_database.ledger.empty();
        for (const auto& [tp, row] : m_database.rows) {
            state.anyRow = state.anyRow || row.next;
        }
        for (const auto& tp : partitions) {
            auto& row = m_database.rows[tp];
            row.owner = token;
            m_tokens[tp] = token;
            ports::StoredPosition stored;
            stored.tp = tp;
            stored.next = row.next;
            stored.highest = row.highest;
            stored.ackedHighest = row.acked;
            stored.topicId = row.topicId;
            stored.stopped = row.stopped;
            stored.stoppedCode = row.code;
            stored.requested = row.requested;
            if (const auto it = m_database.ledger.find(tp); it != m_database.ledger.end()) {
                stored.ledger = it->second;
            }
            if (row.lastOffset) {
                stored.lastRecordOffset = row.lastOffset;
                stored.lastRecordTimestamp = row.lastTimestamp;
                stored.lastRecordCrc = row.lastCrc;
            }
            state.partitions.push_back(stored);
        }
        return state;
    }
    void adopt(const ClusterId&, const std::string&, const std::vector<ports::Adoption>& adoptions,
               const std::vector<DeliveryEvent>& events) override {
        need();
        for (const auto& adoption : adoptions) {
            auto& row = m_database.rows[adoption.position.tp];
            if (adoption.owned || !row.next) {
                row.next = adoption.position.next;
                row.highest = std::max(row.highest, row.next);
                row.topicId = adoption.topicId;
            }
            if (adoption.ledger) {
                m_database.ledger.try_emplace(adoption.position.tp, *adoption.ledger);
            }
        }
        m_database.events.insert(m_database.events.end(), events.begin(), events.end());
    }
    void recordLoss(const ClusterId&, const TopicPartition& tp, Offset highest) override {
        need();
        m_database.rows[tp].highest = std::max(m_database.rows[tp].highest, std::optional(highest));
        m_database.lostBefore = true;
    }
    void stopPartition(const StoppedPartition& stop, const WorkerName&) override {
        need();
        auto& row = m_database.rows[stop.tp];
        row.stopped = true;
        row.code = stop.code;
        row.reason = stop.reason;
        row.requested.clear();
    }
    std::vector<StoppedPartition> requests() override {
        need();
        std::vector<StoppedPartition> out;
        for (const auto& [tp, row] : m_database.rows) {
            if (row.stopped && !row.requested.empty()) {
                StoppedPartition stop;
                stop.tp = tp;
                stop.code = row.code;
                stop.reason = row.reason;
                stop.requested = row.requested;
                out.push_back(stop);
            }
        }
        return out;
    }
    void released(const StoppedPartition& stop, Offset, const WorkerName&) override {
        auto& row = m_database.rows[stop.tp];
        row.stopped = false;
        row.requested.clear();
    }
    void acked(const ClusterId&, const std::vector<Position>& positions) override {
        need();
        for (const auto& position : positions) {
            m_database.rows[position.tp].acked =
                std::max(m_database.rows[position.tp].acked, std::optional(position.next));
        }
    }
    std::unique_ptr<ports::Transaction> begin(std::chrono::milliseconds) override {
        need();
        return std::make_unique<ModelTransaction>(m_database, m_consumer, m_tokens);
    }
    ports::CommitResult writeTelemetry(const ports::TelemetryBatch& batch,
                                       const std::function<void(const std::string&)>& beforeCommit) override {
        need();
        beforeCommit(std::to_string(++m_transaction));
        const auto fault = std::exchange(telemetryFault, Database::CommitFault::None);
        if (fault != Database::CommitFault::InDoubtNotDone) {
            m_database.counts += batch.counts;
            m_database.events.insert(m_database.events.end(), batch.events.begin(), batch.events.end());
            m_done.insert(std::to_string(m_transaction));
        }
        return {fault == Database::CommitFault::None ? ports::CommitResult::Kind::Committed
                                                     : ports::CommitResult::Kind::InDoubt,
                {},
                {}};
    }
    std::optional<bool> wasCommitted(const std::string& transaction) override { return m_done.contains(transaction); }

    Database::CommitFault telemetryFault = Database::CommitFault::None;

  private:
    void need() const {
        if (m_database.away) {
            throw Error(ErrorKind::Connection, "database away");
        }
    }
    Database& m_database;
    std::string m_consumer;
    std::map<TopicPartition, std::string> m_tokens;
    std::int64_t m_transaction = 0;
    std::set<std::string> m_done;
};

class ModelSink final : public ports::RecordSink {
  public:
    std::vector<OutgoingRecord> sent;
    bool refuses = false;
    std::vector<Result<ports::Published>> publish(std::span<const OutgoingRecord> records) override {
        std::vector<Result<ports::Published>> out;
        for (const auto& record : records) {
            if (refuses) {
                out.push_back(failure(Error(ErrorKind::Server, "refused", {}, "MSG_TIMED_OUT")));
                continue;
            }
            sent.push_back(record);
            out.push_back(
                ports::Published{{record.topic, Partition{0}}, Offset{static_cast<std::int64_t>(sent.size()) - 1}});
        }
        return out;
    }
};

/// Applies each message's ID as its effect; `rule` may say otherwise.
class ModelHandler final : public consumer::Handler {
  public:
    std::function<consumer::Answer(ModelTransaction&, const consumer::Message&)> rule;
    bool batches = false;
    std::vector<std::size_t> calls;  ///< sizes

    bool takesBatches() const override { return batches; }
    std::vector<consumer::Answer> handle(ports::Transaction& transaction,
                                         std::span<const consumer::Message> messages) override {
        auto& tx = dynamic_cast<ModelTransaction&>(transaction);
        calls.push_back(messages.size());
        std::vector<consumer::Answer> answers;
        for (const auto& message : messages) {
            tx.apply(message.id.value());
            answers.push_back(rule ? rule(tx, message) : consumer::done());
        }
        return answers;
    }
};

}  // namespace redeliver::model
