// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/sql.h"

/// The statements of PgReplayStore.
namespace redeliver::postgres::replay_sql {

// One begin at a time: two overlapping runs can't both see that there is none.
inline constexpr Sql lockBegin{"replays.lock",
                               "SELECT pg_advisory_xact_lock(hashtextextended('redeliver.replays', 0))"};

inline constexpr Sql overlapping{
    "replays.overlapping",
    "SELECT r.replay_id::text, r.state FROM :schema.replays r WHERE r.replay_id = $1::uuid OR (r.topic = $2 AND "
    "(r.state = 'running' OR r.state = 'paused') AND EXISTS (SELECT 1 FROM :schema.replay_progress p, "
    "unnest($3::int[], $4::bigint[], $5::bigint[]) AS w(partition, f, t) WHERE p.replay_id = r.replay_id AND "
    "p.partition = w.partition AND p.from_offset < w.t AND w.f < p.to_offset)) "
    "ORDER BY (r.replay_id = $1::uuid) DESC LIMIT 1"};

inline constexpr Sql insertReplay{
    "replays.begin",
    "INSERT INTO :schema.replays (replay_id, state, consumer_name, topic, target, plan, reason, confirmation, who_os, "
    "created_at, started_at, records, rate, owner, owner_pid, owner_host, heartbeat_at) VALUES ($1::uuid, 'running', "
    "$2, "
    "$3, $4, $5::jsonb, $6, $7::jsonb, $8, $9::timestamptz, clock_timestamp(), $10::bigint, $11::bigint, $12, "
    "$13::int, "
    "$14, clock_timestamp())"};

inline constexpr Sql insertProgress{"replays.begin_progress",
                                    "INSERT INTO :schema.replay_progress (replay_id, partition, from_offset, "
                                    "to_offset, acknowledged_offset, target_from, "
                                    "target_offset) SELECT $1::uuid, w.* FROM unnest($2::int[], $3::bigint[], "
                                    "$4::bigint[], $5::bigint[], $6::bigint[], "
                                    "$7::bigint[]) AS w"};

inline constexpr Sql checkpoint{
    "replays.checkpoint",
    "WITH mine AS (UPDATE :schema.replays SET state = $3, heartbeat_at = clock_timestamp(), set_aside_records = "
    "(set_aside_records || $4::text[])[:1000] WHERE replay_id = $1::uuid AND owner = $2 RETURNING control), "
    "moved AS (UPDATE :schema.replay_progress p SET acknowledged_offset = w.acknowledged, sent = w.sent, set_aside = "
    "w.aside, target_offset = w.target, updated_at = clock_timestamp() FROM unnest($5::int[], $6::bigint[], "
    "$7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[]) AS w(partition, f, acknowledged, sent, aside, target) "
    "WHERE EXISTS (SELECT 1 FROM mine) AND p.replay_id = $1::uuid AND p.partition = w.partition AND p.from_offset = "
    "w.f) "
    "SELECT control FROM mine"};

inline constexpr Sql end{
    "replays.end",
    "UPDATE :schema.replays SET state = $3, stop_text = $4, owner = '', owner_pid = NULL, ended_at = CASE WHEN $3 IN "
    "('finished', 'aborted') THEN clock_timestamp() END WHERE replay_id = $1::uuid AND owner = $2"};

inline constexpr Sql takeOver{
    "replays.take_over",
    "UPDATE :schema.replays SET state = 'running', control = 'go', stop_text = '', owner = $2, owner_pid = $3::int, "
    "owner_host = $4, heartbeat_at = clock_timestamp() WHERE replay_id = $1::uuid"};

inline constexpr Sql setControl{
    "replays.control",
    "UPDATE :schema.replays SET control = $2, state = CASE WHEN $3::boolean THEN $4 ELSE state END, "
    "ended_at = CASE WHEN $3::boolean AND $4 = 'aborted' THEN clock_timestamp() ELSE ended_at END "
    "WHERE replay_id = $1::uuid"};

inline constexpr Sql saveReport{
    "replays.report",
    "UPDATE :schema.replays SET report = $2::jsonb, state = CASE WHEN $3::boolean AND state = 'finished' THEN "
    "'reconciled' ELSE state END WHERE replay_id = $1::uuid"};

inline constexpr Sql progress{
    "replays.progress",
    "SELECT partition, from_offset, to_offset, acknowledged_offset, sent, set_aside, target_from, target_offset "
    "FROM :schema.replay_progress WHERE replay_id = $1::uuid ORDER BY partition, from_offset"};

inline constexpr Sql mayRun{
    "replays.may_run",
    "SELECT NOT pg_is_in_recovery() AND has_table_privilege(to_regclass($1), 'INSERT, UPDATE') AND "
    "has_table_privilege(to_regclass($2), 'INSERT, UPDATE')"};

}  // namespace redeliver::postgres::replay_sql
