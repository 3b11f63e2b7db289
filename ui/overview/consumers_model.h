// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/snapshot.h"

#include <QAbstractTableModel>

#include <vector>

namespace redeliver::ui {

/// The consumers of a snapshot, in its order. A refresh changes rows by real insert, remove and move calls, so that
/// selection and scroll position stay. Holds the snapshot that its rows point into.
class ConsumersModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column {
        Name,
        State,
        Deliveries,
        Rate,
        Duplicates,
        Usual,
        Failures,
        P95,
        Lag,
        MarkersKept,
        ReplayHorizon,
        ColumnCount
    };

    explicit ConsumersModel(QObject* parent = nullptr);

    void setSnapshot(SnapshotPtr snapshot);
    [[nodiscard]] const ConsumerRow& row(int row) const { return *m_rows[static_cast<std::size_t>(row)]; }
    [[nodiscard]] int rowOf(const ConsumerName& name) const;  ///< or −1
    /// The span in the heading of the sparklines, e.g. "1 h".
    void setSpanText(const QString& text);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] static QString stateName(ConsumerState state);
    /// The replay horizon reaches back further than the markers.
    [[nodiscard]] static bool horizonUncovered(const ConsumerInfo& info);

  private:
    [[nodiscard]] static QString text(const ConsumerRow& row, Column column);
    [[nodiscard]] static QString tip(const ConsumerRow& row, Column column);

    SnapshotPtr m_snapshot;
    std::vector<const ConsumerRow*> m_rows;
    QString m_span;
};

}  // namespace redeliver::ui
