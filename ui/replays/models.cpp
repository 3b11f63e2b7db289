// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/replays/models.h"

#include "ui/common/convert.h"
#include "ui/common/formats.h"
#include "ui/common/palette.h"
#include "ui/replays/plan_text.h"

#include <QFont>

#include <array>
#include <utility>

namespace redeliver::ui {

namespace {

QVariant alignment(bool right) {
    return QVariant::fromValue(Qt::Alignment(right ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

bool inside(const QModelIndex& index, std::size_t rows) {
    return index.isValid() && index.row() >= 0 && static_cast<std::size_t>(index.row()) < rows;
}

}  // namespace

void HistoryModel::setLines(std::vector<ReplayLine> lines) {
    beginResetModel();
    m_lines = std::move(lines);
    endResetModel();
}

void HistoryModel::setTimeText(TimeText timeText, const QString& zone) {
    m_timeText = std::move(timeText);
    m_zone = zone;
    if (!m_lines.empty()) {
        Q_EMIT dataChanged(index(0, When), index(rowCount() - 1, When), {Qt::DisplayRole});
    }
    Q_EMIT headerDataChanged(Qt::Horizontal, When, When);
}

const ReplayLine* HistoryModel::line(const QModelIndex& index) const {
    return inside(index, m_lines.size()) ? &m_lines[static_cast<std::size_t>(index.row())] : nullptr;
}

int HistoryModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_lines.size());
}

int HistoryModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString HistoryModel::cell(const ReplayLine& line, int column) const {
    const ReplayProgress& progress = line.progress;
    switch (column) {
        case When: {
            const TimePoint at = line.startedAt.value_or(line.createdAt);
            return m_timeText ? m_timeText(at) : toQt(toRfc3339(at, 0));
        }
        case Consumer:
            return toQt(line.consumer);
        case Way:
            return toQt(line.topic) + QStringLiteral(" → ") + PlanText::targetName(line.target);
        case State:
            return PlanText::stateName(progress.state);
        case Result: {
            const QString sent =
                progress.sent == progress.records
                    ? tr("all %1 sent").arg(Formats::number(progress.sent))
                    : tr("%1 of %2").arg(Formats::number(progress.sent), Formats::number(progress.records));
            return progress.setAside == 0 ? sent
                                          : tr("%1 · %2 set aside").arg(sent, Formats::number(progress.setAside));
        }
        case Who:
            return toQt(line.who);
        case Why:
            return toQt(line.reason);
        default:
            return {};
    }
}

QVariant HistoryModel::data(const QModelIndex& index, int role) const {
    const ReplayLine* const row = line(index);
    if (row == nullptr) {
        return {};
    }
    switch (role) {
        case Qt::DisplayRole:
            return cell(*row, index.column());
        case Qt::ToolTipRole:
            return index.column() == State && !row->progress.text.empty() ? toQt(row->progress.text)
                   : index.column() == When ? tr("Replay %1").arg(toQt(row->progress.id.value()))
                                            : cell(*row, index.column());
        case Qt::TextAlignmentRole:
            return alignment(false);
        case StateCode:
            return static_cast<int>(row->progress.state);
        default:
            return {};
    }
}

QVariant HistoryModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    if (role == Qt::TextAlignmentRole) {
        return alignment(false);
    }
    const std::array<QString, ColumnCount> names{m_zone.isEmpty() ? tr("When") : tr("When (%1)").arg(m_zone),
                                                 tr("Consumer"),
                                                 tr("From → to"),
                                                 tr("State"),
                                                 tr("Result"),
                                                 tr("Who"),
                                                 tr("Why")};
    return role == Qt::DisplayRole ? QVariant(names.at(static_cast<std::size_t>(section))) : QVariant();
}

void ClassModel::setForecast(const ConsumerForecast& forecast, std::int64_t records) {
    beginResetModel();
    m_forecast = forecast;
    m_records = records;
    m_rows.clear();
    for (std::size_t i = 0; i < messageClassCount; ++i) {
        const auto klass = static_cast<MessageClass>(i);
        const bool always = klass == MessageClass::Protected || klass == MessageClass::NeverProcessed ||
                            klass == MessageClass::Unprotected;
        if (always || forecast.classes[i] > 0) {
            m_rows.push_back(klass);
        }
    }
    endResetModel();
}

int ClassModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ClassModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString ClassModel::cell(MessageClass klass, int column) const {
    const std::int64_t count = m_forecast.classes[indexOf(klass)];
    switch (column) {
        case Name:
            return PlanText::className(klass);
        case WillDo:
            return PlanText::willDo(m_forecast, klass);
        case Messages:
            return Formats::number(count);
        case Share:
            return Formats::share(count, m_records);
        case Evidence:
            return count == 0 ? QStringLiteral("—") : PlanText::evidence(m_forecast, klass);
        default:
            return {};
    }
}

QVariant ClassModel::data(const QModelIndex& index, int role) const {
    if (!inside(index, m_rows.size())) {
        return {};
    }
    const MessageClass klass = classAt(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return cell(klass, index.column());
        case Qt::ToolTipRole: {
            const auto samples = m_forecast.samples.find(std::string(toText(klass)));
            QString tip = cell(klass, index.column());
            if (samples != m_forecast.samples.end()) {
                for (const std::string& id : samples->second) {
                    tip += QLatin1Char('\n') + toQt(id);
                }
            }
            return tip;
        }
        case Qt::TextAlignmentRole:
            return alignment(index.column() == Messages || index.column() == Share);
        case Qt::FontRole: {
            QFont font;
            font.setBold(index.column() == Name || (index.column() == Messages && klass == MessageClass::Unprotected &&
                                                    m_forecast.classes[indexOf(klass)] > 0));
            return font.bold() ? QVariant(font) : QVariant();
        }
        case ClassCode:
            return static_cast<int>(klass);
        case Count:
            return static_cast<qlonglong>(m_forecast.classes[indexOf(klass)]);
        default:
            return {};
    }
}

QVariant ClassModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    if (role == Qt::TextAlignmentRole) {
        return alignment(section == Messages || section == Share);
    }
    const std::array<QString, ColumnCount> names{tr("Class"), tr("What the consumer will do"), tr("Messages"),
                                                 tr("Share"), tr("Evidence")};
    return role == Qt::DisplayRole ? QVariant(names.at(static_cast<std::size_t>(section))) : QVariant();
}

