// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/secret.h"
#include "core/model/ids.h"

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace redeliver {

enum class Environment { Development, Staging, Production };
[[nodiscard]] std::string_view toText(Environment environment) noexcept;

/// Where a secret comes from; it is read when a connection is made, never stored in the profile.
struct SecretSource {
    enum class From { Env, File, Keyring } from = From::Env;
    std::string name;  ///< variable, path or keyring entry
    friend bool operator==(const SecretSource&, const SecretSource&) = default;
};

/// A librdkafka property's value: plain text or a reference to a secret.
using KafkaValue = std::variant<std::string, SecretSource>;

/// `[[consumers]]`: what the database's registry doesn't say, or overrides for display.
struct ProfileConsumer {
    ConsumerName name;
    std::optional<GroupName> group;
    std::vector<Topic> topics;
    std::optional<Topic> deadLetter;
    std::vector<ConsumerName> formerly;
    std::vector<std::string> messageId;  ///< rules as written; core/identity parses them
    std::optional<std::chrono::seconds> markerRetention;
    std::optional<std::chrono::seconds> replayHorizon;
};

/// `[[markers]]`: a marker table of another library, or a bare one of ours elsewhere.
struct ProfileMarkers {
    std::string preset = "redeliver";
    std::string schema;
    std::string table;
    std::map<std::string, std::string> consumers;
    std::string timezone;
    std::optional<std::chrono::seconds> retention;
    std::optional<std::chrono::seconds> clockMargin;
};

/// One profile file (contract.md, Profile). A value: no I/O, no secrets.
struct Profile {
    std::string name;
    Environment environment = Environment::Development;
    std::optional<bool> readOnly;  ///< as written; effective: isReadOnly()
    std::string dsn;
    std::string schema = "redeliver";
    std::optional<SecretSource> password;  ///< [postgres] password = { env = … }; else libpq's own ways
    std::map<std::string, KafkaValue> kafka;
    std::vector<ProfileConsumer> consumers;
    std::vector<ProfileMarkers> markers;
    std::filesystem::path file;  ///< where it was read from; empty for a new one

    /// Default in production; an explicit value wins.
    [[nodiscard]] bool isReadOnly() const noexcept { return readOnly.value_or(environment == Environment::Production); }
    [[nodiscard]] const ProfileConsumer* find(const ConsumerName& name) const noexcept;
};

}  // namespace redeliver
