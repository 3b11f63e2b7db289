// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/query/query.h"
#include "ui/common/convert.h"
#include "ui/messages/hits_model.h"

namespace redeliver::ui {

namespace {

QString quoted(const std::string& value) {
    return toQt(query::quoteValue(value));
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
