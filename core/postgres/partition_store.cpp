// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/partition_store.h"

#include "core/postgres/rows.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace redeliver::postgres {
namespace {

constexpr TransactionOptions writing{.readOnly = false};

constexpr Sql lockPartition{
    "partitions.lock",
    "SELECT cluster_id, state, coalesce(next_offset, 0), stop_code, requested FROM :schema.consumer_offsets "
    "WHERE consumer_name = $1 AND topic = $2 AND partition = $3::int AND ($4::text IS NULL OR cluster_id = $4) "
    "ORDER BY state DESC, updated_at DESC FOR UPDATE"};
constexpr Sql writeRequest{
    "partitions.request",
    "UPDATE :schema.consumer_offsets SET requested = $5, requested_offset = $6::bigint, requested_by = $7, "
    "requested_reason = $8, requested_at = clock_timestamp() "
    "WHERE consumer_name = $1 AND topic = $2 AND partition = $3::int AND cluster_id = $4"};
constexpr Sql writeConsumer{
    "consumers.set",
    "INSERT INTO :schema.consumers AS c (consumer_name, group_name, topics, dead_letter, formerly, message_id_rules, "
    "marker_retention, replay_horizon) VALUES ($1, $2, $3::text[], $4, $5::text[], $6::text[], $7::interval, "
    "$8::interval) ON CONFLICT (consumer_name) DO UPDATE SET "
    "group_name = coalesce(excluded.group_name, c.group_name), "
    "topics = CASE WHEN excluded.topics = '{}' THEN c.topics ELSE excluded.topics END, "
    "dead_letter = coalesce(excluded.dead_letter, c.dead_letter), "
    "formerly = CASE WHEN excluded.formerly = '{}' THEN c.formerly ELSE excluded.formerly END, "
    "message_id_rules = CASE WHEN excluded.message_id_rules = '{}' THEN c.message_id_rules "
    "ELSE excluded.message_id_rules END, "
    "marker_retention = coalesce(excluded.marker_retention, c.marker_retention), "
    "replay_horizon = coalesce(excluded.replay_horizon, c.replay_horizon), updated_at = clock_timestamp()"};

std::string subjectOf(const ConsumerName& consumer, const TopicPartition& tp) {
    return fmt::format("{} {}/{}", consumer.value(), tp.topic.value(), tp.partition.value());
}

template <class Name>
std::vector<std::string> textsOf(const std::vector<Name>& names) {
    std::vector<std::string> out;
    out.reserve(names.size());
    for (const auto& name : names) {
        out.push_back(name.value());
    }
    return out;
}

template <class Name>
std::optional<std::string> textOf(const std::optional<Name>& name) {
    return name ? std::optional(name->value()) : std::nullopt;
}

std::optional<Duration> spanOf(const std::optional<std::chrono::seconds>& span) {
    return span ? std::optional<Duration>(*span) : std::nullopt;
}

nlohmann::json secondsOf(const std::optional<std::chrono::seconds>& span) {
    return span ? nlohmann::json(span->count()) : nlohmann::json();
}

}  // namespace

struct PgPartitionStore::Request {
    std::string_view what;  ///< retry | skip-to
    std::optional<Offset> to;
    std::string reason;
};

std::vector<StoppedPartition> PgPartitionStore::stopped() {
    PinnedTransaction transaction{m_session};
    return readStopped(transaction);
}

std::vector<PartitionState> PgPartitionStore::partitions() {
    PinnedTransaction transaction{m_session};
    return readPartitions(transaction);
}

void PgPartitionStore::requestRetry(const ConsumerName& consumer, const TopicPartition& tp,
                                    const std::optional<ClusterId>& cluster) {
    request(consumer, tp, {"retry", std::nullopt, {}}, cluster);
}

