// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/model/consumer_info.h"
#include "core/postgres/session.h"

#include <optional>
#include <string>
#include <vector>

namespace redeliver::postgres {

/// Partitions, their release by a person, and the registry of consumers. Every change writes an audit row in its own
/// transaction. One session, one thread; calls take at most 10 s. Throws Error: Connection, Schema, Privilege, Refused,
/// NotFound.
class PgPartitionStore {
  public:
    explicit PgPartitionStore(Session& session) : m_session(session) {}

    [[nodiscard]] std::vector<StoppedPartition> stopped();  ///< oldest first
    [[nodiscard]] std::vector<PartitionState> partitions();

    /// Asks the worker to go on where the partition stopped. Refused when it runs, NotFound when it isn't known,
    /// BadInput when several clusters have such a partition and `cluster` doesn't say which.
    void requestRetry(const ConsumerName& consumer, const TopicPartition& tp,
                      const std::optional<ClusterId>& cluster = {});
    /// Asks the worker to go on at `to`; everything between is skipped, so a reason is a must, and `to` may not lie
    /// before where it stopped (that would repeat).
    void requestSkip(const ConsumerName& consumer, const TopicPartition& tp, Offset to, const std::string& reason,
                     const std::optional<ClusterId>& cluster = {});

    [[nodiscard]] std::vector<ConsumerInfo> consumers();
    /// Writes what a person decides: fields without a value keep what is there; lists replace when not empty.
    void setConsumer(const ConsumerInfo& info);

  private:
    struct Request;
    void request(const ConsumerName& consumer, const TopicPartition& tp, const Request& request,
                 const std::optional<ClusterId>& cluster);

    Session& m_session;
};

}  // namespace redeliver::postgres
