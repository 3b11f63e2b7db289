// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/plan.h"
#include "core/model/replay.h"

#include <QAbstractTableModel>
#include <QString>

#include <functional>
#include <memory>
#include <vector>

namespace redeliver::ui {

using TimeText = std::function<QString(TimePoint)>;

/// The history: one row per replay, newest first as the desk lists them.
class HistoryModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { When, Consumer, Way, State, Result, Who, Why, ColumnCount };
    enum Role { StateCode = Qt::UserRole + 1 };

    explicit HistoryModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setLines(std::vector<ReplayLine> lines);
    void setTimeText(TimeText text, const QString& zone);
    [[nodiscard]] const ReplayLine* line(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    [[nodiscard]] QString cell(const ReplayLine& line, int column) const;

    std::vector<ReplayLine> m_lines;
    TimeText m_timeText;
    QString m_zone;
};

/// The classes of one consumer's forecast; classes without a message are shown only when they are the usual three.
class ClassModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { Name, WillDo, Messages, Share, Evidence, ColumnCount };
    enum Role { ClassCode = Qt::UserRole + 1, Count };

    explicit ClassModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setForecast(const ConsumerForecast& forecast, std::int64_t records);
    [[nodiscard]] MessageClass classAt(int row) const { return m_rows.at(static_cast<std::size_t>(row)); }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    [[nodiscard]] QString cell(MessageClass klass, int column) const;

    ConsumerForecast m_forecast;
    std::int64_t m_records = 0;
    std::vector<MessageClass> m_rows;
};

/// What the report found otherwise than the plan predicted, all consumers.
class DifferenceModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { Consumer, Id, Place, Predicted, Found, ColumnCount };

    explicit DifferenceModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

    void setReport(const ReplayReport& report);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    struct Row {
        std::string consumer;
        ReplayDifference difference;
    };
    std::vector<Row> m_rows;
};

}  // namespace redeliver::ui
