-- SPDX-FileCopyrightText: Redeliver contributors
-- SPDX-License-Identifier: Apache-2.0
-- oldest-client: 1
--
-- The tables of Redeliver. `:schema` is replaced by the quoted schema name of the profile. One transaction.

CREATE SCHEMA IF NOT EXISTS :schema;

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
    changed            bigint NOT NULL DEFAULT 0,  -- a sequence number of the last change: a live refresh reads what is newer
    PRIMARY KEY (consumer_name, bucket, bucket_s, worker)
);
CREATE SEQUENCE :schema.delivery_counts_changed;
CREATE INDEX delivery_counts_bucket ON :schema.delivery_counts (bucket);

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
