// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/record.h"

#include <QCoreApplication>
#include <QString>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace redeliver::ui {

/// What the bytes of a key, value or header turn out to be. Null, empty and the text "null" are three things.
enum class PayloadKind { Null, Empty, Json, Text, Binary };

/// Bytes made readable. Nothing is changed on the way: a view that can't be exact says so in `note`.
struct PayloadView {
    PayloadKind kind = PayloadKind::Null;
    QString text;  ///< what to show; for Null and Empty nothing
    QString note;  ///< a short description: "null", "empty, 0 bytes", "JSON, 186 bytes", "not UTF-8 at byte 12"
};

/// Pure functions; any thread. `most` is the number of bytes shown; a cut is said in the note.
class Payload {
    Q_DECLARE_TR_FUNCTIONS(redeliver::ui::Payload)
  public:
    static constexpr std::size_t mostShown = 64U * 1024U;

    /// JSON indented (literals untouched: digits, escapes and order stay), text as it is, else a hex dump.
    [[nodiscard]] static PayloadView decoded(const std::optional<std::string>& bytes, std::size_t most = mostShown);
    /// The text, with bytes that aren't UTF-8 written \xNN and said in the note.
    [[nodiscard]] static PayloadView asText(const std::optional<std::string>& bytes, std::size_t most = mostShown);
    /// Offset, 16 bytes, printable characters.
    [[nodiscard]] static PayloadView asHex(const std::optional<std::string>& bytes, std::size_t most = mostShown);
    /// One line that is exact for any bytes: null, "" or a quoted string with \n, \", \\ and \xNN.
    [[nodiscard]] static QString exact(const std::optional<std::string>& bytes, std::size_t most = mostShown);
    /// The whole record as exact lines: coordinates, timestamp, key, value, headers in their order.
    [[nodiscard]] static QString exactRecord(const Record& record);

    /// White space between tokens renewed, nothing else touched; nothing when the bytes aren't JSON.
    [[nodiscard]] static std::optional<std::string> indentJson(std::string_view json);
    /// Position of the first byte that isn't UTF-8, or npos.
    [[nodiscard]] static std::size_t firstInvalidUtf8(std::string_view bytes) noexcept;

  private:
    [[nodiscard]] static QString noteFor(PayloadKind kind, std::size_t size, std::size_t most);
};

}  // namespace redeliver::ui
