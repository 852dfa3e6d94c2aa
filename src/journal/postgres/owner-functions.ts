/**
 * The functions by which roles leave messages and work and write nothing else: `post` leaves events only, `operate` every message, `start` a run
 * for workers. They act with the rights of the owner of the schema, so that a role needs the right to call them and none on the tables behind
 * them; nobody has it by default. They keep the limits of a store by themselves: their caller may not have come through one.
 */
import { BODY_LIMIT, EVENT_MEMBERS, POSTS_LIMIT } from '../posts.ts';
import { INPUT_LIMIT, NAME_LIMIT, WORK_NAME_LIMIT } from '../rows.ts';

/** The clause by which a function acts with its owner's rights for every caller, under any session settings. */
const AS_OWNER = 'SECURITY DEFINER SET search_path = pg_catalog, pg_temp';

/** Refuses a message that is too long. */
const CHECK = `
  IF length(p_body) > ${BODY_LIMIT} THEN
    RAISE EXCEPTION 'a message has at most ${BODY_LIMIT} bytes' USING ERRCODE = '22001';
  END IF;`;

/** The latest time that a date has, in milliseconds. */
const LATEST = 8.64e15;

/** Refuses a message whose time no reader could hold. */
const DATED = `
  IF p_time NOT BETWEEN 0 AND ${LATEST} THEN
    RAISE EXCEPTION 'a message has a time from 0 to ${LATEST}' USING ERRCODE = '22003';
  END IF;`;

/**
 * Refuses a message whose members are not those of an event. A reader takes a message with a member "event" for nothing else, so the names
 * of the members decide. Escapes are blanked out first: \u0000 is right in JSON and not in a text of the database, and a name that is
 * written with escapes is none of an event's.
 */
const EVENTS_ONLY = String.raw`
  BEGIN
    IF (SELECT bool_or(name = 'event') AND bool_and(name IN (${EVENT_MEMBERS.map((name) => `'${name}'`).join(', ')}))
      FROM json_object_keys(regexp_replace(convert_from(p_body, 'UTF8'), '\\u[0-9a-fA-F]{4}', '\\u0020', 'g')::json) AS m (name)) IS NOT TRUE
    THEN RAISE EXCEPTION 'no event'; END IF;
  EXCEPTION WHEN OTHERS THEN
    RAISE EXCEPTION 'post leaves events only: an answer, a complaint and a cancel need operate' USING ERRCODE = '42501';
  END;`;

/** Refuses a request that no store would leave. */
const REQUEST = `
  IF length(p_input) > ${INPUT_LIMIT} THEN
    RAISE EXCEPTION 'an input has at most ${INPUT_LIMIT} bytes' USING ERRCODE = '22001';
  END IF;
  IF char_length(p_name) NOT BETWEEN 1 AND ${NAME_LIMIT} THEN
    RAISE EXCEPTION 'the name of a run has 1 to ${NAME_LIMIT} characters' USING ERRCODE = '22001';
  END IF;
  IF char_length(p_agent) NOT BETWEEN 1 AND ${WORK_NAME_LIMIT} OR char_length(p_queue) NOT BETWEEN 1 AND ${WORK_NAME_LIMIT} THEN
    RAISE EXCEPTION 'the names of an agent and of a queue have 1 to ${WORK_NAME_LIMIT} characters' USING ERRCODE = '22001';
  END IF;`;

/**
 * The function that leaves a message. It returns the message's number, 0 if there is no such run, and -1 if the run has
 * as many messages as allowed. Sent again with the same nonce, it answers the same.
 */
function posting(name: 'post' | 'operate', check: string): string {
  return `
CREATE FUNCTION belay.${name}(p_name text, p_time bigint, p_nonce uuid, p_body bytea, p_limit bigint, p_again boolean)
RETURNS bigint LANGUAGE plpgsql ${AS_OWNER} AS $belay$
#variable_conflict use_column
DECLARE
  to_run belay.run;
  before bigint;
BEGIN
  PERFORM belay.safely();${check}
  SELECT * INTO to_run FROM belay.run WHERE name = p_name FOR UPDATE;
  IF NOT FOUND THEN RETURN 0; END IF;
  IF p_again THEN
    SELECT number INTO before FROM belay.inbox WHERE run = to_run.id AND nonce = p_nonce;
    IF FOUND THEN RETURN before; END IF;
  END IF;
  IF to_run.posts >= least(p_limit, ${POSTS_LIMIT}) THEN RETURN -1; END IF;
  UPDATE belay.run SET posts = to_run.posts + 1 WHERE id = to_run.id;
  INSERT INTO belay.inbox (run, number, time, nonce, body)
    VALUES (to_run.id, to_run.posts + 1, p_time, p_nonce, p_body);
  RETURN to_run.posts + 1;
END $belay$;`;
}

/** The function that leaves a run for workers. */
const STARTING = `
CREATE FUNCTION belay.start(p_name text, p_agent text, p_queue text, p_input bytea)
RETURNS text LANGUAGE plpgsql ${AS_OWNER} AS $belay$
DECLARE
  made bigint;
  there belay.work;
BEGIN
  PERFORM belay.safely();${REQUEST}
  INSERT INTO belay.run (name) VALUES (p_name) ON CONFLICT (name) DO NOTHING RETURNING id INTO made;
  IF made IS NOT NULL THEN
    INSERT INTO belay.work (run, agent, queue, input, due) VALUES (made, p_agent, p_queue, p_input, clock_timestamp());
    RETURN 'new';
  END IF;
  SELECT w.* INTO there FROM belay.work w JOIN belay.run r ON r.id = w.run WHERE r.name = p_name;
  IF NOT FOUND THEN RETURN 'no request'; END IF;
  IF there.agent <> p_agent THEN RETURN 'agent'; END IF;
  IF there.input <> p_input THEN RETURN 'input'; END IF;
  IF there.queue <> p_queue THEN RETURN 'queue'; END IF;
  RETURN 'same';
END $belay$;`;

/** All of them, in the words of the schema "belay". */
export const OWNER_FUNCTIONS = `
${posting('post', `${CHECK}${DATED}${EVENTS_ONLY}`)}
${posting('operate', `${CHECK}${DATED}`)}
${STARTING}
REVOKE ALL ON FUNCTION belay.post, belay.operate, belay.start FROM PUBLIC;`;
