-- SPDX-FileCopyrightText: Redeliver contributors
-- SPDX-License-Identifier: Apache-2.0
-- oldest-client: 1
--
-- The tables of Redeliver. `:schema` is replaced by the quoted schema name of the profile. One transaction.

DO $redeliver$
BEGIN
    -- Not IF NOT EXISTS: that asks for CREATE on the database even where the schema is there.
    IF to_regnamespace(':schema') IS NULL THEN
        CREATE SCHEMA :schema;
    END IF;
END $redeliver$;

-- The marker table. The first three columns and the key are all that a foreign consumer must write.
CREATE TABLE :schema.processed_messages (
    consumer_name    text COLLATE "C" NOT NULL,
    message_id       text COLLATE "C" NOT NULL,
    processed_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    topic            text,
    partition        int,
    "offset"         bigint,
    record_timestamp timestamptz,
    worker           text,
    replay_id        uuid,
    cluster_id       text,
    content_hash     bytea,
    last_seen_at     timestamptz,
    PRIMARY KEY (consumer_name, message_id),
    CONSTRAINT coordinates_all_or_none CHECK (num_nonnulls(topic, partition, "offset") IN (0, 3))
);
CREATE INDEX processed_messages_age ON :schema.processed_messages (consumer_name, processed_at);

