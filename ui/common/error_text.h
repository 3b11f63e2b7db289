// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/error.h"
#include "ui/common/convert.h"

#include <QString>

namespace redeliver::ui {

/// Text, code and hint of an error on one line, as shown beside the control that caused it.
[[nodiscard]] inline QString errorText(const Error& error) {
    QString text = toQt(error.text());
    if (!error.code().empty()) {
        text += QStringLiteral(" (") + toQt(error.code()) + QLatin1Char(')');
    }
    if (!error.hint().empty()) {
        text += QStringLiteral(" — ") + toQt(error.hint());
    }
    return text;
}

}  // namespace redeliver::ui
