// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/sql.h"
#include "core/query/query.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// From a query to the statements of a message search. Every value is a parameter; prefixes become key ranges.
namespace redeliver::postgres {

struct SearchStatement {
    std::string_view name;
    std::string text;
    SqlParams params;
};

/// Columns of both: message_id, consumer_name, outcome, kind, cluster_id, topic, partition, offset, worker, at (µs),
/// latency (µs). Ordered and limited.
[[nodiscard]] SearchStatement markerSearch(const query::Query& query, std::int64_t limit);
[[nodiscard]] SearchStatement eventSearch(const query::Query& query, std::int64_t limit);

/// How the statements find their rows.
struct SearchShape {
    bool byId = false;      ///< exact IDs or prefixes, by the primary key
    bool byPrefix = false;  ///< at least one prefix: ordered by ID
    bool scan = false;      ///< rows are read that may not match
    std::string text;
};
[[nodiscard]] SearchShape shapeOf(const query::Query& query);

/// The smallest text above every text that begins with `prefix`, in byte order of UTF-8 (COLLATE "C"); nothing when
/// there is none.
[[nodiscard]] std::optional<std::string> prefixEnd(std::string_view prefix);

}  // namespace redeliver::postgres