void PgPartitionStore::requestSkip(const ConsumerName& consumer, const TopicPartition& tp, Offset to,
                                   const std::string& reason, const std::optional<ClusterId>& cluster) {
    if (reason.find_first_not_of(" \t\n") == std::string::npos) {
        throw Error{ErrorKind::BadInput, "skipping messages needs a reason", "Say why: --reason TEXT"};
    }
    request(consumer, tp, {"skip-to", to, reason}, cluster);
}

void PgPartitionStore::request(const ConsumerName& consumer, const TopicPartition& tp, const Request& wanted,
                               const std::optional<ClusterId>& cluster) {
    PinnedTransaction transaction{m_session, writing};
    SqlParams params;
    params.add(consumer.value()).add(tp.topic.value()).add(tp.partition.value());
    const auto rows = transaction.run(lockPartition, SqlParams{params}.add(textOf(cluster)));
    const std::string subject = subjectOf(consumer, tp);
    if (rows.empty()) {
        throw Error{ErrorKind::NotFound, fmt::format("{} isn't known", subject),
                    "\"redeliverctl partition list\" shows those that are."};
    }
    // 'stopped' sorts before 'running' here; a second stopped one is another cluster's.
    if (rows.size() > 1 && postgres::textOf(rows[1][1]) == "stopped") {
        throw Error{ErrorKind::BadInput, fmt::format("{} stopped in several clusters", subject), "Name the cluster."};
    }
    const auto row = rows[0];
    const std::int64_t next = int64Of(row[2]);
    if (postgres::textOf(row[1]) != "stopped") {
        throw Error{ErrorKind::Refused, fmt::format("{} isn't stopped", subject), {}, "not-stopped"};
    }
    if (wanted.to && wanted.to->value() < next) {
        throw Error{ErrorKind::Refused,
                    fmt::format("{} stopped at {}; {} lies before that", subject, next, wanted.to->value()),
                    "Messages before it were done; a replay plans such a way back.", "skip-backwards"};
    }
    const std::string clusterOfRow = postgres::textOf(row[0]);
    const std::string who = osUser();
    params.add(clusterOfRow).add(wanted.what);
    params.add(wanted.to ? std::optional(wanted.to->value()) : std::nullopt).add(who).add(wanted.reason);
    transaction.run(writeRequest, params);
    const nlohmann::json detail{{"cluster_id", clusterOfRow},
                                {"code", postgres::textOf(row[3])},
                                {"from", next},
                                {"to", wanted.to ? nlohmann::json(wanted.to->value()) : nlohmann::json()},
                                {"before", postgres::textOf(row[4])},
                                {"reason", wanted.reason}};
    audit(transaction, fmt::format("partition.{}", wanted.what), subject, detail.dump(), who);
    transaction.commit();
}

std::vector<ConsumerInfo> PgPartitionStore::consumers() {
    PinnedTransaction transaction{m_session};
    return readConsumers(transaction);
}

void PgPartitionStore::setConsumer(const ConsumerInfo& info) {
    if (info.name.value().empty()) {
        throw Error{ErrorKind::BadInput, "a consumer needs a name"};
    }
    PinnedTransaction transaction{m_session, writing};
    SqlParams params;
    params.add(info.name.value()).add(textOf(info.group)).addArray(textsOf(info.topics)).add(textOf(info.deadLetter));
    params.addArray(textsOf(info.formerly)).addArray(info.messageId);
    params.add(spanOf(info.markerRetention)).add(spanOf(info.replayHorizon));
    transaction.run(writeConsumer, params);
    const nlohmann::json detail{{"marker_retention_s", secondsOf(info.markerRetention)},
                                {"replay_horizon_s", secondsOf(info.replayHorizon)},
                                {"group", textOf(info.group).value_or("")},
                                {"topics", textsOf(info.topics)},
                                {"formerly", textsOf(info.formerly)}};
    audit(transaction, "consumers.set", info.name.value(), detail.dump(), osUser());
    transaction.commit();
}

}  // namespace redeliver::postgres
