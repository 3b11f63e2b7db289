// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "app/redeliverctl/context.h"

#include "core/base/text.h"
#include "core/workspace/profile_store.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace redeliver::ctl {
namespace {

std::string dump(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void out(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) {
        throw Error{ErrorKind::Internal, "standard output can't be written"};
    }
}

std::string chosenProfile(const Globals& globals, const ProfileStore& store) {
    if (!globals.profile.empty()) {
        return globals.profile;
    }
    const char* const named = std::getenv("REDELIVER_PROFILE");
    if (named != nullptr && named[0] != '\0') {
        return named;
    }
    const auto all = store.list();
    if (all.size() == 1) {
        return all.front().file.string();
    }
    std::string names;
    for (const auto& listed : all) {
        names += (names.empty() ? "" : ", ") + listed.name;
    }
    throw Error{ErrorKind::BadInput, all.empty() ? "no profile is named and there are none" : "which profile?",
                all.empty() ? fmt::format("Give --profile FILE, write one into {}, or try `redeliverctl demo`.",
                                          store.folder().string())
                            : fmt::format("Give --profile NAME; there are: {}.", names)};
}

}  // namespace

const Profile& Context::profile() {
    if (!m_profile) {
        const ProfileStore store;
        auto loaded = store.load(chosenProfile(m_globals, store));
        if (!loaded) {
            // A profile that isn't there is a fault of the command line, not something that wasn't found on a server.
            throw Error{ErrorKind::BadInput, loaded.error().text(), loaded.error().hint(), loaded.error().code()};
        }
        m_profile = *std::move(loaded);
    }
    return *m_profile;
}

Workspace& Context::workspace() {
    if (!m_workspace) {
        m_workspace = std::make_unique<Workspace>(profile(), plainSecretReader(), "redeliverctl");
    }
    return *m_workspace;
}

void Context::print(const Json& document, std::string_view text) const {
    out(wantsJson() ? dump(document, m_globals.jsonl ? -1 : 2) + '\n' : std::string{text});
}

void Context::printList(std::string_view key, const std::vector<Json>& items, const Json& more,
                        std::string_view text) const {
    if (m_globals.jsonl) {
        for (const Json& item : items) {
            out(dump(item, -1) + '\n');
        }
        return;
    }
    Json document = more.is_null() ? Json::object() : more;
    document[std::string{key}] = items;
    print(document, text);
}

void Context::note(std::string_view text) const {
    if (!wantsJson()) {
        fmt::print(stderr, "{}\n", text);
    }
}

ProgressSink Context::progress() const {
    if (::isatty(STDERR_FILENO) == 0) {
        return [](const Progress&) {};
    }
    return [](const Progress& progress) {
        const std::string count = progress.total > 0  ? fmt::format(" {}/{}", progress.done, progress.total)
                                  : progress.done > 0 ? fmt::format(" {}", progress.done)
                                                      : std::string{};
        fmt::print(stderr, "\r\x1b[2K{}{}", progress.step, count);
        if (progress.total > 0 && progress.done >= progress.total) {
            fmt::print(stderr, "\r\x1b[2K");
        }
        (void)std::fflush(stderr);
    };
}

TimePoint Context::instant(std::string_view option, const std::string& text, bool echo) const {
    auto at = parseInstant(text, m_now);
    if (!at) {
        throw Error{ErrorKind::BadInput, fmt::format("{}: {}", option, at.error().text()), at.error().hint()};
    }
    if (echo) {
        note(fmt::format("{} = {}", option, toRfc3339(*at)));
    }
    return *at;
}

Json jsonOf(const std::optional<TimePoint>& at, int digits) {
    return at ? Json(toRfc3339(*at, digits)) : Json(nullptr);
}

Json secondsOf(const std::optional<Duration>& span) {
    return span ? Json(std::chrono::duration<double>(*span).count()) : Json(nullptr);
}

Json secondsOf(const std::optional<std::chrono::seconds>& span) {
    return span ? Json(span->count()) : Json(nullptr);
}

Json bytesOf(const std::optional<std::string>& bytes) {
    if (!bytes) {
        return nullptr;
    }
    return isValidUtf8(*bytes) ? Json(*bytes) : Json{{"base64", toBase64(*bytes)}};
}

std::string textOf(const std::optional<TimePoint>& at) {
    return at ? toRfc3339(*at) : std::string{"—"};
}

std::string textOf(const std::optional<Duration>& span) {
    if (!span) {
        return "—";
    }
    const double seconds = std::chrono::duration<double>(*span).count();
    return seconds < 0.001 ? fmt::format("{:.0f} µs", seconds * 1e6)
           : seconds < 1   ? fmt::format("{:.3g} ms", seconds * 1e3)
                           : fmt::format("{:.3g} s", seconds);
}

std::string percentOf(const std::optional<double>& fraction) {
    return fraction ? fmt::format("{:.2f} %", *fraction * 100) : std::string{"—"};
}

}  // namespace redeliver::ctl
