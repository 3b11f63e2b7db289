// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/tile.h"

#include "ui/common/figures.h"
#include "ui/common/formats.h"
#include "ui/common/panel.h"

#include <QLabel>
#include <QVBoxLayout>

namespace redeliver::ui {

Tile::Tile(const QString& name, QWidget* parent)
    : QFrame(parent), m_name(name), m_figure(new FigureLabel(this)), m_note(new ElidedLabel({}, this)) {
    setKind(this, "tile");
    auto* heading = new ElidedLabel(name, this);
    setKind(heading, "muted");
    m_figure->setFont(fonts::figure());
    m_figure->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(grid::gap, 11, grid::unit, 11);
    column->setSpacing(2);
    column->addWidget(heading);
    column->addWidget(m_figure);
    column->addWidget(m_note);
    set(Formats::none(), {});
}

void Tile::set(const QString& figure, const QString& note, Tone noteTone) {
    m_figure->setText(figure);
    m_figure->updateGeometry();
    m_note->setFullText(note);
    setKind(m_note, noteTone == Tone::Bad    ? "bad"
                    : noteTone == Tone::Warn ? "warn"
                    : noteTone == Tone::Good ? "good"
                                             : "muted");
    setAccessibleName(m_name + QStringLiteral(": ") + figure + QStringLiteral(", ") + note);
}

QString Tile::figure() const {
    return m_figure->text();
}

QString Tile::note() const {
    return m_note->fullText();
}

}  // namespace redeliver::ui
