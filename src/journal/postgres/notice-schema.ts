/** The messages to people: their table, and the function that notes causes in one transaction. */

/** The table and the function that notes causes: `told` is 1 once `needed` was delivered, and 2 once `resolved` was. */
export const NOTICE_SCHEMA = `
CREATE TABLE belay.notice (
  channel text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  run text COLLATE "C" NOT NULL,
  seen bigint NOT NULL,
  body bytea NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  over timestamptz,
  told int NOT NULL DEFAULT 0,
  tried boolean NOT NULL DEFAULT false,
  round bigint NOT NULL DEFAULT 0,
  tries bigint NOT NULL DEFAULT 0,
  due timestamptz DEFAULT clock_timestamp(),
  lease bigint NOT NULL DEFAULT 0,
  error text,
  PRIMARY KEY (channel, id)
);
CREATE INDEX notice_run ON belay.notice (channel, run);
CREATE INDEX notice_due ON belay.notice (channel, due) WHERE due IS NOT NULL;

CREATE FUNCTION belay.note(p_channel text, p_run text, p_head bigint, p_ids text[], p_bodies bytea[]) RETURNS void LANGUAGE plpgsql AS $belay$
BEGIN
  PERFORM belay.safely();
  -- Two processes that look at one run come one after the other.
  PERFORM pg_advisory_xact_lock(hashtextextended('belay notice ' || p_channel || ' ' || p_run, 0));
  IF EXISTS (SELECT FROM belay.notice WHERE channel = p_channel AND run = p_run AND seen > p_head) THEN RETURN; END IF;
  UPDATE belay.notice SET seen = p_head WHERE channel = p_channel AND run = p_run AND seen < p_head;
  INSERT INTO belay.notice AS n (channel, id, run, seen, body)
    SELECT p_channel, c.id, p_run, p_head, c.body FROM unnest(p_ids, p_bodies) AS c (id, body)
    ON CONFLICT (channel, id) DO UPDATE SET seen = p_head, body = excluded.body, since = clock_timestamp(), over = NULL, told = 0,
      tried = false, round = n.round + 1, tries = 0, due = clock_timestamp(), error = NULL WHERE n.over IS NOT NULL;
  UPDATE belay.notice SET over = clock_timestamp(), due = CASE WHEN told = 1 THEN clock_timestamp() WHEN tried THEN due END
    WHERE channel = p_channel AND run = p_run AND over IS NULL AND id <> ALL (p_ids);
END $belay$;`;
