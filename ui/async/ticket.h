// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

namespace redeliver::ui {

/// What a request and its answer share. `alive` is read and written in the GUI thread only.
struct TicketState {
    std::stop_source stop;
    bool alive = true;
};

/// Whoever asked holds the ticket of the answer. Dropping, replacing or cancelling it asks the work to stop and makes
/// its answer vanish, also one that is already on its way. GUI thread only.
class Ticket {
  public:
    Ticket() = default;
    explicit Ticket(std::shared_ptr<TicketState> state) : m_state(std::move(state)) {}
    Ticket(Ticket&& other) noexcept = default;
    Ticket& operator=(Ticket&& other) noexcept {
        if (this != &other) {
            cancel();
            m_state = std::move(other.m_state);
        }
        return *this;
    }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    ~Ticket() { cancel(); }

    void cancel() noexcept {
        if (m_state) {
            m_state->alive = false;
            m_state->stop.request_stop();
            m_state.reset();
        }
    }
    /// True from run() until the answer was delivered or cancelled.
    [[nodiscard]] bool pending() const noexcept { return m_state && m_state->alive; }

  private:
    std::shared_ptr<TicketState> m_state;
};

}  // namespace redeliver::ui
