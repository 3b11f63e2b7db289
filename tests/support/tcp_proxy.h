// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace redeliver::tests {

/// A TCP proxy on 127.0.0.1 that misbehaves on demand. One thread serves all connections. Setters may be called from
/// any thread.
class TcpProxy {
  public:
    enum class Cut {
        Never,
        BeforePattern,  ///< the bytes up to the pattern go through, the pattern doesn't; then both sides are reset
        AfterPattern,   ///< the pattern goes through and has time to work at the server; its answer never comes back
    };

    TcpProxy(std::string targetHost, int targetPort);  ///< a TCP server
    explicit TcpProxy(std::string unixSocket);         ///< a server's Unix socket, e.g. PostgreSQL's
    ~TcpProxy();
    TcpProxy(const TcpProxy&) = delete;
    TcpProxy& operator=(const TcpProxy&) = delete;

    [[nodiscard]] int port() const noexcept { return m_port; }
    /// What the client sends is searched for `pattern`; the cut happens once, then the proxy works again.
    void cutOn(Cut cut, std::string pattern);
    void setDelay(std::chrono::milliseconds oneWay) { m_delay = oneWay.count(); }
    void setRefusing(bool refusing) { m_refusing = refusing; }  ///< new connections are reset at once
    void dropAll() { m_dropAll = true; }                        ///< resets the open connections
    [[nodiscard]] int cuts() const noexcept { return m_cuts; }

  private:
    struct Link {
        int client = -1;
        int server = -1;
        std::string tail;  ///< last bytes sent by the client, so that a pattern over two reads is found
    };
    void run();
    void accept();
    bool forward(Link& link, bool fromClient);
    int connectToServer() const;
    static void reset(Link& link);

    std::string m_host;
    int m_targetPort = 0;
    std::string m_unixSocket;
    int m_listener = -1;
    int m_port = 0;
    std::atomic<std::int64_t> m_delay{0};
    std::atomic<bool> m_refusing{false};
    std::atomic<bool> m_dropAll{false};
    std::atomic<bool> m_stop{false};
    std::atomic<int> m_cuts{0};
    std::mutex m_mutex;
    Cut m_cut = Cut::Never;
    std::string m_pattern;
    std::vector<Link> m_links;
    std::thread m_thread;
};

}  // namespace redeliver::tests
