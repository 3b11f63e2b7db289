// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/demo_start.h"
#include "app/window/keyring.h"
#include "app/window/screenshots.h"
#include "app/window/stop_signals.h"
#include "app/window/translations.h"
#include "core/base/log.h"
#include "core/workspace/action_desk.h"
#include "core/workspace/browse_desk.h"
#include "core/workspace/profile_store.h"
#include "core/workspace/replay_desk.h"
#include "core/workspace/telemetry_desk.h"
#include "core/workspace/workspace.h"
#include "ui/async/lane_thread.h"
#include "ui/common/convert.h"
#include "ui/context/session.h"
#include "ui/frame/main_window.h"

#include <QApplication>
#include <QDir>
#include <QStandardPaths>
#include <QTimer>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

namespace redeliver::window {
namespace {

struct Options {
    std::string profile;
    std::string screenshots;
    bool demo = false;
};

bool hasDisplay() {
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
            return true;
        }
    }
    return false;
}

// On a machine without a display the demo goes on in the terminal.
int withoutDisplay(const Options& options) {
    std::cerr << "redeliver: there is no display (DISPLAY and WAYLAND_DISPLAY are empty)\n";
    if (!options.demo) {
        std::cerr << "  Use redeliverctl, or set QT_QPA_PLATFORM=offscreen with --screenshots\n";
        return 1;
    }
    std::cerr << "  Showing the consumers table here instead\n";
    std::error_code ignored;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const std::string program = (self.parent_path() / "redeliverctl").string();
    ::execl(program.c_str(), "redeliverctl", "demo", static_cast<char*>(nullptr));
    std::cerr << "redeliver: can't start " << program << '\n';
    return 1;
}

ui::DeskMaker desks(const SecretReader& secrets) {
    const auto open = [secrets](const Profile& profile) { return Workspace(profile, secrets, "redeliver window"); };
    ui::DeskMaker made;
    made.telemetry = [open](const Profile& profile) { return open(profile).telemetry(); };
    made.browse = [open](const Profile& profile) { return open(profile).browse(); };
    made.actions = [open](const Profile& profile) { return open(profile).actions(); };
    made.replays = [open](const Profile& profile) { return open(profile).replays(); };
    return made;
}

ui::Services services(DemoKeeper& demo, bool forPictures) {
    ui::Services made;
    made.desks = desks(keyringReader());
    made.startDemo = [&demo, forPictures](const ProgressSink& progress, const std::stop_token& stop) {
        Result<Profile> profile = demo.start(progress, stop);
        if (forPictures) {
            demo.waitForHistory(stop);
        }
        return profile;
    };
    made.storeSecret = storeInKeyring;
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation);
    made.settingsFile = forPictures ? QDir::tempPath() + QStringLiteral("/redeliver-screenshots-%1.ini").arg(::getpid())
                                    : folder + QStringLiteral("/redeliver/window.ini");
    return made;
}

std::optional<Profile> wantedProfile(const Options& options) {
    if (options.profile.empty()) {
        return std::nullopt;
    }
    Result<Profile> profile = ProfileStore().load(options.profile);
    if (!profile) {
        std::cerr << "redeliver: " << profile.error().text() << "\n  " << profile.error().hint() << '\n';
        std::exit(2);
    }
    return *std::move(profile);
}

// Pictures start when the profile is open; a demo that can't start ends the program with its reason on the page.
void takePictures(ui::MainWindow& window, const Options& options) {
    auto* shots = new Screenshots(window, ui::toQt(options.screenshots),
                                  [](bool written) { QCoreApplication::exit(written ? 0 : 1); });
    shots->setParent(&window);
    auto* waiting = new QTimer(&window);
    QObject::connect(waiting, &QTimer::timeout, &window, [&window, waiting, shots] {
        if (window.session() != nullptr) {
            waiting->stop();
            shots->start();
        }
    });
    waiting->start(200);
}

int run(QApplication& application, const Options& options) {
    const std::optional<Profile> profile = wantedProfile(options);
    DemoKeeper demo;
    StopSignals signals;
    int status = 0;
    {
        ui::MainWindow window(services(demo, !options.screenshots.empty()));
        QObject::connect(&signals, &StopSignals::stopRequested, &window, &QWidget::close);
        window.show();
        if (options.demo) {
            window.startDemo();
        } else if (profile) {
            window.openProfile(*profile);
        } else {
            window.reopenLast();
        }
        if (!options.screenshots.empty()) {
            takePictures(window, options);
        }
        status = QApplication::exec();
    }
    (void)application;
    return status;
}

}  // namespace
}  // namespace redeliver::window

int main(int argc, char** argv) {
    using namespace redeliver;
    window::Options options;
    CLI::App cli{"Redeliver: see duplicates absorbed, find any message, replay with a guard"};
    cli.add_option("--profile", options.profile, "a profile's name or file");
    cli.add_flag("--demo", options.demo, "start an embedded PostgreSQL, Kafka and a living fleet, and show them");
    cli.add_option(
        "--screenshots", options.screenshots,
        "draw every page in both themes and sizes into this folder, then end; without --profile from the demo");
    cli.set_version_flag("--version", "redeliver " REDELIVER_VERSION);
    // Qt takes its own options (-platform, -style) out of the list; ours are read first and may not clash.
    cli.allow_extras();
    CLI11_PARSE(cli, argc, argv);
    options.demo = options.demo || (!options.screenshots.empty() && options.profile.empty());
    if (!window::hasDisplay()) {
        return window::withoutDisplay(options);
    }
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("redeliver"));
    QApplication::setApplicationDisplayName(QStringLiteral("Redeliver"));
    QApplication::setDesktopFileName(QStringLiteral("redeliver"));
    window::installTranslations(application);
    const int status = window::run(application, options);
    // A lane's thread may still be stuck in a call of a dead server; static destructors must not run under it.
    if (ui::LaneThread::leftBehind() > 0) {
        std::fflush(nullptr);
        std::_Exit(status);
    }
    return status;
}
