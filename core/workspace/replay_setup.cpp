// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/replay_setup.h"

#include "core/base/text.h"
#include "core/replay/provenance.h"
#include "core/workspace/connections.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace redeliver {
namespace {

bool reads(const ConsumerInfo& info, const Topic& topic) {
    return std::find(info.topics.begin(), info.topics.end(), topic) != info.topics.end();
}

// A consumer that doesn't say its group is taken to be the group of its own name.
GroupName groupOf(const ConsumerInfo& info) {
    return info.group.value_or(GroupName{info.name.value()});
}

bool hasName(const ConsumerInfo& info, const std::string& name) {
    return info.name.value() == name || std::any_of(info.formerly.begin(), info.formerly.end(),
                                                    [&](const ConsumerName& old) { return old.value() == name; });
}

void addLimits(replay::PlanSetup& setup, const Topic& target, kafka::Admin& admin) {
    if (const auto config = admin.topicConfig(target)) {
        const auto limit = config->find("max.message.bytes");
        setup.mostBytes = limit == config->end() ? std::nullopt : toInt64(limit->second);
    }
    if (const auto partitions = admin.partitions(target)) {
        std::int32_t count = 0;
        for (const Partition partition : *partitions) {
            count = std::max(count, partition.value() + 1);
        }
        setup.targetPartitions = count;
    }
}

void addBlocks(replay::PlanSetup& setup, const Profile& profile) {
    if (profile.readOnly.value_or(false)) {
        setup.blockedCode = "read-only";
        setup.blockedText =
            fmt::format("profile {} says read_only = true: this plan can't be run with it", profile.name);
        setup.blockIsFinal = true;
    } else if (profile.isReadOnly()) {
        setup.blockedCode = "read-only";
        setup.blockedText = fmt::format("{} is a production profile: a run must confirm it by name", profile.name);
    }
}

}  // namespace

std::vector<ConsumerInfo> consumersForReplay(const std::vector<ConsumerInfo>& registered, const Profile& profile) {
    std::vector<ConsumerInfo> all = withProfile(registered, profile);
    for (ConsumerInfo& info : all) {
        const auto own = std::find_if(registered.begin(), registered.end(),
                                      [&](const ConsumerInfo& one) { return one.name == info.name; });
        if (own != registered.end() && own->markerRetention) {
            info.markerRetention = own->markerRetention;
        }
    }
    return all;
}

std::map<Partition, Offset> committedOf(const ConsumerInfo& info, const Topic& topic, kafka::Admin& admin) {
    std::map<Partition, Offset> committed;
    const auto partitions = admin.partitions(topic);
    if (!partitions) {
        return committed;
    }
    std::vector<TopicPartition> tps;
    for (const Partition partition : *partitions) {
        tps.push_back({topic, partition});
    }
    if (const auto offsets = admin.committed(groupOf(info), tps)) {
        for (const ports::GroupOffset& one : *offsets) {
            if (one.next) {
                committed[one.tp.partition] = *one.next;
            }
        }
    }
    return committed;
}

Result<replay::PlanSetup> makeReplaySetup(const PlanRequest& request, const std::string& planId, TimePoint createdAt,
                                          const std::vector<ConsumerInfo>& consumers, const Profile& profile,
                                          kafka::Admin& admin, ports::MarkerReader& markers) {
    const auto planned = std::find_if(consumers.begin(), consumers.end(),
                                      [&](const ConsumerInfo& one) { return one.name == request.consumer; });
    if (planned == consumers.end()) {
        return failure({ErrorKind::NotFound, fmt::format("consumer {} isn't known", request.consumer.value()),
                        "See: redeliverctl consumers; or name it in the profile under [[consumers]]"});
    }
    replay::PlanSetup setup;
    setup.planId = planId;
    setup.createdAt = createdAt;
    setup.request = request;
    ReplayPlan targetOf;
    targetOf.topic = request.topic.value();
    targetOf.target = request.target;
    const Topic target = replay::targetTopic(targetOf);
    const bool same = target == request.topic;

    const auto onTopic = admin.groupsOn(target);
    if (!onTopic && onTopic.error().kind() == ErrorKind::NotFound) {
        return failure(onTopic.error());
    }
    std::set<std::string> groups;
    if (onTopic) {
        for (const kafka::GroupInfo& group : onTopic->groups) {
            groups.insert(group.name.value());
        }
        setup.groupsUnlisted = fmt::format("{}", fmt::join(onTopic->notListed, "; "));
    } else {
        setup.groupsUnlisted = "the groups on the target couldn't be listed: " + onTopic.error().text();
        setup.groupsFailed = true;
    }
    const auto addSeer = [&](const ConsumerInfo& info) {
        groups.erase(groupOf(info).value());
        const std::string& only = request.options.onlyFor;
        if (!only.empty() && !hasName(info, only) && markers.ledger(info.name, info.formerly, {}, {}).ownedByUs) {
            setup.notAddressed.push_back(info.name.value());
            return;
        }
        const bool readsSource = same || reads(info, request.topic);
        setup.seers.push_back({info, true, readsSource,
                               readsSource ? committedOf(info, request.topic, admin) : std::map<Partition, Offset>{}});
    };
    if (same || reads(*planned, target)) {
        addSeer(*planned);
    }
    for (const ConsumerInfo& info : consumers) {
        const bool onIt = reads(info, target) || (info.topics.empty() && groups.contains(groupOf(info).value()));
        if (info.name != planned->name && onIt) {
            addSeer(info);
        }
    }
    for (const std::string& group : groups) {
        replay::Seer seer;
        seer.info.name = ConsumerName{"group:" + group};
        seer.markersKnown = false;
        setup.seers.push_back(std::move(seer));
    }
    addLimits(setup, target, admin);
    addBlocks(setup, profile);
    return setup;
}

}  // namespace redeliver
