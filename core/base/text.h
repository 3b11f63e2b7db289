// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace redeliver {

[[nodiscard]] bool isValidUtf8(std::string_view bytes) noexcept;
[[nodiscard]] std::string toHex(std::string_view bytes);  ///< lower case, no separators
[[nodiscard]] std::string toBase64(std::string_view bytes);
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);

/// Locale-free numbers (architecture rule 13); the whole text must be the number.
[[nodiscard]] std::optional<std::int64_t> toInt64(std::string_view text) noexcept;
[[nodiscard]] std::optional<double> toDouble(std::string_view text) noexcept;

/// One logfmt pair " key=value" with quoting where needed; the writer of the consumer's log lines.
void appendLogfmt(std::string& line, std::string_view key, std::string_view value);

}  // namespace redeliver
