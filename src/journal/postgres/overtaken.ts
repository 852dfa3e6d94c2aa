/**
 * Format 5: workers name their process, and the row of a run has the head at which it was last taken from a worker whose lease had run out. That process
 * may still make a call, unless the next one knows that it is gone; a person who frees its claims changes nothing of that. A worker of an older release takes runs as before, and names none.
 */
import { claimFree } from './claim-schema.ts';
import { FOUND_FREE } from './functions.ts';

export const OVERTAKEN = `
ALTER TABLE belay.worker ADD COLUMN process text;
ALTER TABLE belay.run ADD COLUMN overtaken bigint NOT NULL DEFAULT 0;
CREATE FUNCTION belay.take(p_name text, p_mode text, p_worker uuid, p_nonce uuid, p_process text)
RETURNS TABLE (refusal text, holder text, remaining bigint, o_id bigint, o_token bigint, o_overtaken bigint,
  o_from text, o_before bigint) LANGUAGE plpgsql AS $belay$
${FOUND_FREE}
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
END $belay$;
CREATE OR REPLACE FUNCTION belay.take(p_name text, p_mode text, p_worker uuid, p_nonce uuid)
RETURNS TABLE (refusal text, holder text, remaining bigint, o_id bigint, o_token bigint) LANGUAGE sql AS $belay$
  SELECT refusal, holder, remaining, o_id, o_token FROM belay.take(p_name, p_mode, p_worker, p_nonce, NULL)
$belay$;
${claimFree('CREATE OR REPLACE', 'nonce = NULL, worker = NULL, overtaken = CASE WHEN worker IS NULL THEN overtaken ELSE head END')}`;
