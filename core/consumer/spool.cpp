// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/consumer/spool.h"

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/model/record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

namespace redeliver::consumer {
namespace {

struct Head {
    std::uint32_t length = 0;
    std::uint32_t crc = 0;
};

std::uint32_t crcOf(const std::string& payload) {
    Record record;
    record.value = payload;
    return contentCrc(record);
}

bool writeAll(int fd, const std::string& bytes, std::int64_t at) noexcept {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto n = ::pwrite(fd, bytes.data() + done, bytes.size() - done, at + static_cast<std::int64_t>(done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(n);
    }
    return true;
}

bool readAll(int fd, void* to, std::size_t length, std::int64_t at) noexcept {
    auto* bytes = static_cast<char*>(to);
    std::size_t done = 0;
    while (done < length) {
        const auto n = ::pread(fd, bytes + done, length - done, at + static_cast<std::int64_t>(done));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(n);
    }
    return true;
}

}  // namespace

Spool::Spool(std::filesystem::path file, std::size_t maxBytes) : m_file(std::move(file)), m_maxBytes(maxBytes) {
    std::error_code ignored;
    std::filesystem::create_directories(m_file.parent_path(), ignored);
    m_fd = ::open(m_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (m_fd >= 0 && ::flock(m_fd, LOCK_EX | LOCK_NB) != 0) {
        ::close(m_fd);
        m_fd = -1;
    }
    if (m_fd < 0) {
        log(LogLevel::Warn,
            "event=spool_unusable text=\"telemetry is kept in memory only while the database is away\"");
        return;
    }
    m_size = ::lseek(m_fd, 0, SEEK_END);
    readState();
}

Spool::~Spool() {
    if (m_fd >= 0) {
        if (m_size == 0) {
            ::unlink(m_file.c_str());
        }
        ::close(m_fd);
    }
}

std::filesystem::path Spool::statePath() const {
    auto path = m_file;
    path += ".sent";
    return path;
}

bool Spool::append(const std::string& payload) {
    if (m_fd < 0 || static_cast<std::size_t>(m_size) + payload.size() + sizeof(Head) > m_maxBytes) {
        return false;
    }
    const Head head{static_cast<std::uint32_t>(payload.size()), crcOf(payload)};
    std::string bytes(sizeof head, '\0');
    std::memcpy(bytes.data(), &head, sizeof head);
    bytes += payload;
    if (!writeAll(m_fd, bytes, m_size)) {
        return false;
    }
    m_size += static_cast<std::int64_t>(bytes.size());
    return true;
}

std::optional<std::string> Spool::front() {
    while (m_fd >= 0 && m_readAt < m_size) {
        Head head;
        const auto body = m_readAt + static_cast<std::int64_t>(sizeof head);
        const bool whole = readAll(m_fd, &head, sizeof head, m_readAt) && body + head.length <= m_size;
        if (!whole) {  // a torn tail: nothing behind it can be told apart
            ++m_damaged;
            m_size = m_readAt;
            if (::ftruncate(m_fd, m_size) != 0) {
                log(LogLevel::Warn, "event=spool_damaged text=\"its tail could not be cut\"");
            }
            break;
        }
        std::string payload(head.length, '\0');
        m_nextAt = body + head.length;
        if (readAll(m_fd, payload.data(), payload.size(), body) && crcOf(payload) == head.crc) {
            return payload;
        }
        ++m_damaged;
        m_readAt = m_nextAt;
    }
    return std::nullopt;
}

void Spool::setInFlight(const std::string& transaction) {
    m_inFlight = transaction;
    writeState();
}

void Spool::pop() {
    m_inFlight.clear();
    m_readAt = m_nextAt;
    if (m_readAt < m_size) {
        writeState();
        return;
    }
    // The queue first, then what was taken out of it: the other order would replay all of it after a crash in between.
    if (::ftruncate(m_fd, 0) == 0) {
        m_size = m_readAt = m_nextAt = 0;
        ::unlink(statePath().c_str());
    }
}

void Spool::writeState() noexcept {
    auto temporary = statePath();
    temporary += ".new";
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) {
        return;
    }
    const std::string line = std::to_string(m_readAt) + " " + m_inFlight + "\n";
    const bool ok = writeAll(fd, line, 0) && ::fsync(fd) == 0;
    ::close(fd);
    if (ok) {
        ::rename(temporary.c_str(), statePath().c_str());
    }
}

void Spool::readState() {
    if (m_size == 0) {
        ::unlink(statePath().c_str());
        return;
    }
    const int fd = ::open(statePath().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    std::array<char, 128> buffer{};
    const auto n = ::read(fd, buffer.data(), buffer.size());
    ::close(fd);
    const std::string text(buffer.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    const auto space = text.find(' ');
    const auto end = text.find('\n');
    if (space == std::string::npos || end == std::string::npos) {
        return;
    }
    const auto at = toInt64(text.substr(0, space));
    if (at && *at >= 0 && *at <= m_size) {
        m_readAt = *at;
        m_inFlight = text.substr(space + 1, end - space - 1);
    }
}

}  // namespace redeliver::consumer
