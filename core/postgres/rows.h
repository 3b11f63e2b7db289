// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/postgres/pqxx_session.h"

#include <vector>

/// Reads that several stores share, inside a transaction of the caller's. For the .cpp files of core/postgres.
namespace redeliver::postgres {

/// Registered consumers, and those that only counts, markers or offsets know; by name.
[[nodiscard]] std::vector<ConsumerInfo> readConsumers(PinnedTransaction& transaction);
[[nodiscard]] std::vector<StoppedPartition> readStopped(PinnedTransaction& transaction);
[[nodiscard]] std::vector<PartitionState> readPartitions(PinnedTransaction& transaction);

/// A line of the audit table: who_role and the time are the server's.
void audit(PinnedTransaction& transaction, std::string_view action, std::string_view subject,
           std::string_view detailJson, std::string_view whoOs);

/// Name of the operating system's user that runs this program, for the audit.
[[nodiscard]] std::string osUser();

}  // namespace redeliver::postgres
