// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/client.h"
#include "core/ports/topic_reader.h"

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace redeliver::kafka {

struct ScanLimits {
    std::chrono::milliseconds call{10'000};
    std::chrono::milliseconds idle{30'000};
};

/// One bounded read of one topic's ranges; made, run once, thrown away. Ends by position and partition EOF.
class Scan {
  public:
    Scan(const Client& client, const Topic& topic, const std::vector<ports::OffsetRange>& ranges, ScanLimits limits);

    Result<ports::TopicReader::ScanEnd> run(const std::function<bool(Record&&)>& sink, const std::stop_token& stop);

  private:
    struct Part {
        std::vector<ports::OffsetRange> ranges;  ///< ascending, disjoint
        std::size_t current = 0;
        std::int64_t position = 0;
        bool done = false;
    };

    void assign();
    void finish(std::int32_t partition, Part& part);
    void moveTo(std::int32_t partition, Part& part, std::int64_t offset, bool seekAhead);
    void take(const rd_kafka_message_s& message, const std::function<bool(Record&&)>& sink);
    void takeError(const rd_kafka_message_s& message);
    void atEnd(std::int32_t partition, Part& part, std::int64_t offset);
    void wasDeleted(std::int32_t partition, Part& part);
    void seek(std::int32_t partition, std::int64_t offset);
    void note(const std::string& why);

    const Client& m_client;
    Topic m_topic;
    ScanLimits m_limits;
    std::map<std::int32_t, Part> m_parts;
    std::size_t m_open = 0;
    bool m_ended = false;  ///< the sink said so
    std::string m_why;
    std::optional<Error> m_error;
};

}  // namespace redeliver::kafka
