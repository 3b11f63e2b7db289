// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/secret.h"
#include "core/model/profile.h"
#include "core/workspace/progress.h"
#include "ui/context/session.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace redeliver::ui {

/// What app/ gives the window. Functions are called in lanes' threads and may block.
struct Services {
    DeskMaker desks;
    std::filesystem::path profileFolder;
    /// Starts the embedded stack and its fleet, which live until the program ends; answers the demo's profile. Empty
    /// where this build has no demo.
    std::function<Result<Profile>(const ProgressSink&, const std::stop_token&)> startDemo;
    /// Keeps a secret in the desktop's keyring under that name. Empty where there is none.
    std::function<Result<void>(const std::string& name, const Secret& secret)> storeSecret;
    QString settingsFile;  ///< INI file for geometry, range, page, columns
};

}  // namespace redeliver::ui
