// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/maintenance.h"
#include "core/workspace/connections.h"

#include <optional>
#include <stop_token>

namespace redeliver {

/// Roll-ups and purges of one profile's database, for `redeliverctl maintain` and the demo. One thread.
class Maintenance {
  public:
    explicit Maintenance(Connections connections) : m_connections(std::move(connections)) {}

    /// Throws Error: Refused on a read-only profile, Connection, Schema, Privilege.
    postgres::MaintenanceReport runOnce(const std::stop_token& stop);

  private:
    Connections m_connections;
    std::optional<postgres::Session> m_session;
};

}  // namespace redeliver
