// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/overview/consumers_model.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"

#include <algorithm>
#include <set>

namespace redeliver::ui {

namespace {

QString usualText(const UsualRate& usual) {
    return Formats::percent(usual.median) + QStringLiteral(" ± ") + QString::number(usual.spread * 100, 'f', 1);
}

}  // namespace

ConsumersModel::ConsumersModel(QObject* parent) : QAbstractTableModel(parent) {}

void ConsumersModel::setSnapshot(SnapshotPtr snapshot) {
    const SnapshotPtr before = std::move(m_snapshot);  // rows point into it until the end of this function
    m_snapshot = std::move(snapshot);
    std::set<std::string> wanted;
    for (const ConsumerRow& row : m_snapshot->consumers) {
        wanted.insert(row.info.name.value());
    }
    for (int at = static_cast<int>(m_rows.size()) - 1; at >= 0; --at) {
        if (!wanted.contains(row(at).info.name.value())) {
            beginRemoveRows({}, at, at);
            m_rows.erase(m_rows.begin() + at);
            endRemoveRows();
        }
    }
    for (int at = 0; at < static_cast<int>(m_snapshot->consumers.size()); ++at) {
        const ConsumerRow& next = m_snapshot->consumers[static_cast<std::size_t>(at)];
        const int found = rowOf(next.info.name);
        if (found < 0) {
            beginInsertRows({}, at, at);
            m_rows.insert(m_rows.begin() + at, &next);
            endInsertRows();
            continue;
        }
        if (found != at) {
            beginMoveRows({}, found, found, {}, at);
            std::rotate(m_rows.begin() + at, m_rows.begin() + found, m_rows.begin() + found + 1);
            endMoveRows();
        }
        m_rows[static_cast<std::size_t>(at)] = &next;
    }
    if (!m_rows.empty()) {
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    }
}

int ConsumersModel::rowOf(const ConsumerName& name) const {
    const auto found = std::ranges::find_if(m_rows, [&name](const ConsumerRow* row) { return row->info.name == name; });
    return found == m_rows.end() ? -1 : static_cast<int>(found - m_rows.begin());
}

void ConsumersModel::setSpanText(const QString& text) {
    if (m_span != text) {
        m_span = text;
        Q_EMIT headerDataChanged(Qt::Horizontal, Deliveries, Deliveries);
    }
}

int ConsumersModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ConsumersModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ConsumersModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) {
        return {};
    }
    const auto column = static_cast<Column>(index.column());
    switch (role) {
        case Qt::DisplayRole:
            return text(row(index.row()), column);
        case Qt::ToolTipRole:
            return tip(row(index.row()), column);
        case Qt::TextAlignmentRole:
            return QVariant::fromValue((column <= Deliveries ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
        case Qt::AccessibleTextRole: {
            const QString heading = headerData(index.column(), Qt::Horizontal, Qt::DisplayRole).toString();
            return QString(heading + QStringLiteral(": ") + text(row(index.row()), column));
        }
        default:
            return {};
    }
}

QVariant ConsumersModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant::fromValue((section <= Deliveries ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    const bool tip = role == Qt::ToolTipRole;
    if (role != Qt::DisplayRole && !tip) {
        return {};
    }
    switch (static_cast<Column>(section)) {
        case Name:
            return tr("Consumer");
        case State:
            return tip ? tr("Sorted by need for attention") : tr("State");
        case Deliveries:
            return m_span.isEmpty() ? tr("Deliveries") : tr("Deliveries, %1").arg(m_span);
        case Rate:
            return tip ? tr("Deliveries per second in the range") : tr("/s");
        case Duplicates:
            return tip ? tr("Share of the deliveries that were duplicates and absorbed") : tr("Duplicates");
        case Usual:
            return tip ? tr("Usual share of duplicates: median and spread") : tr("usual");
        case Failures:
            return tip ? tr("Transaction failures and ack failures in the range") : tr("tx / ack failures");
        case P95:
            return tip ? tr("95 % of the deliveries were handled faster") : tr("p95");
        case Lag:
            return tip ? tr("Records that the group has not acked yet") : tr("Lag");
        case MarkersKept:
            return tip ? tr("How long markers are kept") : tr("Markers kept");
        case ReplayHorizon:
            return tip ? tr("How far back this organisation may ever replay") : tr("Replay horizon");
        case ColumnCount:
            break;
    }
    return {};
}

QString ConsumersModel::stateName(ConsumerState state) {
    switch (state) {
        case ConsumerState::Stopped:
            return tr("stopped");
        case ConsumerState::Failing:
            return tr("failing");
        case ConsumerState::Spike:
            return tr("spike");
        case ConsumerState::Elevated:
            return tr("elevated");
        case ConsumerState::Learning:
            return tr("no usual rate");
        case ConsumerState::Usual:
            return tr("usual", "state");
        case ConsumerState::Idle:
            return tr("idle");
        case ConsumerState::NoData:
            return tr("no data");
    }
    return {};
}

bool ConsumersModel::horizonUncovered(const ConsumerInfo& info) {
    return info.markerRetention && info.replayHorizon && *info.markerRetention < *info.replayHorizon;
}

QString ConsumersModel::text(const ConsumerRow& row, Column column) {
    switch (column) {
        case Name:
            return toQt(row.info.name.value());
        case State:
            return stateName(row.state);
        case Deliveries:
            return {};
        case Rate:
            return row.state == ConsumerState::NoData ? Formats::none() : Formats::rate(row.rate);
        case Duplicates:
            return Formats::percent(row.duplicateRate);
        case Usual:
            return row.usual ? usualText(*row.usual) : Formats::none();
        case Failures:
            return Formats::number(row.counts.of(Outcome::TransactionFailed)) + QStringLiteral(" / ") +
                   Formats::number(row.counts.ackFailed);
        case P95:
            return Formats::latency(row.p95);
        case Lag:
            return row.lag.value ? Formats::compact(*row.lag.value) : Formats::none();
        case MarkersKept:
            return Formats::span(row.info.markerRetention);
        case ReplayHorizon:
            return Formats::span(row.info.replayHorizon);
        case ColumnCount:
            break;
    }
    return {};
}

QString ConsumersModel::tip(const ConsumerRow& row, Column column) {
    switch (column) {
        case Name:
            return row.info.group ? tr("group %1").arg(toQt(row.info.group->value())) : QString();
        case State:
            return toQt(row.stateText);
        case Deliveries:
        case Rate:
            return tr("%1 deliveries in the range").arg(Formats::number(row.counts.deliveries()));
        case Duplicates:
            return tr("%1 duplicates absorbed").arg(Formats::number(row.counts.of(Outcome::Duplicate)));
        case Usual:
            return toQt(row.usualReason);
        case Failures:
            return tr("%1 transaction failures (they come again), %2 ack failures (committed, not acked)")
                .arg(Formats::number(row.counts.of(Outcome::TransactionFailed)), Formats::number(row.counts.ackFailed));
        case P95:
            return tr("p50 %1 · p95 %2 · p99 %3")
                .arg(Formats::latency(row.p50), Formats::latency(row.p95), Formats::latency(row.p99));
        case Lag:
            return row.lag.value ? Formats::number(*row.lag.value) : toQt(row.lag.reason);
        case MarkersKept:
            return row.info.markerRetention ? QString() : tr("No marker retention is registered");
        case ReplayHorizon:
            return horizonUncovered(row.info)
                       ? tr("Markers are kept for %1 only: an older message replayed would be applied again")
                             .arg(Formats::span(row.info.markerRetention))
                       : QString();
        case ColumnCount:
            break;
    }
    return {};
}

}  // namespace redeliver::ui
