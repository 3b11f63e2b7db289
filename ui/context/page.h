// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/time_range.h"

#include <QSettings>
#include <QString>
#include <QWidget>

#include <optional>

namespace redeliver::ui {

class Live;
class Navigator;
class Session;
class TimeWindow;
class Zone;

/// The rail's entries, in its order.
enum class PageId { Overview, Consumer, Messages, Replays, Checklist, Lab, Connections };

/// What a page is given. All of it lives in the GUI thread and outlives the page; a page is made anew for each opened
/// profile.
struct PageContext {
    Session* session = nullptr;      ///< the open profile and its lanes; null only for pages that need none
    TimeWindow* time = nullptr;      ///< the window's one time range; connect to changed()
    Zone* zone = nullptr;            ///< formats every instant; connect to changed()
    Live* live = nullptr;            ///< tick() every 5 s while live
    Navigator* navigator = nullptr;  ///< go(Link) opens another page
};

/// Where to go: a page and what it shows there.
struct Link {
    PageId page = PageId::Overview;
    QString argument;  ///< Messages: a query; Replays: a replay ID, "new?consumer=…&topic=…[&from=ms&to=ms]", or
                       ///< "preview?…"
    std::optional<TimeRange> range;  ///< becomes the window's range
    friend bool operator==(const Link&, const Link&) = default;
};

/// One page of the window. It does all I/O through the session's lanes and shows every state with its next step.
class Page : public QWidget {
    Q_OBJECT
  public:
    using QWidget::QWidget;

    /// F5, Retry, and the first time it is shown.
    virtual void refresh() = 0;
    /// The page was opened by a link with an argument.
    virtual void open(const Link& link) { (void)link; }
    /// Shown or hidden: only the shown page answers ticks.
    virtual void setActive(bool active) { (void)active; }
    /// Columns, filters, splitters; the group is the page's own.
    virtual void saveState(QSettings& settings) const { (void)settings; }
    virtual void restoreState(QSettings& settings) { (void)settings; }

  Q_SIGNALS:
    /// The number in the rail (what needs attention); 0 shows none.
    void badgeChanged(int count);
};

}  // namespace redeliver::ui
