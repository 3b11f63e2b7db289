// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/session.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace redeliver::postgres {

struct MaintenanceOptions {
    std::chrono::seconds minutesAfter = std::chrono::hours{6};  ///< 10 s rows become 1 min rows
    std::chrono::seconds hoursAfter = std::chrono::days{14};    ///< 1 min rows become 1 h rows
    std::chrono::seconds countsKept = std::chrono::days{400};   ///< older counts are purged
    std::chrono::seconds eventsKept = std::chrono::days{30};    ///< at least; see purge
    std::chrono::seconds outboxKept = std::chrono::days{7};     ///< after publishing; what waits is never purged
    std::int64_t rowsPerStep = 20'000;                          ///< a transaction's size
};

struct MaintenanceReport {
    bool ran = false;  ///< false: another program of the fleet is at it
    std::int64_t rolledUp = 0;
    std::int64_t countsPurged = 0;
    std::int64_t eventsPurged = 0;
    std::int64_t outboxPurged = 0;
    bool more = false;  ///< a stop was requested before the end
    std::string text;   ///< one line for people, also kept in `maintenance`
};

/// Roll-ups, and purges of telemetry and of published outbox rows; one at a time across the fleet. Deletes no marker,
/// ever. Idempotent; sums never change: a finer row is taken away and added to its coarser one in one statement. An
/// event is kept while its ID has a marker, and while it is evidence (rejected, transaction_failed, stale,
/// not_addressed at coordinates that the ledger isn't above). Throws Error: Connection, Schema, Privilege.
MaintenanceReport maintain(Session& session, const MaintenanceOptions& options, const std::stop_token& stop);

}  // namespace redeliver::postgres
