// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/screenshots.h"

#include "ui/context/live.h"
#include "ui/frame/main_window.h"

#include <QDateTime>
#include <QDir>
#include <QPixmap>
#include <QTimer>

#include <vector>

namespace redeliver::window {

namespace {

constexpr int firstLookMs = 8000;  // Kafka's lag comes with its second answer
constexpr int openMs = 6000;       // a page's requests take far less; there is no end that a picture could wait for
constexpr int settleMs = 1000;

struct View {
    ui::PageId page;
    QString name;
    QString argument;
};

// What is worth a picture: every page, with a search that finds something in every demo, and a replay's preview of a
// window that reaches past the marker horizon.
std::vector<View> viewsOf(ui::PageId page) {
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    constexpr qint64 hours = 3'600'000;
    switch (page) {
        case ui::PageId::Overview:
            return {{page, QStringLiteral("overview"), {}}};
        case ui::PageId::Messages:
            return {{page, QStringLiteral("messages"), QStringLiteral("outcome:duplicate")}};
        case ui::PageId::Replays:
            return {{page, QStringLiteral("replays"), {}},
                    {page, QStringLiteral("replay-preview"),
                     QStringLiteral("preview?consumer=order-payment-handler&topic=payments&from=%1&to=%2")
                         .arg(now - 20 * hours)
                         .arg(now)}};
        case ui::PageId::Connections:
            return {{page, QStringLiteral("connections"), {}}};
        default:
            return {};
    }
}

}  // namespace

Screenshots::Screenshots(ui::MainWindow& window, QString folder, std::function<void(bool)> done)
    : m_window(window), m_folder(std::move(folder)), m_done(std::move(done)) {}

void Screenshots::start() {
    m_written = QDir().mkpath(m_folder);
    for (const ui::PageId page : m_window.pages()) {
        for (const View& view : viewsOf(page)) {
            for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
                for (const bool dark : {false, true}) {
                    m_shots.push_back({view.page, view.name, view.argument, size, dark});
                }
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
    const bool isNew = m_at == 0 || m_shots[m_at - 1].name != shot.name;
    if (isNew) {
        m_window.go({shot.page, shot.argument, {}});
    }
    QTimer::singleShot(isNew ? openMs : settleMs, this, &Screenshots::take);
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
