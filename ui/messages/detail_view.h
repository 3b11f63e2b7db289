// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/search.h"

#include <QWidget>

#include <optional>
#include <vector>

class QGridLayout;
class QLabel;
class QToolButton;
class QComboBox;

namespace redeliver::ui {

class AttemptsView;
class ElidedLabel;
class Panel;
class RecordPanel;
class StateView;
class Zone;

/// Everything known of one message: each consumer's marker and how long it is kept, the attempts at one consumer on a
/// time line, the record. It shows; the page fetches.
class DetailView : public QWidget {
    Q_OBJECT
  public:
    explicit DetailView(Zone& zone, QWidget* parent = nullptr);

    void showNothing();
    void showLoading(const MessageId& id);
    /// `from` is the result row it was opened by: its consumer and its record come first.
    void showDetail(const MessageDetail& detail, const SearchHit& from);
    void showError(const Error& error);
    [[nodiscard]] RecordPanel& record() noexcept { return *m_record; }
    [[nodiscard]] const ConsumerName& consumer() const noexcept { return m_consumer; }
    /// The places of this message, most useful first: the row's, the markers', the other occurrences.
    [[nodiscard]] static std::vector<Coordinates> placesOf(const MessageDetail& detail, const SearchHit& from);

  Q_SIGNALS:
    void retry();

  private:
    QWidget* makeMarkers();
    QWidget* makeAttempts();
    void fillMarkers();
    void addMarkerRow(int row, const ConsumerMarker& entry);
    void fillConsumers();
    void fillAttempts();

    Zone& m_zone;
    std::optional<MessageDetail> m_detail;
    ConsumerName m_consumer;
    bool m_allMarkers = false;
    ElidedLabel* m_title = nullptr;
    StateView* m_state = nullptr;
    QWidget* m_markers = nullptr;
    QGridLayout* m_markerGrid = nullptr;
    QToolButton* m_more = nullptr;
    Panel* m_attemptsPanel = nullptr;
    QComboBox* m_consumers = nullptr;
    AttemptsView* m_attempts = nullptr;
    QLabel* m_sentence = nullptr;
    QLabel* m_described = nullptr;
    RecordPanel* m_record = nullptr;
};

}  // namespace redeliver::ui