CREATE TABLE :schema.consumers (
    consumer_name    text COLLATE "C" PRIMARY KEY,
    group_name       text,
    topics           text[] NOT NULL DEFAULT '{}',
    dead_letter      text,
    formerly         text[] NOT NULL DEFAULT '{}',
    message_id_rules text[] NOT NULL DEFAULT '{}',
    marker_retention interval,
    replay_horizon   interval,
    alert_floor      double precision,
    registered_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row per consumer, worker and bucket; bucket_s is 10, later 60 and 3600 by roll-up.
CREATE TABLE :schema.delivery_counts (
    consumer_name      text COLLATE "C" NOT NULL,
    worker             text NOT NULL DEFAULT '',
    bucket             timestamptz NOT NULL,
    bucket_s           int NOT NULL DEFAULT 10,
    processed          bigint NOT NULL DEFAULT 0,
    duplicate          bigint NOT NULL DEFAULT 0,
    stale              bigint NOT NULL DEFAULT 0,
    not_addressed      bigint NOT NULL DEFAULT 0,
    rejected           bigint NOT NULL DEFAULT 0,
    transaction_failed bigint NOT NULL DEFAULT 0,
    redelivered        bigint NOT NULL DEFAULT 0,
    published_again    bigint NOT NULL DEFAULT 0,
    replayed           bigint NOT NULL DEFAULT 0,
    concurrent         bigint NOT NULL DEFAULT 0,
    unknown_kind       bigint NOT NULL DEFAULT 0,
    ack_failed         bigint NOT NULL DEFAULT 0,
    in_doubt           bigint NOT NULL DEFAULT 0,
    latency_slots      smallint[] NOT NULL DEFAULT '{}',
    latency_counts     bigint[] NOT NULL DEFAULT '{}',
    generated          boolean NOT NULL DEFAULT false,
    -- The transaction that changed the row last: a live refresh reads what is not below the xmin of the snapshot before.
    changed            bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint,
    PRIMARY KEY (consumer_name, bucket, bucket_s, worker)
);
CREATE INDEX delivery_counts_changed ON :schema.delivery_counts (changed);
CREATE INDEX delivery_counts_bucket ON :schema.delivery_counts (bucket);

-- Two sparse latency histograms (core/model/histogram.h) added up.
CREATE FUNCTION :schema.merge_slots(slots_a smallint[], counts_a bigint[], slots_b smallint[], counts_b bigint[],
                                    OUT slots smallint[], OUT counts bigint[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog AS $redeliver$
    SELECT coalesce(array_agg(slot ORDER BY slot), '{}'), coalesce(array_agg(n ORDER BY slot), '{}')
    FROM (SELECT slot, sum(count)::bigint AS n
          FROM (SELECT * FROM unnest(slots_a, counts_a) UNION ALL SELECT * FROM unnest(slots_b, counts_b)) AS u (slot, count)
          GROUP BY slot) AS merged
$redeliver$;

-- The one way counts get into delivery_counts: adds to the row of this consumer, worker and 10 seconds. counts, in this
-- order: the six outcomes (processed, duplicate, stale, not_addressed, rejected, transaction_failed), the five kinds
-- (redelivered, published_again, replayed, concurrent, unknown), ack_failed, in_doubt.
CREATE FUNCTION :schema.add_counts(consumer text, worker text, at timestamptz, counts bigint[], slots smallint[] DEFAULT
'{}',
                                   slot_counts bigint[] DEFAULT '{}') RETURNS void
LANGUAGE sql VOLATILE SET search_path = pg_catalog AS $redeliver$
    INSERT INTO :schema.delivery_counts AS t
                (consumer_name, worker, bucket, bucket_s, processed, duplicate, stale, not_addressed, rejected,
        transaction_failed, redelivered, published_again, replayed, concurrent, unknown_kind, ack_failed, in_doubt,
         latency_slots, latency_counts)
    VALUES ($1, $2, to_timestamp(floor(extract(epoch FROM $3) / 10) * 10), 10,
                        coalesce($4[1], 0), coalesce($4[2], 0), coalesce($4[3], 0), coalesce($4[4], 0), coalesce($4[5], 0),
            coalesce($4[6], 0), coalesce($4[7], 0), coalesce($4[8], 0), coalesce($4[9], 0), coalesce($4[10], 0),
            coalesce($4[11], 0), coalesce($4[12], 0), coalesce($4[13], 0), $5, $6)
    ON CONFLICT (consumer_name, bucket, bucket_s, worker) DO UPDATE SET
                processed = t.processed + excluded.processed, duplicate = t.duplicate + excluded.duplicate, stale = t.stale +
        excluded.stale, not_addressed = t.not_addressed + excluded.not_addressed, rejected = t.rejected + excluded.rejected,
        transaction_failed = t.transaction_failed + excluded.transaction_failed, redelivered = t.redelivered +
        excluded.redelivered, published_again = t.published_again + excluded.published_again, replayed = t.replayed +
        excluded.replayed, concurrent = t.concurrent + excluded.concurrent, unknown_kind = t.unknown_kind +
        excluded.unknown_kind, ack_failed = t.ack_failed + excluded.ack_failed, in_doubt = t.in_doubt + excluded.in_doubt,
        (latency_slots, latency_counts) = (SELECT m.slots, m.counts FROM :schema.merge_slots(
            t.latency_slots, t.latency_counts, excluded.latency_slots, excluded.latency_counts) AS m),
        changed = excluded.changed
$redeliver$;

CREATE TABLE :schema.delivery_events (
    event_id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at                    timestamptz NOT NULL DEFAULT clock_timestamp(),
    consumer_name         text COLLATE "C" NOT NULL,
    outcome               text NOT NULL,
    kind                  text,
    message_id            text COLLATE "C",
    cluster_id            text,
    topic                 text,
    partition             int,
    "offset"              bigint,
    worker                text NOT NULL DEFAULT '',
    attempt               int NOT NULL DEFAULT 1,
    error_code            text,
    error_text            text,
    latency               interval,
    since_first_processed interval,
    replay_id             uuid,
    identical_content     boolean,
    generated             boolean NOT NULL DEFAULT false
);
CREATE INDEX delivery_events_message ON :schema.delivery_events (message_id, consumer_name);
CREATE INDEX delivery_events_at ON :schema.delivery_events (at, consumer_name);
CREATE INDEX delivery_events_record ON :schema.delivery_events (consumer_name, topic, partition, "offset");
CREATE INDEX delivery_events_replay ON :schema.delivery_events (replay_id) WHERE replay_id IS NOT NULL;

-- The ledger: below this offset markers may be gone. `lost_before` is one row per consumer ('', '', -1).
CREATE TABLE :schema.marker_horizon (
    consumer_name text COLLATE "C" NOT NULL,
    cluster_id    text NOT NULL DEFAULT '',
    topic         text NOT NULL DEFAULT '',
    partition     int NOT NULL DEFAULT -1,
    "offset"      bigint NOT NULL DEFAULT 0,
    lost_before   timestamptz,
    updated_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (consumer_name, cluster_id, topic, partition)
);

CREATE TABLE :schema.consumer_offsets (
    consumer_name         text COLLATE "C" NOT NULL,
    cluster_id            text NOT NULL DEFAULT '',
    topic                 text NOT NULL,
    partition             int NOT NULL,
    next_offset           bigint,
    highest_offset        bigint,
    acked_offset          bigint,            -- highest group offset known acked
    owner                 text NOT NULL DEFAULT '',
    worker                text NOT NULL DEFAULT '',
    topic_id              text NOT NULL DEFAULT '',
    last_record_offset    bigint,            -- fingerprint of the last record read
    last_record_timestamp timestamptz,
    last_record_crc       bigint,
    state                 text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'stopped')),
    stop_code             text NOT NULL DEFAULT '',
    stop_reason           text NOT NULL DEFAULT '',
    stop_suggests         bigint,
    stopped_at            timestamptz,
    requested             text NOT NULL DEFAULT '' CHECK (requested IN ('', 'retry', 'skip-to')),
    requested_offset      bigint,
    requested_by          text NOT NULL DEFAULT '',
    requested_reason      text NOT NULL DEFAULT '',
    requested_at          timestamptz,
    updated_at            timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (consumer_name, cluster_id, topic, partition)
);

-- The seal of a guarded transaction: a row that only we delete right before our COMMIT; the handler's own COMMIT fails on it.
CREATE UNLOGGED TABLE :schema.transaction_seal (seal text PRIMARY KEY);
CREATE FUNCTION :schema.check_seal() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM :schema.transaction_seal WHERE seal = NEW.seal) THEN
        RAISE EXCEPTION 'a guarded transaction was committed by its handler' USING ERRCODE = 'RD001',
            HINT = 'A handler may not end the transaction it was given.';
    END IF;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER transaction_seal_lifted AFTER INSERT ON :schema.transaction_seal
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION :schema.check_seal();