void DifferenceModel::setReport(const ReplayReport& report) {
    beginResetModel();
    m_rows.clear();
    for (const ConsumerReport& consumer : report.consumers) {
        for (const ReplayDifference& difference : consumer.differences) {
            m_rows.push_back({consumer.consumer, difference});
        }
    }
    endResetModel();
}

int DifferenceModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int DifferenceModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DifferenceModel::data(const QModelIndex& index, int role) const {
    if (!inside(index, m_rows.size())) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return alignment(false);
    }
    if (role == Qt::FontRole && (index.column() == Id || index.column() == Place)) {
        return fonts::mono();
    }
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) {
        return {};
    }
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    const std::array<QString, ColumnCount> cells{
        toQt(row.consumer), row.difference.messageId.empty() ? tr("no identity") : toQt(row.difference.messageId),
        QString::number(row.difference.partition.value()) + QStringLiteral(" @ ") +
            QString::number(row.difference.offset.value()),
        toQt(row.difference.predicted).replace(QLatin1Char('_'), QLatin1Char(' ')),
        toQt(row.difference.found).replace(QLatin1Char('_'), QLatin1Char(' '))};
    return cells.at(static_cast<std::size_t>(index.column()));
}

QVariant DifferenceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) {
        return QAbstractTableModel::headerData(section, orientation, role);
    }
    if (role == Qt::TextAlignmentRole) {
        return alignment(false);
    }
    const std::array<QString, ColumnCount> names{tr("Consumer"), tr("Message ID"), tr("Partition @ offset"),
                                                 tr("Predicted"), tr("Found")};
    return role == Qt::DisplayRole ? QVariant(names.at(static_cast<std::size_t>(section))) : QVariant();
}

}  // namespace redeliver::ui
