// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>

namespace redeliver {

/// Time as a port, so that consumer, replay and telemetry run under a simulator. `steady` is for measuring, `now` for
/// stamping.
class Clock {
  public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual TimePoint now() const = 0;
    [[nodiscard]] virtual std::chrono::steady_clock::time_point steady() const = 0;
    /// Sleeps at most `span`; returns early when `stop` is requested.
    virtual void sleep(Duration span, const std::stop_token& stop) = 0;
};

/// Randomness as a port: back-off jitter, tokens, IDs.
class Entropy {
  public:
    virtual ~Entropy() = default;
    [[nodiscard]] virtual std::uint64_t next() = 0;
};

[[nodiscard]] std::unique_ptr<Clock> systemClock();
[[nodiscard]] std::unique_ptr<Entropy> systemEntropy();

/// A random (version 4) UUID in canonical lower-case text.
[[nodiscard]] std::string randomUuid(Entropy& entropy);

}  // namespace redeliver
