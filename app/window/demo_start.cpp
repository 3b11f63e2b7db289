// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/demo_start.h"

#include "core/lab/demo.h"

namespace redeliver::window {

DemoKeeper::DemoKeeper() = default;
DemoKeeper::~DemoKeeper() = default;

Result<Profile> DemoKeeper::start(const ProgressSink& progress, const std::stop_token& stop) {
    if (!m_demo) {
        m_demo = std::make_unique<lab::Demo>(lab::DemoOptions{}, progress, stop);
    }
    return m_demo->profile();
}

void DemoKeeper::waitForHistory(const std::stop_token& stop) const {
    if (m_demo) {
        m_demo->waitForHistory(stop);
    }
}

}  // namespace redeliver::window
