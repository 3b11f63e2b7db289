// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/stop_signals.h"

#include "core/base/error.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace redeliver::ctl {
namespace {

// What a signal handler may touch: a pipe. Its other end is read by an ordinary thread.
std::array<int, 2> wakePipe{-1, -1};

void onSignal(int number) {
    const int saved = errno;
    const char byte = 's';
    (void)!::write(wakePipe[1], &byte, 1);
    (void)::signal(number, SIG_DFL);
    errno = saved;
}

}  // namespace

StopSignals::StopSignals() {
    if (::pipe2(wakePipe.data(), O_CLOEXEC) != 0) {
        throw Error{ErrorKind::Internal, "no pipe for signals"};
    }
    m_waiter = std::jthread{[this] {
        char byte = 0;
        while (::read(wakePipe[0], &byte, 1) < 0 && errno == EINTR) {
        }
        if (byte == 's') {
            m_source.request_stop();
        }
    }};
    (void)std::signal(SIGINT, onSignal);
    (void)std::signal(SIGTERM, onSignal);
    (void)std::signal(SIGPIPE, SIG_IGN);
}

StopSignals::~StopSignals() {
    (void)std::signal(SIGINT, SIG_DFL);
    (void)std::signal(SIGTERM, SIG_DFL);
    const char byte = 'e';
    (void)!::write(wakePipe[1], &byte, 1);
    m_waiter.join();
    ::close(wakePipe[0]);
    ::close(wakePipe[1]);
}

}  // namespace redeliver::ctl
