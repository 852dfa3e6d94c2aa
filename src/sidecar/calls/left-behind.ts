/**
 * Calls that were under way in this process when it gave their run back. The journal accepts no outcome of such a call
 * from the old holder. If the same process takes the run up again, this module tells the new holder that the call came
 * back, and its answer (semantics.md E2).
 */
import { PROCESS, within } from '../../clock/clock.ts';
import { completion } from '../../effects/acting.ts';

/** The outcome of a call that came back after its run was given back. */
type Return = ReturnType<typeof completion>;

/** A call that was left behind. */
interface Left {
  readonly returned: Promise<Return>;
  /** The wall clock at which the process left the call, in milliseconds. */
  readonly since: number;
  is: Return | null;
}

/** The most calls that are remembered; of more, the oldest are known to their counterparties alone. */
const MOST = 1_000;

/** The calls of this process, by the secret of their run and their key. */
const LEFT = new Map<string, Left>();

/** Remembers a call that has left and not come back. A run without a secret cannot be told from another of the same name. */
export function leaveBehind(secret: string, key: string, acting: Promise<unknown>): void {
  const returned = acting.then(
    (output) => completion({ output }),
    (error: unknown) => completion({ error, signal: 'TOOL_EXCEPTION' }),
  );
  const left: Left = { returned, since: PROCESS.now(), is: null };
  void returned.then((is) => {
    left.is = is;
  });
  LEFT.set(nameOf(secret, key), left);
  for (const oldest of LEFT.keys()) {
    if (LEFT.size <= MOST) break;
    LEFT.delete(oldest);
  }
}

/**
 * Forgets the calls left behind under a secret, for a run that begins: runs of a rehearsal share a secret, so the calls
 * belong to an earlier run.
 */
export function forgetLeft(secret: string): void {
  for (const name of LEFT.keys()) if (name.startsWith(`${secret} `)) LEFT.delete(name);
}

/**
 * Waits for a call that was left behind.
 * @param longest the milliseconds since the process left the call; the wait is not repeated, however often a caller
 * asks.
 * @returns the answer of the call, once; null if the call is not under way here, or does not come back in time.
 */
export async function cameBack(secret: string, key: string, longest: number): Promise<Return | null> {
  const name = nameOf(secret, key);
  const left = LEFT.get(name);
  if (left === undefined) return null;
  const rest = left.since + longest - PROCESS.now();
  const is = left.is ?? (rest > 0 ? ((await within(rest, left.returned))?.is ?? null) : null);
  if (is !== null) LEFT.delete(name);
  return is;
}

/** Tells once a call that was left behind comes back, however late; never where it is not under way here. */
export function onceBack(secret: string, key: string, tell: () => void): void {
  void LEFT.get(nameOf(secret, key))?.returned.then(tell);
}

function nameOf(secret: string, key: string): string {
  return `${secret} ${key}`;
}
