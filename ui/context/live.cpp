// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/context/live.h"

namespace redeliver::ui {

Live::Live(QObject* parent) : QObject(parent) {
    m_timer.setInterval(5000);
    connect(&m_timer, &QTimer::timeout, this, &Live::tick);
}

void Live::setOn(bool on) {
    if (on == isOn()) {
        return;
    }
    if (on) {
        m_timer.start();
    } else {
        m_timer.stop();
    }
    Q_EMIT changed(on);
}

void Live::setIntervalMs(int ms) {
    m_timer.setInterval(ms);
}

}  // namespace redeliver::ui
