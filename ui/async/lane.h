// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/workspace/progress.h"
#include "ui/async/lane_thread.h"
#include "ui/async/ticket.h"

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

namespace redeliver::ui {

/// What the work sees besides the resource; lives in the lane's thread.
class Job {
  public:
    Job(std::shared_ptr<TicketState> ticket, std::shared_ptr<GuiMailbox> mailbox)
        : m_stop(ticket->stop.get_token()), m_ticket(std::move(ticket)), m_mailbox(std::move(mailbox)) {}

    [[nodiscard]] const std::stop_token& stop() const noexcept { return m_stop; }
    /// Runs `action` in the GUI thread, unless the ticket was dropped by then.
    void post(std::function<void()> action) const {
        m_mailbox->post([ticket = m_ticket, action = std::move(action)] {
            if (ticket->alive) {
                action();
            }
        });
    }
    /// A sink for core; `show` runs in the GUI thread.
    [[nodiscard]] ProgressSink progress(std::function<void(const Progress&)> show) const {
        return
            [job = *this, show = std::move(show)](const Progress& value) { job.post([show, value] { show(value); }); };
    }

  private:
    std::stop_token m_stop;
    std::shared_ptr<TicketState> m_ticket;
    std::shared_ptr<GuiMailbox> m_mailbox;
};

namespace detail {
template <class T>
struct Answer {
    using Type = Result<T>;
};
template <class T>
struct Answer<Result<T>> {
    using Type = Result<T>;
};
}  // namespace detail

/// One thread that owns one resource (a desk), made by `factory` in that thread at first use and again after the
/// connection was lost. Requests run one after the other. Constructed, used and destroyed in the GUI thread; destroying
/// it asks the running work to stop and never waits for it longer than a moment.
template <class R>
class Lane {
  public:
    using Factory = std::function<std::unique_ptr<R>()>;

    Lane(std::string name, Factory factory)
        : m_resource(std::make_shared<Resource>()),
          m_mailbox(std::make_shared<GuiMailbox>()),
          m_thread(std::move(name)) {
        m_resource->factory = std::move(factory);
    }
    ~Lane() {
        m_mailbox->close();
        if (const auto running = m_running.lock()) {
            running->stop.request_stop();
        }
        m_thread.enqueue([resource = std::move(m_resource)] { resource->object.reset(); });
    }
    Lane(const Lane&) = delete;
    Lane& operator=(const Lane&) = delete;

    /// `work(R&, Job&)` runs in the lane and answers T or Result<T>; `done(Result<T>)` runs in the GUI thread, exactly
    /// once, and never after the ticket was dropped. What work throws becomes the error.
    template <class Work, class Done>
    [[nodiscard]] Ticket run(Work work, Done done) {
        using Answer = typename detail::Answer<std::invoke_result_t<Work&, R&, Job&>>::Type;
        auto ticket = std::make_shared<TicketState>();
        m_running = ticket;
        m_thread.enqueue([ticket, resource = m_resource, mailbox = m_mailbox, work = std::move(work),
                          done = std::move(done)]() mutable {
            if (ticket->stop.stop_requested()) {
                return;
            }
            Job job(ticket, mailbox);
            auto answer = std::make_shared<Answer>(perform<Answer>(*resource, work, job));
            mailbox->post([ticket, answer, done = std::move(done)]() mutable {
                if (std::exchange(ticket->alive, false)) {
                    done(std::move(*answer));
                }
            });
        });
        return Ticket(std::move(ticket));
    }

  private:
    struct Resource {
        Factory factory;
        std::unique_ptr<R> object;
    };

    template <class Answer, class Work>
    static Answer perform(Resource& resource, Work& work, Job& job) {
        std::optional<Error> error;
        try {
            if (!resource.object) {
                resource.object = resource.factory();
            }
            if constexpr (std::is_void_v<std::invoke_result_t<Work&, R&, Job&>>) {
                work(*resource.object, job);
                return Answer{};
            } else {
                return Answer(work(*resource.object, job));
            }
        } catch (const Error& caught) {
            error = caught;
        } catch (const std::exception& caught) {
            error = Error(ErrorKind::Internal, caught.what());
        }
        if (error->kind() == ErrorKind::Connection) {
            resource.object.reset();
        }
        return failure(*std::move(error));
    }

    std::shared_ptr<Resource> m_resource;
    std::shared_ptr<GuiMailbox> m_mailbox;
    std::weak_ptr<TicketState> m_running;
    LaneThread m_thread;
};

}  // namespace redeliver::ui
