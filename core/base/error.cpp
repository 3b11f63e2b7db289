// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"

namespace redeliver {

// runtime_error takes a reference only; callers hand over temporaries.
// NOLINTNEXTLINE(performance-unnecessary-value-param)
Error::Error(ErrorKind kind, std::string text, std::string hint, std::string code, bool retriable)
    : std::runtime_error(text),
      m_kind(kind),
      m_hint(std::move(hint)),
      m_code(std::move(code)),
      m_retriable(retriable) {}

std::string_view toText(ErrorKind kind) noexcept {
    switch (kind) {
        case ErrorKind::BadInput:
            return "bad_input";
        case ErrorKind::Connection:
            return "connection";
        case ErrorKind::Privilege:
            return "privilege";
        case ErrorKind::Schema:
            return "schema";
        case ErrorKind::NotFound:
            return "not_found";
        case ErrorKind::Refused:
            return "refused";
        case ErrorKind::InDoubt:
            return "in_doubt";
        case ErrorKind::Limit:
            return "limit";
        case ErrorKind::Cancelled:
            return "cancelled";
        case ErrorKind::Server:
            return "server";
        case ErrorKind::Internal:
            break;
    }
    return "internal";
}

}  // namespace redeliver
