// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/convert.h"
#include "ui/messages/hits_model.h"

namespace redeliver::ui {

namespace {

/// Values with the language's own characters are quoted; everything else reads back as it is.
QString quoted(const std::string& value) {
    const QString text = toQt(value);
    static const QString plain = QStringLiteral("._-/@+=#");
    bool bare = !text.isEmpty();
    for (const QChar c : text) {
        bare = bare && (c.isLetterOrNumber() || plain.contains(c));
    }
    if (bare && !text.startsWith(QLatin1Char('-'))) {
        return text;
    }
    QString out = QStringLiteral("\"");
    for (const QChar c : text) {
        if (c == QLatin1Char('"') || c == QLatin1Char('\\')) {
            out += QLatin1Char('\\');
        }
        out += c;
    }
    return out + QLatin1Char('"');
}

}  // namespace

QString filterTerm(const SearchHit& hit, HitsModel::Column column) {
    switch (column) {
        case HitsModel::Consumer:
            return QStringLiteral("consumer:") + quoted(hit.consumer);
        case HitsModel::Outcome:
            return hit.kind ? QStringLiteral("kind:") + toQt(toText(*hit.kind))
                            : QStringLiteral("outcome:") + quoted(hit.outcome);
        case HitsModel::Id:
            return QStringLiteral("id:") + quoted(hit.messageId);
        case HitsModel::Place:
            return hit.record ? QStringLiteral("partition:") + QString::number(hit.record->partition.value())
                              : QString();
        case HitsModel::Worker:
            return hit.worker.empty() ? QString() : QStringLiteral("worker:") + quoted(hit.worker);
        default:
            return {};
    }
}

}  // namespace redeliver::ui
