// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/model/profile.h"
#include "core/workspace/progress.h"

#include <memory>
#include <stop_token>

namespace redeliver::lab {
class Demo;
}

namespace redeliver::window {

/// The demo of this window: at most one, started once, alive until this object goes.
class DemoKeeper {
  public:
    DemoKeeper();
    ~DemoKeeper();
    DemoKeeper(const DemoKeeper&) = delete;
    DemoKeeper& operator=(const DemoKeeper&) = delete;

    /// Blocks until the stack is up and the newest hour of history is there (about 8 s); a second call answers the same
    /// profile. One thread at a time, not the GUI thread.
    [[nodiscard]] Result<Profile> start(const ProgressSink& progress, const std::stop_token& stop);
    /// Waits for the whole generated day, for pictures. Blocks.
    void waitForHistory(const std::stop_token& stop) const;

  private:
    std::unique_ptr<lab::Demo> m_demo;
};

}  // namespace redeliver::window
