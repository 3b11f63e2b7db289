// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/clock.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <random>

namespace redeliver {
namespace {

class SystemClock final : public Clock {
  public:
    TimePoint now() const override {
        return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
    }
    std::chrono::steady_clock::time_point steady() const override { return std::chrono::steady_clock::now(); }
    void sleep(Duration span, const std::stop_token& stop) override {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        wake.wait_for(lock, stop, span, [] { return false; });
    }
};

class SystemEntropy final : public Entropy {
  public:
    std::uint64_t next() override { return (static_cast<std::uint64_t>(m_device()) << 32U) | m_device(); }

  private:
    std::random_device m_device;
};

}  // namespace

std::unique_ptr<Clock> systemClock() {
    return std::make_unique<SystemClock>();
}

std::unique_ptr<Entropy> systemEntropy() {
    return std::make_unique<SystemEntropy>();
}

std::string randomUuid(Entropy& entropy) {
    const std::uint64_t high = (entropy.next() & 0xffffffffffff0fffULL) | 0x4000ULL;
    const std::uint64_t low = (entropy.next() & 0x3fffffffffffffffULL) | 0x8000000000000000ULL;
    return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U, (high >> 16U) & 0xffffU, high & 0xffffU,
                       low >> 48U, low & 0xffffffffffffULL);
}

}  // namespace redeliver
