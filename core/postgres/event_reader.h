// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/delivery.h"
#include "core/postgres/values.h"

#include <optional>

namespace redeliver::postgres {

/// A row of eventColumns(), beginning at column `first`.
[[nodiscard]] DeliveryEvent readEvent(const pqxx::row& row, pqxx::row::size_type first = 0);

/// Four columns cluster_id, topic, partition, offset; nothing unless the last three are there.
[[nodiscard]] std::optional<Coordinates> readCoordinates(const pqxx::row& row, pqxx::row::size_type first);

}  // namespace redeliver::postgres
