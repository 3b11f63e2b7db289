// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/plan.h"
#include "core/ports/topic_reader.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace redeliver::replay {

/// What is read for a choice: frozen at one instant, before anything is sent.
struct FrozenRanges {
    std::vector<PlanRange> ranges;      ///< without empty ones; `to` is at most the last stable offset of that instant
    std::vector<PlanRange> openBehind;  ///< hidden behind an open transaction: last stable offset to high watermark
    std::vector<PlanRange> gone;        ///< asked for, but deleted from the log before we came
    std::vector<std::string> outside;   ///< asked for, but beyond the end or in no partition
};

/// The source as the document will have it: instants rounded up to milliseconds, which record timestamps have.
/// BadInput for an empty window, an end before its beginning, or ranges of one partition that overlap.
[[nodiscard]] Result<PlanSource> normalise(PlanSource source);

/// A time window is read from the first record at or after its beginning to the frozen end, since older timestamps may
/// come later (edge case 21); `takes` then looks at each record's own timestamp.
[[nodiscard]] Result<FrozenRanges> freeze(ports::TopicReader& reader, const Topic& topic, const PlanSource& source);

/// True when the rule chooses the record: `from ≤ timestamp < to`; offsets choose everything in the ranges.
/// A record of the running replay itself is never chosen.
[[nodiscard]] bool takes(const PlanSource& source, const std::string& planId, const Record& record);

/// Notices that what was chosen is another log's or other content: a digest per partition over offset, timestamp and
/// content, combined in partition order.
class Fingerprint {
  public:
    void add(const Record& record);
    [[nodiscard]] std::string text() const;

  private:
    std::map<Partition, std::uint64_t> m_states;
};

}  // namespace redeliver::replay
