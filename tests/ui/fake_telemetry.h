// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/telemetry_desk.h"
#include "tests/ui/fake_desks.h"

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace redeliver::fakes {

struct TelemetryAnswers {
    std::function<SnapshotPtr(const OverviewRequest&)> overview;
    std::function<Health()> health;
    Gate gate;
    Gate healthGate;
};

class FakeTelemetry : public TelemetryDesk {
  public:
    explicit FakeTelemetry(std::shared_ptr<TelemetryAnswers> answers) : m_answers(std::move(answers)) {}
    SnapshotPtr overview(const OverviewRequest& request, const std::stop_token& stop) override {
        if (!m_answers->gate.pass(stop)) {
            throw Error(ErrorKind::Cancelled, "cancelled");
        }
        return m_answers->overview(request);
    }
    Series series(const ConsumerName& consumer, TimeRange range, std::chrono::seconds step,
                  const std::stop_token& /*stop*/) override {
        return {consumer, gridOf(range, step), {}};
    }
    Health health(const std::stop_token& stop) override {
        if (!m_answers->healthGate.pass(stop)) {
            throw Error(ErrorKind::Cancelled, "cancelled");
        }
        return m_answers->health();
    }

  private:
    std::shared_ptr<TelemetryAnswers> m_answers;
};

/// An ActionDesk that remembers what it was asked for.
struct ActionAnswers {
    DoctorReport doctor;
    std::vector<MigrationStep> pending;
    std::function<Result<void>()> release = [] { return Result<void>{}; };
    std::vector<std::string> calls;  ///< read in the GUI thread after the answer came
    std::vector<ConsumerInfo> consumers;
};

class RecordingActions : public ActionDesk {
  public:
    explicit RecordingActions(std::shared_ptr<ActionAnswers> answers) : m_answers(std::move(answers)) {}
    DoctorReport doctor(const ProgressSink& progress, const std::stop_token& /*stop*/) override {
        progress({"Connecting to PostgreSQL", 0, 0});
        return m_answers->doctor;
    }
    std::vector<MigrationStep> pendingMigrations() override { return m_answers->pending; }
    std::vector<MigrationStep> migrate(const ProgressSink& /*progress*/) override {
        m_answers->calls.emplace_back("migrate");
        return std::exchange(m_answers->pending, {});
    }
    std::vector<StoppedPartition> stoppedPartitions() override { return {}; }
    std::vector<PartitionState> partitions() override { return {}; }
    Result<void> retryPartition(const ConsumerName& consumer, const TopicPartition& tp) override {
        m_answers->calls.push_back("retry " + consumer.value() + ' ' + tp.topic.value() + '/' +
                                   std::to_string(tp.partition.value()));
        return m_answers->release();
    }
    Result<void> skipPartition(const ConsumerName& consumer, const TopicPartition& tp, Offset to,
                               const std::string& reason) override {
        m_answers->calls.push_back("skip " + consumer.value() + ' ' + tp.topic.value() + '/' +
                                   std::to_string(tp.partition.value()) + ' ' + std::to_string(to.value()) + ' ' +
                                   reason);
        return m_answers->release();
    }
    std::vector<ConsumerInfo> consumers() override { return m_answers->consumers; }
    Result<void> setConsumer(const ConsumerInfo& /*info*/) override { return {}; }

  private:
    std::shared_ptr<ActionAnswers> m_answers;
};

/// One consumer of the mockup: a daily wave, some duplicates, and a spike in the last third where asked for.
struct FakeConsumer {
    std::string name;
    ConsumerState state = ConsumerState::Usual;
    double rate = 0;
    double duplicates = 0.01;
    bool spike = false;
    std::optional<std::chrono::seconds> kept;
    std::optional<std::chrono::seconds> horizon;
    std::optional<std::int64_t> lag;
};

inline ConsumerRow rowOf(const FakeConsumer& consumer, const TimeGrid& grid, unsigned seed) {
    ConsumerRow row;
    row.info.name = ConsumerName(consumer.name);
    row.info.group = GroupName(consumer.name + "-group");
    row.info.markerRetention = consumer.kept;
    row.info.replayHorizon = consumer.horizon;
    row.state = consumer.state;
    row.stateText = "told by the fake";
    unsigned noise = seed * 2'654'435'761U + 1;
    for (std::int64_t i = 0; i < grid.count; ++i) {
        noise = noise * 1'664'525U + 1'013'904'223U;
        const double jitter = 1 + (static_cast<double>(noise >> 16U) / 65'536.0 - 0.5) * 0.14;
        const double at = static_cast<double>(i) / static_cast<double>(grid.count);
        const double wave = 1 + 0.25 * std::sin(at * 9.0);
        const double seconds = static_cast<double>(grid.step.count());
        Counts bucket;
        const bool high = consumer.spike && at > 0.68 && at < 0.84;
        bucket.of(Outcome::Processed) = std::llround(consumer.rate * seconds * wave * jitter * (high ? 0.75 : 1));
        bucket.of(Outcome::Duplicate) =
            std::llround(consumer.rate * seconds * consumer.duplicates * jitter * (high ? 40 : 1));
        bucket.of(DuplicateKind::Redelivered) = bucket.of(Outcome::Duplicate);
        bucket.of(Outcome::TransactionFailed) = consumer.rate > 100 && noise % 11 == 0 ? 40 : 0;
        bucket.ackFailed = high && noise % 2 == 0 ? 3 : 0;
        row.counts += bucket;
        row.buckets.push_back(bucket);
    }
    const double length = static_cast<double>((grid.to() - grid.from).count()) / 1e6;
    row.rate = static_cast<double>(row.counts.deliveries()) / length;
    if (row.counts.deliveries() > 0) {
        row.duplicateRate =
            static_cast<double>(row.counts.of(Outcome::Duplicate)) / static_cast<double>(row.counts.deliveries());
        row.p50 = std::chrono::milliseconds(4);
        row.p95 = std::chrono::milliseconds(18);
        row.p99 = std::chrono::milliseconds(44);
        row.usual = UsualRate{0.012, 0.004};
    } else {
        row.usualReason = "no usual rate yet (1 h of 24 h)";
    }
    row.lag = {consumer.lag, consumer.lag ? "" : "the group has committed nothing"};
    return row;
}

inline StoppedPartition stoppedPartition() {
    StoppedPartition stopped;
    stopped.consumer = ConsumerName("ledger-projection");
    stopped.cluster = ClusterId("c");
    stopped.tp = {Topic("payments"), Partition(7)};
    stopped.code = "group-ahead";
    stopped.reason = "the group's offset 88,412,950 is above ours 88,412,907: 43 records would be skipped";
    stopped.next = Offset(88'412'907);
    stopped.suggestedSkip = Offset(88'412'950);
    stopped.since = TimePoint(std::chrono::sys_days(std::chrono::year(2026) / 12 / 1)) + std::chrono::hours(13) +
                    std::chrono::minutes(41);
    return stopped;
}

/// The overview of the mockup, with numbers of our own.
inline std::shared_ptr<Snapshot> mockupSnapshot(const OverviewRequest& request, bool withStopped) {
    using std::chrono::hours;
    const TimePoint now = std::chrono::sys_days(std::chrono::year(2026) / 12 / 1) + hours(14);
    auto made = std::make_shared<Snapshot>();
    made->range = request.last ? TimeRange{now - *request.last, now} : request.range;
    made->grid = gridOf(made->range, stepFor(made->range, request.mostBuckets));
    made->takenAt = now;
    made->newest = now - std::chrono::seconds(2);
    const std::vector<FakeConsumer> consumers{
        {"order-payment-handler", ConsumerState::Spike, 640, 0.012, true, hours(24 * 7), hours(24 * 30), 1200},
        {"stock-granter", ConsumerState::Elevated, 260, 0.029, false, hours(24 * 30), hours(24 * 30), 840},
        {"ledger-projection", ConsumerState::Usual, 900, 0.009, false, hours(24 * 90), hours(24 * 30), 210},
        {"fulfilment-requester", ConsumerState::Usual, 96, 0.006, false, hours(24 * 45), hours(24 * 30), 0},
        {"invoice-mailer", ConsumerState::Learning, 14, 0.0, false, hours(24 * 30), hours(24 * 30), 0},
        {"loyalty-counter", ConsumerState::Idle, 0, 0, false, hours(24 * 30), std::nullopt, std::nullopt},
    };
    made->buckets.resize(static_cast<std::size_t>(made->grid.count));
    unsigned seed = 1;
    for (const FakeConsumer& consumer : consumers) {
        ConsumerRow row = rowOf(consumer, made->grid, ++seed);
        for (std::size_t i = 0; i < row.buckets.size(); ++i) {
            made->buckets[i] += row.buckets[i];
        }
        made->total += row.counts;
        made->consumers.push_back(std::move(row));
    }
    if (withStopped) {
        made->consumers[2].state = ConsumerState::Stopped;
        made->consumers[2].stopped.push_back(stoppedPartition());
        std::rotate(made->consumers.begin(), made->consumers.begin() + 2, made->consumers.begin() + 3);
    }
    made->firstAckFailure = made->grid.at(made->grid.count * 7 / 10);
    made->usual = UsualRate{0.012, 0.004};
    made->replays.push_back(
        {ReplayId("r"), "replay 7f3a", {now - std::chrono::minutes(34), now - std::chrono::minutes(29)}});
    made->markersEstimate = 212'400'000;
    return made;
}

inline Health goodHealth() {
    Health health;
    health.postgres = {true, "PostgreSQL 15.8", {}, {}, std::chrono::milliseconds(4)};
    health.kafka = {true, "Kafka 4.1 · 3 brokers", {}, {}, std::chrono::milliseconds(7)};
    return health;
}

}  // namespace redeliver::fakes
