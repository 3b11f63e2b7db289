// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/common/convert.h"
#include "ui/connections/connections_page.h"
#include "ui/context/live.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"
#include "ui/frame/main_window.h"
#include "ui/frame/rail.h"
#include "ui/frame/search_field.h"
#include "ui/frame/shortcuts.h"
#include "ui/frame/time_control.h"
#include "ui/frame/top_bar.h"

#include <QSettings>
#include <QShortcut>

#include <algorithm>

namespace redeliver::ui {

void MainWindow::setUpShortcuts() {
    const auto bind = [this](const QKeySequence& keys, auto action) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, action);
    };
    for (int number = 1; number <= 9; ++number) {
        bind(QKeySequence(QStringLiteral("Ctrl+%1").arg(number)), [this, number] {
            const std::vector<PageId> ids = pages();
            if (number <= static_cast<int>(ids.size())) {
                go({ids[static_cast<std::size_t>(number - 1)], {}, {}});
            }
        });
    }
    bind(QKeySequence(Qt::Key_F5), [this] { page(m_current.page)->refresh(); });
    bind(QKeySequence(QStringLiteral("Ctrl+K")), [this] {
        m_top->search()->setFocus(Qt::ShortcutFocusReason);
        m_top->search()->selectAll();
    });
    bind(QKeySequence(QStringLiteral("Ctrl+T")), [this] { m_top->time()->openPopup(); });
    bind(QKeySequence(QStringLiteral("Ctrl+L")), [this] { m_live->setOn(!m_live->isOn()); });
    bind(QKeySequence(QStringLiteral("Alt+Left")), [this] { travel(m_history.back()); });
    bind(QKeySequence(QStringLiteral("Alt+Right")), [this] { travel(m_history.forward()); });
    const auto help = [this] { (new ShortcutsDialog(this))->open(); };
    bind(QKeySequence(Qt::Key_F1), help);
    bind(QKeySequence(QStringLiteral("?")), help);
    bind(QKeySequence(QStringLiteral("Ctrl+Q")), [this] { close(); });
}

void MainWindow::setUpCommands() {
    std::vector<Command> commands;
    for (const PageEntry& entry : m_entries) {
        commands.push_back({tr("Go to %1").arg(entry.title), [this, id = entry.id] { go({id, {}, {}}); }});
    }
    commands.push_back({tr("Go to Connections"), [this] { go({PageId::Connections, {}, {}}); }});
    commands.push_back({tr("Refresh"), [this] { page(m_current.page)->refresh(); }});
    commands.push_back({tr("Live on or off"), [this] { m_live->setOn(!m_live->isOn()); }});
    commands.push_back({tr("Times in UTC"), [this] { m_zone->setUtc(); }});
    commands.push_back({tr("Times in local zone"), [this] { m_zone->setLocal(); }});
    commands.push_back({tr("Colours: as the system"), [this] { setTheme(ThemeChoice::System); }});
    commands.push_back({tr("Colours: light"), [this] { setTheme(ThemeChoice::Light); }});
    commands.push_back({tr("Colours: dark"), [this] { setTheme(ThemeChoice::Dark); }});
    commands.push_back({tr("Keyboard shortcuts"), [this] { (new ShortcutsDialog(this))->open(); }});
    m_top->search()->setCommands(std::move(commands));
}

std::unique_ptr<QSettings> MainWindow::settings() const {
    return std::make_unique<QSettings>(m_services.settingsFile, QSettings::IniFormat);
}

void MainWindow::saveState() {
    const auto stored = settings();
    stored->setValue(QStringLiteral("window/geometry"), saveGeometry());
    stored->setValue(QStringLiteral("window/theme"), static_cast<int>(m_theme));
    stored->setValue(QStringLiteral("window/zoneKind"), static_cast<int>(m_zone->kind()));
    stored->setValue(QStringLiteral("window/zone"), QString::fromUtf8(m_zone->timeZone().id()));
    const TimeChoice& time = m_time->choice();
    stored->setValue(QStringLiteral("time/last"), time.last ? static_cast<qlonglong>(time.last->count()) : 0);
    stored->setValue(QStringLiteral("time/from"), static_cast<qlonglong>(toUnixMillis(time.range.from)));
    stored->setValue(QStringLiteral("time/to"), static_cast<qlonglong>(toUnixMillis(time.range.to)));
    if (m_session) {
        stored->setValue(QStringLiteral("window/profile"), toQt(m_session->profile().name));
        stored->setValue(QStringLiteral("window/page"), static_cast<int>(m_current.page));
    }
    for (const PageEntry& entry : m_entries) {
        if (const auto known = m_pages.find(entry.id); known != m_pages.end()) {
            stored->beginGroup(QStringLiteral("page/") + entry.icon);
            known->second->saveState(*stored);
            stored->endGroup();
        }
    }
}

void MainWindow::restoreState() {
    const auto stored = settings();
    restoreGeometry(stored->value(QStringLiteral("window/geometry")).toByteArray());
    const int theme = stored->value(QStringLiteral("window/theme"), 0).toInt();
    setTheme(static_cast<ThemeChoice>(std::clamp(theme, 0, static_cast<int>(ThemeChoice::Dark))));
    switch (static_cast<Zone::Kind>(stored->value(QStringLiteral("window/zoneKind"), 0).toInt())) {
        case Zone::Kind::Utc:
            break;
        case Zone::Kind::Local:
            m_zone->setLocal();
            break;
        case Zone::Kind::Named:
            m_zone->setNamed(stored->value(QStringLiteral("window/zone")).toString().toUtf8());
            break;
    }
    const qlonglong last = stored->value(QStringLiteral("time/last"), 3600).toLongLong();
    if (last > 0) {
        m_time->setLast(std::chrono::seconds(last));
    } else {
        m_time->setRange({fromUnixMillis(stored->value(QStringLiteral("time/from")).toLongLong()),
                          fromUnixMillis(stored->value(QStringLiteral("time/to")).toLongLong())});
    }
}

void MainWindow::reopenLast() {
    const auto stored = settings();
    const QString name = stored->value(QStringLiteral("window/profile")).toString();
    if (!name.isEmpty()) {
        const auto id = static_cast<PageId>(stored->value(QStringLiteral("window/page"), 0).toInt());
        m_connections->openByName(name, [this, id] { go({id, {}, {}}); });
    }
}

}  // namespace redeliver::ui
