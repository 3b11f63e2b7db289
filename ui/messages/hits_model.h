// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/search.h"

#include <QAbstractTableModel>
#include <QString>

#include <functional>
#include <memory>

namespace redeliver::ui {

/// The result table of Messages over one immutable SearchResult. Rows are handed to the view in pages as it scrolls.
class HitsModel : public QAbstractTableModel {
    Q_OBJECT
  public:
    enum Column { Time, Consumer, Outcome, Id, Place, Worker, Latency, ColumnCount };
    enum Role { OutcomeCode = Qt::UserRole + 1, FilterTerm };  ///< FilterTerm: the cell as a term of the query language
    static constexpr int pageRows = 200;

    explicit HitsModel(QObject* parent = nullptr);

    void setResult(std::shared_ptr<const SearchResult> result);
    void setTimeText(std::function<QString(TimePoint)> text, const QString& zone);
    [[nodiscard]] const SearchHit* hit(const QModelIndex& index) const;
    [[nodiscard]] int total() const noexcept { return m_result ? static_cast<int>(m_result->hits.size()) : 0; }
    [[nodiscard]] const std::shared_ptr<const SearchResult>& result() const noexcept { return m_result; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;

  private:
    [[nodiscard]] QString cell(const SearchHit& hit, int column) const;
    [[nodiscard]] QString tooltip(const SearchHit& hit, int column) const;

    std::shared_ptr<const SearchResult> m_result;
    std::function<QString(TimePoint)> m_timeText;
    QString m_zone;
    int m_shown = 0;
    bool m_changing = false;
};

/// The cell's value as a filter term ("consumer:order-payment-handler"), quoted as the query language needs it; empty
/// where the cell holds nothing to filter by.
[[nodiscard]] QString filterTerm(const SearchHit& hit, HitsModel::Column column);

}  // namespace redeliver::ui
