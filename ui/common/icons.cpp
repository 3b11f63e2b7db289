// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/icons.h"

#include <QFile>
#include <QHash>
#include <QPainter>
#include <QPixmap>
#include <QSvgRenderer>

namespace redeliver::ui {

QIcon lineIcon(const QString& name, const QColor& color) {
    // Drawn once per colour: rail and time control ask at every change. GUI thread only.
    static QHash<QString, QIcon> drawn;
    const QString key = name + color.name(QColor::HexRgb);
    if (const auto known = drawn.constFind(key); known != drawn.constEnd()) {
        return *known;
    }
    QFile file(QStringLiteral(":/icons/") + name + QStringLiteral(".svg"));
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    QByteArray svg = file.readAll();
    svg.replace("currentColor", color.name(QColor::HexRgb).toLatin1());
    QSvgRenderer renderer(svg);
    QIcon icon;
    for (const int size : {16, 20, 24, 32, 40, 48}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        renderer.render(&painter);
        icon.addPixmap(pixmap);
        icon.addPixmap(pixmap, QIcon::Disabled);
    }
    drawn.insert(key, icon);
    return icon;
}

QIcon applicationIcon() {
    return QIcon(QStringLiteral(":/icons/redeliver.svg"));
}

}  // namespace redeliver::ui
