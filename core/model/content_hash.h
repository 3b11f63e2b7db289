// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/record.h"

#include <string>

namespace redeliver {

/// What a marker keeps of the record's content, to tell "the same again" from "other content under the same ID" (domain
/// rule 14): the first 16 bytes of SHA-256 over the value; empty for a null value. In SQL: substring(sha256(value) for
/// 16).
[[nodiscard]] std::string contentHash(const Record& record);

}  // namespace redeliver
