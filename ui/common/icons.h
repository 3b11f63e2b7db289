// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace redeliver::ui {

/// resources/icons/NAME.svg drawn in `color`, sharp at any device pixel ratio. An unknown name gives an empty icon.
[[nodiscard]] QIcon lineIcon(const QString& name, const QColor& color);
/// The program's own icon.
[[nodiscard]] QIcon applicationIcon();

}  // namespace redeliver::ui
