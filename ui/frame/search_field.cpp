// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/search_field.h"

#include "ui/common/palette.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QKeyEvent>
#include <QPainter>
#include <QStringListModel>

#include <algorithm>

namespace redeliver::ui {

SearchField::SearchField(QWidget* parent) : QLineEdit(parent), m_choices(new QStringListModel(this)) {
    setPlaceholderText(tr("Find a message ID or a consumer"));
    setAccessibleName(tr("Find a message ID, a consumer or a command"));
    setFixedHeight(32);
    setMinimumWidth(180);
    setMaximumWidth(420);
    auto* completer = new QCompleter(m_choices, this);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setMaxVisibleItems(12);
    setCompleter(completer);
    connect(completer, qOverload<const QString&>(&QCompleter::activated), this, &SearchField::take,
            Qt::QueuedConnection);
}

void SearchField::setCommands(std::vector<Command> commands) {
    m_commands = std::move(commands);
    updateChoices();
}

void SearchField::setConsumers(const QStringList& names) {
    if (names != m_consumers) {
        m_consumers = names;
        updateChoices();
    }
}

void SearchField::updateChoices() {
    QStringList all = m_consumers;
    for (const Command& command : m_commands) {
        all << command.title;
    }
    m_choices->setStringList(all);
}

void SearchField::take(const QString& text) {
    const QString wanted = text.trimmed();
    if (wanted.isEmpty()) {
        return;
    }
    const auto command = std::ranges::find_if(m_commands, [&](const Command& known) { return known.title == wanted; });
    if (command != m_commands.end()) {
        clear();
        command->run();
    } else if (m_consumers.contains(wanted)) {
        clear();
        Q_EMIT consumerChosen(wanted);
    } else {
        Q_EMIT messageSearch(wanted);
    }
}

void SearchField::keyPressEvent(QKeyEvent* event) {
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    const bool chosen = completer()->popup()->isVisible() && completer()->popup()->currentIndex().isValid();
    if (enter && !chosen) {
        completer()->popup()->hide();
        take(text());
        return;
    }
    if (event->key() == Qt::Key_Escape) {
        clear();
        clearFocus();
        return;
    }
    QLineEdit::keyPressEvent(event);
}

void SearchField::paintEvent(QPaintEvent* event) {
    QLineEdit::paintEvent(event);
    if (!text().isEmpty() || hasFocus()) {
        return;
    }
    QPainter painter(this);
    painter.setPen(Palette::of(*this).muted);
    painter.setFont(fonts::small());
    painter.drawText(rect().adjusted(0, 0, -10, 0), Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("Ctrl+K"));
}

}  // namespace redeliver::ui
