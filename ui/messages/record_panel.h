// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/search.h"
#include "ui/common/panel.h"

#include <memory>
#include <vector>

class QComboBox;
class QPlainTextEdit;
class QPushButton;
class QTabBar;

namespace redeliver::ui {

class StateView;

/// The record itself, as the broker has it: decoded, text, hex, headers or exact bytes. It shows and copies; fetching
/// is the page's. Save… writes the value's bytes unchanged.
class RecordPanel : public Panel {
    Q_OBJECT
  public:
    enum class View { Decoded, Text, Hex, Headers, Exact };

    explicit RecordPanel(QWidget* parent = nullptr);

    /// The places where this message is known to lie; the first is chosen. None: says why nothing can be fetched.
    void setPlaces(std::vector<Coordinates> places);
    void showLoading();
    void showRecord(const RecordView& view);
    void showError(const Error& error);
    void setView(View view);
    [[nodiscard]] View view() const noexcept { return m_view; }
    [[nodiscard]] QString shownText() const;
    /// Enabled when `obstacle` is empty; otherwise greyed, and the tooltip says it.
    void setReplay(const QString& obstacle);

  Q_SIGNALS:
    void wanted(const redeliver::Coordinates& at);  ///< fetch this one
    void replayWanted();

  private:
    void build();
    QWidget* makeViews();
    QWidget* makeButtons();
    void choosePlace(int index);
    void render();
    [[nodiscard]] QString textOf(View view) const;
    [[nodiscard]] QString headersText() const;
    void copy() const;
    void save();

    std::vector<Coordinates> m_places;
    std::shared_ptr<const Record> m_record;
    View m_view = View::Decoded;
    QComboBox* m_place = nullptr;
    QTabBar* m_views = nullptr;
    QPlainTextEdit* m_text = nullptr;
    QLabel* m_note = nullptr;
    StateView* m_state = nullptr;
    QPushButton* m_copy = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_replay = nullptr;
};

}  // namespace redeliver::ui
