// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/shortcuts.h"

#include "ui/common/palette.h"

#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <utility>
#include <vector>

namespace redeliver::ui {

ShortcutsDialog::ShortcutsDialog(QWidget* parent) : QDialog(parent) {
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Keyboard"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(grid::margin, grid::margin, grid::margin, grid::margin);
    auto* list = new QFormLayout;
    list->setHorizontalSpacing(28);
    const std::vector<std::pair<QString, QString>> entries{
        {QStringLiteral("Ctrl+K"), tr("search field: message ID, consumer, command")},
        {QStringLiteral("Ctrl+1 … Ctrl+9"), tr("pages, in the rail's order")},
        {QStringLiteral("Alt+Left, Alt+Right"), tr("back and forward: page and time range")},
        {QStringLiteral("Ctrl+T"), tr("time range")},
        {QStringLiteral("Ctrl+L"), tr("live on and off")},
        {QStringLiteral("F5"), tr("refresh this page")},
        {QStringLiteral("Tab, Shift+Tab"), tr("next and previous control")},
        {tr("Chart: Left, Right"), tr("read the buckets")},
        {tr("Chart: Shift+Left, Shift+Right, Enter"), tr("select buckets and make them the range")},
        {tr("Chart: + − Backspace"), tr("zoom in, zoom out, range before")},
        {tr("Table: Up, Down, Enter, Esc"), tr("choose a consumer, its messages, all consumers")},
        {QStringLiteral("F1, ?"), tr("this list")},
        {QStringLiteral("Ctrl+Q"), tr("quit")},
    };
    for (const auto& [keys, meaning] : entries) {
        auto* label = new QLabel(keys, this);
        label->setFont(fonts::strong());
        list->addRow(label, new QLabel(meaning, this));
    }
    column->addLayout(list);
    auto* close = new QPushButton(tr("Close"), this);
    column->addWidget(close, 0, Qt::AlignRight);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
}

}  // namespace redeliver::ui
