// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string_view>

namespace redeliver::lab {

/// A temporary folder of one embedded server: `$TMPDIR/redeliver-UID/KIND-XXXXXX`, held by a lock that the kernel drops
/// when its owner dies. Creating one first removes those whose owner is gone, after killing what they left running
/// (recorded pids, told from their reuse by start time). Other users can't read it; a server's own user may enter.
class ServerFolder {
  public:
    explicit ServerFolder(std::string_view kind);  ///< throws Error when no private folder can be made
    ~ServerFolder();                               ///< removes the folder and all that is in it
    ServerFolder(const ServerFolder&) = delete;
    ServerFolder& operator=(const ServerFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return m_path; }
    /// Writes down a running server, so that the next start can end it should we be killed.
    void remember(pid_t pid) const;

    /// Where all of this user's server folders are.
    [[nodiscard]] static std::filesystem::path base();
    /// Ends and removes what dead owners left; returns how many folders went. Safe while other owners live.
    static std::size_t removeLeftovers();

  private:
    std::filesystem::path m_path;
    int m_lock = -1;
};

/// A TCP port on 127.0.0.1 that was free a moment ago.
[[nodiscard]] int freePort();

}  // namespace redeliver::lab
