// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/action_desk.h"
#include "core/workspace/browse_desk.h"
#include "core/workspace/connections.h"
#include "core/workspace/replay_desk.h"
#include "core/workspace/telemetry_desk.h"

#include <chrono>
#include <memory>

namespace redeliver {

/// The real desks, over PostgreSQL and Kafka. Making one does no I/O. `waitForLag`: how long a call waits for Kafka's
/// answer; 0: it takes what the thread behind the desk heard last.
[[nodiscard]] std::unique_ptr<TelemetryDesk> makeTelemetryDesk(Connections connections,
                                                               std::chrono::milliseconds waitForLag = {});
[[nodiscard]] std::unique_ptr<BrowseDesk> makeBrowseDesk(Connections connections);
[[nodiscard]] std::unique_ptr<ActionDesk> makeActionDesk(Connections connections);
[[nodiscard]] std::unique_ptr<ReplayDesk> makeReplayDesk(Connections connections);

}  // namespace redeliver
