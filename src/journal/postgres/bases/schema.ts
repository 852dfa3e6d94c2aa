/** The bases of runs (J7), and the function that keeps one: in one statement with the fence of the run's writer. */
export const BASE_SCHEMA = `
CREATE TABLE belay.base (
  run bigint PRIMARY KEY, at bigint NOT NULL, last bigint NOT NULL, parts bigint[] NOT NULL, digest bytea NOT NULL
);
CREATE TABLE belay.base_part (
  run bigint NOT NULL, number bigint NOT NULL, body bytea NOT NULL, PRIMARY KEY (run, number)
);
CREATE FUNCTION belay.keep_base(p_run bigint, p_token bigint, p_nonce uuid, p_at bigint, p_last bigint, p_parts bigint[],
  p_digest bytea, p_numbers bigint[], p_places int[], p_sizes int[], p_bodies bytea)
RETURNS boolean LANGUAGE plpgsql AS $belay$
#variable_conflict use_column
BEGIN
  PERFORM 1 FROM belay.run WHERE id = p_run AND token = p_token AND nonce = p_nonce AND head >= p_last FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO belay.base_part (run, number, body)
    SELECT p_run, e.number, substring(p_bodies FROM e.place FOR e.size)
    FROM unnest(p_numbers, p_places, p_sizes) AS e (number, place, size)
    ON CONFLICT (run, number) DO UPDATE SET body = excluded.body;
  INSERT INTO belay.base (run, at, last, parts, digest) VALUES (p_run, p_at, p_last, p_parts, p_digest)
    ON CONFLICT (run) DO UPDATE
      SET at = excluded.at, last = excluded.last, parts = excluded.parts, digest = excluded.digest;
  DELETE FROM belay.base_part WHERE run = p_run AND number <> ALL (p_parts);
  RETURN true;
END $belay$;`;
