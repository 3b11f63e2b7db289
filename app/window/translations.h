// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCoreApplication;

namespace redeliver::window {

/// Loads the texts of the desktop's language; English where there is none (also for its plurals).
void installTranslations(QCoreApplication& application);

}  // namespace redeliver::window
