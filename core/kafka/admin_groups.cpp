// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/admin.h"
#include "core/kafka/convert.h"
#include "core/kafka/errors.h"
#include "core/kafka/log_lookup.h"

#include <fmt/format.h>
#include <librdkafka/rdkafka.h>

#include <algorithm>

namespace redeliver::kafka {
namespace {

/// Requests on their way at one time: enough for any cluster's pace, small enough for its brokers.
constexpr std::size_t groupsAtOnce = 64;

void addUnknown(GroupInfo& group, const std::string& what) {
    group.unknown += group.unknown.empty() ? what : "; " + what;
}

std::string stateText(rd_kafka_consumer_group_state_t state) {
    return rd_kafka_consumer_group_state_name(state);
}

GroupMember memberOf(const rd_kafka_MemberDescription_t* description) {
    GroupMember member{rd_kafka_MemberDescription_consumer_id(description),
                       rd_kafka_MemberDescription_client_id(description),
                       rd_kafka_MemberDescription_host(description),
                       {}};
    if (const auto* assignment = rd_kafka_MemberDescription_assignment(description)) {
        if (const auto* partitions = rd_kafka_MemberAssignment_partitions(assignment)) {
            member.assigned = toPartitions(*partitions);
        }
    }
    return member;
}

void takeDescription(GroupInfo& group, const rd_kafka_ConsumerGroupDescription_t* description) {
    if (const rd_kafka_error_t* error = rd_kafka_ConsumerGroupDescription_error(description);
        error != nullptr && rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        addUnknown(group, fmt::format("its members ({})", rd_kafka_error_string(error)));
        return;
    }
    group.described = stateText(rd_kafka_ConsumerGroupDescription_state(description));
    if (const char* assignor = rd_kafka_ConsumerGroupDescription_partition_assignor(description)) {
        group.assignor = assignor;
    }
    const std::size_t members = rd_kafka_ConsumerGroupDescription_member_count(description);
    for (std::size_t i = 0; i < members; ++i) {
        group.members.push_back(memberOf(rd_kafka_ConsumerGroupDescription_member(description, i)));
    }
}

void takeOffsets(GroupInfo& group, const rd_kafka_topic_partition_list_t& list) {
    for (int i = 0; i < list.cnt; ++i) {
        const rd_kafka_topic_partition_t& element = list.elems[i];
        if (element.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            addUnknown(group, fmt::format("the offset of partition {} ({})", element.partition,
                                          rd_kafka_err2str(element.err)));
        } else if (element.offset >= 0) {
            ports::GroupOffset offset{{Topic(element.topic), Partition(element.partition)}, Offset(element.offset), {}};
            if (element.metadata != nullptr) {
                offset.metadata.assign(static_cast<const char*>(element.metadata), element.metadata_size);
            }
            group.committed.push_back(std::move(offset));
        }
    }
}

void askOffsets(const Client& client, const GroupInfo& group, const ListHandle& partitions,
                const AdminOptionsHandle& options, const QueueHandle& queue) {
    rd_kafka_ListConsumerGroupOffsets_t* wanted =
        rd_kafka_ListConsumerGroupOffsets_new(group.name.value().c_str(), partitions.get());
    rd_kafka_ListConsumerGroupOffsets(client.get(), &wanted, 1, options.get(), queue.get());
    rd_kafka_ListConsumerGroupOffsets_destroy(wanted);
}

}  // namespace

bool GroupInfo::stopped() const noexcept {
    const auto quiet = [](const std::string& state) { return state == "Empty" || state == "Dead"; };
    return members.empty() && quiet(described) && (listed.empty() || quiet(listed));
}

Result<std::vector<GroupInfo>> Admin::groups() {
    return listGroups(nullptr);
}

Result<std::vector<GroupInfo>> Admin::listGroups(std::vector<std::string>* notListed) {
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    const AdminOptionsHandle options = optionsFor(RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS);
    rd_kafka_ListConsumerGroups(m_client.get(), options.get(), queue.get());
    const Result<EventHandle> event = await(queue, "listing the groups");
    if (!event) {
        return failure(event.error());
    }
    const auto* result = rd_kafka_event_ListConsumerGroups_result(event->get());
    std::size_t count = 0;
    const auto* const* errors = rd_kafka_ListConsumerGroups_result_errors(result, &count);
    for (std::size_t i = 0; i < count; ++i) {
        if (notListed == nullptr) {
            return failure(
                m_client.error(rd_kafka_error_code(errors[i]), "listing the groups", rd_kafka_error_string(errors[i])));
        }
        notListed->push_back(fmt::format("a broker didn't list its groups: {}", rd_kafka_error_string(errors[i])));
    }
    const auto** listings = rd_kafka_ListConsumerGroups_result_valid(result, &count);
    std::vector<GroupInfo> groups(count);
    for (std::size_t i = 0; i < count; ++i) {
        groups[i].name = GroupName(rd_kafka_ConsumerGroupListing_group_id(listings[i]));
        groups[i].listed = stateText(rd_kafka_ConsumerGroupListing_state(listings[i]));
    }
    std::ranges::sort(groups, {}, &GroupInfo::name);
    return groups;
}

void Admin::describe(std::vector<GroupInfo>& groups) {
    if (groups.empty()) {
        return;
    }
    std::vector<const char*> names;
    std::map<std::string, GroupInfo*> byName;
    for (GroupInfo& group : groups) {
        names.push_back(group.name.value().c_str());
        byName.emplace(group.name.value(), &group);
    }
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    const AdminOptionsHandle options = optionsFor(RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS);
    rd_kafka_DescribeConsumerGroups(m_client.get(), names.data(), names.size(), options.get(), queue.get());
    const Result<EventHandle> event = await(queue, "describing the groups");
    if (!event) {
        for (GroupInfo& group : groups) {
            addUnknown(group, fmt::format("its members ({})", event.error().text()));
        }
        return;
    }
    std::size_t count = 0;
    const auto** found = rd_kafka_DescribeConsumerGroups_result_groups(
        rd_kafka_event_DescribeConsumerGroups_result(event->get()), &count);
    for (std::size_t i = 0; i < count; ++i) {
        if (const auto it = byName.find(rd_kafka_ConsumerGroupDescription_group_id(found[i])); it != byName.end()) {
            takeDescription(*it->second, found[i]);
        }
    }
}

Result<GroupInfo> Admin::group(const GroupName& name) {
    Result<std::vector<GroupInfo>> all = listGroups(nullptr);
    if (!all) {
        return failure(all.error());
    }
    std::vector<GroupInfo> one(1);
    one[0].name = name;
    if (const auto it = std::ranges::find(*all, name, &GroupInfo::name); it != all->end()) {
        one[0].listed = it->listed;
    }
    describe(one);
    return one[0];
}

void Admin::addCommitted(std::vector<GroupInfo>& groups, const std::vector<TopicPartition>& partitions) {
    const ListHandle list = toList(partitions);
    const AdminOptionsHandle options = optionsFor(RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS);
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    std::map<std::string, GroupInfo*> waiting;
    std::size_t asked = 0;
    while (asked < groups.size() || !waiting.empty()) {
        while (asked < groups.size() && waiting.size() < groupsAtOnce) {
            GroupInfo& group = groups[asked++];
            rd_kafka_AdminOptions_set_opaque(options.get(), &group);
            waiting.emplace(group.name.value(), &group);
            askOffsets(m_client, group, list, options, queue);
        }
        const EventHandle event(
            rd_kafka_queue_poll(queue.get(), static_cast<int>(m_options.callLimit.count()) + 1'000));
        if (!event) {
            break;
        }
        GroupInfo& group = *static_cast<GroupInfo*>(rd_kafka_event_opaque(event.get()));
        waiting.erase(group.name.value());
        if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
            addUnknown(group, fmt::format("its offsets ({})", rd_kafka_event_error_string(event.get())));
            continue;
        }
        std::size_t count = 0;
        const auto** results = rd_kafka_ListConsumerGroupOffsets_result_groups(
            rd_kafka_event_ListConsumerGroupOffsets_result(event.get()), &count);
        for (std::size_t i = 0; i < count; ++i) {
            if (const auto* error = rd_kafka_group_result_error(results[i])) {
                addUnknown(group, fmt::format("its offsets ({})", rd_kafka_error_string(error)));
            } else if (const auto* offsets = rd_kafka_group_result_partitions(results[i])) {
                takeOffsets(group, *offsets);
            }
        }
    }
    for (const auto& [name, group] : waiting) {
        addUnknown(*group, "its offsets (no answer in time)");
    }
}

Result<std::vector<ports::GroupOffset>> Admin::committed(const GroupName& group,
                                                         const std::vector<TopicPartition>& partitions) {
    std::vector<GroupInfo> one(1);
    one[0].name = group;
    if (!partitions.empty()) {
        addCommitted(one, partitions);
    }
    if (!one[0].unknown.empty()) {
        return failure(Error(ErrorKind::Server, fmt::format("group {}: can't read {}", group.value(), one[0].unknown),
                             "the user needs Describe on the group", "offsets-unknown", true));
    }
    return one[0].committed;
}

Result<GroupsOnTopic> Admin::groupsOn(const Topic& topic) {
    const Result<std::vector<Partition>> partitions = partitionsOf(m_client, topic, m_options.callLimit);
    if (!partitions) {
        return failure(partitions.error());
    }
    GroupsOnTopic answer;
    Result<std::vector<GroupInfo>> all = listGroups(&answer.notListed);
    if (!all) {
        return failure(all.error());
    }
    std::vector<TopicPartition> asked;
    for (const Partition partition : *partitions) {
        asked.push_back({topic, partition});
    }
    describe(*all);
    addCommitted(*all, asked);
    answer.notListed.push_back(fmt::format(
        "share groups and stand-alone readers without commits: librdkafka {} can't list them", libraryVersion()));
    for (GroupInfo& group : *all) {
        const bool reads = std::ranges::any_of(group.members, [&](const GroupMember& member) {
            return std::ranges::any_of(member.assigned, [&](const TopicPartition& tp) { return tp.topic == topic; });
        });
        if (reads || !group.committed.empty() || !group.unknown.empty()) {
            answer.groups.push_back(std::move(group));
        }
    }
    return answer;
}

Result<void> Admin::moveOffsets(const GroupName& group, const std::vector<ports::GroupOffset>& offsets) {
    const std::string what = fmt::format("moving the offsets of group {}", group.value());
    const ListHandle list(rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
    std::vector<TopicPartition> partitions;
    for (const ports::GroupOffset& offset : offsets) {
        if (!offset.next) {
            return failure(Error(ErrorKind::BadInput, what + ": an offset is missing"));
        }
        partitions.push_back(offset.tp);
        auto* element =
            rd_kafka_topic_partition_list_add(list.get(), offset.tp.topic.value().c_str(), offset.tp.partition.value());
        element->offset = offset.next->value();
        if (!offset.metadata.empty()) {
            element->metadata = malloc(offset.metadata.size());  // the list frees it
            std::ranges::copy(offset.metadata, static_cast<char*>(element->metadata));
            element->metadata_size = offset.metadata.size();
        }
    }
    rd_kafka_AlterConsumerGroupOffsets_t* wanted =
        rd_kafka_AlterConsumerGroupOffsets_new(group.value().c_str(), list.get());
    const QueueHandle queue(rd_kafka_queue_new(m_client.get()));
    const AdminOptionsHandle options = optionsFor(RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS);
    rd_kafka_AlterConsumerGroupOffsets(m_client.get(), &wanted, 1, options.get(), queue.get());
    rd_kafka_AlterConsumerGroupOffsets_destroy(wanted);
    const Result<EventHandle> event = await(queue, what);
    if (!event) {
        return failure(event.error());
    }
    std::size_t count = 0;
    const auto** results = rd_kafka_AlterConsumerGroupOffsets_result_groups(
        rd_kafka_event_AlterConsumerGroupOffsets_result(event->get()), &count);
    for (std::size_t i = 0; i < count; ++i) {
        if (const auto* error = rd_kafka_group_result_error(results[i])) {
            return failure(m_client.error(rd_kafka_error_code(error), what, rd_kafka_error_string(error)));
        }
        const auto* moved = rd_kafka_group_result_partitions(results[i]);
        for (int k = 0; moved != nullptr && k < moved->cnt; ++k) {
            if (const auto code = moved->elems[k].err; code != RD_KAFKA_RESP_ERR_NO_ERROR) {
                return failure(Error(ErrorKind::Refused,
                                     fmt::format("{}: partition {}/{}: {}", what, moved->elems[k].topic,
                                                 moved->elems[k].partition, rd_kafka_err2str(code)),
                                     "the group has members: stop them first", codeName(code)));
            }
        }
    }
    const auto after = committed(group, partitions);
    if (!after) {
        return failure(after.error());
    }
    for (const ports::GroupOffset& offset : offsets) {
        const auto it = std::ranges::find(*after, offset.tp, &ports::GroupOffset::tp);
        if (it == after->end() || it->next != offset.next) {
            return failure(
                Error(ErrorKind::Refused,
                      fmt::format("{}: {}/{} didn't move", what, offset.tp.topic.value(), offset.tp.partition.value()),
                      "somebody else commits for this group", "offset-not-moved"));
        }
    }
    return {};
}

}  // namespace redeliver::kafka
