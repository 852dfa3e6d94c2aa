/**
 * The functions of a store. Each is one statement of its caller, so one transaction and one round trip, and needs
 * nothing of its session: it works behind a pooler that gives every transaction another connection. Only the clock of the
 * database decides who lives.
 */

/** Refuses to go on with a run, a variable of the function that it stands in, which a living worker has. */
export const REFUSE_HELD = (run: string): string => `
    SELECT * INTO keeper FROM belay.worker WHERE id = ${run}.worker AND expires > clock_timestamp();
    IF FOUND THEN
      refusal := 'lease_held';
      holder := keeper.name;
      remaining := ceil(extract(epoch FROM keeper.expires - clock_timestamp()) * 1000);
      RETURN NEXT; RETURN;
    END IF;`;

/** Makes sure that everything acknowledged is on the disk of the server, whatever the session or the role has set. */
const SAFELY = `
CREATE FUNCTION belay.safely() RETURNS void LANGUAGE plpgsql AS $belay$
BEGIN
  IF current_setting('fsync') <> 'on' THEN
    RAISE EXCEPTION 'the server runs with fsync = off' USING ERRCODE = 'BE001';
  END IF;
  IF current_setting('synchronous_commit') NOT IN ('on', 'remote_apply') THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
END $belay$;`;

/** Says that a worker lives for some time from now. */
const BEAT = `
CREATE FUNCTION belay.beat(p_worker uuid, p_name text, p_ms int) RETURNS void LANGUAGE sql AS $belay$
  INSERT INTO belay.worker AS w (id, name, expires)
    VALUES (p_worker, p_name, clock_timestamp() + p_ms * interval '1 ms')
    ON CONFLICT (id) DO UPDATE SET expires = excluded.expires
$belay$;`;

/**
 * Takes the lease of a run, and makes the run if the mode allows. The function waits for an append that is under way; a
 * later append finds another token. Sent again with the same nonce, it answers the same. If the former worker's lease
 * had run out, the answer names the head at the takeover: that worker may still make a call, unless the next one knows
 * that its process is gone.
 */
const TAKE = `
CREATE FUNCTION belay.take(p_name text, p_mode text, p_worker uuid, p_nonce uuid, p_process text)
RETURNS TABLE (refusal text, holder text, remaining bigint, o_id bigint, o_token bigint, o_overtaken bigint,
  o_from text, o_before bigint) LANGUAGE plpgsql AS $belay$
#variable_conflict use_column
DECLARE
  taken belay.run;
  keeper belay.worker;
  made boolean := false;
BEGIN
  PERFORM belay.safely();
  SELECT * INTO taken FROM belay.run WHERE name = p_name FOR UPDATE;
  IF NOT FOUND AND p_mode <> 'resume' THEN
    INSERT INTO belay.run (name) VALUES (p_name) ON CONFLICT (name) DO NOTHING;
    made := FOUND;
    SELECT * INTO taken FROM belay.run WHERE name = p_name FOR UPDATE;
  END IF;
  IF taken.id IS NULL THEN
    refusal := 'run_unknown'; RETURN NEXT; RETURN;
  END IF;
  IF taken.nonce IS DISTINCT FROM p_nonce THEN
    IF p_mode = 'create' AND NOT made THEN
      refusal := 'run_exists'; RETURN NEXT; RETURN;
    END IF;${REFUSE_HELD('taken')}
    IF taken.worker IS NOT NULL THEN
      o_before := taken.overtaken;
      SELECT process INTO o_from FROM belay.worker WHERE id = taken.worker;
      taken.overtaken := taken.head;
    END IF;
    UPDATE belay.run SET token = token + 1, nonce = p_nonce, worker = p_worker, overtaken = taken.overtaken
      WHERE id = taken.id RETURNING token INTO taken.token;
    UPDATE belay.worker SET process = p_process WHERE id = p_worker AND process IS DISTINCT FROM p_process;
  END IF;
  o_id := taken.id; o_token := taken.token; o_overtaken := taken.overtaken;
  RETURN NEXT;
END $belay$;`;

/**
 * Appends one commit group to each of several runs that are still their writer's: token, nonce and head are compared in the
 * statement that moves the head, and with it the note of the run (J6). The acts (J9) of those runs are freed and taken, and their
 * pools (J10) changed, in the same transaction. Answers with those runs and the number of messages of each. The caller sorts the runs, so that two callers never wait
 * for each other in a circle.
 */
const APPEND = `
CREATE FUNCTION belay.append(p_runs bigint[], p_tokens bigint[], p_nonces uuid[], p_befores bigint[], p_lasts bigint[],
  p_times bigint[], p_hashes bytea, p_owners bigint[], p_seqs bigint[], p_kinds bigint[], p_places int[],
  p_sizes int[], p_bodies bytea, p_notes bytea[], p_releasing bigint[], p_freed text[], p_takers bigint[], p_acts text[],
  p_keys text[], p_pools jsonb)
RETURNS TABLE (held bigint, heard bigint) LANGUAGE plpgsql AS $belay$
#variable_conflict use_column
DECLARE
  kept bigint[] := '{}';
  digest bytea;
  messages bigint;
BEGIN
  PERFORM belay.safely();
  FOR i IN 1 .. cardinality(p_runs) LOOP
    digest := substring(p_hashes FROM 32 * i - 31 FOR 32);
    UPDATE belay.run SET head = p_lasts[i], hash = digest, time = p_times[i],
        note = CASE WHEN p_notes[i] IS NULL THEN note WHEN length(p_notes[i]) = 0 THEN NULL ELSE p_notes[i] END
      WHERE id = p_runs[i] AND token = p_tokens[i] AND nonce = p_nonces[i] AND head = p_befores[i]
      RETURNING posts INTO messages;
    IF FOUND THEN
      kept := kept || p_runs[i];
      INSERT INTO belay.commit_group (run, last, token, time, hash)
        VALUES (p_runs[i], p_lasts[i], p_tokens[i], p_times[i], digest);
      held := p_runs[i];
      heard := messages;
      RETURN NEXT;
    END IF;
  END LOOP;
  INSERT INTO belay.entry (run, seq, kind, body)
    SELECT e.owner, e.seq, e.kind, substring(p_bodies FROM e.place FOR e.size)
    FROM unnest(p_owners, p_seqs, p_kinds, p_places, p_sizes) AS e (owner, seq, kind, place, size)
    WHERE e.owner = ANY (kept);
  IF cardinality(p_freed) > 0 THEN
    DELETE FROM belay.act t USING unnest(p_releasing, p_freed) AS f (owner, key), belay.run r
      WHERE f.owner = ANY (kept) AND r.id = f.owner AND t.run = r.name AND t.key = f.key;
  END IF;
  IF cardinality(p_acts) > 0 THEN
    INSERT INTO belay.act (act, run, key)
      SELECT n.act, r.name, n.key FROM unnest(p_takers, p_acts, p_keys) AS n (owner, act, key)
      JOIN belay.run r ON r.id = n.owner WHERE n.owner = ANY (kept) ORDER BY n.act
      ON CONFLICT (act) DO NOTHING;
  END IF;
  IF jsonb_array_length(p_pools) > 0 THEN PERFORM belay.pool_change(kept, p_pools); END IF;
END $belay$;`;

/** All of them, in the words of the schema "belay". */
export const FUNCTIONS = [SAFELY, BEAT, TAKE, APPEND].join('\n');
