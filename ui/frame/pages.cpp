// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/pages.h"

#include "ui/overview/overview_page.h"

#include <QCoreApplication>

namespace redeliver::ui {

namespace {

template <class P>
std::function<Page*(const PageContext&, QWidget*)> maker() {
    return [](const PageContext& context, QWidget* parent) -> Page* { return new P(context, parent); };
}

QString title(const char* text) {
    return QCoreApplication::translate("Pages", text);
}

}  // namespace

std::vector<PageEntry> pageEntries() {
    return {
        {PageId::Overview, title(QT_TRANSLATE_NOOP("Pages", "Overview")), QStringLiteral("overview"),
         maker<OverviewPage>()},
    };
}

}  // namespace redeliver::ui
