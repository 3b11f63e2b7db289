// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/lab/server_folder.h"

#include "core/base/error.h"
#include "core/lab/process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

namespace redeliver::lab {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view lockName = "owner.lock";
constexpr std::string_view pidsName = "pids";

/// Whether a server running as another user may walk to `folder`.
bool everybodyMayEnter(fs::path folder) {
    for (; !folder.empty(); folder = folder.parent_path()) {
        struct stat info {};
        if (stat(folder.c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0)
            return false;
        if (folder == folder.parent_path())
            break;
    }
    return true;
}

void killRecorded(const fs::path& folder) {
    std::ifstream file(folder / pidsName);
    pid_t pid = 0;
    unsigned long long started = 0;
    while (file >> pid >> started)
        if (pid > 1 && startTimeOf(pid) == started) {
            kill(-pid, SIGKILL);
            kill(pid, SIGKILL);
        }
}

/// A lock on the folder when nobody alive owns it, else -1.
int lockIfAbandoned(const fs::path& folder) {
    const int descriptor = open((folder / lockName).c_str(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0)
        return -1;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
}

/// An owner killed between making the folder and locking it; a minute is plenty for a living one.
bool diedBeforeLocking(const fs::path& folder) {
    struct stat info {};
    return !fs::exists(folder / lockName) && stat(folder.c_str(), &info) == 0 &&
           std::chrono::system_clock::from_time_t(info.st_mtime) + std::chrono::minutes(1) <
               std::chrono::system_clock::now();
}

/// Another process may remove the base, when it leaves as the last one, just before mkdtemp: so try again.
std::string makeFolder(std::string_view kind) {
    for (int attempt = 0;; ++attempt) {
        std::string pattern = (ServerFolder::base() / fmt::format("{}-XXXXXX", kind)).string();
        if (mkdtemp(pattern.data()) != nullptr)
            return pattern;
        if (errno != ENOENT || attempt == 5)
            throw Error(ErrorKind::Internal, fmt::format("can't make {}: {}", pattern, std::strerror(errno)));
    }
}

}  // namespace

fs::path ServerFolder::base() {
    const auto uid = geteuid();
    std::error_code failed;
    fs::path temporary = fs::temp_directory_path(failed);
    if (failed || (uid == 0 && !everybodyMayEnter(temporary)) || temporary.string().size() > 60)
        temporary = "/tmp";
    fs::path folder = temporary / fmt::format("redeliver-{}", uid);
    // As root the server runs as another user, who must be able to walk in (not to list).
    const mode_t mode = uid == 0 ? 0711 : 0700;
    if (mkdir(folder.c_str(), mode) == 0)
        chmod(folder.c_str(), mode);
    struct stat info {};
    if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != uid ||
        (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        throw Error(ErrorKind::Privilege, fmt::format("{} isn't a private folder of ours", folder.string()),
                    "remove it, or point TMPDIR to another folder");
    return folder;
}

std::size_t ServerFolder::removeLeftovers() {
    std::size_t removed = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(base(), ignored)) {
        if (diedBeforeLocking(entry.path())) {
            fs::remove_all(entry.path(), ignored);
            continue;
        }
        const int lock = lockIfAbandoned(entry.path());
        if (lock < 0)
            continue;
        killRecorded(entry.path());
        fs::remove_all(entry.path(), ignored);
        close(lock);
        ++removed;
    }
    return removed;
}

ServerFolder::ServerFolder(std::string_view kind) {
    removeLeftovers();
    m_path = makeFolder(kind);
    if (geteuid() == 0)
        chmod(m_path.c_str(), 0711);
    // Locked under another name first: a lock file that can be locked means a dead owner.
    const fs::path early = m_path / "owner.new";
    m_lock = open(early.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (m_lock < 0 || flock(m_lock, LOCK_EX | LOCK_NB) != 0)
        throw Error(ErrorKind::Internal, fmt::format("can't lock {}: {}", m_path.string(), std::strerror(errno)));
    fs::rename(early, m_path / lockName);
}

ServerFolder::~ServerFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
    if (m_lock >= 0)
        close(m_lock);
    fs::remove(m_path.parent_path(), ignored);  // only when it was the last one
}

void ServerFolder::remember(pid_t pid) const {
    if (const auto started = startTimeOf(pid))
        std::ofstream(m_path / pidsName, std::ios::app) << pid << ' ' << *started << '\n';
}

int freePort() {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool bound =
        descriptor >= 0 && bind(descriptor, generic, size) == 0 && getsockname(descriptor, generic, &size) == 0;
    if (descriptor >= 0)
        close(descriptor);
    if (!bound)
        throw Error(ErrorKind::Internal, fmt::format("no free TCP port: {}", std::strerror(errno)));
    return ntohs(address.sin_port);
}

}  // namespace redeliver::lab
