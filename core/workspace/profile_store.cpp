// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

namespace redeliver {
namespace {

constexpr std::size_t mostBytes = 1U << 20U;

std::filesystem::path userFolder() {
    const char* const config = std::getenv("XDG_CONFIG_HOME");
    if (config != nullptr && config[0] == '/') {
        return std::filesystem::path{config} / "redeliver" / "profiles";
    }
    const char* const home = std::getenv("HOME");
    return std::filesystem::path{home != nullptr ? home : "."} / ".config" / "redeliver" / "profiles";
}

std::string osText(int code) {
    return std::generic_category().message(code);
}

Result<std::string> readAll(const std::filesystem::path& file) {
    errno = 0;
    std::ifstream in{file, std::ios::binary};
    std::string text(mostBytes + 1, '\0');
    if (!in || std::filesystem::is_directory(file)) {
        const bool missing = errno == ENOENT;
        return failure({missing ? ErrorKind::NotFound : ErrorKind::BadInput,
                        fmt::format("{}: {}", file.string(), missing ? "there is no such file" : "can't be read"),
                        missing ? "" : osText(errno), "profile"});
    }
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(in.gcount()));
    if (text.size() > mostBytes) {
        return failure(
            {ErrorKind::BadInput, fmt::format("{}:1: larger than 1 MiB, not a profile", file.string()), {}, "profile"});
    }
    return text;
}

bool isPath(std::string_view text) noexcept {
    return text.find('/') != std::string_view::npos || text.ends_with(".toml");
}

// A profile's name is a file's name.
Result<void> checkName(std::string_view name) {
    const bool fine = !name.empty() && name.size() <= 100 && name.front() != '.' &&
                      std::all_of(name.begin(), name.end(),
                                  [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != '/' && c != 0x7F; });
    if (!fine) {
        return failure({ErrorKind::BadInput, fmt::format("\"{}\" can't be a profile's name", name),
                        "1 to 100 characters without blanks and slashes, not beginning with a dot.", "profile"});
    }
    return {};
}

Result<void> writeAll(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t wrote = ::write(file, text.data(), text.size());
        if (wrote < 0 && errno != EINTR) {
            return failure({ErrorKind::Internal, fmt::format("the profile can't be written: {}", osText(errno))});
        }
        text.remove_prefix(wrote > 0 ? static_cast<std::size_t>(wrote) : 0);
    }
    if (::fsync(file) != 0) {
        return failure({ErrorKind::Internal, fmt::format("the profile can't be written: {}", osText(errno))});
    }
    return {};
}

// Beside the file, then renamed over it: a reader sees the old or the new one, never half.
Result<void> replaceFile(const std::filesystem::path& target, std::string_view text) {
    const std::string beside = target.string() + ".new";
    const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0) {
        return failure({ErrorKind::BadInput, fmt::format("{} can't be written: {}", beside, osText(errno)),
                        "Check the folder's permissions.", "profile"});
    }
    auto written = ::fchmod(file, S_IRUSR | S_IWUSR) == 0 ? writeAll(file, text) : Result<void>{};
    ::close(file);
    if (written && ::rename(beside.c_str(), target.c_str()) != 0) {
        written =
            failure({ErrorKind::Internal, fmt::format("{} can't be replaced: {}", target.string(), osText(errno))});
    }
    if (!written) {
        ::unlink(beside.c_str());
    }
    return written;
}

}  // namespace

ProfileStore::ProfileStore() : m_folder(userFolder()) {}
ProfileStore::ProfileStore(std::filesystem::path folder) : m_folder(std::move(folder)) {}

std::vector<ProfileStore::Listed> ProfileStore::list() const {
    std::vector<Listed> out;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator{m_folder, failed}) {
        if (entry.path().extension() == ".toml") {
            const auto text = readAll(entry.path());
            out.push_back({entry.path().stem().string(), entry.path(),
                           text ? parseProfile(*text, entry.path()) : Result<Profile>{failure(text.error())}});
        }
    }
    std::sort(out.begin(), out.end(), [](const Listed& a, const Listed& b) { return a.name < b.name; });
    return out;
}

Result<Profile> ProfileStore::load(std::string_view nameOrFile) const {
    const bool path = isPath(nameOrFile);
    if (!path) {
        if (const auto fine = checkName(nameOrFile); !fine) {
            return failure(fine.error());
        }
    }
    const std::filesystem::path file =
        path ? std::filesystem::path{nameOrFile} : m_folder / fmt::format("{}.toml", nameOrFile);
    const auto text = readAll(file);
    if (text) {
        return parseProfile(*text, file);
    }
    if (path || text.error().kind() != ErrorKind::NotFound) {
        return failure(text.error());
    }
    std::vector<std::string> names;
    for (const Listed& listed : list()) {
        names.push_back(listed.name);
    }
    return failure({ErrorKind::NotFound, fmt::format("there is no profile \"{}\" in {}", nameOrFile, m_folder.string()),
                    names.empty()
                        ? std::string{"There are none yet: write one (see the manual), or try `redeliverctl demo`."}
                        : fmt::format("There are: {}.", fmt::join(names, ", ")),
                    "profile"});
}

Result<void> ProfileStore::save(const Profile& profile) const {
    if (auto fine = checkName(profile.name); !fine) {
        return fine;
    }
    const std::string text = writeProfile(profile);
    const std::filesystem::path target = m_folder / (profile.name + ".toml");
    if (const auto back = parseProfile(text, target); !back) {
        return failure(back.error());
    }
    std::error_code failed;
    std::filesystem::create_directories(m_folder, failed);
    return replaceFile(target, text);
}

Result<void> ProfileStore::remove(std::string_view name) const {
    if (auto fine = checkName(name); !fine) {
        return fine;
    }
    std::error_code failed;
    if (!std::filesystem::remove(m_folder / fmt::format("{}.toml", name), failed)) {
        return failure({ErrorKind::NotFound,
                        fmt::format("there is no profile \"{}\" in {}", name, m_folder.string()),
                        {},
                        "profile"});
    }
    return {};
}

}  // namespace redeliver
