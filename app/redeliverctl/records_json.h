// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/redeliverctl/context.h"
#include "core/model/record.h"

namespace redeliver::ctl {

/// A record as `records --json` gives it: text, {"base64"} or null for key, value and header values.
[[nodiscard]] Json jsonOf(const Record& record);
[[nodiscard]] Json jsonOf(const Coordinates& at);

/// For people: null, empty and text look different; bytes that aren't text are shown as hex; cut at `most` bytes.
[[nodiscard]] std::string preview(const std::optional<std::string>& bytes, std::size_t most);

}  // namespace redeliver::ctl
