// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/postgres/sql.h"

/// The statements of PgMarkerReader. Those that read the marker table itself are built by its columns, since a foreign
/// one has only three.
namespace redeliver::postgres::marker_sql {

inline constexpr Sql shape{
    "markers.shape",
    "SELECT c.relname, a.attname, has_table_privilege(c.oid, 'SELECT') FROM pg_class c JOIN pg_namespace n ON n.oid = "
    "c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
    "WHERE n.nspname = $1 AND c.relname IN ('processed_messages', 'marker_horizon', 'consumer_offsets', "
    "'delivery_events')"};

// Who sees every row? One row: kind of relation, row security for this role, readable, unique key, children, replica.
inline constexpr Sql visibility{
    "markers.visibility",
    "SELECT c.relkind::text, c.relkind IN ('r', 'p') AND row_security_active(c.oid), "
    "has_table_privilege(c.oid, 'SELECT'), "
    "EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS "
    "NULL "
    " AND i.indexprs IS NULL AND NOT EXISTS (SELECT 1 FROM unnest(i.indkey) WITH ORDINALITY AS k(attnum, place) "
    "  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum "
    "  WHERE k.place <= i.indnkeyatts AND a.attname NOT IN ('consumer_name', 'message_id'))), "
    "c.relkind = 'r' AND EXISTS (SELECT 1 FROM pg_inherits h WHERE h.inhparent = c.oid), "
    "pg_is_in_recovery(), extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::bigint "
    "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = $1 AND c.relname = 'processed_messages'"};

inline constexpr Sql horizon{
    "markers.horizon",
    "SELECT topic, partition, max(\"offset\"), (CASE WHEN max(lost_before) IS NOT NULL THEN "
    "least(greatest(extract(epoch FROM max(lost_before)), -9223372036854), 9223372036854) * 1000000 END)::bigint "
    "FROM :schema.marker_horizon WHERE consumer_name = ANY ($1::text[]) AND "
    "((topic = '' AND partition = -1) OR (cluster_id IN ('', $2) AND topic = ANY ($3::text[]))) GROUP BY 1, 2"};

// The newest row under any name decides what `next` is.
inline constexpr Sql offsets{
    "markers.offsets",
    "SELECT topic, partition, max(highest_offset), "
    "(array_agg(next_offset ORDER BY updated_at DESC) FILTER (WHERE next_offset IS NOT NULL))[1], "
    "bool_or(owner <> '') FROM :schema.consumer_offsets WHERE consumer_name = ANY ($1::text[]) "
    "AND cluster_id IN ('', $2) AND topic = ANY ($3::text[]) GROUP BY 1, 2"};

// One index probe per name and partition.
inline constexpr Sql eventStand{
    "markers.event_stand",
    "SELECT w.topic, w.partition, max(e.highest) FROM unnest($3::text[], $4::int[]) AS w(topic, partition), "
    "unnest($1::text[]) AS n(name), LATERAL (SELECT max(\"offset\") AS highest FROM :schema.delivery_events e "
    "WHERE e.consumer_name = n.name AND e.topic = w.topic AND e.partition = w.partition "
    "AND coalesce(e.cluster_id, '') IN ('', $2)) AS e GROUP BY 1, 2"};

// The last word at these coordinates says that nothing was applied, and no duplicate was ever seen there (a duplicate
// had a marker).
inline constexpr Sql evidence{
    "markers.evidence",
    "SELECT e.\"offset\" FROM :schema.delivery_events e WHERE e.consumer_name = ANY ($1::text[]) AND e.topic = $3 "
    "AND e.partition = $4::int AND coalesce(e.cluster_id, '') IN ('', $2) AND e.\"offset\" >= $5::bigint "
    "AND e.\"offset\" < $6::bigint AND e.outcome IN ('processed', 'duplicate', 'stale', 'not_addressed', 'rejected', "
    "'transaction_failed', 'in_doubt') GROUP BY e.\"offset\" HAVING bool_and(e.outcome NOT IN ('duplicate', "
    "'processed')) AND (array_agg(e.outcome ORDER BY e.event_id DESC))[1] IN ('stale', 'not_addressed', 'rejected', "
    "'transaction_failed') AND max(e.at) > coalesce($7::timestamptz, '-infinity') ORDER BY 1"};

inline constexpr Sql lostBefore{
    "markers.lost_before",
    "SELECT (CASE WHEN max(lost_before) IS NOT NULL THEN least(greatest(extract(epoch FROM max(lost_before)), "
    "-9223372036854), 9223372036854) * 1000000 END)::bigint FROM :schema.marker_horizon "
    "WHERE consumer_name = ANY ($1::text[]) AND topic = '' AND partition = -1"};

inline constexpr Sql estimate{
    "markers.estimate",
    "SELECT coalesce(sum(CASE WHEN c.reltuples >= 0 THEN c.reltuples::bigint ELSE pg_relation_size(c.oid) / 150 END), "
    "0)::bigint FROM pg_class p JOIN pg_namespace n ON n.oid = p.relnamespace "
    "LEFT JOIN pg_partition_tree(p.oid) t ON t.isleaf JOIN pg_class c ON c.oid = coalesce(t.relid, p.oid) "
    "WHERE n.nspname = $1 AND p.relname = 'processed_messages'"};

inline constexpr Sql now{"markers.now", "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"};

}  // namespace redeliver::postgres::marker_sql
