// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/kafka/group_lag.h"

#include "core/kafka/log_lookup.h"

#include <fmt/format.h>

#include <algorithm>

namespace redeliver::kafka {
namespace {

std::int64_t inLog(const PartitionLag& partition) {
    return partition.end.value() - partition.start.value();
}

}  // namespace

Observed lagOf(std::optional<Offset> committed, Offset start, Offset end) {
    if (!committed) {
        return {std::nullopt, fmt::format("nothing committed; ≤ {} in the log", end.value() - start.value())};
    }
    if (*committed > end) {
        return {std::nullopt, fmt::format("{} ahead of the end: topic re-created or offset set by hand",
                                          committed->value() - end.value())};
    }
    if (*committed < start) {
        return {end.value() - start.value(),
                fmt::format("{} records were deleted before this group read them", start.value() - committed->value())};
    }
    return {end.value() - committed->value(), {}};
}

Observed totalLag(const std::vector<PartitionLag>& partitions) {
    if (std::ranges::none_of(partitions, [](const PartitionLag& part) { return part.committed.has_value(); })) {
        std::int64_t records = 0;
        for (const PartitionLag& part : partitions) {
            records += inLog(part);
        }
        return {std::nullopt, fmt::format("nothing committed; ≤ {} in the log", records)};
    }
    Observed total{0, {}};
    const auto add = [&total](const PartitionLag& part) {
        const std::string named =
            fmt::format("{}/{}: {}", part.tp.topic.value(), part.tp.partition.value(), part.lag.reason);
        total.reason += total.reason.empty() ? named : "; " + named;
    };
    for (const PartitionLag& part : partitions) {
        const bool emptyAndUntouched = !part.committed && inLog(part) == 0;
        if (emptyAndUntouched) {
            continue;
        }
        if (!part.lag.reason.empty()) {
            add(part);
        }
        if (!part.lag.value) {
            total.value.reset();
        } else if (total.value) {
            *total.value += *part.lag.value;
        }
    }
    return total;
}

Result<GroupLag> readLag(Admin& admin, const GroupName& group, const std::vector<Topic>& topics) {
    GroupLag lag;
    for (const Topic& topic : topics) {
        const Result<std::vector<Partition>> partitions = admin.partitions(topic);
        if (!partitions) {
            return failure(partitions.error());
        }
        for (const Partition partition : *partitions) {
            lag.partitions.push_back({{topic, partition}, std::nullopt, {}, {}, {}});
        }
    }
    std::vector<TopicPartition> asked;
    asked.reserve(lag.partitions.size());
    for (const PartitionLag& part : lag.partitions) {
        asked.push_back(part.tp);
    }
    const auto committed = admin.committed(group, asked);
    if (!committed) {
        return failure(committed.error());
    }
    for (const Topic& topic : topics) {
        std::vector<Partition> partitions;
        for (const PartitionLag& part : lag.partitions) {
            if (part.tp.topic == topic) {
                partitions.push_back(part.tp.partition);
            }
        }
        const auto starts = offsetsFor(admin.client(), topic, partitions, earliest, admin.callLimit());
        const auto ends = offsetsFor(admin.client(), topic, partitions, latest, admin.callLimit());
        for (const auto* answer : {&starts, &ends}) {
            if (!*answer) {
                return failure(answer->error());
            }
        }
        for (PartitionLag& part : lag.partitions) {
            if (part.tp.topic == topic) {
                part.start = Offset(starts->at(part.tp.partition));
                part.end = Offset(std::max(ends->at(part.tp.partition), part.start.value()));
            }
        }
    }
    for (PartitionLag& part : lag.partitions) {
        const auto it = std::ranges::find(*committed, part.tp, &ports::GroupOffset::tp);
        part.committed = it == committed->end() ? std::nullopt : it->next;
        part.lag = lagOf(part.committed, part.start, part.end);
    }
    lag.total = totalLag(lag.partitions);
    return lag;
}

}  // namespace redeliver::kafka
