// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/service/stop_on_signal.h"

#include <unistd.h>

#include <csignal>
#include <ctime>

namespace redeliver {
namespace {

sigset_t both() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    return set;
}

}  // namespace

StopOnSignal::StopOnSignal() {
    const auto set = both();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_waiter = std::jthread([this](const std::stop_token& ended) {
        const auto waited = both();
        constexpr timespec look{0, 200'000'000};
        while (!ended.stop_requested()) {
            if (sigtimedwait(&waited, nullptr, &look) <= 0) {
                continue;
            }
            if (m_stop.stop_requested()) {
                constexpr int interrupted = 130;
                _exit(interrupted);
            }
            m_stop.request_stop();
        }
    });
}

StopOnSignal::~StopOnSignal() {
    m_waiter.request_stop();
}

}  // namespace redeliver
