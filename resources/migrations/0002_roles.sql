-- SPDX-FileCopyrightText: Redeliver contributors
-- SPDX-License-Identifier: Apache-2.0
-- oldest-client: 1
--
-- Four roles with the least they need, and functions for consumers in any language.

-- Grants to those of the four roles that exist; answers the missing ones. After creating roles by hand, call it again:
-- SELECT * FROM grant_roles(). Roles belong to the whole server, so they are never dropped or altered here.
CREATE FUNCTION :schema.grant_roles() RETURNS SETOF text LANGUAGE plpgsql SET search_path = pg_catalog AS $redeliver$
DECLARE
    s constant text := ':schema';
    role text;
    statement text;
BEGIN
    FOREACH role IN ARRAY ARRAY['redeliver_consumer', 'redeliver_reader', 'redeliver_operator', 'redeliver_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
            RETURN NEXT role;
            CONTINUE;
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA %s TO %I', s, role);
        EXECUTE format('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA %s TO %I', s, role);
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s.grant_roles() FROM %I', s, role);
        EXECUTE format('GRANT SELECT ON %s.schema_version TO %I', s, role);
        IF role <> 'redeliver_consumer' THEN
            EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %s TO %I', s, role);
        END IF;
        FOREACH statement IN ARRAY CASE role
            WHEN 'redeliver_consumer' THEN ARRAY[
                'SELECT, INSERT, UPDATE, DELETE ON %s.processed_messages',
                'SELECT, INSERT, UPDATE ON %s.consumers',
                'SELECT, INSERT, UPDATE ON %s.delivery_counts',
                'SELECT, INSERT ON %s.delivery_events',
                'SELECT, INSERT, UPDATE ON %s.marker_horizon',
                'SELECT, INSERT, UPDATE ON %s.consumer_offsets',
                'SELECT, INSERT, UPDATE, DELETE ON %s.transaction_seal',
                'SELECT, INSERT, UPDATE ON %s.outbox',
                'SELECT ON %s.replays, %1$s.replay_progress']
            WHEN 'redeliver_operator' THEN ARRAY[
                'INSERT, UPDATE ON %s.replays',
                'INSERT, UPDATE ON %s.replay_progress',
                'INSERT, UPDATE ON %s.consumers',
                'INSERT, UPDATE ON %s.consumer_offsets',
                'INSERT ON %s.delivery_events',
                'INSERT, UPDATE ON %s.marker_horizon',
                'UPDATE ON %s.outbox',
                'INSERT, UPDATE, DELETE ON %s.notes',
                'INSERT (who_os, action, subject, detail) ON %s.audit']
            WHEN 'redeliver_admin' THEN ARRAY[
                'INSERT, UPDATE, DELETE ON %s.processed_messages, %1$s.consumers, %1$s.delivery_counts, '
                '%1$s.delivery_events, %1$s.marker_horizon, %1$s.consumer_offsets, %1$s.transaction_seal, %1$s.outbox, '
                '%1$s.replays, %1$s.replay_progress, %1$s.notes, %1$s.maintenance',
                'INSERT (who_os, action, subject, detail) ON %s.audit']
            ELSE ARRAY[]::text[] END
        LOOP
            EXECUTE format('GRANT ' || statement || ' TO %I', s, role);
        END LOOP;
    END LOOP;
END $redeliver$;
REVOKE EXECUTE ON FUNCTION :schema.grant_roles() FROM PUBLIC;

-- Who may not create roles goes on without them, and says so: a warning here, and "redeliverctl doctor".
DO $redeliver$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['redeliver_consumer', 'redeliver_reader', 'redeliver_operator', 'redeliver_admin'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            END IF;
        EXCEPTION
            WHEN duplicate_object OR unique_violation THEN NULL;  -- another database's migration was faster
            WHEN insufficient_privilege THEN
                RAISE WARNING 'role % was not created: % may not create roles', role, current_user
                    USING HINT = 'Let somebody who may create it, then run: SELECT * FROM :schema.grant_roles();';
        END;
    END LOOP;
END $redeliver$;

-- The slot of core/model/histogram.h: 32 per power of two of microseconds, up to one hour.
CREATE FUNCTION :schema.latency_slot(latency interval) RETURNS smallint
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog AS $redeliver$
DECLARE
    value bigint := least(greatest(extract(epoch FROM latency) * 1000000, 0), 3600000000)::bigint;
    shift int := 0;
BEGIN
    WHILE (value >> shift) >= 64 LOOP
        shift := shift + 1;
    END LOOP;
    RETURN (shift << 5) + (value >> shift);
END $redeliver$;

-- For consumers in any language, inside the transaction that holds the effect. True: first time, go on. False: it was
-- committed before, acknowledge and be done. Waits for another transaction that has just inserted the same ID.
-- With topic, partition and offset it also moves consumer_offsets. Run it in READ COMMITTED.
CREATE FUNCTION :schema.try_mark(consumer text, message_id text, topic text DEFAULT NULL, partition int DEFAULT NULL,
                                 "offset" bigint DEFAULT NULL, cluster_id text DEFAULT NULL,
                                 record_timestamp timestamptz DEFAULT NULL, worker text DEFAULT NULL,
                                 replay_id uuid DEFAULT NULL, content_hash bytea DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog AS $redeliver$
#variable_conflict use_column
DECLARE
    first_time boolean;
BEGIN
    IF coalesce(try_mark.consumer, '') = '' OR coalesce(try_mark.message_id, '') = '' THEN
        RAISE EXCEPTION 'try_mark needs a consumer and a message ID' USING ERRCODE = '22023',
            HINT = 'A message without an identity goes to the dead-letter topic; never guess an ID.';
    END IF;
    IF octet_length(try_mark.message_id) > 1024 THEN
        RAISE EXCEPTION 'a message ID has at most 1024 bytes' USING ERRCODE = '22023';
    END IF;
    IF num_nonnulls(try_mark.topic, try_mark.partition, try_mark."offset") NOT IN (0, 3) THEN
        RAISE EXCEPTION 'topic, partition and offset go together: all three or none' USING ERRCODE = '22023';
    END IF;
    INSERT INTO :schema.processed_messages AS m (consumer_name, message_id, topic, partition, "offset", cluster_id,
                                                 record_timestamp, worker, replay_id, content_hash)
    VALUES (try_mark.consumer, try_mark.message_id, try_mark.topic, try_mark.partition, try_mark."offset",
            try_mark.cluster_id, try_mark.record_timestamp, try_mark.worker, try_mark.replay_id, try_mark.content_hash)
    ON CONFLICT (consumer_name, message_id) DO NOTHING;
    first_time := FOUND;
    IF NOT first_time THEN
        -- Seen at other coordinates: retention counts from now on.
        UPDATE :schema.processed_messages m SET last_seen_at = clock_timestamp()
        WHERE m.consumer_name = try_mark.consumer AND m.message_id = try_mark.message_id
          AND (m.topic, m.partition, m."offset") IS DISTINCT FROM (try_mark.topic, try_mark.partition, try_mark."offset");
    END IF;
    IF try_mark.topic IS NOT NULL THEN
        INSERT INTO :schema.consumer_offsets AS o
            (consumer_name, cluster_id, topic, partition, next_offset, highest_offset, worker)
        VALUES (try_mark.consumer, coalesce(try_mark.cluster_id, ''), try_mark.topic, try_mark.partition,
                try_mark."offset" + 1, try_mark."offset" + 1, coalesce(try_mark.worker, ''))
        ON CONFLICT (consumer_name, cluster_id, topic, partition) DO UPDATE SET
            next_offset = greatest(o.next_offset, excluded.next_offset),
            highest_offset = greatest(o.highest_offset, excluded.highest_offset),
            worker = excluded.worker, updated_at = clock_timestamp();
    END IF;
    RETURN first_time;
END $redeliver$;

-- Counts one delivery; one that is not plainly processed also leaves an event. Inside the guarded transaction for
-- processed, duplicate, stale and not_addressed; in one of its own for what failed.
-- outcome: processed duplicate stale not_addressed rejected transaction_failed, or ack_failed in_doubt beside them.
-- kind of a duplicate: redelivered published_again replayed concurrent unknown; left out, the marker's coordinates tell.
CREATE FUNCTION :schema.record(consumer text, message_id text, outcome text DEFAULT 'processed', kind text DEFAULT NULL,
                               topic text DEFAULT NULL, partition int DEFAULT NULL, "offset" bigint DEFAULT NULL,
                               worker text DEFAULT NULL, attempt int DEFAULT 1, error_code text DEFAULT NULL,
                               error_text text DEFAULT NULL, latency interval DEFAULT NULL)
RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $redeliver$
#variable_conflict use_column
DECLARE
    outcomes constant text[] := ARRAY['processed', 'duplicate', 'stale', 'not_addressed', 'rejected', 'transaction_failed'];
    kinds constant text[] := ARRAY['redelivered', 'published_again', 'replayed', 'concurrent', 'unknown'];
    place int := array_position(outcomes || kinds || ARRAY['ack_failed', 'in_doubt'], record.outcome);
    counts bigint[] := array_fill(0::bigint, ARRAY[13]);
    found_kind text := record.kind;
    marker record;
BEGIN
    IF coalesce(record.consumer, '') = '' THEN
        RAISE EXCEPTION 'record needs a consumer' USING ERRCODE = '22023';
    END IF;
    IF place IS NULL OR record.outcome = ANY (kinds) THEN
        RAISE EXCEPTION 'unknown outcome "%"', record.outcome USING ERRCODE = '22023',
            HINT = 'One of ' || array_to_string(outcomes, ', ') || ', ack_failed, in_doubt.';
    END IF;
    IF record.kind IS NOT NULL AND (record.outcome <> 'duplicate' OR NOT record.kind = ANY (kinds)) THEN
        RAISE EXCEPTION 'kind "%" doesn''t fit outcome "%"', record.kind, record.outcome USING ERRCODE = '22023',
            HINT = 'A duplicate has one of ' || array_to_string(kinds, ', ') || '; other outcomes have none.';
    END IF;
    counts[place] := 1;
    SELECT m.processed_at, m.topic, m.partition, m."offset" INTO marker FROM :schema.processed_messages m
    WHERE m.consumer_name = record.consumer AND m.message_id = record.message_id;
    IF record.outcome = 'duplicate' THEN
        found_kind := coalesce(found_kind, CASE
            WHEN marker.topic IS NULL OR num_nonnulls(record.topic, record.partition, record."offset") < 3 THEN 'unknown'
            WHEN (marker.topic, marker.partition, marker."offset") = (record.topic, record.partition, record."offset")
                THEN 'redelivered'
            ELSE 'published_again' END);
        place := array_position(outcomes || kinds, found_kind);
        counts[place] := 1;
    END IF;
    PERFORM :schema.add_counts(record.consumer, coalesce(record.worker, ''), clock_timestamp(), counts,
        CASE WHEN record.latency IS NULL THEN '{}'::smallint[] ELSE ARRAY[:schema.latency_slot(record.latency)] END,
        CASE WHEN record.latency IS NULL THEN '{}'::bigint[] ELSE ARRAY[1::bigint] END);
    IF record.outcome <> 'processed' THEN
        INSERT INTO :schema.delivery_events (consumer_name, outcome, kind, message_id, topic, partition, "offset", worker,
                                             attempt, error_code, error_text, latency, since_first_processed)
        VALUES (record.consumer, record.outcome, found_kind, record.message_id, record.topic, record.partition,
                record."offset", coalesce(record.worker, ''), coalesce(record.attempt, 1), record.error_code,
                left(record.error_text, 2000), record.latency,
                CASE WHEN record.outcome = 'duplicate' AND isfinite(marker.processed_at)
                     THEN clock_timestamp() - marker.processed_at END);
    END IF;
END $redeliver$;

SELECT :schema.grant_roles();
