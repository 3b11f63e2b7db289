// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/term_completer.h"

#include "core/model/delivery.h"
#include "ui/common/convert.h"

#include <QStringListModel>

namespace redeliver::ui {

namespace {

QStringList words() {
    QStringList all{QStringLiteral("id:"),     QStringLiteral("id~"),        QStringLiteral("consumer:"),
                    QStringLiteral("topic:"),  QStringLiteral("worker:"),    QStringLiteral("partition:"),
                    QStringLiteral("replay:"), QStringLiteral("at:"),        QStringLiteral("outcome:"),
                    QStringLiteral("kind:"),   QStringLiteral("at:-1h..now")};
    for (std::size_t i = 0; i < outcomeCount; ++i) {
        all += QStringLiteral("outcome:") + toQt(toText(static_cast<Outcome>(i)));
    }
    for (const SideEvent event : {SideEvent::AckFailed, SideEvent::InDoubt}) {
        all += QStringLiteral("outcome:") + toQt(toText(event));
    }
    for (std::size_t i = 0; i < duplicateKindCount; ++i) {
        all += QStringLiteral("kind:") + toQt(toText(static_cast<DuplicateKind>(i)));
    }
    all.sort();
    return all;
}

}  // namespace

TermCompleter::TermCompleter(QObject* parent) : QCompleter(parent) {
    setModel(new QStringListModel(words(), this));
    setModelSorting(QCompleter::CaseSensitivelySortedModel);
    setCompletionMode(QCompleter::PopupCompletion);
}

QStringList TermCompleter::splitPath(const QString& path) const {
    qsizetype begin = path.lastIndexOf(QLatin1Char(' ')) + 1;
    if (begin < path.size() && path.at(begin) == QLatin1Char('-')) {
        ++begin;
    }
    m_before = path.left(begin);
    const QString term = path.mid(begin);
    // Nothing typed of this term yet: a list of everything would only stand in the way.
    return {term.isEmpty() ? QStringLiteral(" ") : term};
}

QString TermCompleter::pathFromIndex(const QModelIndex& index) const {
    return m_before + QCompleter::pathFromIndex(index);
}

}  // namespace redeliver::ui
