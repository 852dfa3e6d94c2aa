/**
 * Destroys the sandboxes of runs that ended long enough ago (semantics.md SB7). The rows of the store say which; no
 * journal is opened.
 */
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
  const of: ProviderOf = ({ provider }) => (Object.hasOwn(providers, provider) ? providers[provider] : undefined);
  return sweptBy(store, of, options);
}

/**
 * The provider of a sandbox; undefined where this process has none.
 * @param agent null where the run is not there any more.
 */
export type ProviderOf = (row: SandboxRow, agent: string | null) => SandboxProvider | undefined;

/** Sweeps with the providers of a process. */
export async function sweptBy(
  store: JournalStore,
  providerOf: ProviderOf,
  { now = Date.now, stopping }: { readonly now?: () => number; readonly stopping?: AbortSignal },
): Promise<readonly SweptSandbox[]> {
  const swept: SweptSandbox[] = [];
  for (const row of (await store.sandboxes?.take(now(), BATCH, LEASE)) ?? []) {
    if (stopping?.aborted) break;
    const why = await destroyed(store, row, providerOf).catch(errorMessage);
    if (why === null) await store.sandboxes?.remove(row);
    swept.push({ ...row, why });
  }
  return swept;
}

/** Destroys a sandbox, and earlier sandboxes of the same name: a snapshot of an earlier one may be left. */
async function destroyed(store: JournalStore, row: SandboxRow, providerOf: ProviderOf): Promise<string | null> {
  const { run, name, key, provider } = row;
  const summary = await store.run(run);
  const { agent, runState } = summary === null ? GONE : timelineOf(await gathered(store.read(run)));
  if (summary?.held || runState.ended === null) return 'its run has not ended';
  const by = providerOf(row, agent);
  if (by === undefined) return `nothing is registered as ${provider}`;
  const first = `${run}/${name}`;
  const nth = key === first ? 0 : Number(key.slice(first.length + 1));
  for (let each = 0; each < nth; each += 1)
    await by.destroy({ key: each === 0 ? first : `${first}~${each}`, run, name, handle: undefined });
  await by.destroy({ key, run, name, handle: undefined });
  return null;
}

/** A run that was deleted. */
const GONE = { agent: null, runState: { ended: {} } };
