// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace redeliver {

/// Turns the first SIGTERM or SIGINT into a stop request; a second one ends the process at once (exit status 130). Make
/// it before any other thread: those inherit that the two signals are blocked. One per process.
class StopOnSignal {
  public:
    StopOnSignal();
    ~StopOnSignal();
    StopOnSignal(const StopOnSignal&) = delete;
    StopOnSignal& operator=(const StopOnSignal&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_stop.get_token(); }

  private:
    std::stop_source m_stop;
    std::jthread m_waiter;
};

}  // namespace redeliver
