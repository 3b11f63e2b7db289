// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/profile.h"
#include "ui/common/palette.h"
#include "ui/context/page.h"
#include "ui/context/services.h"
#include "ui/frame/history.h"
#include "ui/frame/pages.h"

#include <QMainWindow>

#include <map>
#include <memory>
#include <vector>

class QSettings;
class QStackedWidget;

namespace redeliver::ui {

class ConnectionsPage;
class Live;
class Navigator;
class Rail;
class Session;
class StatusBar;
class TimeWindow;
class TopBar;
class Zone;

/// The frame: rail, top bar, pages, status bar. It opens profiles and moves between pages; it knows no page's inside.
class MainWindow : public QMainWindow {
    Q_OBJECT
  public:
    explicit MainWindow(Services services, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openProfile(const Profile& profile);
    void startDemo();
    void go(const Link& link);
    void setTheme(ThemeChoice choice);
    /// Opens the profile of the last run when it still can be read; asked for once, after construction.
    void reopenLast();

    [[nodiscard]] Session* session() const noexcept { return m_session.get(); }
    [[nodiscard]] std::vector<PageId> pages() const;
    [[nodiscard]] PageId currentPage() const noexcept { return m_current.page; }
    [[nodiscard]] Page* page(PageId id);  ///< makes it when needed; null when it doesn't exist
    [[nodiscard]] TimeWindow& time() const noexcept { return *m_time; }
    [[nodiscard]] Zone& zone() const noexcept { return *m_zone; }
    [[nodiscard]] Live& live() const noexcept { return *m_live; }
    [[nodiscard]] TopBar& topBar() const noexcept { return *m_top; }
    [[nodiscard]] Rail& rail() const noexcept { return *m_rail; }
    [[nodiscard]] StatusBar& bottomBar() const noexcept { return *m_status; }

  protected:
    void closeEvent(QCloseEvent* event) override;

  private:
    void layOut();
    void connectParts();
    void setUpShortcuts();
    void setUpCommands();
    void updateRail();
    void closeProfile();
    void arrive(const Link& link);
    void travel(const std::optional<Place>& place);
    void attachOverview(Page* page);
    [[nodiscard]] std::unique_ptr<QSettings> settings() const;
    void saveState();
    void restoreState();

    Services m_services;
    TimeWindow* m_time;
    Zone* m_zone;
    Live* m_live;
    Navigator* m_navigator;
    TopBar* m_top;
    Rail* m_rail;
    StatusBar* m_status;
    QStackedWidget* m_stack;
    ConnectionsPage* m_connections = nullptr;
    std::vector<PageEntry> m_entries;
    std::unique_ptr<Session> m_session;
    std::map<PageId, Page*> m_pages;
    Link m_current{PageId::Connections, {}, {}};
    History m_history;
    ThemeChoice m_theme = ThemeChoice::System;
};

}  // namespace redeliver::ui
