// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/model/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace redeliver {
namespace {

constexpr unsigned subBits = 5;  // 32 slots per power of two
constexpr std::int64_t longest = 3'600'000'000;

}  // namespace

// Below 64 µs a slot is one microsecond; above, the exponent and the 5 bits below the leading one.
std::int16_t Histogram::slotOf(Duration latency) noexcept {
    const auto value = static_cast<std::uint64_t>(std::clamp<std::int64_t>(latency.count(), 0, longest));
    const auto width = static_cast<unsigned>(std::bit_width(value));
    if (width <= subBits + 1) {
        return static_cast<std::int16_t>(value);
    }
    const unsigned shift = width - subBits - 1;
    return static_cast<std::int16_t>((shift << subBits) + (value >> shift));
}

Duration Histogram::midpointOf(std::int16_t slot) noexcept {
    const auto index = static_cast<unsigned>(std::max<std::int16_t>(slot, 0));
    if (index < (2U << subBits)) {
        return Duration{index};
    }
    const unsigned shift = (index >> subBits) - 1;
    const std::uint64_t low = static_cast<std::uint64_t>(index - (shift << subBits)) << shift;
    return Duration{static_cast<std::int64_t>(low + ((std::uint64_t{1} << shift) / 2))};
}

void Histogram::merge(const Histogram& other) {
    for (const auto& [slot, count] : other.m_slots) {
        m_slots[slot] += count;
    }
}

std::int64_t Histogram::count() const noexcept {
    return std::accumulate(m_slots.begin(), m_slots.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto& slot) { return sum + slot.second; });
}

std::optional<Duration> Histogram::quantile(double fraction) const noexcept {
    const std::int64_t total = count();
    if (total <= 0) {
        return std::nullopt;
    }
    const auto rank = static_cast<std::int64_t>(std::ceil(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(total)));
    std::int64_t seen = 0;
    for (const auto& [slot, n] : m_slots) {
        seen += n;
        if (seen >= std::max<std::int64_t>(rank, 1)) {
            return midpointOf(slot);
        }
    }
    return midpointOf(m_slots.rbegin()->first);
}

}  // namespace redeliver
