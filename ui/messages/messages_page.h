// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/search.h"
#include "ui/async/ticket.h"
#include "ui/context/page.h"

#include <QTimer>

#include <cstdint>
#include <memory>

class QPushButton;
class QSplitter;
class QTableView;

namespace redeliver::ui {

class DetailView;
class FilterLine;
class HitsModel;
class StateView;

/// Messages: a filter line, the rows that match, and everything known of the chosen message. All reads go through the
/// session's browse lane; a newer request makes an older answer vanish.
class MessagesPage : public Page {
    Q_OBJECT
  public:
    MessagesPage(const PageContext& context, QWidget* parent);

    void refresh() override;
    void open(const Link& link) override;
    void saveState(QSettings& settings) const override;
    void restoreState(QSettings& settings) override;

    static constexpr std::int64_t firstLimit = 500;
    static constexpr std::int64_t mostLimit = 20'000;

  private:
    QWidget* makeFilter();
    QWidget* makeTable();
    void setUpShortcuts();
    void connectRecord();
    void search(std::int64_t limit);
    void showResult(const std::shared_ptr<const SearchResult>& result);
    void showFailure(const Error& error);
    void cancel();
    void fetchDetail();
    void fetchRecord(const Coordinates& at);
    void showRecord(const RecordView& view);
    void planReplay();
    void showMenu(const QPoint& position);
    void copyCell() const;
    void applyZone();
    void updateReplay(const QString& obstacle);

    PageContext m_context;
    HitsModel* m_model;
    FilterLine* m_filter = nullptr;
    QSplitter* m_splitter = nullptr;
    QTableView* m_table = nullptr;
    StateView* m_state = nullptr;
    QPushButton* m_more = nullptr;
    DetailView* m_detail = nullptr;
    QTimer m_detailSoon;
    std::int64_t m_limit = firstLimit;
    SearchHit m_hit;         ///< the row whose details are shown
    Coordinates m_recordAt;  ///< the record that is shown or being fetched
    Ticket m_searchTicket;
    Ticket m_detailTicket;
    Ticket m_recordTicket;
};

}  // namespace redeliver::ui
