// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QByteArrayView>
#include <QString>

#include <string>
#include <string_view>

namespace redeliver::ui {

/// The only place where text crosses between core (UTF-8 std::string) and the window (QString). Bytes that aren't UTF-8
/// become U+FFFD: payloads don't go through here (ui/messages/payload.h keeps bytes).
[[nodiscard]] inline QString toQt(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
[[nodiscard]] inline std::string toStd(const QString& text) {
    return text.toStdString();
}
[[nodiscard]] inline QByteArray toBytes(std::string_view bytes) {
    return {bytes.data(), static_cast<qsizetype>(bytes.size())};
}

}  // namespace redeliver::ui
