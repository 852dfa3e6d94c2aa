/**
 * The claims of runs. The one row of `claim_order` is the lock of every change: its `epoch` counts the grants, its
 * `line` counts the changes that waiting calls have to see. If no other run has a key of the call and no call in line
 * wants one, one function grants the call. Otherwise the asking process judges, and its result is saved only if `line`
 * is unchanged.
 */
import { REFUSE_HELD } from './functions.ts';

/** The statements that make it. */
export const CLAIM_SCHEMA = `
CREATE TABLE belay.claim_order (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  epoch bigint NOT NULL,
  line bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO belay.claim_order (epoch, line) VALUES (0, 0);
CREATE TABLE belay.claim (
  run bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  segs text[] NOT NULL,
  prefix text COLLATE "C" NOT NULL,
  shared boolean NOT NULL,
  owner text COLLATE "C" NOT NULL,
  epoch bigint NOT NULL,
  since timestamptz NOT NULL,
  released boolean NOT NULL DEFAULT false,
  freed boolean NOT NULL DEFAULT false,
  passed text COLLATE "C",
  passed_epoch bigint,
  PRIMARY KEY (run, key)
);
CREATE INDEX claim_prefix ON belay.claim (prefix);
CREATE INDEX claim_released ON belay.claim (run) WHERE released;
CREATE TABLE belay.claim_wait (
  place bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL UNIQUE,
  run bigint NOT NULL,
  token bigint NOT NULL,
  since timestamptz NOT NULL,
  wanted jsonb NOT NULL
);
CREATE TABLE belay.claim_freed (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run bigint NOT NULL,
  by text,
  why text,
  time timestamptz NOT NULL,
  keys text[] NOT NULL
);

CREATE FUNCTION belay.claim_meets(a text[], b text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $belay$
  SELECT NOT EXISTS (SELECT FROM unnest(a, b) AS s (x, y)
    WHERE x IS NOT NULL AND y IS NOT NULL AND x <> y AND x <> '*' AND y <> '*')
$belay$;

CREATE FUNCTION belay.claim_taken(p_run bigint, p_wanted jsonb) RETURNS boolean LANGUAGE sql STABLE AS $belay$
  SELECT EXISTS (
    SELECT FROM jsonb_to_recordset(p_wanted) AS w (segs text[], prefix text, above text[], past text, shared boolean)
    JOIN belay.claim c ON c.prefix = ANY (w.above) OR (c.prefix >= w.prefix AND (w.past IS NULL OR c.prefix < w.past))
    WHERE c.run <> p_run AND NOT c.released AND NOT (c.shared AND w.shared) AND belay.claim_meets(c.segs, w.segs)
      -- Kin share the grants of their common past (FK6).
      AND NOT EXISTS (SELECT FROM belay.claim o WHERE o.run = p_run AND o.key = c.key AND o.owner = c.owner)
      AND NOT EXISTS (SELECT FROM jsonb_to_recordset(p_wanted) AS o (key text, "from" text) WHERE o.key = c.key AND o."from" = c.owner))
$belay$;

CREATE FUNCTION belay.claim_hold(p_run bigint, p_epoch bigint, p_wanted jsonb) RETURNS void LANGUAGE sql AS $belay$
  INSERT INTO belay.claim AS c (run, key, segs, prefix, shared, owner, epoch, since)
    SELECT p_run, w.key, w.segs, w.prefix, w.shared, coalesce(w."from", (SELECT name FROM belay.run WHERE id = p_run)), p_epoch, clock_timestamp()
    FROM jsonb_to_recordset(p_wanted) AS w (key text, segs text[], prefix text, shared boolean, "from" text)
    ON CONFLICT (run, key) DO UPDATE SET shared = false, epoch = excluded.epoch, since = excluded.since
      WHERE c.shared AND NOT excluded.shared;
  -- A released key says who was given it next (ER3).
  UPDATE belay.claim c SET passed = (SELECT name FROM belay.run WHERE id = p_run), passed_epoch = p_epoch
    FROM jsonb_to_recordset(p_wanted) AS w (key text, segs text[], shared boolean, "from" text)
    WHERE c.released AND c.passed IS NULL AND c.run <> p_run AND NOT (c.shared AND w.shared) AND belay.claim_meets(c.segs, w.segs)
      AND NOT EXISTS (SELECT FROM belay.claim o WHERE o.run = p_run AND o.key = c.key AND o.owner = c.owner)
$belay$;

CREATE FUNCTION belay.claim_let_go(p_run bigint, p_token bigint, p_nonce uuid, p_keys text[], p_channel text)
RETURNS void LANGUAGE plpgsql AS $belay$
BEGIN
  PERFORM belay.safely();
  PERFORM FROM belay.claim_order FOR UPDATE;
  IF NOT EXISTS (SELECT FROM belay.run WHERE id = p_run AND token = p_token AND nonce = p_nonce)
    OR EXISTS (SELECT FROM belay.claim_wait WHERE run = p_run AND token = p_token) THEN RETURN; END IF;
  UPDATE belay.claim SET released = true WHERE run = p_run AND key = ANY (p_keys);
  UPDATE belay.claim_order SET line = line + 1;
  PERFORM belay.claim_told(p_channel);
END $belay$;

CREATE FUNCTION belay.claim_take_back(p_run bigint, p_token bigint, p_nonce uuid)
RETURNS TABLE (key text, run text, epoch bigint) LANGUAGE plpgsql AS $belay$
#variable_conflict use_column
BEGIN
  PERFORM belay.safely();
  PERFORM FROM belay.claim_order FOR UPDATE;
  IF EXISTS (SELECT FROM belay.run r WHERE r.id = p_run AND r.token = p_token AND r.nonce = p_nonce) THEN
    UPDATE belay.claim c SET released = false, freed = false WHERE c.run = p_run AND c.released AND c.passed IS NULL;
    UPDATE belay.claim_order SET line = line + 1;
  END IF;
  RETURN QUERY SELECT c.key, c.passed, c.passed_epoch FROM belay.claim c WHERE c.run = p_run AND c.released ORDER BY c.key;
END $belay$;

CREATE FUNCTION belay.claim_take(p_run bigint, p_token bigint, p_nonce uuid, p_wanted jsonb)
RETURNS text LANGUAGE plpgsql AS $belay$
DECLARE
  granted bigint;
BEGIN
  PERFORM belay.safely();
  PERFORM FROM belay.claim_order FOR UPDATE;
  IF NOT EXISTS (SELECT FROM belay.run WHERE id = p_run AND token = p_token AND nonce = p_nonce) THEN RETURN 'lost'; END IF;
  IF belay.claim_taken(p_run, p_wanted) OR EXISTS (
    SELECT FROM belay.claim_wait q, jsonb_to_recordset(q.wanted) AS v (segs text[], shared boolean),
      jsonb_to_recordset(p_wanted) AS w (segs text[], shared boolean)
    WHERE q.run <> p_run AND NOT (v.shared AND w.shared) AND belay.claim_meets(v.segs, w.segs))
  THEN RETURN 'meets'; END IF;
  UPDATE belay.claim_order SET epoch = epoch + 1 RETURNING epoch INTO granted;
  PERFORM belay.claim_hold(p_run, granted, p_wanted);
  RETURN 'held';
END $belay$;

CREATE FUNCTION belay.claim_settle(p_line bigint, p_granted jsonb, p_queued jsonb, p_gone uuid[], p_channel text)
RETURNS boolean LANGUAGE plpgsql AS $belay$
DECLARE
  last bigint;
BEGIN
  PERFORM belay.safely();
  PERFORM FROM belay.claim_order WHERE line = p_line FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  IF EXISTS (
    SELECT FROM jsonb_to_recordset(p_granted || p_queued) AS g (run bigint, token bigint, nonce uuid)
    WHERE NOT EXISTS (SELECT FROM belay.run r WHERE r.id = g.run AND r.token = g.token AND r.nonce = g.nonce))
  THEN RETURN false; END IF;
  -- What another run has taken at once meanwhile has not moved the line.
  IF EXISTS (SELECT FROM jsonb_to_recordset(p_granted) AS g (run bigint, wanted jsonb) WHERE belay.claim_taken(g.run, g.wanted))
  THEN RETURN false; END IF;
  UPDATE belay.claim_order SET line = line + 1, epoch = epoch + jsonb_array_length(p_granted) RETURNING epoch INTO last;
  PERFORM belay.claim_hold((g.body->>'run')::bigint, last - jsonb_array_length(p_granted) + g.number, g.body->'wanted')
    FROM jsonb_array_elements(p_granted) WITH ORDINALITY AS g (body, number);
  DELETE FROM belay.claim_wait WHERE id = ANY (p_gone);
  DELETE FROM belay.claim_wait q USING jsonb_to_recordset(p_queued) AS n (run bigint, token bigint)
    WHERE q.run = n.run AND q.token <> n.token;
  INSERT INTO belay.claim_wait (id, run, token, since, wanted)
    SELECT (n.body->>'id')::uuid, (n.body->>'run')::bigint, (n.body->>'token')::bigint, clock_timestamp(), n.body->'wanted'
    FROM jsonb_array_elements(p_queued) WITH ORDINALITY AS n (body, number) ORDER BY n.number
    ON CONFLICT (id) DO NOTHING;
  IF jsonb_array_length(p_granted) > 0 OR cardinality(p_gone) > 0 THEN PERFORM belay.claim_told(p_channel); END IF;
  RETURN true;
END $belay$;

CREATE FUNCTION belay.claim_told(p_channel text) RETURNS void LANGUAGE plpgsql AS $belay$
BEGIN
  -- A notice takes a lock of the whole server at its commit: none goes out where no call waits.
  IF EXISTS (SELECT FROM belay.claim_wait) THEN PERFORM pg_notify(p_channel, ''); END IF;
END $belay$;

CREATE FUNCTION belay.claim_leave(p_ids uuid[], p_channel text) RETURNS void LANGUAGE plpgsql AS $belay$
BEGIN
  PERFORM FROM belay.claim_order FOR UPDATE;
  DELETE FROM belay.claim_wait WHERE id = ANY (p_ids);
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE belay.claim_order SET line = line + 1;
  PERFORM belay.claim_told(p_channel);
END $belay$;

CREATE FUNCTION belay.claim_clear(p_run bigint, p_channel text) RETURNS text[] LANGUAGE plpgsql AS $belay$
DECLARE
  freed text[];
BEGIN
  WITH gone AS (DELETE FROM belay.claim WHERE run = p_run RETURNING key) SELECT array_agg(key ORDER BY key) INTO freed FROM gone;
  UPDATE belay.claim_order SET line = line + 1;
  PERFORM belay.claim_told(p_channel);
  RETURN coalesce(freed, '{}');
END $belay$;

CREATE FUNCTION belay.claim_release(p_run bigint, p_token bigint, p_nonce uuid, p_channel text)
RETURNS void LANGUAGE plpgsql AS $belay$
BEGIN
  PERFORM belay.safely();
  PERFORM FROM belay.claim_order FOR UPDATE;
  -- A process that has lost the run frees nothing of the one that has it.
  IF EXISTS (SELECT FROM belay.run WHERE id = p_run AND token = p_token AND nonce = p_nonce) THEN
    DELETE FROM belay.claim_wait WHERE run = p_run AND token <> p_token;
    PERFORM belay.claim_clear(p_run, p_channel);
  END IF;
END $belay$;

CREATE FUNCTION belay.claim_free(p_name text, p_head bigint, p_by text, p_why text, p_channel text)
RETURNS TABLE (refusal text, holder text, remaining bigint, keys text[]) LANGUAGE plpgsql AS $belay$
#variable_conflict use_column
DECLARE
  found_run belay.run;
  keeper belay.worker;
BEGIN
  PERFORM belay.safely();
  PERFORM FROM belay.claim_order FOR UPDATE;
  SELECT * INTO found_run FROM belay.run WHERE name = p_name FOR UPDATE;
  IF NOT FOUND THEN refusal := 'run_unknown'; RETURN NEXT; RETURN; END IF;${REFUSE_HELD('found_run')}
  IF p_head IS NOT NULL AND found_run.head <> p_head THEN refusal := 'moved'; RETURN NEXT; RETURN; END IF;
  -- A worker that comes back finds another fence than its own.
  UPDATE belay.run SET nonce = NULL, worker = NULL,
      overtaken = CASE WHEN worker IS NULL THEN overtaken ELSE head END
    WHERE id = found_run.id;
  DELETE FROM belay.claim_wait WHERE run = found_run.id;
  IF p_head IS NULL THEN
    keys := belay.claim_clear(found_run.id, p_channel);
    RETURN NEXT;
    RETURN;
  END IF;
  -- The keys stay noted, with whom they were passed on to (ER8).
  SELECT coalesce(array_agg(c.key ORDER BY c.key), '{}') INTO keys FROM belay.claim c WHERE c.run = found_run.id AND NOT c.freed;
  UPDATE belay.claim c SET released = true, freed = true WHERE c.run = found_run.id;
  UPDATE belay.claim_order SET line = line + 1;
  PERFORM belay.claim_told(p_channel);
  IF cardinality(keys) > 0 THEN
    INSERT INTO belay.claim_freed (run, by, why, time, keys) VALUES (found_run.id, p_by, p_why, clock_timestamp(), keys);
  END IF;
  RETURN NEXT;
END $belay$;`;
