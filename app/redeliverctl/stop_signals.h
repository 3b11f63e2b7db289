// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <thread>

namespace redeliver::ctl {

/// Turns the first SIGINT or SIGTERM into a stop request; the second one ends the program at once. One per program.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    [[nodiscard]] std::stop_token token() const { return m_source.get_token(); }
    [[nodiscard]] bool stopped() const noexcept { return m_source.stop_requested(); }

  private:
    std::stop_source m_source;
    std::jthread m_waiter;
};

}  // namespace redeliver::ctl
