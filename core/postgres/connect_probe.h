// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;

namespace redeliver::postgres {

/// A connection that is made without blocking, so that the step at which it fails is known and the time limit holds
/// even against a server that hangs. For the doctor only: everything else goes through Session. One thread.
class ConnectProbe {
  public:
    using Deadline = std::chrono::steady_clock::time_point;
    enum class Phase { Tcp, Tls, Login, Done };
    using Rows = std::vector<std::vector<std::optional<std::string>>>;

    explicit ConnectProbe(std::stop_token stop) : m_stop(std::move(stop)) {}
    ~ConnectProbe();
    ConnectProbe(const ConnectProbe&) = delete;
    ConnectProbe& operator=(const ConnectProbe&) = delete;

    /// Where it ended. After a failure error(), sqlState() and timedOut() say why.
    Phase connect(const std::string& connectionString, Deadline deadline);
    /// Rows of the last statement; nothing after an error or at the deadline.
    std::optional<Rows> query(const std::string& sql, Deadline deadline);

    [[nodiscard]] const std::string& error() const noexcept { return m_error; }
    [[nodiscard]] const std::string& sqlState() const noexcept { return m_sqlState; }
    [[nodiscard]] bool timedOut() const noexcept { return m_timedOut; }
    [[nodiscard]] bool needsPassword() const noexcept;
    [[nodiscard]] bool usesTls() const noexcept;
    /// What libpq really uses: the string, the service file, the environment and its defaults together.
    [[nodiscard]] std::map<std::string, std::string> effective() const;

  private:
    bool awaitSocket(bool forWriting, Deadline deadline);
    void readConnectionError();

    std::stop_token m_stop;
    pg_conn* m_connection = nullptr;
    std::string m_error;
    std::string m_sqlState;
    bool m_timedOut = false;
};

/// Host names that can't be resolved within the limit, with the resolver's words; empty: all can.
[[nodiscard]] std::vector<std::string> unresolvable(const std::vector<std::string>& hosts,
                                                    ConnectProbe::Deadline deadline);

}  // namespace redeliver::postgres
