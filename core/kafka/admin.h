// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/kafka/client.h"
#include "core/ports/record_source.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace redeliver::kafka {

struct AdminOptions {
    std::string clientId = "redeliver";
    std::chrono::milliseconds callLimit{10'000};
};

struct Broker {
    std::int32_t id = 0;
    std::string host;  ///< as advertised
    int port = 0;
};

struct GroupMember {
    std::string id;
    std::string clientId;
    std::string host;
    std::vector<TopicPartition> assigned;
};

/// A group as list and description see it. An old library describes a live group of the new protocol as Dead without
/// members: only where both agree is a group stopped.
struct GroupInfo {
    GroupName name;
    std::string listed;     ///< state in the list: Stable, Empty, PreparingRebalance, …; "" when not listed
    std::string described;  ///< state in the description; "" when it couldn't be had
    std::string assignor;
    std::vector<GroupMember> members;
    std::vector<ports::GroupOffset> committed;  ///< of the topic asked for; only partitions with a commit
    std::string unknown;                        ///< what couldn't be read of this group, and why; else empty

    [[nodiscard]] bool stopped() const noexcept;
};

/// Who reads a topic, as far as the broker tells this library.
struct GroupsOnTopic {
    std::vector<GroupInfo> groups;
    std::vector<std::string> notListed;  ///< sentences: brokers that failed, kinds of groups the library can't list
};

/// Looks at and changes topics and groups. One thread; each call blocks up to callLimit. Throws Error(BadInput) for a
/// bad property when made; everything else is a value.
class Admin {
  public:
    explicit Admin(const Config& config, AdminOptions options = {});

    ClusterId clusterId();  ///< throws Error(Connection)
    Result<std::vector<Broker>> brokers();
    Result<std::vector<Topic>> topics();  ///< sorted, without Kafka's own ("__…")
    Result<std::vector<Partition>> partitions(const Topic& topic);
    Result<std::map<std::string, std::string>> topicConfig(const Topic& topic);  ///< effective values
    /// Returns when its leaders are known.
    Result<void> createTopic(const Topic& topic, int partitions, int replication = 1,
                             const std::map<std::string, std::string>& configs = {});
    Result<void> deleteTopic(const Topic& topic);
    /// Deletes what lies below each offset; answers the new log starts.
    Result<std::map<Partition, Offset>> deleteRecords(const Topic& topic, const std::map<Partition, Offset>& below);

    Result<std::vector<GroupInfo>> groups();  ///< listed state only
    Result<GroupInfo> group(const GroupName& name);
    Result<std::vector<ports::GroupOffset>> committed(const GroupName& group,
                                                      const std::vector<TopicPartition>& partitions);
    /// Every group with members on, or committed offsets in, the topic.
    Result<GroupsOnTopic> groupsOn(const Topic& topic);
    /// Sets offsets of a stopped group, with their metadata, and reads them back: Kafka may say success for the group
    /// and refuse every partition. Refused names members and the partitions that didn't move.
    Result<void> moveOffsets(const GroupName& group, const std::vector<ports::GroupOffset>& offsets);

    [[nodiscard]] const Client& client() const noexcept { return m_client; }
    [[nodiscard]] std::chrono::milliseconds callLimit() const noexcept { return m_options.callLimit; }

  private:
    [[nodiscard]] AdminOptionsHandle optionsFor(int operation) const;
    [[nodiscard]] Result<EventHandle> await(const QueueHandle& queue, const std::string& what) const;
    Result<void> awaitLeaders(const Topic& topic, int partitions);
    Result<std::vector<GroupInfo>> listGroups(std::vector<std::string>* notListed);
    void describe(std::vector<GroupInfo>& groups);
    void addCommitted(std::vector<GroupInfo>& groups, const std::vector<TopicPartition>& partitions);

    AdminOptions m_options;
    Client m_client;
};

}  // namespace redeliver::kafka
