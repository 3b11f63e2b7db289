// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/ui/fake_telemetry.h"
#include "ui/context/services.h"
#include "ui/frame/main_window.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace redeliver::fakes {

/// The whole window with fake desks behind it, and folders of its own.
struct FrameBench {
    FrameBench() {
        telemetry->overview = [](const OverviewRequest& request) { return mockupSnapshot(request, false); };
        telemetry->health = [] { return goodHealth(); };
    }
    [[nodiscard]] ui::Services services() const {
        ui::Services made;
        made.desks.telemetry = [answers = telemetry](const Profile&) {
            return std::make_unique<FakeTelemetry>(answers);
        };
        made.desks.browse = [answers = browse](const Profile&) { return std::make_unique<FakeBrowse>(answers); };
        made.desks.replays = [answers = replays](const Profile&) { return std::make_unique<FakeReplay>(answers); };
        made.desks.actions = [answers = actions](const Profile&) {
            return std::make_unique<RecordingActions>(answers);
        };
        made.profileFolder = folder.filePath(QStringLiteral("profiles")).toStdString();
        made.settingsFile = folder.filePath(QStringLiteral("redeliver.ini"));
        made.startDemo = [](const ProgressSink& progress, const std::stop_token&) -> Result<Profile> {
            progress({"Starting PostgreSQL", 0, 0});
            Profile demo;
            demo.name = "demo";
            return demo;
        };
        return made;
    }
    [[nodiscard]] std::unique_ptr<ui::MainWindow> window() const {
        return std::make_unique<ui::MainWindow>(services());
    }

    std::shared_ptr<TelemetryAnswers> telemetry = std::make_shared<TelemetryAnswers>();
    std::shared_ptr<BrowseAnswers> browse = std::make_shared<BrowseAnswers>();
    std::shared_ptr<ReplayAnswers> replays = std::make_shared<ReplayAnswers>();
    std::shared_ptr<ActionAnswers> actions = std::make_shared<ActionAnswers>();
    QTemporaryDir folder;
};

inline Profile production() {
    Profile profile;
    profile.name = "payments-prod";
    profile.environment = Environment::Production;
    return profile;
}

/// With REDELIVER_SHOTS set to a folder: pictures of the whole window, both themes, both sizes.
inline void shootWindow(ui::MainWindow& window, const QString& name) {
    const QString folder = qEnvironmentVariable("REDELIVER_SHOTS");
    if (folder.isEmpty()) {
        return;
    }
    for (const QSize size : {QSize(1280, 720), QSize(1920, 1080)}) {
        for (const bool dark : {false, true}) {
            window.setTheme(dark ? ui::ThemeChoice::Dark : ui::ThemeChoice::Light);
            window.resize(size);
            QTest::qWait(250);
            window.grab().save(QStringLiteral("%1/%2-%3%4.png")
                                   .arg(folder, name)
                                   .arg(size.width())
                                   .arg(dark ? QStringLiteral("-dark") : QString()));
        }
    }
    window.setTheme(ui::ThemeChoice::Light);
}

}  // namespace redeliver::fakes
