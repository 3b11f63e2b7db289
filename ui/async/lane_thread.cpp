// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/async/lane_thread.h"

#include <QMetaObject>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <utility>

namespace redeliver::ui {

namespace {
std::atomic<int> threadsLeftBehind{0};
}

GuiMailbox::GuiMailbox() : m_home(std::make_unique<QObject>()) {}

GuiMailbox::~GuiMailbox() {
    // The last owner may be a lane's thread, but close() has emptied it by then.
    close();
}

void GuiMailbox::post(std::function<void()> action) {
    const std::scoped_lock lock(m_mutex);
    if (m_home) {
        QMetaObject::invokeMethod(m_home.get(), std::move(action), Qt::QueuedConnection);
    }
}

void GuiMailbox::close() {
    std::unique_ptr<QObject> home;
    const std::scoped_lock lock(m_mutex);
    home = std::move(m_home);
}

struct LaneThread::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> tasks;
    bool closed = false;
    bool finished = false;
    bool abandoned = false;

    void run() {
        std::unique_lock lock(mutex);
        while (true) {
            changed.wait(lock, [this] { return closed || !tasks.empty(); });
            if (tasks.empty()) {
                break;
            }
            std::function<void()> task = std::move(tasks.front());
            tasks.pop_front();
            lock.unlock();
            task();
            task = nullptr;
            lock.lock();
        }
        finished = true;
        if (abandoned) {
            --threadsLeftBehind;
        }
        changed.notify_all();
    }
};

LaneThread::LaneThread(std::string name) : m_shared(std::make_shared<Shared>()) {
    m_thread = std::thread([shared = m_shared, name = std::move(name)] {
        pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
        shared->run();
    });
}

LaneThread::~LaneThread() {
    std::unique_lock lock(m_shared->mutex);
    m_shared->closed = true;
    m_shared->changed.notify_all();
    if (m_shared->changed.wait_for(lock, std::chrono::milliseconds(30), [this] { return m_shared->finished; })) {
        lock.unlock();
        m_thread.join();
        return;
    }
    m_shared->abandoned = true;
    ++threadsLeftBehind;
    lock.unlock();
    m_thread.detach();
}

void LaneThread::enqueue(std::function<void()> task) {
    const std::scoped_lock lock(m_shared->mutex);
    m_shared->tasks.push_back(std::move(task));
    m_shared->changed.notify_all();
}

int LaneThread::leftBehind() noexcept {
    return threadsLeftBehind.load();
}

}  // namespace redeliver::ui
