// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"
#include "core/postgres/pqxx_shim.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Typed readers of result fields; no locale, no DateStyle. A NULL or malformed value is Error(Internal): the statement
/// and its reader don't fit. The `maybe…` forms read NULL as nothing.
namespace redeliver::postgres {

[[nodiscard]] std::string textOf(const pqxx::field& field);
[[nodiscard]] std::int64_t int64Of(const pqxx::field& field);
[[nodiscard]] std::int32_t int32Of(const pqxx::field& field);
[[nodiscard]] double doubleOf(const pqxx::field& field);
[[nodiscard]] bool boolOf(const pqxx::field& field);
[[nodiscard]] TimePoint timeOf(const pqxx::field& field);     ///< of microsOf(timestamptz)
[[nodiscard]] Duration durationOf(const pqxx::field& field);  ///< of microsOf(interval)
[[nodiscard]] std::string bytesOf(const pqxx::field& field);  ///< bytea in hex form (pinned), or encode(x, 'hex')
/// text[], int[] … as PostgreSQL writes them; a NULL element is nothing.
[[nodiscard]] std::vector<std::optional<std::string>> arrayOf(const pqxx::field& field);
[[nodiscard]] std::vector<std::string> textArrayOf(const pqxx::field& field);  ///< NULL elements left out
[[nodiscard]] std::vector<std::int64_t> int64ArrayOf(const pqxx::field& field);

[[nodiscard]] std::optional<std::string> maybeText(const pqxx::field& field);
[[nodiscard]] std::optional<std::int64_t> maybeInt64(const pqxx::field& field);
[[nodiscard]] std::optional<std::int32_t> maybeInt32(const pqxx::field& field);
[[nodiscard]] std::optional<bool> maybeBool(const pqxx::field& field);
[[nodiscard]] std::optional<TimePoint> maybeTime(const pqxx::field& field);
[[nodiscard]] std::optional<Duration> maybeDuration(const pqxx::field& field);
[[nodiscard]] std::optional<std::string> maybeBytes(const pqxx::field& field);

}  // namespace redeliver::postgres
