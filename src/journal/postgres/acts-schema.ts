/**
 * Format 9: the acts that are unique in the store (J9), and the append that takes and frees them in the transaction of the rows that say so. Only
 * the groups whose runs are still their writer's change any. Roles that read rows may read them, and those that add rows may write them.
 */
export const ACTS_SCHEMA = `
CREATE TABLE belay.act (
  act text COLLATE "C" PRIMARY KEY, run text COLLATE "C" NOT NULL, key text COLLATE "C" NOT NULL
);
CREATE INDEX act_key ON belay.act (run, key);
CREATE FUNCTION belay.append(p_runs bigint[], p_tokens bigint[], p_nonces uuid[], p_befores bigint[], p_lasts bigint[],
  p_times bigint[], p_hashes bytea, p_owners bigint[], p_seqs bigint[], p_kinds bigint[], p_places int[],
  p_sizes int[], p_bodies bytea, p_notes bytea[], p_releasing bigint[], p_freed text[], p_takers bigint[], p_acts text[],
  p_keys text[])
RETURNS TABLE (held bigint, heard bigint) LANGUAGE plpgsql AS $belay$
#variable_conflict use_column
DECLARE
  kept bigint[] := '{}';
BEGIN
  FOR held, heard IN
    SELECT a.held, a.heard FROM belay.append(p_runs, p_tokens, p_nonces, p_befores, p_lasts, p_times, p_hashes, p_owners,
      p_seqs, p_kinds, p_places, p_sizes, p_bodies, p_notes) AS a
  LOOP
    kept := kept || held;
    RETURN NEXT;
  END LOOP;
  DELETE FROM belay.act t USING unnest(p_releasing, p_freed) AS f (owner, key), belay.run r
    WHERE f.owner = ANY (kept) AND r.id = f.owner AND t.run = r.name AND t.key = f.key;
  INSERT INTO belay.act (act, run, key)
    SELECT n.act, r.name, n.key FROM unnest(p_takers, p_acts, p_keys) AS n (owner, act, key)
    JOIN belay.run r ON r.id = n.owner WHERE n.owner = ANY (kept) ORDER BY n.act
    ON CONFLICT (act) DO NOTHING;
END $belay$;
DO $belay$
DECLARE
  receiver text;
  allowed text;
  made regclass;
BEGIN
  FOR receiver, allowed IN
    SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END, a.privilege_type
    FROM belay.store s JOIN pg_class own ON own.oid = s.tableoid
    JOIN pg_class entry ON entry.relnamespace = own.relnamespace AND entry.relname = 'entry', aclexplode(entry.relacl) a
    WHERE a.privilege_type IN ('SELECT', 'INSERT')
  LOOP
    SELECT c.oid INTO made FROM belay.store s JOIN pg_class own ON own.oid = s.tableoid
      JOIN pg_class c ON c.relnamespace = own.relnamespace WHERE c.relname = 'act';
    EXECUTE format('GRANT %s ON %s TO %s',
      CASE allowed WHEN 'INSERT' THEN 'INSERT, DELETE' ELSE allowed END, made, receiver);
  END LOOP;
END $belay$;`;
