// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/maintenance.h"

#include "core/postgres/migrations.h"

namespace redeliver {

postgres::MaintenanceReport Maintenance::runOnce(const std::stop_token& stop) {
    m_connections.requireWritable();
    if (!m_session) {
        m_session.emplace(m_connections.postgresOptions());
    }
    postgres::checkSchema(*m_session);
    return postgres::maintain(*m_session, {}, stop);
}

}  // namespace redeliver
