// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/admin.h"
#include "core/model/snapshot.h"

namespace redeliver::kafka {

/// How far a group is behind in one partition. Lag = last stable offset − committed, never negative: what can't be
/// known has a reason instead of a value.
struct PartitionLag {
    TopicPartition tp;
    std::optional<Offset> committed;
    Offset start;
    Offset end;  ///< last stable offset
    Observed lag;
};

struct GroupLag {
    Observed total;
    std::vector<PartitionLag> partitions;
};

/// The arithmetic alone.
[[nodiscard]] Observed lagOf(std::optional<Offset> committed, Offset start, Offset end);
[[nodiscard]] Observed totalLag(const std::vector<PartitionLag>& partitions);

/// Reads committed offsets before the ends, so that a fast consumer is never ahead. Blocking, a few round trips.
[[nodiscard]] Result<GroupLag> readLag(Admin& admin, const GroupName& group, const std::vector<Topic>& topics);

}  // namespace redeliver::kafka
