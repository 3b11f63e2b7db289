// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/labels.h"

#include "ui/common/palette.h"

namespace redeliver::ui {

FactGrid::FactGrid(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this)) {
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(grid::gap);
    m_grid->setVerticalSpacing(6);
    m_grid->setColumnStretch(1, 1);
}

void FactGrid::clear() {
    while (QLayoutItem* const item = m_grid->takeAt(0)) {
        if (QWidget* const widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    m_rows = 0;
}

int FactGrid::nextRow() {
    if (m_rows > 0) {
        auto* const rule = new QFrame(this);
        setKind(rule, "rule");
        m_grid->addWidget(rule, m_rows++, 0, 1, 2);
    }
    return m_rows++;
}

void FactGrid::add(const QString& name, const QString& value, const QString& tooltip) {
    QLabel* const shown = makeLabel(this, value);
    shown->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    shown->setToolTip(tooltip);
    add(name, shown);
}

void FactGrid::add(const QString& name, QWidget* value) {
    const int row = nextRow();
    QLabel* const label = makeLabel(this, name, "muted");
    label->setWordWrap(false);
    label->setBuddy(value);
    m_grid->addWidget(label, row, 0, Qt::AlignTop);
    value->setParent(this);
    const bool text = qobject_cast<QLabel*>(value) != nullptr;
    m_grid->addWidget(value, row, 1, text ? Qt::Alignment() : Qt::AlignRight | Qt::AlignVCenter);
}

}  // namespace redeliver::ui
