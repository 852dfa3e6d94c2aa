/**
 * Format 6: roles that leave work and write nothing else. `post` and `start` act with the rights of the owner of the schema, so that a
 * role needs the right to call them and none on the tables behind them; nobody has it by default. Roles that could leave messages
 * before are given it.
 */
import { BODY_LIMIT, POSTS_LIMIT } from '../posts.ts';
import { posting } from './functions.ts';

const POST = 'post(text, bigint, uuid, bytea, bigint, boolean)';
const START = 'start(text, text, text, bytea)';

/** The part of a function by which it acts for those that call it, whatever their session has set. */
export const AS_OWNER = 'SECURITY DEFINER SET search_path = pg_catalog, pg_temp';

/** Refuses a message that is too long: who calls the function may not have come through a store. */
export const CHECK = `
  IF length(p_body) > ${BODY_LIMIT} THEN
    RAISE EXCEPTION 'a message has at most ${BODY_LIMIT} bytes' USING ERRCODE = '22001';
  END IF;`;

/** The statements that make them. */
export const ROLES = `
${posting({ create: 'CREATE OR REPLACE', name: 'post', acting: AS_OWNER, check: CHECK, limit: `least(p_limit, ${POSTS_LIMIT})` })}
ALTER FUNCTION belay.${START} ${AS_OWNER};
REVOKE ALL ON FUNCTION belay.${POST} FROM PUBLIC;
REVOKE ALL ON FUNCTION belay.${START} FROM PUBLIC;
${granting(['post', 'start'])}`;

/** The statement that gives the right to call functions to those that may add messages already. */
export function granting(functions: readonly string[]): string {
  return `
DO $belay$
DECLARE
  receiver text;
  called regprocedure;
BEGIN
  FOR receiver IN
    SELECT DISTINCT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
    FROM belay.store s JOIN pg_class own ON own.oid = s.tableoid
    JOIN pg_class inbox ON inbox.relnamespace = own.relnamespace AND inbox.relname = 'inbox',
      aclexplode(inbox.relacl) a
    WHERE a.privilege_type = 'INSERT'
  LOOP
    FOR called IN
      SELECT p.oid FROM belay.store s JOIN pg_class own ON own.oid = s.tableoid
      JOIN pg_proc p ON p.pronamespace = own.relnamespace WHERE p.proname IN (${functions.map((name) => `'${name}'`).join(', ')})
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s', called, receiver);
    END LOOP;
  END LOOP;
END $belay$;`;
}
