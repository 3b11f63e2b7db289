// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <string>
#include <string_view>

struct rd_kafka_error_s;

namespace redeliver::kafka {

class ConnectionState;

/// librdkafka's name of a code without prefix: "_TRANSPORT", "UNKNOWN_MEMBER_ID".
[[nodiscard]] std::string codeName(int code);

/// One code as an Error: kind, hint, code name, retriable. `what` says what was being done; `detail` is the library's
/// own text, else the code's. With a connection state, a generic connection error is replaced by the telling one.
[[nodiscard]] Error toError(int code, std::string_view what, std::string_view detail = {},
                            const ConnectionState* connection = nullptr);

/// Takes ownership of the error object.
[[nodiscard]] Error toError(rd_kafka_error_s* error, std::string_view what,
                            const ConnectionState* connection = nullptr);

/// What to do about it: by code, and for connection errors by the library's text.
[[nodiscard]] std::string hintFor(int code, std::string_view text);

}  // namespace redeliver::kafka
