// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/pages.h"

#include <QCoreApplication>

namespace redeliver::ui {

std::vector<PageEntry> pageEntries() {
    return {};
}

}  // namespace redeliver::ui
