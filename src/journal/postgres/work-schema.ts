/**
 * The table of the runs that are left for workers, and the statements that keep it in step with the fence of each run,
 * inside the same transaction. A poll reads two indexes: of the due runs, and of the runs parked over a throw. It reads
 * no other row of a waiting run. A version of the code stands there as JSON text, which holds every character.
 */
export const WORK_SCHEMA = `
CREATE TABLE belay.work (
  run bigint PRIMARY KEY,
  agent text NOT NULL,
  queue text NOT NULL,
  input bytea NOT NULL,
  machine text,
  config text,
  due timestamptz,
  taken int NOT NULL DEFAULT 0,
  ended timestamptz,
  note text,
  threw text[],
  output bytea
) WITH (fillfactor = 70);
CREATE INDEX work_due ON belay.work (queue, due) WHERE due IS NOT NULL;
CREATE INDEX work_threw ON belay.work (queue) WHERE threw IS NOT NULL;

CREATE FUNCTION belay.work_taken() RETURNS trigger LANGUAGE plpgsql AS $belay$
BEGIN
  UPDATE belay.work SET taken = taken + 1, due = least(coalesce(due, clock_timestamp()), clock_timestamp())
    WHERE run = NEW.id AND ended IS NULL;
  RETURN NULL;
END $belay$;
CREATE TRIGGER run_taken AFTER UPDATE OF token ON belay.run FOR EACH ROW EXECUTE FUNCTION belay.work_taken();

CREATE FUNCTION belay.work_posted() RETURNS trigger LANGUAGE plpgsql AS $belay$
BEGIN
  UPDATE belay.work SET due = least(coalesce(due, clock_timestamp()), clock_timestamp())
    WHERE run = NEW.id AND ended IS NULL;
  RETURN NULL;
END $belay$;
CREATE TRIGGER run_posted AFTER UPDATE OF posts ON belay.run FOR EACH ROW EXECUTE FUNCTION belay.work_posted();

CREATE FUNCTION belay.rest(p_run bigint, p_token bigint, p_nonce uuid, p_known boolean, p_due bigint, p_heard bigint,
  p_ended boolean, p_machine text, p_config text, p_output bytea, p_threw text[])
RETURNS void LANGUAGE plpgsql AS $belay$
DECLARE
  messages bigint;
BEGIN
  PERFORM belay.safely();
  UPDATE belay.run SET worker = NULL, nonce = NULL WHERE id = p_run AND token = p_token AND nonce = p_nonce
    RETURNING posts INTO messages;
  IF NOT FOUND THEN RETURN; END IF;
  IF NOT p_known THEN
    UPDATE belay.work SET taken = 0 WHERE run = p_run;
    RETURN;
  END IF;
  UPDATE belay.work SET taken = 0, note = NULL, machine = p_machine, config = p_config,
    output = coalesce(p_output, output), threw = p_threw,
    ended = CASE WHEN p_ended THEN coalesce(ended, clock_timestamp()) ELSE ended END,
    due = CASE WHEN p_ended THEN NULL WHEN messages > p_heard THEN clock_timestamp()
      ELSE clock_timestamp() + p_due * interval '1 ms' END
    WHERE run = p_run;
END $belay$;`;
