// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/result.h"
#include "core/base/secret.h"
#include "core/workspace/workspace.h"

#include <functional>
#include <string>

namespace redeliver::window {

/// Reads secrets: environment and file as everywhere, keyring entries from the desktop's. Called in any thread but the
/// GUI thread, whose event loop it needs; blocks for at most 30 s (a locked keyring asks its owner).
[[nodiscard]] SecretReader keyringReader();

/// Keeps a secret in the desktop's keyring. Same thread rules.
[[nodiscard]] Result<void> storeInKeyring(const std::string& name, const Secret& secret);

}  // namespace redeliver::window
