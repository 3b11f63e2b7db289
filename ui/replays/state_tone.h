// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/model/replay.h"
#include "ui/common/palette.h"

namespace redeliver::ui {

/// The badge of a replay's state.
[[nodiscard]] constexpr Tone toneOf(ReplayState state) noexcept {
    switch (state) {
        case ReplayState::Paused:
        case ReplayState::Finished:
            return Tone::Warn;
        case ReplayState::Aborted:
        case ReplayState::Stopped:
            return Tone::Bad;
        case ReplayState::Reconciled:
            return Tone::Good;
        case ReplayState::Running:
        case ReplayState::Planned:
            break;
    }
    return Tone::Neutral;
}

}  // namespace redeliver::ui
