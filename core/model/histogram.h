// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace redeliver {

/// Mergeable log-linear latency histogram: 32 slots per power of two of microseconds, 1 µs to 1 h; midpoint error ≤ 1.6
/// %. Longer values count in the last slot, negative ones in slot 0.
class Histogram {
  public:
    [[nodiscard]] static std::int16_t slotOf(Duration latency) noexcept;
    [[nodiscard]] static Duration midpointOf(std::int16_t slot) noexcept;

    void add(Duration latency, std::int64_t count = 1) { m_slots[slotOf(latency)] += count; }
    void addSlot(std::int16_t slot, std::int64_t count) { m_slots[slot] += count; }
    void merge(const Histogram& other);
    [[nodiscard]] std::int64_t count() const noexcept;
    /// The value below which `fraction` (0 to 1) of the entries lie; nothing when empty.
    [[nodiscard]] std::optional<Duration> quantile(double fraction) const noexcept;
    [[nodiscard]] const std::map<std::int16_t, std::int64_t>& slots() const noexcept { return m_slots; }
    void clear() { m_slots.clear(); }

  private:
    std::map<std::int16_t, std::int64_t> m_slots;
};

}  // namespace redeliver
