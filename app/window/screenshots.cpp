// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/screenshots.h"

#include "ui/context/live.h"
#include "ui/frame/main_window.h"

#include <QDir>
#include <QPixmap>
#include <QTimer>

#include <map>

namespace redeliver::window {

namespace {

constexpr int firstLookMs = 8000;  // Kafka's lag comes with its second answer
constexpr int settleMs = 1500;     // a page's requests take far less; there is no end that a picture could wait for

const std::map<ui::PageId, QString>& names() {
    static const std::map<ui::PageId, QString> all{
        {ui::PageId::Overview, QStringLiteral("overview")},       {ui::PageId::Consumer, QStringLiteral("consumer")},
        {ui::PageId::Messages, QStringLiteral("messages")},       {ui::PageId::Replays, QStringLiteral("replays")},
        {ui::PageId::Checklist, QStringLiteral("checklist")},     {ui::PageId::Lab, QStringLiteral("lab")},
        {ui::PageId::Connections, QStringLiteral("connections")},
    };
    return all;
}

}  // namespace

Screenshots::Screenshots(ui::MainWindow& window, QString folder, std::function<void(bool)> done)
    : m_window(window), m_folder(std::move(folder)), m_done(std::move(done)) {}

void Screenshots::start() {
    m_written = QDir().mkpath(m_folder);
    for (const ui::PageId page : m_window.pages()) {
        for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
            for (const bool dark : {false, true}) {
                m_shots.push_back({page, names().at(page), size, dark});
            }
        }
    }
    QTimer::singleShot(firstLookMs, this, &Screenshots::next);
}

void Screenshots::next() {
    if (m_at >= m_shots.size()) {
        m_done(m_written);
        return;
    }
    const Shot& shot = m_shots[m_at];
    m_window.setTheme(shot.dark ? ui::ThemeChoice::Dark : ui::ThemeChoice::Light);
    m_window.resize(shot.size);
    if (m_window.currentPage() != shot.page) {
        // A search that finds something in every demo; other pages show what they open with.
        const QString argument = shot.page == ui::PageId::Messages ? QStringLiteral("outcome:duplicate") : QString();
        m_window.go({shot.page, argument, {}});
    }
    QTimer::singleShot(settleMs, this, &Screenshots::take);
}

void Screenshots::take() {
    const Shot& shot = m_shots[m_at];
    const QString file = QStringLiteral("%1/%2-%3x%4-%5.png")
                             .arg(m_folder, shot.name)
                             .arg(shot.size.width())
                             .arg(shot.size.height())
                             .arg(shot.dark ? QStringLiteral("dark") : QStringLiteral("light"));
    m_written = m_window.grab().save(file) && m_written;
    ++m_at;
    next();
}

}  // namespace redeliver::window
