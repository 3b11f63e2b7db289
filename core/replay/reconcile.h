// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/model/plan.h"
#include "core/model/replay.h"
#include "core/ports/marker_reader.h"
#include "core/ports/replay_ledger.h"
#include "core/ports/topic_reader.h"

#include <map>
#include <stop_token>
#include <vector>

namespace redeliver::replay {

/// A copy that the replay sent, read back from the target.
struct SentCopy {
    Partition partition;  ///< of source and target alike
    Offset source;
    Offset target;
    std::vector<std::optional<MessageId>> ids;  ///< one per reconciled consumer
};

/// A guarded consumer of the plan, as it stands now.
struct ReconciledConsumer {
    ConsumerInfo info;
    std::map<Partition, Offset> committed;  ///< its group's offsets in the target topic
};

/// Reads the copies of `stored` from its target (read_committed, from where the target ended when the run began).
/// Error records-gone when some were deleted already.
[[nodiscard]] Result<std::vector<SentCopy>> readCopies(const ReplayPlan& plan, const ports::StoredReplay& stored,
                                                       const std::vector<ReconciledConsumer>& consumers,
                                                       ports::TopicReader& reader, const std::stop_token& stop);

/// What one consumer did with the copies, against the prediction (fine-print: found, difference). `index` is the
/// consumer's place in SentCopy::ids.
[[nodiscard]] ConsumerReport reconcile(const ReplayPlan& plan, const ports::StoredReplay& stored,
                                       const std::vector<SentCopy>& copies, const ReconciledConsumer& consumer,
                                       std::size_t index, ports::MarkerReader& markers, const std::stop_token& stop);

/// Differences kept in a report; the counts are exact beyond it.
inline constexpr std::size_t mostDifferences = 10'000;

}  // namespace redeliver::replay
