// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tcp_proxy.h"

#include "core/base/error.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace redeliver::tests {
namespace {

bool sendAll(int descriptor, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t sent = send(descriptor, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        bytes += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

template <class Address>
const sockaddr* asSockaddr(const Address& address) {
    return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

TcpProxy::TcpProxy(std::string targetHost, int targetPort) : m_host(std::move(targetHost)), m_targetPort(targetPort) {
    m_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    if (bind(m_listener, asSockaddr(address), sizeof address) != 0 || listen(m_listener, 64) != 0 ||
        getsockname(m_listener, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
        throw Error{ErrorKind::Internal, std::string("proxy: ") + std::strerror(errno)};
    }
    m_port = ntohs(address.sin_port);
    m_thread = std::thread([this] { run(); });
}

TcpProxy::TcpProxy(std::string unixSocket) : TcpProxy(std::string(), 0) {
    const std::scoped_lock lock(m_mutex);
    m_unixSocket = std::move(unixSocket);
}

TcpProxy::~TcpProxy() {
    m_stop = true;
    m_thread.join();
    close(m_listener);
}

void TcpProxy::cutOn(Cut cut, std::string pattern) {
    const std::scoped_lock lock(m_mutex);
    m_cut = cut;
    m_pattern = std::move(pattern);
}

int TcpProxy::connectToServer() const {
    if (!m_unixSocket.empty()) {
        const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        m_unixSocket.copy(address.sun_path, sizeof address.sun_path - 1);
        if (connect(server, asSockaddr(address), sizeof address) == 0) {
            return server;
        }
        close(server);
        return -1;
    }
    const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(m_targetPort));
    inet_pton(AF_INET, m_host.c_str(), &address.sin_addr);
    if (connect(server, asSockaddr(address), sizeof address) == 0) {
        return server;
    }
    close(server);
    return -1;
}

// SO_LINGER 0: the peer sees "connection reset", as with a cut cable and a firewall.
void TcpProxy::reset(Link& link) {
    for (int* descriptor : {&link.client, &link.server}) {
        if (*descriptor >= 0) {
            const linger now{1, 0};
            setsockopt(*descriptor, SOL_SOCKET, SO_LINGER, &now, sizeof now);
            close(*descriptor);
            *descriptor = -1;
        }
    }
}

void TcpProxy::accept() {
    Link link;
    link.client = accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (link.client < 0) {
        return;
    }
    const std::scoped_lock lock(m_mutex);
    link.server = m_refusing ? -1 : connectToServer();
    if (link.server < 0) {
        reset(link);
        return;
    }
    m_links.push_back(std::move(link));
}

bool TcpProxy::forward(Link& link, bool fromClient) {
    std::array<char, 65'536> buffer{};
    const ssize_t got = recv(fromClient ? link.client : link.server, buffer.data(), buffer.size(), 0);
    if (got <= 0) {
        return false;
    }
    auto size = static_cast<std::size_t>(got);
    if (m_delay > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(m_delay));
    }
    if (!fromClient) {
        return sendAll(link.client, buffer.data(), size);
    }
    const std::scoped_lock lock(m_mutex);
    const std::string seen = link.tail + std::string(buffer.data(), size);
    const std::size_t at = m_cut == Cut::Never ? std::string::npos : seen.find(m_pattern);
    if (at == std::string::npos) {
        link.tail = seen.substr(seen.size() - std::min<std::size_t>(seen.size(), 256));
        return sendAll(link.server, buffer.data(), size);
    }
    if (m_cut == Cut::AfterPattern) {
        sendAll(link.server, buffer.data(), size);
        // Its answer shows that the server did it; it is read and thrown away.
        pollfd answer{link.server, POLLIN, 0};
        poll(&answer, 1, 2'000);
    } else if (at > link.tail.size()) {
        sendAll(link.server, buffer.data(), at - link.tail.size());
    }
    m_cut = Cut::Never;
    ++m_cuts;
    return false;
}

void TcpProxy::run() {
    while (!m_stop) {
        std::vector<pollfd> waiting{{m_listener, POLLIN, 0}};
        for (const Link& link : m_links) {
            waiting.push_back({link.client, POLLIN, 0});
            waiting.push_back({link.server, POLLIN, 0});
        }
        if (poll(waiting.data(), waiting.size(), 20) < 0) {
            continue;
        }
        const std::size_t links = m_links.size();
        for (std::size_t i = 0; i < links; ++i) {
            const bool dropped = m_dropAll;
            const bool ok = !dropped && (waiting[1 + 2 * i].revents == 0 || forward(m_links[i], true)) &&
                            (waiting[2 + 2 * i].revents == 0 || forward(m_links[i], false));
            if (!ok) {
                reset(m_links[i]);
            }
        }
        m_dropAll = false;
        std::erase_if(m_links, [](const Link& link) { return link.client < 0; });
        if (waiting[0].revents != 0) {
            accept();
        }
    }
    for (Link& link : m_links) {
        reset(link);
    }
}

}  // namespace redeliver::tests
