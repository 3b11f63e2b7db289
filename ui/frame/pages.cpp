// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/pages.h"

#include "ui/messages/messages_page.h"
#include "ui/overview/overview_page.h"
#include "ui/replays/replays_page.h"

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
        {PageId::Messages, title(QT_TRANSLATE_NOOP("Pages", "Messages")), QStringLiteral("messages"),
         maker<MessagesPage>()},
        {PageId::Replays, title(QT_TRANSLATE_NOOP("Pages", "Replays")), QStringLiteral("replays"),
         maker<ReplaysPage>()},
    };
}

}  // namespace redeliver::ui
