// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/messages/hits_model.h"

#include "ui/common/convert.h"
#include "ui/common/palette.h"
#include "ui/messages/attempts.h"

#include <algorithm>
#include <utility>

namespace redeliver::ui {

namespace {

QString grouped(std::int64_t value) {
    QString digits = QString::number(value);
    for (qsizetype i = digits.size() - 3; i > (value < 0 ? 1 : 0); i -= 3) {
        digits.insert(i, QChar(0x202F));  // a narrow space that never breaks
    }
    return digits;
}

}  // namespace

HitsModel::HitsModel(QObject* parent)
    : QAbstractTableModel(parent), m_timeText([](TimePoint at) { return toQt(toRfc3339(at)); }) {}

void HitsModel::setResult(std::shared_ptr<const SearchResult> result) {
    beginResetModel();
    m_changing = true;  // who listens to a change may ask for more rows, but they can't be added inside it
    m_result = std::move(result);
    m_shown = std::min(total(), pageRows);
    endResetModel();
    m_changing = false;
}

void HitsModel::setTimeText(std::function<QString(TimePoint)> text, const QString& zone) {
    m_timeText = std::move(text);
    m_zone = zone;
    if (m_shown > 0) {
        Q_EMIT dataChanged(index(0, Time), index(m_shown - 1, Time), {Qt::DisplayRole});
    }
    Q_EMIT headerDataChanged(Qt::Horizontal, Time, Time);
}

const SearchHit* HitsModel::hit(const QModelIndex& index) const {
    const bool inside = m_result && index.isValid() && index.row() < m_shown;
    return inside ? &m_result->hits[static_cast<std::size_t>(index.row())] : nullptr;
}

int HitsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_shown;
}

int HitsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

bool HitsModel::canFetchMore(const QModelIndex& parent) const {
    return !parent.isValid() && !m_changing && m_shown < total();
}

void HitsModel::fetchMore(const QModelIndex& parent) {
    if (!canFetchMore(parent)) {
        return;
    }
    m_changing = true;
    const int more = std::min(pageRows, total() - m_shown);
    beginInsertRows({}, m_shown, m_shown + more - 1);
    m_shown += more;
    endInsertRows();
    m_changing = false;
}

QString HitsModel::cell(const SearchHit& hit, int column) const {
    switch (column) {
        case Time:
            return m_timeText(hit.at);
        case Consumer:
            return toQt(hit.consumer);
        case Outcome:
            return Attempts::outcomeName(hit.outcome);
        case Id:
            return toQt(hit.messageId);
        case Place:
            return hit.record ? QString::number(hit.record->partition.value()) + QStringLiteral(" @ ") +
                                    grouped(hit.record->offset.value())
                              : QStringLiteral("—");
        case Worker:
            return hit.worker.empty() ? QStringLiteral("—") : toQt(hit.worker);
        case Latency:
            if (!hit.latency) {
                return QStringLiteral("—");
            }
            return hit.latency->count() < 10'000
                       ? QString::number(static_cast<double>(hit.latency->count()) / 1000.0, 'f', 1)
                       : QString::number((hit.latency->count() + 500) / 1000);
        default:
            return {};
    }
}

QString HitsModel::tooltip(const SearchHit& hit, int column) const {
    switch (column) {
        case Time:
            return toQt(toRfc3339(hit.at, 6));
        case Outcome:
            return hit.kind ? Attempts::outcomeName(hit.outcome) + QStringLiteral(" · ") + Attempts::kindName(*hit.kind)
                   : hit.isMarker ? tr("the marker: committed with its effect")
                                  : QString();
        case Place:
            return hit.record ? toQt(toText(*hit.record))
                              : tr("This row was written without the record's coordinates.");
        case Worker:
            return hit.worker.empty() ? tr("Not written by this consumer.") : QString();
        case Latency:
            return hit.latency ? QString() : tr("A marker doesn't hold how long the handling took.");
        default:
            return cell(hit, column);
    }
}

QVariant HitsModel::data(const QModelIndex& index, int role) const {
    const SearchHit* const row = hit(index);
    if (row == nullptr) {
        return {};
    }
    switch (role) {
        case Qt::DisplayRole:
            return cell(*row, index.column());
        case Qt::ToolTipRole:
            return tooltip(*row, index.column());
        case Qt::AccessibleTextRole:
            return QString(headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString() +
                           QStringLiteral(": ") + cell(*row, index.column()));
        case Qt::TextAlignmentRole:
            return QVariant::fromValue(Qt::Alignment(index.column() == Latency ? Qt::AlignRight : Qt::AlignLeft) |
                                       Qt::AlignVCenter);
        case Qt::FontRole:
            return index.column() == Id || index.column() == Place || index.column() == Time ? QVariant(fonts::mono())
                                                                                             : QVariant();
        case OutcomeCode:
            return toQt(row->outcome);
        case FilterTerm:
            return filterTerm(*row, static_cast<Column>(index.column()));
        default:
            return {};
    }
}

QVariant HitsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue(Qt::Alignment(section == Latency ? Qt::AlignRight : Qt::AlignLeft) |
                                   Qt::AlignVCenter);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
        case Time:
            return m_zone.isEmpty() ? tr("Time") : tr("Time (%1)").arg(m_zone);
        case Consumer:
            return tr("Consumer");
        case Outcome:
            return tr("Outcome");
        case Id:
            return tr("Message ID");
        case Place:
            return tr("Partition @ offset");
        case Worker:
            return tr("Worker");
        case Latency:
            return tr("ms");
        default:
            return {};
    }
}

}  // namespace redeliver::ui