CREATE TABLE :schema.outbox (
    outbox_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    message_id   text NOT NULL,
    topic        text NOT NULL,
    key          bytea,
    value        bytea,
    header_names  text[] NOT NULL DEFAULT '{}',
    header_values bytea[] NOT NULL DEFAULT '{}',
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    published_at timestamptz,
    published_partition int,
    published_offset    bigint,
    attempts     int NOT NULL DEFAULT 0,
    last_error   text
);
CREATE INDEX outbox_pending ON :schema.outbox (outbox_id) WHERE published_at IS NULL;

CREATE TABLE :schema.replays (
    replay_id    uuid PRIMARY KEY,
    state        text NOT NULL,
    consumer_name text NOT NULL,
    topic        text NOT NULL,
    target       text NOT NULL,
    plan         jsonb NOT NULL,             -- the frozen plan document
    reason       text NOT NULL,
    confirmation jsonb NOT NULL DEFAULT '{}',
    who_role     text NOT NULL DEFAULT session_user,
    who_os       text NOT NULL DEFAULT '',
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    started_at   timestamptz,
    ended_at     timestamptz,
    records      bigint NOT NULL DEFAULT 0,
    rate         bigint NOT NULL DEFAULT 0,
    control      text NOT NULL DEFAULT 'go' CHECK (control IN ('go', 'pause', 'abort')),
    owner        text NOT NULL DEFAULT '',
    owner_pid    int,
    owner_host   text NOT NULL DEFAULT '',
    heartbeat_at timestamptz,
    exactly_once boolean NOT NULL DEFAULT true,
    stop_text    text NOT NULL DEFAULT '',
    set_aside_records text[] NOT NULL DEFAULT '{}', -- "partition/offset: why"
    report       jsonb
);

CREATE TABLE :schema.replay_progress (
    replay_id  uuid NOT NULL REFERENCES :schema.replays ON DELETE CASCADE,
    partition  int NOT NULL,
    from_offset bigint NOT NULL,
    to_offset   bigint NOT NULL,
    acknowledged_offset bigint NOT NULL,     -- everything below is sent and acknowledged, or set aside
    sent       bigint NOT NULL DEFAULT 0,
    set_aside  bigint NOT NULL DEFAULT 0,
    target_from   bigint NOT NULL DEFAULT 0, -- the target partition's end when the run began
    target_offset bigint NOT NULL DEFAULT 0, -- what we sent below it is acknowledged; a resume reads back from here
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (replay_id, partition, from_offset)
);

-- Who did what: insert-only for operators.
CREATE TABLE :schema.audit (
    audit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    who_role text NOT NULL DEFAULT session_user,
    who_os   text NOT NULL DEFAULT '',
    action   text NOT NULL,
    subject  text NOT NULL,
    detail   jsonb NOT NULL DEFAULT '{}'
);

CREATE TABLE :schema.notes (
    note_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL,
    consumer_name text,
    text    text NOT NULL,
    who     text NOT NULL DEFAULT session_user,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- One row: what maintenance did last.
CREATE TABLE :schema.maintenance (
    only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    last_run   timestamptz,
    last_text  text NOT NULL DEFAULT ''
);
INSERT INTO :schema.maintenance DEFAULT VALUES;

CREATE TABLE IF NOT EXISTS :schema.schema_version (
    version       int PRIMARY KEY,
    name          text NOT NULL,
    oldest_client int NOT NULL,
    applied_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
