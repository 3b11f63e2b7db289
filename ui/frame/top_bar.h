// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QMenu;
class QPushButton;

namespace redeliver::ui {

class Live;
class SearchField;
class Session;
class TimeControl;
class TimeWindow;
class Zone;

/// Profile chip, search field, time range, zone, live switch.
class TopBar : public QWidget {
    Q_OBJECT
  public:
    TopBar(TimeWindow& time, Zone& zone, Live& live, QWidget* parent = nullptr);
    void setSession(Session* session);  ///< null: no profile is open
    [[nodiscard]] SearchField* search() const noexcept { return m_search; }
    [[nodiscard]] TimeControl* time() const noexcept { return m_time; }
    [[nodiscard]] QPushButton* chip() const noexcept { return m_chip; }

  Q_SIGNALS:
    void connectionsRequested();

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void updateChip();
    void updateZone();
    void updateLive();
    void openChipMenu();
    void openZoneMenu();
    void openNamedZone();
    void askUnlock();

    Zone& m_zone;
    Live& m_live;
    Session* m_session = nullptr;
    QPushButton* m_chip;
    SearchField* m_search;
    TimeControl* m_time;
    QPushButton* m_zoneButton;
    QPushButton* m_liveButton;
};

}  // namespace redeliver::ui
