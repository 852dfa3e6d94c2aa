/** The claims of a database as people read them. */
import { KeyError, parseKey } from '../../model/key.ts';
import { ClaimBoard } from '../claim-board.ts';
import type { ClaimsListed, FreedClaims, HeldClaim } from '../claims.ts';
import { corrupt } from './errors.ts';

const AT = (time: string) => `floor(extract(epoch FROM ${time}) * 1000)`;

/** Everything of one moment. */
export const LIST = `SELECT
  (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('run', r.name, 'key', c.key, 'shared', c.shared, 'from', nullif(c.owner, r.name), 'released', nullif(c.released, false), 'passed', c.passed, 'epoch', c.epoch, 'since', ${AT('c.since')}))
    ORDER BY c.epoch, c.key) FROM belay.claim c JOIN belay.run r ON r.id = c.run WHERE NOT c.freed) AS held,
  (SELECT jsonb_agg(jsonb_build_object('id', q.id, 'run', r.name, 'since', ${AT('q.since')}, 'wanted', q.wanted) ORDER BY q.place)
    FROM belay.claim_wait q JOIN belay.run r ON r.id = q.run AND r.token = q.token
    JOIN belay.worker k ON k.id = r.worker AND k.expires > clock_timestamp()) AS waiting,
  (SELECT jsonb_agg(jsonb_build_object('run', r.name, 'by', f.by, 'why', f.why, 'keys', f.keys, 'time', ${AT('f.time')}) ORDER BY f.number)
    FROM belay.claim_freed f JOIN belay.run r ON r.id = f.run) AS freed`;

interface Waits {
  readonly id: string;
  readonly run: string;
  readonly since: number;
  readonly wanted: readonly { readonly key: string; readonly shared: boolean }[];
}

/** The list that a row of the database holds. */
export function claimsListed(row: Readonly<Record<string, unknown>>, where: string): ClaimsListed {
  const held = (row.held ?? []) as HeldClaim[];
  const lined = (row.waiting ?? []) as Waits[];
  const board = new ClaimBoard();
  try {
    for (const { run, key, shared, from = run, released } of held)
      board.hold(run, [{ key: parseKey(key), shared, from, ...(released && { released }) }]);
    for (const { id, run, wanted } of lined)
      board.wait({ id, run, wanted: wanted.map(({ key, ...how }) => ({ ...how, key: parseKey(key) })) });
  } catch (error) {
    if (!(error instanceof KeyError)) throw error;
    throw corrupt(where, '', 0, 'one of its claims has no form');
  }
  const waiting = board.line.map((call, index) => {
    const { run, since, wanted } = lined[index] as Waits;
    const keys = wanted.map(({ key, shared }) => ({ key, shared }));
    return { run, wanted: keys, since, waitsFor: board.waitsFor(call) };
  });
  return { held, waiting, freed: (row.freed ?? []) as FreedClaims[] };
}
