// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/topic_reader.h"
#include "core/workspace/connections.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace redeliver {

struct BrowseRequest {
    Topic topic;
    std::optional<Partition> partition;  ///< absent: all
    std::optional<TimePoint> from;       ///< by the record's own timestamp, inclusive
    std::optional<TimePoint> to;         ///< exclusive
    bool newest = false;                 ///< from the end: the last `limit` offsets of each partition
    std::int64_t limit = 100;
};

struct BrowseResult {
    std::vector<Record> records;  ///< by partition and offset; with `newest` the highest offsets first
    bool complete = true;
    std::string why;                 ///< when not complete
    std::int64_t outside = 0;        ///< read, but outside the time window by their own timestamps (or without one)
    std::vector<std::string> marks;  ///< "0@500": time runs backwards there
};

/// Looks into a topic without joining a group and without committing anything. One thread.
class TopicBrowser {
  public:
    explicit TopicBrowser(Connections connections) : m_connections(std::move(connections)) {}

    /// NotFound: no such topic or partition. Throws Error(Connection). Times may run backwards in a log, so a window
    /// is read from the first record inside it to the end of the log, or until the limit.
    Result<BrowseResult> browse(const BrowseRequest& request, const std::stop_token& stop);

  private:
    Result<std::vector<ports::OffsetRange>> rangesOf(const BrowseRequest& request);

    Connections m_connections;
    std::optional<kafka::TopicReader> m_reader;
};

}  // namespace redeliver
