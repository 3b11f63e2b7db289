// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/rows.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

namespace redeliver::postgres {
namespace {

// Names that only counts, markers or offsets know are found by hopping along the indexes: one probe per consumer.
constexpr std::string_view consumersText =
    "WITH RECURSIVE counted (n) AS ("
    "(SELECT min(consumer_name) FROM :schema.delivery_counts) UNION ALL "
    "SELECT (SELECT min(d.consumer_name) FROM :schema.delivery_counts d WHERE d.consumer_name > c.n) FROM counted c "
    "WHERE c.n IS NOT NULL), "
    "marked (n) AS ("
    "(SELECT min(consumer_name) FROM :schema.processed_messages) UNION ALL "
    "SELECT (SELECT min(p.consumer_name) FROM :schema.processed_messages p WHERE p.consumer_name > m.n) FROM marked m "
    "WHERE m.n IS NOT NULL), "
    "names (n) AS (SELECT n FROM counted UNION SELECT n FROM marked UNION "
    "SELECT consumer_name FROM :schema.consumer_offsets UNION SELECT consumer_name FROM :schema.consumers) "
    "SELECT n.n, c.group_name, coalesce(c.topics, '{{}}'), c.dead_letter, coalesce(c.formerly, '{{}}'), "
    "coalesce(c.message_id_rules, '{{}}'), {}, {}, c.consumer_name IS NOT NULL "
    "FROM names n LEFT JOIN :schema.consumers c ON c.consumer_name = n.n WHERE n.n IS NOT NULL ORDER BY n.n";

constexpr std::string_view stoppedText =
    "SELECT consumer_name, cluster_id, topic, partition, stop_code, stop_reason, coalesce(next_offset, 0), "
    "stop_suggests, {}, requested, requested_offset FROM :schema.consumer_offsets WHERE state = 'stopped' "
    "ORDER BY stopped_at, consumer_name, topic, partition LIMIT 10000";

constexpr std::string_view partitionsText =
    "SELECT consumer_name, cluster_id, topic, partition, next_offset, highest_offset, acked_offset, worker, {}, "
    "state = 'stopped' FROM :schema.consumer_offsets ORDER BY consumer_name, topic, partition, cluster_id LIMIT 100000";

constexpr Sql writeAudit{"audit",
                         "INSERT INTO :schema.audit (who_os, action, subject, detail) VALUES ($1, $2, $3, $4::jsonb)"};

template <class Name>
std::vector<Name> namesOf(const pqxx::field& field) {
    std::vector<Name> out;
    for (auto& text : textArrayOf(field)) {
        out.emplace_back(std::move(text));
    }
    return out;
}

template <class Name>
std::optional<Name> maybeName(const pqxx::field& field) {
    auto text = maybeText(field);
    return text ? std::optional<Name>(std::move(*text)) : std::nullopt;
}

std::optional<std::chrono::seconds> maybeSeconds(const pqxx::field& field) {
    const auto span = maybeDuration(field);
    return span ? std::optional(std::chrono::floor<std::chrono::seconds>(*span)) : std::nullopt;
}

std::optional<Offset> maybeOffset(const pqxx::field& field) {
    const auto number = maybeInt64(field);
    return number ? std::optional<Offset>(*number) : std::nullopt;
}

TopicPartition partitionOf(const pqxx::row& row) {
    return {Topic{textOf(row[2])}, Partition{int32Of(row[3])}};
}

}  // namespace

std::vector<ConsumerInfo> readConsumers(PinnedTransaction& transaction) {
    const std::string text = fmt::format(consumersText, microsOf("c.marker_retention"), microsOf("c.replay_horizon"));
    std::vector<ConsumerInfo> out;
    for (const auto& row : transaction.run({"consumers.list", text})) {
        ConsumerInfo info;
        info.name = ConsumerName{textOf(row[0])};
        info.group = maybeName<GroupName>(row[1]);
        info.topics = namesOf<Topic>(row[2]);
        info.deadLetter = maybeName<Topic>(row[3]);
        info.formerly = namesOf<ConsumerName>(row[4]);
        info.messageId = textArrayOf(row[5]);
        info.markerRetention = maybeSeconds(row[6]);
        info.replayHorizon = maybeSeconds(row[7]);
        info.registered = boolOf(row[8]);
        out.push_back(std::move(info));
    }
    return out;
}

std::vector<StoppedPartition> readStopped(PinnedTransaction& transaction) {
    const std::string text = fmt::format(stoppedText, microsOf("coalesce(stopped_at, updated_at)"));
    std::vector<StoppedPartition> out;
    for (const auto& row : transaction.run({"partitions.stopped", text})) {
        StoppedPartition stop{
            ConsumerName{textOf(row[0])}, ClusterId{textOf(row[1])}, partitionOf(row), textOf(row[4]), textOf(row[5]),
            Offset{int64Of(row[6])},      maybeOffset(row[7]),       timeOf(row[8]),   textOf(row[9])};
        if (const auto to = maybeInt64(row[10]); to && stop.requested == "skip-to") {
            stop.requested += fmt::format(" {}", *to);
        }
        out.push_back(std::move(stop));
    }
    return out;
}

std::vector<PartitionState> readPartitions(PinnedTransaction& transaction) {
    const std::string text = fmt::format(partitionsText, microsOf("updated_at"));
    std::vector<PartitionState> out;
    for (const auto& row : transaction.run({"partitions.list", text})) {
        out.push_back({ConsumerName{textOf(row[0])}, ClusterId{textOf(row[1])}, partitionOf(row), maybeOffset(row[4]),
                       maybeOffset(row[5]), maybeOffset(row[6]), WorkerName{textOf(row[7])}, timeOf(row[8]),
                       boolOf(row[9])});
    }
    return out;
}

void audit(PinnedTransaction& transaction, std::string_view action, std::string_view subject,
           std::string_view detailJson, std::string_view whoOs) {
    transaction.run(writeAudit, SqlParams{}.add(whoOs).add(action).add(subject).add(detailJson));
}

std::string osUser() {
    std::array<char, 1024> buffer{};
    passwd entry{};
    passwd* found = nullptr;
    if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
        return found->pw_name;
    }
    return fmt::format("uid {}", getuid());
}

}  // namespace redeliver::postgres
