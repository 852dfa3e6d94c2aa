/**
 * Format 8: `post` leaves events only, and `operate` leaves every message: answers, complaints and cancels. A role that may call `post`
 * can set no run back and end none. Both functions, and `start`, keep the limits of a store by themselves: their caller may not have come
 * through one. Roles that can add rows to the inbox are given `operate`, which gives them nothing new.
 */
import { EVENT_MEMBERS, POSTS_LIMIT } from '../posts.ts';
import { INPUT_LIMIT, NAME_LIMIT, WORK_NAME_LIMIT } from '../rows.ts';
import { posting } from './functions.ts';
import { AS_OWNER, CHECK, granting } from './roles.ts';
import { starting } from './work-schema.ts';

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

const limit = `least(p_limit, ${POSTS_LIMIT})`;

/** The statements that bring them. */
export const OPERATORS = `
${posting({ create: 'CREATE OR REPLACE', name: 'post', acting: AS_OWNER, check: `${CHECK}${DATED}${EVENTS_ONLY}`, limit })}
${posting({ create: 'CREATE', name: 'operate', acting: AS_OWNER, check: `${CHECK}${DATED}`, limit })}
REVOKE ALL ON FUNCTION belay.operate(text, bigint, uuid, bytea, bigint, boolean) FROM PUBLIC;
${starting({ create: 'CREATE OR REPLACE', acting: AS_OWNER, check: REQUEST })}
${granting(['operate'])}`;
