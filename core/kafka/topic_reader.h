// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/kafka/client.h"
#include "core/ports/topic_reader.h"

#include <chrono>
#include <memory>

namespace redeliver::kafka {

struct TopicReaderOptions {
    std::string clientId = "redeliver";
    std::chrono::milliseconds callLimit{10'000};  ///< of each look-up
    std::chrono::milliseconds idleLimit{30'000};  ///< a scan that hears nothing for so long is a lost connection
};

/// Reads without a group: assign() with a throw-away group ID, never commits, read_committed. One thread, synchronous.
class TopicReader final : public ports::TopicReader {
  public:
    /// Throws Error(BadInput) for a bad property. Makes no connection yet.
    explicit TopicReader(const Config& config, TopicReaderOptions options = {});
    ~TopicReader() override;
    TopicReader(const TopicReader&) = delete;
    TopicReader& operator=(const TopicReader&) = delete;

    ClusterId clusterId() override;
    Result<std::map<Partition, ports::LogInfo>> logs(const Topic& topic) override;
    Result<std::map<Partition, Offset>> offsetsAt(const Topic& topic, TimePoint at) override;
    /// Ranges of one partition may be many and overlap: each record is given once. What was deleted before it could be
    /// read, or lies beyond the last stable offset, makes the scan incomplete and is named. Throws Error(Connection)
    /// when nothing is heard for idleLimit.
    Result<ScanEnd> scan(const Topic& topic, const std::vector<ports::OffsetRange>& ranges,
                         const std::function<bool(Record&&)>& sink, const std::stop_token& stop) override;

    /// The record exactly at this offset, or nothing when it is gone, aborted, or not stable yet.
    [[nodiscard]] Result<std::optional<Record>> recordAt(const TopicPartition& tp, Offset offset);

    [[nodiscard]] const ConnectionState& connection() const noexcept { return m_client.connection(); }

  private:
    Result<std::optional<Record>> newestRecord(const TopicPartition& tp, Offset start, Offset end);

    Config m_config;
    TopicReaderOptions m_options;
    Client m_client;
    std::unique_ptr<Client> m_uncommitted;  ///< asks for high watermarks; made when first needed
};

}  // namespace redeliver::kafka
