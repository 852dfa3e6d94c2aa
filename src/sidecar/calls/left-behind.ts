/**
 * Calls that were under way in this process as their run was given back. The journal takes nothing of such a call any more: the process that takes the
 * run up in the same process is told here that it came back, and of what it said (semantics.md E2).
 */
import { PROCESS, within } from '../../clock/clock.ts';
import { completion } from '../../effects/acting.ts';

/** The outcome of a call that came back after its run was given back. */
type Return = ReturnType<typeof completion>;

/** A call that was left behind. */
interface Left {
  readonly returned: Promise<Return>;
  /** The wall clock at which it was left behind, in milliseconds. */
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

/** Forgets the calls of a run that begins: where runs share a secret, as those of a rehearsal do, they were calls of another one. */
export function forgetLeft(secret: string): void {
  for (const name of LEFT.keys()) if (name.startsWith(`${secret} `)) LEFT.delete(name);
}

/**
 * Waits for a call that was left behind.
 * @param longest the milliseconds from when it was left: they are waited for once, however often it is asked about.
 * @returns what it said, once; null where it is not under way here, or stays so.
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
