// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/admin.h"
#include "core/model/consumer_info.h"
#include "core/model/profile.h"
#include "core/ports/marker_reader.h"
#include "core/replay/planner.h"

#include <vector>

namespace redeliver {

/// What a plan is made from, asked of the broker and the database: who will see the records, limits of the target, and
/// what would keep a run from starting. NotFound when the consumer or the target isn't known.
[[nodiscard]] Result<replay::PlanSetup> makeReplaySetup(const PlanRequest& request, const std::string& planId,
                                                        TimePoint createdAt, const std::vector<ConsumerInfo>& consumers,
                                                        const Profile& profile, kafka::Admin& admin,
                                                        ports::MarkerReader& markers);

/// Consumers as classification needs them: the profile's words on top, but the retention that a sweep uses where the
/// database has one.
[[nodiscard]] std::vector<ConsumerInfo> consumersForReplay(const std::vector<ConsumerInfo>& registered,
                                                           const Profile& profile);

/// The offsets of a consumer's group in a topic; empty when it has none or they can't be read.
[[nodiscard]] std::map<Partition, Offset> committedOf(const ConsumerInfo& info, const Topic& topic,
                                                      kafka::Admin& admin);

}  // namespace redeliver
