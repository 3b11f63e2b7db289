// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"
#include "core/lab/embedded_stack.h"
#include "core/lab/fleet.h"
#include "core/ports/record_sink.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace redeliver::lab {

struct DemoOptions {
    StackBroker broker = StackBroker::Auto;
    std::filesystem::path kafkaHome;
    std::filesystem::path workerProgram;  ///< empty: redeliver-worker beside this program
    std::int64_t messages = 200'000;      ///< of the generated day
    std::uint64_t seed = 20'261'130;
    bool trouble = true;  ///< see FleetOptions
};

/// The demo: an embedded stack, a day of generated history (the newest hour is there when the constructor returns, the
/// rest is filled in behind), and the living fleet. Everything ends with this object. The constructor blocks for about
/// 8 s and throws Error; progress is told at each step.
class Demo {
  public:
    Demo(const DemoOptions& options, const ProgressSink& progress, const std::stop_token& stop);
    ~Demo();
    Demo(const Demo&) = delete;
    Demo& operator=(const Demo&) = delete;

    [[nodiscard]] const Profile& profile() const noexcept { return m_stack->profile(); }
    [[nodiscard]] std::vector<std::string> limits() const { return m_stack->limits(); }
    [[nodiscard]] bool historyComplete() const noexcept { return m_historyComplete; }
    /// Waits until the whole generated day is there (screenshots, tests).
    void waitForHistory(const std::stop_token& stop) const;

  private:
    void createTopics() const;
    void writeHistory(const ProgressSink& progress, const std::stop_token& stop);
    void fillBehind(const std::stop_token& stop);

    std::unique_ptr<Clock> m_clock;
    std::unique_ptr<EmbeddedStack> m_stack;
    std::unique_ptr<ports::RecordSink> m_sink;
    std::shared_ptr<const History> m_history;
    std::string m_cluster;
    std::atomic<bool> m_historyComplete{false};
    std::unique_ptr<Fleet> m_fleet;
    std::jthread m_filler;
    std::jthread m_fleetThread;
};

}  // namespace redeliver::lab
