// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/secret.h"
#include "core/model/profile.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace redeliver {

/// Reads a secret named by a profile. The command line has no keyring: it answers an error that names the other ways.
using SecretReader = std::function<Result<Secret>(const SecretSource&)>;
[[nodiscard]] SecretReader plainSecretReader();  ///< env and file; keyring is an error with a hint

class Connections;
class TelemetryDesk;
class BrowseDesk;
class ActionDesk;
class ReplayDesk;

/// One open profile: the facade that window and command line see. Opening does no I/O; each desk connects when first
/// used, blocks, takes a stop token, and belongs to one thread at a time (a Lane in the window). Desks are independent.
class Workspace {
  public:
    Workspace(Profile profile, SecretReader secrets, std::string applicationName = "redeliver");
    ~Workspace();

    [[nodiscard]] const Profile& profile() const noexcept { return m_profile; }
    /// `waitForLag`: for a caller that asks once (the command line); a window takes what Kafka said last.
    [[nodiscard]] std::unique_ptr<TelemetryDesk> telemetry(std::chrono::milliseconds waitForLag = {}) const;
    [[nodiscard]] std::unique_ptr<BrowseDesk> browse() const;
    [[nodiscard]] std::unique_ptr<ActionDesk> actions() const;
    [[nodiscard]] std::unique_ptr<ReplayDesk> replays() const;
    /// For what has no desk: maintenance, browsing topics, the outbox.
    [[nodiscard]] Connections connections() const;

  private:
    Profile m_profile;
    SecretReader m_secrets;
    std::string m_applicationName;
};

}  // namespace redeliver
