/**
 * Deletes a run from a database, in one statement. The statement locks the row and compares it with the run that the
 * caller saw, so a message, an append or a taking in between keeps the run. Numbers of runs are never given again.
 */
import { JournalError, type SeenRun } from '../journal.ts';
import { isRunName, wrongRun } from '../rows.ts';
import type { Database } from './database.ts';
import { whole } from './tables.ts';

const SEEN = `SELECT r.id, r.token, r.head, r.posts, k.name AS keeper FROM belay.run r
  LEFT JOIN belay.worker k ON k.id = r.worker AND k.expires > clock_timestamp() WHERE r.name = $1`;
const parts = ['entry', 'commit_group', 'inbox', 'work', 'claim', 'claim_wait', 'claim_freed', 'base', 'base_part'];
const DELETE = `WITH gone AS (
    DELETE FROM belay.run r WHERE r.id = $1 AND r.token = $2 AND r.head = $3 AND r.posts = $4
      AND NOT EXISTS (SELECT FROM belay.worker k WHERE k.id = r.worker AND k.expires > clock_timestamp())
    RETURNING r.id, r.name
  ), left_calls AS (
    DELETE FROM belay.pool_call c USING gone WHERE c.run = gone.name RETURNING c.pool, c.run, c.amount
  ), sums AS (
    SELECT pool, run, sum(amount) AS amount FROM left_calls GROUP BY pool, run
  ), pools AS (
    UPDATE belay.pool p SET spent = p.spent + s.amount FROM sums s WHERE p.name = s.pool
  ), pool_runs AS (
    INSERT INTO belay.pool_run AS t SELECT pool, run, amount FROM sums
    ON CONFLICT (pool, run) DO UPDATE SET spent = t.spent + excluded.spent
  ), ${parts.map((part) => `${part} AS (DELETE FROM belay.${part} p USING gone WHERE p.run = gone.id)`).join(', ')}
  SELECT count(*) AS gone FROM gone`;

/** @see JournalStore.delete */
export async function deleteRun(database: Database, name: string, { head, posts }: SeenRun): Promise<boolean> {
  await database.identity();
  const [row] = isRunName(name) ? await database.ask('read', SEEN, [name]) : [];
  if (row === undefined) throw wrongRun('run_unknown', name);
  if (typeof row.keeper === 'string')
    throw new JournalError(
      'lease_held',
      `Run ${JSON.stringify(name)} is held by ${row.keeper}. Wait until it lets the run go.`,
    );
  if (whole(row.head) !== head || whole(row.posts) !== posts) return false;
  const [told] = await database.ask('write', DELETE, [row.id, row.token, head, posts]);
  if (whole(told?.gone) === 1) return true;
  // Sent again after an answer that stayed out, it finds nothing: then the run is gone as well.
  const [left] = await database.ask('read', SEEN, [name]);
  return left === undefined || left.id !== row.id;
}
