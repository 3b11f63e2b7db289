// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/context/page.h"

#include <QObject>
#include <QSize>
#include <QString>

#include <functional>
#include <vector>

namespace redeliver::ui {
class MainWindow;
}

namespace redeliver::window {

/// Draws every page in both themes at 1280x720 and 1920x1080 into a folder, then calls `done`. Steps run off a timer in
/// the GUI thread: each waits until the page has settled.
class Screenshots : public QObject {
    Q_OBJECT
  public:
    Screenshots(ui::MainWindow& window, QString folder, std::function<void(bool written)> done);
    void start();

  private:
    struct Shot {
        ui::PageId page;
        QString name;
        QString argument;  ///< of the link that opens it
        QSize size;
        bool dark;
    };
    void next();
    void take();

    ui::MainWindow& m_window;
    QString m_folder;
    std::function<void(bool)> m_done;
    std::vector<Shot> m_shots;
    std::size_t m_at = 0;
    bool m_written = true;
};

}  // namespace redeliver::window
