// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/lab/fleet_plan.h"
#include "core/lab/history.h"
#include "core/lab/process.h"
#include "core/ports/record_sink.h"

#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver::lab {

struct FleetOptions {
    std::filesystem::path workerProgram;  ///< redeliver-worker
    std::filesystem::path profileFile;    ///< of the embedded stack
    std::filesystem::path logFolder;      ///< one log per worker
    /// Programs kept running beside the workers: name of the log → command. The outbox publisher, maintenance.
    std::map<std::string, std::vector<std::string>> helpers;
    double messagesPerSecond = 3;
    std::uint64_t seed = 1;
    bool trouble = true;  ///< workers die, are suspended, a producer repeats itself; false: a quiet fleet
};

/// The demo's living fleet: real redeliver-worker processes and a producer. Workers come and go, the producer sometimes
/// sends twice, acks fail when a suspended worker wakes up too late, and every few minutes one topic has a spike.
/// run() blocks until stopped, then ends all workers cleanly. One thread; the processes die with this program.
class Fleet {
  public:
    Fleet(FleetOptions options, ports::RecordSink& sink, Clock& clock);
    ~Fleet();

    void run(const std::stop_token& stop);

  private:
    struct Worker {
        std::string name;
        std::vector<std::string> command;
        bool mayBeHurt = true;
        std::optional<Process> process;
        TimePoint startAt;
        std::optional<TimePoint> resumeAt;  ///< suspended until then
    };

    void superviseWorkers(TimePoint now);
    void start(Worker& worker) const;
    [[nodiscard]] std::vector<std::string> commandOf(const DemoConsumer& consumer, const std::string& name) const;
    void makeTrouble(TimePoint now);
    void produce(TimePoint now, double seconds);
    void addMessage(std::vector<OutgoingRecord>& out, TimePoint now);
    [[nodiscard]] bool chance(double probability);

    FleetOptions m_options;
    ports::RecordSink& m_sink;
    Clock& m_clock;
    std::mt19937_64 m_random;
    MessageMaker m_maker;
    std::vector<Worker> m_workers;
    TimePoint m_nextTrouble;
    TimePoint m_nextSpike;
    std::string m_spikeTopic;
    TimePoint m_spikeEnds;
    std::vector<OutgoingRecord> m_sent;  ///< a few of the latest, to be sent again or out of order
};

}  // namespace redeliver::lab
