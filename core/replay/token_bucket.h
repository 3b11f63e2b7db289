// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace redeliver::replay {

/// At most `rate` records per second on average, at most a quarter of a second's worth at once.
class TokenBucket {
  public:
    using Instant = std::chrono::steady_clock::time_point;

    TokenBucket(std::int64_t rate, Instant now)
        : m_rate(static_cast<double>(std::max<std::int64_t>(rate, 1))), m_filled(now) {}

    [[nodiscard]] std::int64_t burst() const {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(m_rate / 4));
    }

    /// Takes `count` tokens and answers how long to wait before using them; the bucket may go below zero.
    [[nodiscard]] Duration take(std::int64_t count, Instant now) {
        const double passed = std::chrono::duration<double>(now - m_filled).count();
        m_filled = now;
        m_tokens = std::min(m_tokens + passed * m_rate, static_cast<double>(burst()));
        m_tokens -= static_cast<double>(count);
        return m_tokens >= 0 ? Duration{}
                             : std::chrono::duration_cast<Duration>(std::chrono::duration<double>(-m_tokens / m_rate));
    }

  private:
    double m_rate;
    double m_tokens = 0;
    Instant m_filled;
};

}  // namespace redeliver::replay
