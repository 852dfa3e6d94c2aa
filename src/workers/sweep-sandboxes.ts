/** Destroys the sandboxes of runs that ended long enough ago (semantics.md SB7). The rows of the store say which; no journal is opened. */
import type { SandboxProvider } from '../effects/sandbox.ts';
import { errorMessage } from '../effects/signals.ts';
import { gathered } from '../journal/gathered.ts';
import type { JournalStore } from '../journal/journal.ts';
import type { SandboxRow } from '../journal/sandboxes.ts';
import { STORE } from '../journal/store-argument.ts';
import { CODE, having, namedBy, optional, refuseOther, shape } from '../model/argument.ts';
import { timelineOf } from '../reports/timeline.ts';

/** The most sandboxes of one sweep, and how long a sweep has a row to itself, in milliseconds. */
const BATCH = 20;
const LEASE = 300_000;

const PROVIDER = having('a provider of sandboxes', 'start', 'probe', 'destroy');
const OPTIONS = shape<{ readonly now?: () => number }>('options such as { now }', { now: optional(CODE) });

/** A sandbox that was destroyed, or why it was not. */
export interface SweptSandbox extends SandboxRow {
  /** Null where it is destroyed. */
  readonly why: string | null;
}

/**
 * Destroys what is due, a few at a time. Several processes may sweep at once: each row is one's for five minutes.
 * @param providers the same as those of the runs, by the names that their configs use.
 * @example
 * import { memoryStore } from 'belay-sidecar';
 * import { sweepSandboxes } from 'belay-sidecar/workers';
 *
 * assert.deepEqual(await sweepSandboxes(memoryStore(), {}), []);
 */
export async function sweepSandboxes(
  store: JournalStore,
  providers: Readonly<Record<string, SandboxProvider>>,
  options: { readonly now?: () => number } = {},
): Promise<readonly SweptSandbox[]> {
  const taken = {
    store: [store, STORE],
    providers: [providers, namedBy(PROVIDER)],
    options: [options, OPTIONS],
  } as const;
  refuseOther('sweepSandboxes', taken);
  const { now = Date.now } = options;
  const swept: SweptSandbox[] = [];
  for (const row of (await store.sandboxes?.take(now(), BATCH, LEASE)) ?? []) {
    const why = await destroyed(store, row, providers);
    if (why === null) await store.sandboxes?.remove(row);
    swept.push({ ...row, why });
  }
  return swept;
}

async function destroyed(
  store: JournalStore,
  { run, name, key, provider }: SandboxRow,
  providers: Readonly<Record<string, SandboxProvider>>,
): Promise<string | null> {
  try {
    if (!(await isOver(store, run))) return 'its run has not ended';
    const by = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
    if (by === undefined) return `nothing is registered as ${provider}`;
    await by.destroy({ key, run, name, handle: undefined });
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}

/** True for a run that has ended, or that was deleted. */
async function isOver(store: JournalStore, run: string): Promise<boolean> {
  const summary = await store.run(run);
  if (summary === null) return true;
  if (summary.held) return false;
  return timelineOf(await gathered(store.read(run))).runState.ended !== null;
}
