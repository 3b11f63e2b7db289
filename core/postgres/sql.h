// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/time.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace redeliver::postgres {

/// A statement with a name that shows in errors and logs. `:schema` stands for the quoted schema of the profile.
struct Sql {
    std::string_view name;
    std::string_view text;
};

/// The one function that quotes identifiers from users and foreign tables.
[[nodiscard]] std::string quoteName(std::string_view name);
[[nodiscard]] std::string quoteLiteral(std::string_view text);  ///< for DDL only, where parameters can't be used
[[nodiscard]] std::string withSchema(std::string_view sql, std::string_view schema);

/// SQL fragments that read in a form no setting changes: bigint microseconds since 1970 (UTC), of a timestamptz or an
/// interval. ±infinity and what doesn't fit become ±9223372036854000000 (domain rule 11: never a plausible time).
[[nodiscard]] std::string microsOf(std::string_view expression);
inline constexpr std::int64_t infiniteMicros = 9'223'372'036'854'000'000;

/// Text of a value as a parameter; the statement casts it: $1::timestamptz, $1::interval, $1::bytea, $1::text[].
[[nodiscard]] std::string timeText(TimePoint at);
[[nodiscard]] std::string intervalText(Duration span);
/// The text if it is a UUID in its usual 36 characters: what came in a record's header may not fail a batch.
[[nodiscard]] std::optional<std::string> uuidText(std::string_view text);
[[nodiscard]] std::string byteaText(std::string_view bytes);
[[nodiscard]] std::string arrayText(std::span<const std::optional<std::string>> values);

/// Parameters $1, $2, … of one statement, as texts.
class SqlParams {
  public:
    SqlParams& add(std::string_view text);
    SqlParams& add(const char* text) { return add(std::string_view{text}); }
    SqlParams& add(std::int64_t number);
    SqlParams& add(std::int32_t number) { return add(std::int64_t{number}); }
    SqlParams& add(bool value) { return add(value ? std::string_view{"t"} : std::string_view{"f"}); }
    SqlParams& add(double number);
    SqlParams& add(TimePoint at) { return add(std::string_view{timeText(at)}); }
    SqlParams& add(Duration span) { return add(std::string_view{intervalText(span)}); }
    SqlParams& addNull();
    template <class T>
    SqlParams& add(const std::optional<T>& value) {
        return value ? add(*value) : addNull();
    }
    SqlParams& addBytes(std::string_view bytes) { return add(std::string_view{byteaText(bytes)}); }
    SqlParams& addArray(std::span<const std::optional<std::string>> values) {
        return add(std::string_view{arrayText(values)});
    }
    SqlParams& addArray(std::span<const std::string> values);
    SqlParams& addArray(std::span<const std::int64_t> values);

    [[nodiscard]] const std::vector<std::optional<std::string>>& texts() const noexcept { return m_texts; }

  private:
    std::vector<std::optional<std::string>> m_texts;
};

}  // namespace redeliver::postgres
