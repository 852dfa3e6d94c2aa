/** Judges whether a pool has room for a call, and says what is in the way (semantics.md ER11). */
import { hasRoom, heldIn, type Pool, type Reserved } from '../journal/pools.ts';

/** Why a pool has no room: others may give something back (`waits`), or no call will (`refused`). */
export interface NoRoom {
  readonly is: 'waits' | 'refused';
  readonly why: string;
}

/**
 * Thrown to a machine for a call that a pool has no room for: it never left. A machine can handle it on the path of its errors, like a
 * denial.
 */
export class PoolSpent extends Error {
  /** Names the error. */
  override readonly name = 'PoolSpent';
  readonly code = 'pool_spent';
  /** The name of the pool. */
  readonly pool: string;

  constructor(pool: string, why: string) {
    super(`pool_spent: ${why}`);
    this.pool = pool;
  }
}

/**
 * Why a pool has no room for the amount of a call; null where there is room. A call waits only for calls that are under way: they come back by
 * themselves. What is held back, or of unknown outcome, waits for somebody else.
 */
export function roomFor(pool: Pool, { run, call, amount }: Pick<Reserved, 'run' | 'call' | 'amount'>): NoRoom | null {
  const { name, limit, spent, reserved } = pool;
  const held = heldIn(reserved);
  const before = reserved.find((each) => each.run === run && each.call === call)?.amount ?? 0;
  if (hasRoom({ limit, spent, held }, before, amount)) return null;
  const others = reserved.filter((each) => each.run !== run || each.call !== call);
  const open = heldIn(others.filter((each) => each.open));
  const is = hasRoom({ limit, spent, held: held - open }, before, amount) ? 'waits' : 'refused';
  const runs = [...new Set(reserved.map((each) => each.run))];
  const by = runs.map((each) => `${heldIn(reserved.filter((one) => one.run === each))} by the run ${each}`);
  const witness = by.length === 0 ? '' : `, ${by.slice(0, 5).join(', ')}${by.length > 5 ? ' and others' : ''} reserved`;
  return { is, why: `pool ${name}: ${spent} of ${limit} are spent${witness}, and this call may take ${amount}` };
}
