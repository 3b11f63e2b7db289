// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/redeliverctl/exit_status.h"
#include "app/redeliverctl/stop_signals.h"
#include "app/redeliverctl/table.h"
#include "core/base/result.h"
#include "core/base/time.h"
#include "core/model/profile.h"
#include "core/workspace/progress.h"
#include "core/workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver::ctl {

using Json = nlohmann::ordered_json;

/// What stands before or after every command.
struct Globals {
    std::string profile;  ///< a name or a file; empty: REDELIVER_PROFILE, else the only one there is
    bool json = false;
    bool jsonl = false;
};

/// What a command works with. Throws Error; main() turns it into text on standard error and the exit status.
class Context {
  public:
    Context(const Globals& globals, const StopSignals& signals) : m_globals(globals), m_signals(signals) {}

    [[nodiscard]] const Profile& profile();  ///< loads it at first use
    [[nodiscard]] Workspace& workspace();    ///< opens it at first use, without I/O to servers
    [[nodiscard]] std::stop_token stop() const { return m_signals.token(); }
    [[nodiscard]] bool wantsJson() const noexcept { return m_globals.json || m_globals.jsonl; }
    [[nodiscard]] bool wantsLines() const noexcept { return m_globals.jsonl; }

    /// With --json the document, else the text.
    void print(const Json& document, std::string_view text) const;
    /// A list: with --json `{key: [...], more…}`, with --jsonl one object per line, else the text.
    void printList(std::string_view key, const std::vector<Json>& items, const Json& more, std::string_view text) const;
    /// Beside the answer, for people: on standard error, not with --json.
    void note(std::string_view text) const;
    /// Writes to standard error, and only on a terminal.
    [[nodiscard]] ProgressSink progress() const;
    /// Echoes the UTC reading of a time given on the command line. `now` is one instant for the whole command.
    [[nodiscard]] TimePoint instant(std::string_view option, const std::string& text, bool echo = true) const;
    [[nodiscard]] TimePoint now() const noexcept { return m_now; }

  private:
    const Globals& m_globals;
    const StopSignals& m_signals;
    TimePoint m_now = std::chrono::floor<Duration>(std::chrono::system_clock::now());
    std::optional<Profile> m_profile;
    std::unique_ptr<Workspace> m_workspace;
};

/// The value, or throws its error.
template <class T>
T need(Result<T> result) {
    if (!result) {
        throw Error(std::move(result).error());
    }
    if constexpr (!std::is_void_v<T>) {
        return *std::move(result);
    }
}

/// JSON's shapes: null for what isn't there; durations in seconds; times RFC 3339 UTC.
[[nodiscard]] Json jsonOf(const std::optional<TimePoint>& at, int digits = 3);
[[nodiscard]] Json secondsOf(const std::optional<Duration>& span);
[[nodiscard]] Json secondsOf(const std::optional<std::chrono::seconds>& span);
[[nodiscard]] Json bytesOf(const std::optional<std::string>& bytes);  ///< text, {"base64"}, or null

/// Texts for people; "—" where a thing can't be observed.
[[nodiscard]] std::string textOf(const std::optional<TimePoint>& at);
[[nodiscard]] std::string textOf(const std::optional<Duration>& span);
[[nodiscard]] std::string percentOf(const std::optional<double>& fraction);

}  // namespace redeliver::ctl
