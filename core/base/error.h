// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace redeliver {

/// What kind of thing went wrong; decides exit status, retry and wording.
enum class ErrorKind {
    BadInput,    ///< the user's text, file or option; names the place
    Connection,  ///< a server can't be reached or went away
    Privilege,   ///< reached, but not allowed
    Schema,      ///< our tables are missing or too old
    NotFound,    ///< consumer, topic, message, plan
    Refused,     ///< a guard or a rule of ours says no
    InDoubt,     ///< the connection broke during COMMIT: nobody knows yet
    Limit,       ///< a time, size or count limit ended it
    Cancelled,   ///< by the user or a stop token
    Server,      ///< any other answer of a server (code says which)
    Internal,    ///< a fault of ours
};

/// One error: thrown when an operation can't go on (a lost server), returned in Result where the caller is expected to
/// look. `text` says what happened, `hint` what to do next, `code` is the server's (SQLSTATE, librdkafka's name) or
/// ours.
class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, std::string text, std::string hint = {}, std::string code = {}, bool retriable = false);

    [[nodiscard]] ErrorKind kind() const noexcept { return m_kind; }
    [[nodiscard]] std::string text() const { return what(); }
    [[nodiscard]] const std::string& hint() const noexcept { return m_hint; }
    [[nodiscard]] const std::string& code() const noexcept { return m_code; }
    [[nodiscard]] bool retriable() const noexcept { return m_retriable; }

  private:
    ErrorKind m_kind;
    std::string m_hint;
    std::string m_code;
    bool m_retriable;
};

/// Lower-case name as written in JSON and logs, e.g. "connection".
[[nodiscard]] std::string_view toText(ErrorKind kind) noexcept;

}  // namespace redeliver
