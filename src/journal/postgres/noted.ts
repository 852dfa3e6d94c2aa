/**
 * Format 2: the note of each run (J6) in the row of the run, moved with its head in one statement. A worker of an older release that is
 * still connected appends as before, and removes the note.
 */
export const NOTED = `
ALTER TABLE belay.run ADD COLUMN note bytea;
CREATE FUNCTION belay.append(p_runs bigint[], p_tokens bigint[], p_nonces uuid[], p_befores bigint[], p_lasts bigint[],
  p_times bigint[], p_hashes bytea, p_owners bigint[], p_seqs bigint[], p_kinds bigint[], p_places int[],
  p_sizes int[], p_bodies bytea, p_notes bytea[])
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
END $belay$;
CREATE OR REPLACE FUNCTION belay.append(p_runs bigint[], p_tokens bigint[], p_nonces uuid[], p_befores bigint[],
  p_lasts bigint[], p_times bigint[], p_hashes bytea, p_owners bigint[], p_seqs bigint[], p_kinds bigint[],
  p_places int[], p_sizes int[], p_bodies bytea)
RETURNS TABLE (held bigint, heard bigint) LANGUAGE sql AS $belay$
  SELECT held, heard FROM belay.append(p_runs, p_tokens, p_nonces, p_befores, p_lasts, p_times, p_hashes, p_owners,
    p_seqs, p_kinds, p_places, p_sizes, p_bodies, array_fill(''::bytea, ARRAY[cardinality(p_runs)]))
$belay$;`;
