// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/doctor_tls.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

namespace redeliver::postgres {
namespace {

std::string valueOf(const std::map<std::string, std::string>& options, const std::string& name) {
    const auto found = options.find(name);
    return found == options.end() ? std::string{} : found->second;
}

// Where libpq looks when the option is not set.
std::filesystem::path fileOf(const std::map<std::string, std::string>& options, const std::string& name,
                             const std::string& fallback) {
    if (const std::string given = valueOf(options, name); !given.empty()) {
        return given;
    }
    const char* home = std::getenv("HOME");
    return std::filesystem::path{home == nullptr ? "" : home} / ".postgresql" / fallback;
}

bool isThere(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

// The mode, when others than the owner may read the key. libpq lets root's keys be readable for the group.
std::optional<unsigned> tooOpen(const std::filesystem::path& key) {
    struct stat status {};
    if (stat(key.c_str(), &status) != 0) {
        return std::nullopt;
    }
    const unsigned mode = status.st_mode & 0777U;
    const unsigned forbidden = status.st_uid == 0 ? 0027U : 0077U;
    return (mode & forbidden) != 0 ? std::optional(mode) : std::nullopt;
}

}  // namespace

TlsAdvice tlsAdvice(const std::map<std::string, std::string>& effective) {
    const std::string mode = valueOf(effective, "sslmode");
    const auto certificate = fileOf(effective, "sslcert", "postgresql.crt");
    const auto key = fileOf(effective, "sslkey", "postgresql.key");
    if (const auto open = isThere(certificate) ? tooOpen(key) : std::nullopt) {
        return {fmt::format("the client key {} has mode {:04o}", key.string(), *open),
                fmt::format("Only its owner may read a client key: chmod 0600 {}", key.string())};
    }
    const auto root = fileOf(effective, "sslrootcert", "root.crt");
    const bool verifies = mode == "verify-ca" || mode == "verify-full";
    if (verifies && !isThere(root)) {
        return {fmt::format("sslmode={} needs a root certificate, and {} isn't there", mode, root.string()),
                "Put the CA's certificate there, or name it with sslrootcert=FILE."};
    }
    if (mode == "require" && isThere(root)) {
        return {
            fmt::format("{} exists, which turns sslmode=require into verify-ca: the server's certificate is checked "
                        "against it",
                        root.string()),
            "Put the CA of this server there, name the right one with sslrootcert=FILE, or remove the file."};
    }
    if (verifies) {
        return {fmt::format("the server's certificate is checked against {}{}", root.string(),
                            mode == "verify-full" ? ", and its name against the host" : ""),
                "Use the CA that signed the server's certificate, and the host name that it is made for."};
    }
    return {{}, "Set sslmode: disable where the server has no TLS, require where it insists on it."};
}

}  // namespace redeliver::postgres
