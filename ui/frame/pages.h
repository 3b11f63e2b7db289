// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/context/page.h"

#include <QString>

#include <functional>
#include <vector>

namespace redeliver::ui {

/// A page that exists. The rail shows these and no other.
struct PageEntry {
    PageId id = PageId::Overview;
    QString title;  ///< translated
    QString icon;   ///< name of a file in resources/icons, without .svg
    std::function<Page*(const PageContext& context, QWidget* parent)> make;
};

/// The pages of an open profile, in the rail's order: one line per page in pages.cpp.
[[nodiscard]] std::vector<PageEntry> pageEntries();

}  // namespace redeliver::ui
