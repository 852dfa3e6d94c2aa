/** The tables of pools in a database (J10). */

/** The tables of pools, and the function that makes the changes of commits to them; its caller holds the runs. */
export const POOL_SCHEMA = `
CREATE TABLE belay.pool (name text COLLATE "C" PRIMARY KEY, most bigint NOT NULL, spent bigint NOT NULL);
CREATE TABLE belay.pool_call (
  pool text COLLATE "C" NOT NULL, run text COLLATE "C" NOT NULL, call text COLLATE "C" NOT NULL,
  amount bigint NOT NULL, open boolean NOT NULL, PRIMARY KEY (pool, run, call)
);
CREATE INDEX pool_call_run ON belay.pool_call (run);
CREATE TABLE belay.pool_run (
  pool text COLLATE "C" NOT NULL, run text COLLATE "C" NOT NULL, spent bigint NOT NULL, PRIMARY KEY (pool, run)
);
CREATE FUNCTION belay.pool_change(p_kept bigint[], p_changes jsonb) RETURNS void LANGUAGE plpgsql AS $belay$
#variable_conflict use_column
DECLARE
  c record;
  before bigint;
  room bigint;
BEGIN
  PERFORM FROM belay.pool WHERE name IN (SELECT x.pool FROM jsonb_to_recordset(p_changes) AS x (pool text))
    ORDER BY name FOR UPDATE;
  FOR c IN SELECT x.*, r.name FROM ROWS FROM (jsonb_to_recordset(p_changes) AS
      (owner bigint, pool text, call text, amount bigint, spent bigint, open boolean, sure boolean))
      WITH ORDINALITY AS x (owner, pool, call, amount, spent, open, sure, nth)
    JOIN belay.run r ON r.id = x.owner JOIN belay.pool p ON p.name = x.pool
    WHERE x.owner = ANY (p_kept) ORDER BY x.nth
  LOOP
    IF c.spent <> 0 THEN
      UPDATE belay.pool SET spent = spent + c.spent WHERE name = c.pool;
      INSERT INTO belay.pool_run AS t (pool, run, spent) VALUES (c.pool, c.name, c.spent)
        ON CONFLICT (pool, run) DO UPDATE SET spent = t.spent + excluded.spent;
    END IF;
    SELECT coalesce(max(amount), 0) INTO before FROM belay.pool_call
      WHERE pool = c.pool AND run = c.name AND call = c.call;
    SELECT p.most - p.spent - coalesce((SELECT sum(amount) FROM belay.pool_call WHERE pool = c.pool), 0)
      INTO room FROM belay.pool p WHERE p.name = c.pool;
    IF c.sure OR c.amount <= before OR c.amount - before <= room THEN before := c.amount; END IF;
    DELETE FROM belay.pool_call WHERE pool = c.pool AND run = c.name AND call = c.call;
    IF before > 0 THEN INSERT INTO belay.pool_call VALUES (c.pool, c.name, c.call, before, c.open); END IF;
  END LOOP;
END $belay$;`;
