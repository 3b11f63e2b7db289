// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace redeliver::lab {

struct ProcessOptions {
    std::vector<std::string> command;                ///< argv; the program is looked up in PATH
    std::map<std::string, std::string> environment;  ///< added to ours; an empty value removes the variable
    std::filesystem::path workingFolder;             ///< empty: ours
    std::filesystem::path output;     ///< standard output is appended here; empty: to `log`, or nowhere without one
    std::filesystem::path log;        ///< standard error (and output) are appended here; empty: nowhere
    std::optional<std::string> user;  ///< run as this user (only root can)
    int signalOnOurDeath = SIGKILL;   ///< what the kernel sends it when this program dies, however it dies
};

/// A child with its own process group: a Ctrl-C meant for us doesn't reach it, and it never outlives us. One thread
/// per child waits for it (the kernel ties "parent died" to the thread that made the child). Standard input is
/// /dev/null; no other descriptor of ours is inherited. All members may be called from any thread.
class Process {
  public:
    explicit Process(ProcessOptions options);  ///< throws Error when it can't be started
    ~Process();                                ///< kills it (SIGKILL, whole group) when it still runs
    Process(Process&&) noexcept;
    Process& operator=(Process&&) noexcept;

    [[nodiscard]] pid_t pid() const noexcept;
    [[nodiscard]] bool running() const;
    /// Exit status, or 128 + signal; nothing when it still runs after `limit`.
    [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds limit) const;
    void signal(int number) const;      ///< to its pid only; nothing happens when it has ended
    void signalTree(int number) const;  ///< to it and all its descendants, also those in groups of their own
    /// SIGTERM (or `number`), then after `grace` SIGKILL to the tree; returns the exit status.
    int stop(std::chrono::milliseconds grace, int number = SIGTERM) const;

    [[nodiscard]] const std::filesystem::path& log() const noexcept;

  private:
    struct State;
    std::shared_ptr<State> m_state;
};

/// Runs a program to its end and returns its standard output; throws Error with the log's tail when it fails or takes
/// longer than `limit`. `options.output` is set by this function when empty (a file beside the log).
std::string runToEnd(ProcessOptions options, std::chrono::milliseconds limit);

/// The full path of a program, looked up in PATH; nothing when it isn't there.
[[nodiscard]] std::optional<std::filesystem::path> findProgram(const std::string& name);

/// When a process started, in clock ticks since boot (field 22 of /proc/PID/stat): tells a pid from its reuse.
[[nodiscard]] std::optional<unsigned long long> startTimeOf(pid_t pid);

/// The last `lines` lines of a file, for error messages; empty when it can't be read.
[[nodiscard]] std::string tailOf(const std::filesystem::path& file, std::size_t lines = 25);

}  // namespace redeliver::lab
