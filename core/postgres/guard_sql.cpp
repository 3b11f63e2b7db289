// SPDX-FileCopyrightText: Redeliver contributors
// SPDX-License-Identifier: Apache-2.0
#include "core/postgres/guard_sql.h"

namespace redeliver::postgres::guard_sql {

const Sql claimFormer{"guard.claim-former",
                      R"(SELECT message_id FROM :schema.processed_messages
WHERE consumer_name = ANY($1::pg_catalog.text[]) AND message_id = ANY($2::pg_catalog.text[]))"};

// Sorted: unsorted, overlapping batches deadlock.
const Sql claim{"guard.claim", R"(INSERT INTO :schema.processed_messages
  (consumer_name, message_id, topic, partition, "offset", cluster_id, record_timestamp, replay_id, content_hash, worker)
SELECT $1, u.id, u.topic, u.part, u.off, u.cluster, u.ts, u.replay, u.hash, $10
FROM unnest($2::pg_catalog.text[], $3::pg_catalog.text[], $4::pg_catalog.int4[], $5::pg_catalog.int8[],
  $6::pg_catalog.text[], $7::pg_catalog.timestamptz[], $8::pg_catalog.uuid[], $9::pg_catalog.bytea[])
  AS u(id, topic, part, off, cluster, ts, replay, hash)
ORDER BY u.id COLLATE pg_catalog."C"
ON CONFLICT (consumer_name, message_id) DO NOTHING
RETURNING message_id)"};

const Sql existing{"guard.existing", R"(SELECT consumer_name, message_id,
  (pg_catalog.date_part('epoch', processed_at) * 1000000)::pg_catalog.int8 AS processed, topic, partition, "offset", cluster_id,
  worker, pg_catalog.encode(content_hash, 'hex') AS hash, xmin::pg_catalog.text::pg_catalog.int8 AS x
FROM :schema.processed_messages
WHERE consumer_name = ANY($1::pg_catalog.text[]) AND message_id = ANY($2::pg_catalog.text[])
  AND pg_catalog.isfinite(processed_at))"};

const Sql seenAgain{"guard.seen-again",
                    R"(UPDATE :schema.processed_messages m SET last_seen_at = pg_catalog.clock_timestamp()
FROM (SELECT consumer_name, message_id FROM :schema.processed_messages
      WHERE consumer_name = ANY($1::pg_catalog.text[]) AND message_id = ANY($2::pg_catalog.text[])
      ORDER BY consumer_name, message_id FOR UPDATE) l
WHERE m.consumer_name = l.consumer_name AND m.message_id = l.message_id)"};

const Sql withdraw{"guard.withdraw", R"(DELETE FROM :schema.processed_messages
WHERE consumer_name = $1 AND message_id = ANY($2::pg_catalog.text[]))"};

const Sql check{"guard.check", "SELECT pg_catalog.pg_current_xact_id_if_assigned()::pg_catalog.text"};

const Sql advance{"guard.advance", R"(UPDATE :schema.consumer_offsets o SET
  next_offset = GREATEST(o.next_offset, u.next), highest_offset = GREATEST(o.highest_offset, u.next),
  acked_offset = GREATEST(o.acked_offset, u.acked),
  last_record_offset = COALESCE(u.last_off, o.last_record_offset),
  last_record_timestamp = CASE WHEN u.last_off IS NULL THEN o.last_record_timestamp ELSE u.last_ts END,
  last_record_crc = CASE WHEN u.last_off IS NULL THEN o.last_record_crc ELSE u.last_crc END,
  worker = $2, updated_at = pg_catalog.clock_timestamp()
FROM unnest($3::pg_catalog.text[], $4::pg_catalog.text[], $5::pg_catalog.int4[], $6::pg_catalog.text[],
  $7::pg_catalog.int8[], $8::pg_catalog.int8[], $9::pg_catalog.int8[], $10::pg_catalog.int8[], $11::pg_catalog.int8[],
  $12::pg_catalog.timestamptz[], $13::pg_catalog.int8[])
  AS u(cluster, topic, part, owner, expected, also, next, acked, last_off, last_ts, last_crc)
WHERE o.consumer_name = $1 AND o.cluster_id = u.cluster AND o.topic = u.topic AND o.partition = u.part
  AND o.owner = u.owner AND (o.next_offset = u.expected OR o.next_offset = u.also)
RETURNING o.topic, o.partition)"};

const Sql refused{"guard.refused", R"(SELECT owner = $5 AS owned, next_offset FROM :schema.consumer_offsets
WHERE consumer_name = $1 AND cluster_id = $2 AND topic = $3 AND partition = $4::pg_catalog.int4)"};

const Sql registerConsumer{"guard.register", R"(INSERT INTO :schema.consumers AS c
  (consumer_name, group_name, topics, dead_letter, formerly, message_id_rules, marker_retention, replay_horizon)
VALUES ($1, $2, $3::pg_catalog.text[], $4, $5::pg_catalog.text[], $6::pg_catalog.text[], $7::pg_catalog.interval, $8::pg_catalog.interval)
ON CONFLICT (consumer_name) DO UPDATE SET
  group_name = excluded.group_name, topics = excluded.topics, dead_letter = excluded.dead_letter, formerly = excluded.formerly,
  message_id_rules = excluded.message_id_rules, marker_retention = COALESCE(c.marker_retention, excluded.marker_retention),
  replay_horizon = COALESCE(c.replay_horizon, excluded.replay_horizon), updated_at = pg_catalog.clock_timestamp())"};

const Sql takeOwn{
    "guard.take-own",
    R"(INSERT INTO :schema.consumer_offsets AS o (consumer_name, cluster_id, topic, partition, owner, worker)
SELECT $1, $2, u.topic, u.part, $5, $6
FROM unnest($3::pg_catalog.text[], $4::pg_catalog.int4[]) AS u(topic, part) ORDER BY u.topic, u.part
ON CONFLICT (consumer_name, cluster_id, topic, partition) DO UPDATE SET owner = excluded.owner, worker = excluded.worker)"};

const Sql takeFormer{"guard.take-former", R"(UPDATE :schema.consumer_offsets o SET owner = $4
FROM (SELECT f.consumer_name, f.cluster_id, f.topic, f.partition FROM :schema.consumer_offsets f
      JOIN unnest($2::pg_catalog.text[], $3::pg_catalog.int4[]) AS u(topic, part) ON f.topic = u.topic AND f.partition = u.part
      WHERE f.consumer_name = ANY($1::pg_catalog.text[])
      ORDER BY f.consumer_name, f.cluster_id, f.topic, f.partition FOR UPDATE OF f) l
WHERE o.consumer_name = l.consumer_name AND o.cluster_id = l.cluster_id AND o.topic = l.topic AND o.partition = l.partition)"};

// The consumer's own row first, then the newest under any of its names.
const Sql positions{"guard.positions",
                    R"(SELECT o.consumer_name = $1 AS own, o.cluster_id = $3 OR o.cluster_id = '' AS here, o.topic,
  o.partition, o.next_offset, o.highest_offset, o.acked_offset, o.topic_id, o.last_record_offset,
  (pg_catalog.date_part('epoch', o.last_record_timestamp) * 1000000)::pg_catalog.int8 AS last_ts, o.last_record_crc, o.state,
  o.stop_code, o.stop_reason, o.requested, o.requested_offset
FROM :schema.consumer_offsets o
JOIN unnest($4::pg_catalog.text[], $5::pg_catalog.int4[]) AS u(topic, part) ON o.topic = u.topic AND o.partition = u.part
WHERE o.consumer_name = $1 OR o.consumer_name = ANY($2::pg_catalog.text[])
ORDER BY o.topic, o.partition, o.updated_at DESC, (o.consumer_name = $1) DESC)"};

const Sql ledgers{"guard.ledgers",
                  R"(SELECT topic, partition, pg_catalog.max("offset") AS ledger FROM :schema.marker_horizon
WHERE (consumer_name = $1 OR consumer_name = ANY($2::pg_catalog.text[])) AND cluster_id IN ($3, '') AND partition >= 0
GROUP BY topic, partition)"};

const Sql known{"guard.known", R"(SELECT
  EXISTS (SELECT 1 FROM :schema.consumer_offsets WHERE (consumer_name = $1 OR consumer_name = ANY($2::pg_catalog.text[]))
          AND next_offset IS NOT NULL) AS position,
  EXISTS (SELECT 1 FROM :schema.processed_messages WHERE consumer_name = $1 OR consumer_name = ANY($2::pg_catalog.text[])) AS marker,
  EXISTS (SELECT 1 FROM :schema.marker_horizon WHERE consumer_name = $1 OR consumer_name = ANY($2::pg_catalog.text[])) AS ledger)"};

const Sql adoptOwned{"guard.adopt-owned", R"(UPDATE :schema.consumer_offsets SET
  next_offset = $5::pg_catalog.int8, highest_offset = GREATEST(highest_offset, $5::pg_catalog.int8), topic_id = $6,
  updated_at = pg_catalog.clock_timestamp()
WHERE consumer_name = $1 AND cluster_id = $2 AND topic = $3 AND partition = $4::pg_catalog.int4 AND owner = $7)"};

const Sql adoptOther{"guard.adopt-other", R"(INSERT INTO :schema.consumer_offsets AS o
  (consumer_name, cluster_id, topic, partition, next_offset, highest_offset, topic_id)
VALUES ($1, $2, $3, $4::pg_catalog.int4, $5::pg_catalog.int8, $5::pg_catalog.int8, $6)
ON CONFLICT (consumer_name, cluster_id, topic, partition) DO UPDATE SET
  next_offset = excluded.next_offset, highest_offset = excluded.highest_offset WHERE o.next_offset IS NULL)"};

const Sql adoptLedger{"guard.adopt-ledger",
                      R"(INSERT INTO :schema.marker_horizon (consumer_name, cluster_id, topic, partition, "offset")
SELECT $1, $2, $3, $4::pg_catalog.int4, $5::pg_catalog.int8
WHERE NOT EXISTS (SELECT 1 FROM :schema.marker_horizon h
  WHERE (h.consumer_name = $1 OR h.consumer_name = ANY($6::pg_catalog.text[])) AND h.cluster_id IN ($2, '')
    AND h.topic = $3 AND h.partition = $4::pg_catalog.int4)
ON CONFLICT (consumer_name, cluster_id, topic, partition) DO NOTHING)"};

// Markers, but no ledger under any name: what they prove begins with the oldest of them.
const Sql lostBeforeUnknown{"guard.lost-before-unknown",
                            R"(INSERT INTO :schema.marker_horizon AS h (consumer_name, lost_before)
SELECT $1, pg_catalog.min(m.processed_at) FROM :schema.processed_messages m
WHERE (m.consumer_name = $1 OR m.consumer_name = ANY($2::pg_catalog.text[])) AND pg_catalog.isfinite(m.processed_at)
  AND m.processed_at <= pg_catalog.clock_timestamp()
HAVING pg_catalog.count(*) > 0
ON CONFLICT (consumer_name, cluster_id, topic, partition) DO UPDATE SET lost_before = GREATEST(h.lost_before, excluded.lost_before))"};

const Sql lossHighest{
    "guard.loss-highest",
    R"(UPDATE :schema.consumer_offsets SET highest_offset = GREATEST(highest_offset, $5::pg_catalog.int8)
WHERE consumer_name = $1 AND cluster_id = $2 AND topic = $3 AND partition = $4::pg_catalog.int4)"};

const Sql lossBefore{"guard.loss-before", R"(INSERT INTO :schema.marker_horizon AS h (consumer_name, lost_before)
VALUES ($1, pg_catalog.clock_timestamp())
ON CONFLICT (consumer_name, cluster_id, topic, partition) DO UPDATE SET
  lost_before = GREATEST(h.lost_before, excluded.lost_before), updated_at = pg_catalog.clock_timestamp())"};

const Sql stop{"guard.stop", R"(UPDATE :schema.consumer_offsets SET state = 'stopped', stop_code = $5, stop_reason = $6,
  stop_suggests = $7::pg_catalog.int8, stopped_at = $8::pg_catalog.timestamptz, worker = $9, requested = '', requested_offset = NULL
WHERE consumer_name = $1 AND cluster_id = $2 AND topic = $3 AND partition = $4::pg_catalog.int4 AND ($10 = '' OR owner = $10)
RETURNING 1)"};

const Sql requests{"guard.requests",
                   R"(SELECT cluster_id, topic, partition, stop_code, stop_reason, next_offset, stop_suggests,
  (pg_catalog.date_part('epoch', stopped_at) * 1000000)::pg_catalog.int8 AS since, requested, requested_offset
FROM :schema.consumer_offsets WHERE consumer_name = $1 AND state = 'stopped' AND requested <> '')"};

const Sql release{"guard.release",
                  R"(WITH old AS (SELECT requested, requested_by, requested_reason FROM :schema.consumer_offsets
    WHERE consumer_name = $1 AND cluster_id = $2 AND topic = $3 AND partition = $4::pg_catalog.int4),
  done AS (UPDATE :schema.consumer_offsets SET state = 'running', stop_code = '', stop_reason = '', stop_suggests = NULL,
    stopped_at = NULL, requested = '', requested_offset = NULL, requested_by = '', requested_reason = '', requested_at = NULL
    WHERE consumer_name = $1 AND cluster_id = $2 AND topic = $3 AND partition = $4::pg_catalog.int4)
SELECT requested, requested_by, requested_reason FROM old)"};

const Sql acked{"guard.acked", R"(UPDATE :schema.consumer_offsets o SET acked_offset = GREATEST(o.acked_offset, u.acked)
FROM unnest($3::pg_catalog.text[], $4::pg_catalog.int4[], $5::pg_catalog.int8[]) AS u(topic, part, acked)
WHERE o.consumer_name = $1 AND o.cluster_id = $2 AND o.topic = u.topic AND o.partition = u.part)"};

const Sql transactionId{"telemetry.transaction", "SELECT pg_catalog.pg_current_xact_id()::pg_catalog.text"};
const Sql transactionStatus{"telemetry.status", "SELECT pg_catalog.pg_xact_status($1::pg_catalog.xid8)"};

}  // namespace redeliver::postgres::guard_sql
