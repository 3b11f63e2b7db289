// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

namespace redeliver::ui {

/// Brings actions into the GUI thread. post() from any thread; after close() (GUI thread) what is posted is dropped.
class GuiMailbox {
  public:
    GuiMailbox();
    ~GuiMailbox();
    GuiMailbox(const GuiMailbox&) = delete;
    GuiMailbox& operator=(const GuiMailbox&) = delete;
    void post(std::function<void()> action);
    void close();

  private:
    std::mutex m_mutex;
    std::unique_ptr<QObject> m_home;  ///< lives in the GUI thread; receives queued calls
};

/// One thread and its queue of tasks. The destructor lets queued tasks run to their end in the background: it waits a
/// moment (50 ms at most) and leaves a thread that is stuck in a call of a dead server to itself.
class LaneThread {
  public:
    explicit LaneThread(std::string name);
    ~LaneThread();
    LaneThread(const LaneThread&) = delete;
    LaneThread& operator=(const LaneThread&) = delete;

    void enqueue(std::function<void()> task);

    /// Threads that destroyed lanes left behind and that still run; main() ends the process hard when there are some.
    [[nodiscard]] static int leftBehind() noexcept;

  private:
    struct Shared;
    std::shared_ptr<Shared> m_shared;
    std::thread m_thread;
};

}  // namespace redeliver::ui
