// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/frame/main_window.h"

#include "ui/common/convert.h"
#include "ui/common/icons.h"
#include "ui/connections/connections_page.h"
#include "ui/context/live.h"
#include "ui/context/navigator.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/frame/rail.h"
#include "ui/frame/search_field.h"
#include "ui/frame/status_bar.h"
#include "ui/frame/top_bar.h"
#include "ui/overview/overview_page.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QSettings>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace redeliver::ui {

MainWindow::MainWindow(Services services, QWidget* parent)
    : QMainWindow(parent),
      m_services(std::move(services)),
      m_time(new TimeWindow(this)),
      m_zone(new Zone(this)),
      m_live(new Live(this)),
      m_navigator(new Navigator(this)),
      m_top(new TopBar(*m_time, *m_zone, *m_live, this)),
      m_rail(new Rail(this)),
      m_status(new StatusBar(*m_live, *m_zone, this)),
      m_stack(new QStackedWidget(this)),
      m_entries(pageEntries()) {
    setWindowTitle(QStringLiteral("Redeliver"));
    setWindowIcon(applicationIcon());
    setMinimumSize(960, 600);
    resize(1280, 800);
    m_connections = new ConnectionsPage({nullptr, m_time, m_zone, m_live, m_navigator}, m_services, m_stack);
    m_stack->addWidget(m_connections);
    layOut();
    connectParts();
    setUpShortcuts();
    setUpCommands();
    updateRail();
    restoreState();
    arrive(m_current);
}

MainWindow::~MainWindow() {
    closeProfile();
}

void MainWindow::layOut() {
    auto* all = new QWidget(this);
    auto* row = new QHBoxLayout(all);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    row->addWidget(m_rail);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    column->addWidget(m_top);
    column->addWidget(m_stack, 1);
    column->addWidget(m_status);
    row->addLayout(column, 1);
    setCentralWidget(all);
}

void MainWindow::connectParts() {
    connect(m_rail, &Rail::chosen, this, [this](PageId id) { go({id, {}, {}}); });
    connect(m_navigator, &Navigator::requested, this, &MainWindow::go);
    connect(m_top, &TopBar::connectionsRequested, this, [this] { go({PageId::Connections, {}, {}}); });
    connect(m_top->search(), &SearchField::messageSearch, this, [this](const QString& query) {
        go({PageId::Messages, query, {}});
    });
    connect(m_top->search(), &SearchField::consumerChosen, this, [this](const QString& name) {
        go({PageId::Overview, name, {}});
    });
    connect(m_connections, &ConnectionsPage::openRequested, this, &MainWindow::openProfile);
    connect(m_time, &TimeWindow::changed, this, [this] { m_history.visit({m_current, m_time->choice()}); });
}

std::vector<PageId> MainWindow::pages() const {
    std::vector<PageId> ids;
    for (const RailEntry& entry : m_rail->entries()) {
        ids.push_back(entry.id);
    }
    return ids;
}

void MainWindow::updateRail() {
    std::vector<RailEntry> entries;
    if (m_session) {
        for (const PageEntry& entry : m_entries) {
            entries.push_back({entry.id, entry.title, entry.icon});
        }
    }
    entries.push_back({PageId::Connections, tr("Connections"), QStringLiteral("connections")});
    m_rail->setEntries(entries);
}

void MainWindow::openProfile(const Profile& profile) {
    closeProfile();
    m_session = std::make_unique<Session>(profile, m_services.desks);
    m_top->setSession(m_session.get());
    m_status->setSession(m_session.get());
    m_connections->setOpenProfile(toQt(profile.name));
    setWindowTitle(toQt(profile.name) + QStringLiteral(" — Redeliver"));
    updateRail();
    m_live->setOn(true);
    go({PageId::Overview, {}, {}});
}

void MainWindow::closeProfile() {
    if (!m_session) {
        return;
    }
    saveState();
    arrive({PageId::Connections, {}, {}});
    m_top->setSession(nullptr);
    m_status->setSession(nullptr);
    for (const auto& [id, page] : m_pages) {
        delete page;
    }
    m_pages.clear();
    m_session.reset();
    updateRail();
}

void MainWindow::startDemo() {
    go({PageId::Connections, {}, {}});
    m_connections->startDemo();
}

Page* MainWindow::page(PageId id) {
    if (id == PageId::Connections) {
        return m_connections;
    }
    if (const auto known = m_pages.find(id); known != m_pages.end()) {
        return known->second;
    }
    const auto entry = std::ranges::find_if(m_entries, [id](const PageEntry& one) { return one.id == id; });
    if (entry == m_entries.end() || !m_session) {
        return nullptr;
    }
    Page* made = entry->make({m_session.get(), m_time, m_zone, m_live, m_navigator}, m_stack);
    m_pages[id] = made;
    m_stack->addWidget(made);
    connect(made, &Page::badgeChanged, m_rail, [this, id](int count) { m_rail->setBadge(id, count); });
    if (id == PageId::Overview) {
        attachOverview(made);
    }
    const auto stored = settings();
    stored->beginGroup(QStringLiteral("page/") + entry->icon);
    made->restoreState(*stored);
    made->refresh();
    return made;
}

// The one page the frame listens to: its snapshot feeds the status bar and the search field's names.
void MainWindow::attachOverview(Page* page) {
    connect(static_cast<OverviewPage*>(page), &OverviewPage::refreshed, this, [this](const SnapshotPtr& snapshot) {
        m_status->setSnapshot(snapshot);
        QStringList names;
        for (const ConsumerRow& row : snapshot->consumers) {
            names << toQt(row.info.name.value());
        }
        m_top->search()->setConsumers(names);
    });
}

void MainWindow::go(const Link& link) {
    if (link.range) {
        m_time->setRange(*link.range);
    }
    arrive(link);
    m_history.visit({m_current, m_time->choice()});
}

void MainWindow::arrive(const Link& link) {
    Page* wanted = page(link.page);
    if (wanted == nullptr) {
        return;
    }
    if (auto* before = static_cast<Page*>(m_stack->currentWidget()); before != wanted && before != nullptr) {
        before->setActive(false);
    }
    m_current = {link.page, link.argument, std::nullopt};
    m_stack->setCurrentWidget(wanted);
    m_rail->setCurrent(link.page);
    wanted->setActive(true);
    if (!link.argument.isEmpty()) {
        wanted->open(link);
    }
}

void MainWindow::travel(const std::optional<Place>& place) {
    if (!place) {
        return;
    }
    if (place->time.last) {
        m_time->setLast(*place->time.last);
    } else {
        m_time->setRange(place->time.range);
    }
    arrive(place->link);
}

void MainWindow::setTheme(ThemeChoice choice) {
    m_theme = choice;
    applyTheme(*static_cast<QApplication*>(QCoreApplication::instance()), choice);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveState();
    QMainWindow::closeEvent(event);
}

}  // namespace redeliver::ui
