// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace redeliver::replay {

/// RFC 8785 for documents whose numbers are integers (BadInput for any other number): members sorted by UTF-16 code
/// units, no white space, shortest escapes.
[[nodiscard]] Result<std::string> canonicalJson(const nlohmann::json& value);

[[nodiscard]] std::string sha256Hex(std::string_view bytes);

}  // namespace redeliver::replay
