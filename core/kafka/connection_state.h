// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace redeliver::kafka {

/// What is known about the connection, fed by librdkafka's error_cb: connection, DNS, TLS and login errors reach only
/// that. Keeps the most telling error since the last success and prefers it over generic ones ("all brokers down").
/// Any thread.
class ConnectionState {
  public:
    enum class State { Unknown, Up, Down };

    void failed(int code, std::string text);  ///< librdkafka's code and text
    void worked();                            ///< a broker answered: errors from before are history

    void setLoginHint(std::string hint);  ///< said with login errors instead of the usual one

    [[nodiscard]] State state() const;
    /// The most telling error since the last success, with a hint; nothing when there was none.
    [[nodiscard]] std::optional<Error> error() const;
    /// Counts every error ever reported, so that a waiter sees new ones.
    [[nodiscard]] std::uint64_t errors() const;

  private:
    mutable std::mutex m_mutex;
    State m_state = State::Unknown;
    int m_code = 0;
    std::string m_text;
    std::string m_loginHint;
    std::uint64_t m_errors = 0;
};

}  // namespace redeliver::kafka
