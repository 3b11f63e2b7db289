// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

namespace redeliver::window {

void installTranslations(QCoreApplication& application) {
    auto* own = new QTranslator(&application);
    const bool found =
        own->load(QLocale(), QStringLiteral("redeliver"), QStringLiteral("_"), QStringLiteral(":/translations"));
    if (!found && !own->load(QStringLiteral(":/translations/redeliver_en.qm"))) {
        return;
    }
    QCoreApplication::installTranslator(own);
    auto* qt = new QTranslator(&application);
    if (found && qt->load(QLocale(), QStringLiteral("qtbase"), QStringLiteral("_"),
                          QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        QCoreApplication::installTranslator(qt);
    }
}

}  // namespace redeliver::window
