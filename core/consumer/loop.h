// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/backoff.h"
#include "core/base/clock.h"
#include "core/consumer/attempt.h"
#include "core/consumer/handler.h"
#include "core/consumer/options.h"
#include "core/consumer/partition_work.h"
#include "core/consumer/recorder.h"
#include "core/ports/guard_store.h"
#include "core/ports/record_sink.h"
#include "core/ports/record_source.h"

#include <deque>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::consumer {

/// Everything outside that the loop touches; all outlive it.
struct LoopParts {
    ports::RecordSource& source;
    ports::GuardStore& store;
    ports::RecordSink* deadLetters;  ///< null: no dead-letter topic, a partition stops instead
    Handler& handler;
    Clock& clock;
    Entropy& entropy;
    Identify identify;
};

/// The idempotent consumer: poll, batch, guard, handle, commit, ack. One thread; the very same loop runs against
/// PostgreSQL and Kafka and under a simulator. Lost servers are waited for; a partition that can't go on without a
/// guess stops (domain rule 16). run() throws Error only for what no waiting mends: a fatal error of the client
/// library.
class Loop final : private ports::AssignmentListener {
  public:
    Loop(Options options, LoopParts parts);

    /// start(), step() until a stop is requested, finish().
    void run(const std::stop_token& stop);

    void start();
    /// Housekeeping, then at most one batch. Waits at most about 100 ms when there is nothing to do.
    void step(const std::stop_token& stop);
    /// Acks what is committed, brings telemetry home, leaves the group.
    void finish();

    [[nodiscard]] const PartitionTable& partitions() const noexcept { return m_table; }
    [[nodiscard]] bool databaseAway() const noexcept { return m_retryStoreAt.has_value(); }

  private:
    struct Polled {
        Record record;
        SteadyTime at;
    };

    // loop.cpp: polling, housekeeping, trouble
    void gather(const std::stop_token& stop);
    bool pollOnce(std::chrono::milliseconds timeout);
    void onSourceError(const ports::SourceError& error);
    void housekeeping();
    void checkLogs(SteadyTime now);
    void storeTrouble(const std::string& why);
    void retryStore();
    void steer();
    void letRun(const TopicPartition& tp, PartitionWork& work);
    [[nodiscard]] std::chrono::milliseconds idleWait() const;
    void dropPending(const TopicPartition& tp);

    // loop_batch.cpp: one batch to its end
    void runBatch(const std::stop_token& stop);
    Items takeBatch();
    bool settle(Items& items, const AttemptEnd& end);
    void judge(Items& items, std::size_t index, const Answer& answer);
    void rejectOrStop(Items& items, std::size_t index, Rejection why);
    std::optional<std::size_t> publishRejected(Items& items);
    void deadLetterFailed(Items& items);
    void handlerEnded(Items& items, const AttemptEnd& end);
    void notOurs(Items& items, const std::vector<ports::AdvanceRefusal>& refused);
    bool someHandler(Items& items, const AttemptEnd& end);
    void adapt(std::size_t records, std::chrono::steady_clock::duration took);
    void committed(Items& items, const AttemptEnd& end);
    void inDoubt(Items& items, const AttemptEnd& end);
    void failAll(const Items& items, const std::string& code, const std::string& text);
    void giveBack(Items& items);
    void wait(const TopicPartition& tp, Duration span);
    void ack();

    // loop_assignment.cpp: where partitions start, stop and are released
    std::vector<Position> assigned(const std::vector<TopicPartition>& partitions) override;
    void revoked(const std::vector<TopicPartition>& partitions, bool lost) override;
    std::vector<Position> placeUndecided();
    std::vector<Position> placeAll(const std::vector<TopicPartition>& partitions, bool released);
    std::optional<PlacementFacts> factsOf(const ports::StoredPosition& stored, bool anyRow, std::optional<Offset> group,
                                          const ports::LogInfo& log);
    std::optional<Start> decide(const PlacementFacts& facts, PartitionWork& work, std::vector<DeliveryEvent>& events);
    std::vector<ports::Adoption> firstAdoptions(const std::vector<TopicPartition>& ours);
    void stop(const TopicPartition& tp, const std::string& code, const std::string& reason, std::optional<Offset> skip,
              std::optional<Offset> at = std::nullopt);
    void saveStops();
    void carryOutRequests();
    void skipTo(const StoppedPartition& request, Offset to);
    void outOfRange(const TopicPartition& tp);
    void goOn(const Position& position);
    DeliveryEvent note(const TopicPartition& tp, std::string code, std::string why) const;

    Options m_options;
    LoopParts m_parts;
    Recorder m_recorder;
    PartitionTable m_table;
    std::deque<Polled> m_pending;
    std::vector<StoppedPartition> m_unsavedStops;
    std::optional<SteadyTime> m_retryStoreAt;  ///< set while the database is away
    Backoff m_storeBackoff;
    SteadyTime m_placeAt{};
    SteadyTime m_batchStarted{};
    SteadyTime m_housekeptAt{};
    bool m_registered = false;
    std::size_t m_target;       ///< records per batch, adapted to the handler's speed
    std::size_t m_singles = 0;  ///< that many batches of one: a failure must find its message
    std::int64_t m_processedLines = 0;
};

}  // namespace redeliver::consumer
