// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/workspace/action_desk.h"
#include "core/workspace/browse_desk.h"
#include "core/workspace/replay_desk.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

/// Desks with prepared answers, for the pages' own behaviour: states, order of answers, cancelling. What the desks do
/// with real servers is tested with real ones.
namespace redeliver::fakes {

/// Holds a desk's call until the test lets it go on; counts the calls that arrived.
class Gate {
  public:
    void close() { m_open = false; }
    void open() {
        const std::scoped_lock lock(m_mutex);
        m_open = true;
        m_changed.notify_all();
    }
    /// False when `stop` was requested first.
    bool pass(const std::stop_token& stop) {
        ++arrived;
        std::unique_lock lock(m_mutex);
        return m_changed.wait(lock, stop, [this] { return m_open.load(); });
    }
    std::atomic<int> arrived{0};

  private:
    std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::atomic<bool> m_open{true};
};

struct BrowseAnswers {
    std::function<Result<SearchResult>(const std::string&, std::int64_t)> search;
    std::function<Result<MessageDetail>(const MessageId&)> message;
    std::function<RecordView(const Coordinates&)> record;
    Gate gate;
};

class FakeBrowse : public BrowseDesk {
  public:
    explicit FakeBrowse(std::shared_ptr<BrowseAnswers> answers) : m_answers(std::move(answers)) {}
    Result<SearchResult> search(const std::string& query, std::int64_t limit, const std::stop_token& stop) override {
        if (!m_answers->gate.pass(stop)) {
            return failure(Error(ErrorKind::Cancelled, "cancelled"));
        }
        return m_answers->search(query, limit);
    }
    Result<MessageDetail> message(const MessageId& id, const std::stop_token& /*stop*/) override {
        return m_answers->message(id);
    }
    RecordView record(const Coordinates& at, const std::stop_token& /*stop*/) override { return m_answers->record(at); }

  private:
    std::shared_ptr<BrowseAnswers> m_answers;
};

struct ReplayAnswers {
    std::function<Result<ReplayPlan>(const PlanRequest&)> plan;
    std::function<Result<ReplayReport>(const ReplayPlan&, const Confirmation&, const ReplayWatcher&,
                                       const std::stop_token&)>
        run;
    std::function<Result<ReplayReport>(const ReplayId&)> report;
    std::vector<ReplayLine> lines;
    std::vector<std::string> topics;
    Gate gate;
};

class FakeReplay : public ReplayDesk {
  public:
    explicit FakeReplay(std::shared_ptr<ReplayAnswers> answers) : m_answers(std::move(answers)) {}
    Result<ReplayPlan> plan(const PlanRequest& request, const ProgressSink& progress,
                            const std::stop_token& stop) override {
        progress({"Reading payments", 1'204'113, 2'611'940});
        if (!m_answers->gate.pass(stop)) {
            return failure(Error(ErrorKind::Cancelled, "cancelled"));
        }
        return m_answers->plan(request);
    }
    Result<ReplayReport> run(const ReplayPlan& plan, const Confirmation& confirmation, const ReplayWatcher& watcher,
                             const std::stop_token& stop) override {
        return m_answers->run(plan, confirmation, watcher, stop);
    }
    Result<ReplayReport> resume(const ReplayId& id, const ReplayWatcher& /*watcher*/,
                                const std::stop_token& /*stop*/) override {
        return m_answers->report(id);
    }
    std::vector<ReplayLine> list(int /*limit*/) override { return m_answers->lines; }
    Result<ReplayReport> report(const ReplayId& id) override { return m_answers->report(id); }
    Result<void> control(const ReplayId& /*id*/, ReplayControl /*control*/) override { return {}; }
    std::vector<std::string> topics() override { return m_answers->topics; }

  private:
    std::shared_ptr<ReplayAnswers> m_answers;
};

class FakeActions : public ActionDesk {
  public:
    explicit FakeActions(std::vector<ConsumerInfo> known) : m_known(std::move(known)) {}
    DoctorReport doctor(const ProgressSink& /*progress*/, const std::stop_token& /*stop*/) override { return {}; }
    std::vector<MigrationStep> pendingMigrations() override { return {}; }
    std::vector<MigrationStep> migrate(const ProgressSink& /*progress*/) override { return {}; }
    std::vector<StoppedPartition> stoppedPartitions() override { return {}; }
    std::vector<PartitionState> partitions() override { return {}; }
    Result<void> retryPartition(const ConsumerName& /*consumer*/, const TopicPartition& /*tp*/) override { return {}; }
    Result<void> skipPartition(const ConsumerName& /*consumer*/, const TopicPartition& /*tp*/, Offset /*to*/,
                               const std::string& /*reason*/) override {
        return {};
    }
    std::vector<ConsumerInfo> consumers() override { return m_known; }
    Result<void> setConsumer(const ConsumerInfo& /*info*/) override { return {}; }

  private:
    std::vector<ConsumerInfo> m_known;
};

}  // namespace redeliver::fakes
