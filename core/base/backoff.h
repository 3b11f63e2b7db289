// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/clock.h"

namespace redeliver {

/// Exponential back-off with full jitter above half: delay n lies in [d/2, d], d = min(first * 2^n, most).
class Backoff {
  public:
    Backoff(Duration first, Duration most) : m_first(first), m_most(most), m_next(first) {}

    [[nodiscard]] Duration next(Entropy& entropy);
    void reset() { m_next = m_first; }

  private:
    Duration m_first;
    Duration m_most;
    Duration m_next;
};

}  // namespace redeliver
