// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/config.h"
#include "core/model/consumer_info.h"
#include "core/model/profile.h"
#include "core/postgres/session.h"
#include "core/workspace/workspace.h"

#include <string>
#include <vector>

namespace redeliver {

/// How the desks of one profile connect. A value; no I/O but reading secrets. Any thread.
class Connections {
  public:
    Connections(Profile profile, SecretReader secrets, std::string applicationName)
        : m_profile(std::move(profile)), m_secrets(std::move(secrets)), m_applicationName(std::move(applicationName)) {}

    [[nodiscard]] const Profile& profile() const noexcept { return m_profile; }
    /// Throws Error(BadInput) when the profile has no [postgres] or its secret can't be read.
    [[nodiscard]] postgres::ConnectOptions postgresOptions() const;
    [[nodiscard]] bool hasKafka() const noexcept { return !m_profile.kafka.empty(); }
    /// Throws Error(BadInput) when the profile has no [kafka], a secret can't be read, or a property is wrong.
    [[nodiscard]] kafka::Config kafkaConfig() const;

    /// Throws Error(Refused) on a read-only profile, with what would lift it.
    void requireWritable() const;

  private:
    Profile m_profile;
    SecretReader m_secrets;
    std::string m_applicationName;
};

/// The database's consumers with what the profile says on top, and those that only the profile knows.
[[nodiscard]] std::vector<ConsumerInfo> withProfile(std::vector<ConsumerInfo> registered, const Profile& profile);

}  // namespace redeliver
