// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/model/record.h"
#include "core/ports/record_source.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <vector>

namespace redeliver::ports {

struct OffsetRange {
    Partition partition;
    Offset from;
    Offset to;  ///< exclusive
    friend bool operator==(const OffsetRange&, const OffsetRange&) = default;
};

/// Reads a topic without joining a group and without committing anything. One thread, synchronous.
/// Implementations: kafka::TopicReader, the tests' log model.
class TopicReader {
  public:
    virtual ~TopicReader() = default;
    virtual ClusterId clusterId() = 0;
    virtual Result<std::map<Partition, LogInfo>> logs(const Topic& topic) = 0;  ///< NotFound when the topic is missing
    /// First offset with timestamp ≥ at; the end when there is none *and* the newest record is older (edge case 70),
    /// else the start.
    virtual Result<std::map<Partition, Offset>> offsetsAt(const Topic& topic, TimePoint at) = 0;
    struct ScanEnd {
        std::map<Partition, Offset> reached;  ///< position per partition: gaps and control records counted as passed
        bool complete = false;                ///< every range was read to its end
        std::string why;                      ///< when not complete
    };
    /// Gives every record a read_committed consumer would be given in these ranges, per partition in order.
    /// `sink` returns false to end early. Ends by position, never by "last offset seen" (edge case 16).
    virtual Result<ScanEnd> scan(const Topic& topic, const std::vector<OffsetRange>& ranges,
                                 const std::function<bool(Record&&)>& sink, const std::stop_token& stop) = 0;
};

}  // namespace redeliver::ports
