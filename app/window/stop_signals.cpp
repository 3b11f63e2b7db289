// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/stop_signals.h"

#include <QSocketNotifier>

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

namespace redeliver::window {

namespace {

int ends[2] = {-1, -1};  // a signal handler can reach nothing else

extern "C" void onStopSignal(int signal) {
    static volatile std::sig_atomic_t seen = 0;
    if (seen != 0) {
        ::_exit(128 + signal);
    }
    seen = 1;
    const char byte = 1;
    [[maybe_unused]] const auto written = ::write(ends[1], &byte, 1);
}

}  // namespace

StopSignals::StopSignals(QObject* parent) : QObject(parent) {
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
        return;
    }
    m_notifier = new QSocketNotifier(ends[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        char byte = 0;
        while (::read(ends[0], &byte, 1) > 0) {
        }
        Q_EMIT stopRequested();
    });
    std::signal(SIGINT, onStopSignal);
    std::signal(SIGTERM, onStopSignal);
}

StopSignals::~StopSignals() {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

}  // namespace redeliver::window
