// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/ui/fake_desks.h"
#include "ui/common/palette.h"
#include "ui/context/live.h"
#include "ui/context/navigator.h"
#include "ui/context/page.h"
#include "ui/context/session.h"
#include "ui/context/time_window.h"
#include "ui/context/zone.h"

#include <QApplication>
#include <QDir>
#include <QTest>

#include <memory>
#include <vector>

namespace redeliver::fakes {

/// A page's surroundings, with fake desks behind them.
struct PageBench {
    explicit PageBench(Profile profile = {}) {
        if (profile.name.empty()) {
            profile.name = "payments-dev";
        }
        ui::DeskMaker desks;
        desks.browse = [answers = browse](const Profile&) { return std::make_unique<FakeBrowse>(answers); };
        desks.replays = [answers = replays](const Profile&) { return std::make_unique<FakeReplay>(answers); };
        desks.actions = [known = consumers](const Profile&) { return std::make_unique<FakeActions>(*known); };
        session = std::make_unique<ui::Session>(std::move(profile), std::move(desks));
        QObject::connect(&navigator, &ui::Navigator::requested, &navigator,
                         [this](const ui::Link& link) { links.push_back(link); });
    }
    [[nodiscard]] ui::PageContext context() {
        ui::PageContext made;
        made.session = session.get();
        made.time = &time;
        made.zone = &zone;
        made.live = &live;
        made.navigator = &navigator;
        return made;
    }

    std::shared_ptr<BrowseAnswers> browse = std::make_shared<BrowseAnswers>();
    std::shared_ptr<ReplayAnswers> replays = std::make_shared<ReplayAnswers>();
    std::shared_ptr<std::vector<ConsumerInfo>> consumers = std::make_shared<std::vector<ConsumerInfo>>();
    std::unique_ptr<ui::Session> session;
    ui::TimeWindow time;
    ui::Zone zone;
    ui::Live live;
    ui::Navigator navigator;
    std::vector<ui::Link> links;
};

/// With REDELIVER_SHOTS set to a folder: a picture of the page there, in both themes and both sizes.
inline void shoot(ui::Page& page, const QString& name) {
    const QString folder = qEnvironmentVariable("REDELIVER_SHOTS");
    if (folder.isEmpty()) {
        return;
    }
    // What the frame takes away: the rail at the left, top and status bar.
    for (const QSize size : {QSize(1280 - 168, 720 - 74), QSize(1920 - 168, 1080 - 74)}) {
        for (const bool dark : {false, true}) {
            ui::applyTheme(*qApp, dark ? ui::ThemeChoice::Dark : ui::ThemeChoice::Light);
            page.resize(size);
            QTest::qWait(60);
            page.grab().save(QStringLiteral("%1/%2-%3%4.png")
                                 .arg(folder, name)
                                 .arg(size.width() + 168)
                                 .arg(dark ? QStringLiteral("-dark") : QString()));
        }
    }
    ui::applyTheme(*qApp, ui::ThemeChoice::Light);
}

}  // namespace redeliver::fakes
