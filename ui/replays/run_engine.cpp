// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/run_engine.h"

#include "ui/context/session.h"

#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

namespace redeliver::ui {

struct RunEngine::Box {
    std::mutex mutex;
    std::optional<ReplayProgress> latest;
    std::atomic<ReplayControl> control{ReplayControl::Go};
};

RunEngine::RunEngine(const Session& session, Work work, QObject* parent)
    : QObject(parent), m_work(std::move(work)), m_box(std::make_shared<Box>()), m_lane(session.makeReplayEngine()) {
    m_timer.setInterval(100);
    connect(&m_timer, &QTimer::timeout, this, &RunEngine::empty);
}

RunEngine::RunEngine(const Session& session, const ReplayPlan& plan, const Confirmation& confirmation, QObject* parent)
    : RunEngine(
          session,
          [plan, confirmation](ReplayDesk& desk, const ReplayWatcher& watcher, const std::stop_token& stop) {
              return desk.run(plan, confirmation, watcher, stop);
          },
          parent) {
    m_progress.id = ReplayId(plan.planId);
    m_progress.records = plan.records;
}

RunEngine::RunEngine(const Session& session, const ReplayProgress& from, QObject* parent)
    : RunEngine(
          session,
          [id = from.id](ReplayDesk& desk, const ReplayWatcher& watcher, const std::stop_token& stop) {
              return desk.resume(id, watcher, stop);
          },
          parent) {
    m_progress = from;
}

RunEngine::~RunEngine() = default;

void RunEngine::start() {
    m_timer.start();
    m_ticket = m_lane->run(
        [work = m_work, box = m_box](ReplayDesk& desk, Job& job) {
            const ReplayWatcher watcher = [&box](const ReplayProgress& progress) {
                const std::scoped_lock lock(box->mutex);
                box->latest = progress;
                return box->control.load();
            };
            return work(desk, watcher, job.stop());
        },
        [this](const Result<ReplayReport>& report) {
            m_timer.stop();
            empty();
            if (report) {
                Q_EMIT reported(*report);
            } else {
                Q_EMIT failed(report.error());
            }
        });
}

void RunEngine::setControl(ReplayControl control) {
    m_box->control = control;
}

ReplayControl RunEngine::control() const noexcept {
    return m_box->control;
}

void RunEngine::empty() {
    std::optional<ReplayProgress> latest;
    {
        const std::scoped_lock lock(m_box->mutex);
        latest.swap(m_box->latest);
    }
    if (latest) {
        m_progress = *std::move(latest);
        Q_EMIT progressed(m_progress);
    }
}

}  // namespace redeliver::ui
