// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/workspace.h"

#include "core/workspace/desks.h"

namespace redeliver {

Workspace::Workspace(Profile profile, SecretReader secrets, std::string applicationName)
    : m_profile(std::move(profile)), m_secrets(std::move(secrets)), m_applicationName(std::move(applicationName)) {}

Workspace::~Workspace() = default;

Connections Workspace::connections() const {
    return {m_profile, m_secrets, m_applicationName};
}

std::unique_ptr<TelemetryDesk> Workspace::telemetry(std::chrono::milliseconds waitForLag) const {
    return makeTelemetryDesk(connections(), waitForLag);
}

std::unique_ptr<BrowseDesk> Workspace::browse() const {
    return makeBrowseDesk(connections());
}

std::unique_ptr<ActionDesk> Workspace::actions() const {
    return makeActionDesk(connections());
}

std::unique_ptr<ReplayDesk> Workspace::replays() const {
    return makeReplayDesk(connections());
}

}  // namespace redeliver
