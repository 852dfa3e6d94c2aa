/**
 * A worker: takes runs of a store that can go on, works on a number of them at once, and gives back runs that only
 * wait. Only the lease of a run says who has it: another worker that was faster is no error.
 */

import { setMaxListeners } from 'node:events';
import { within } from '../clock/clock.ts';
import type { Claims, StoreClaims } from '../effects/claims/claims.ts';
import { claimsIn } from '../effects/claims/kept.ts';
import type { SandboxProvider } from '../effects/sandbox.ts';
import type { JournalStore } from '../journal/journal.ts';
import { STORE } from '../journal/store-argument.ts';
import { type Carried, servedBy, type WorkOrder } from '../journal/work.ts';
import {
  CODE,
  FLAG,
  having,
  kind,
  NAME,
  NUMBER,
  namedBy,
  nullable,
  optional,
  refuseOther,
  shape,
} from '../model/argument.ts';
import type { Guards } from '../predicates/compile.ts';
import { Adopting } from './adopting.ts';
import { type CarriedAgent, carriedBy } from './carried.ts';
import { CountedClaims } from './counted-claims.ts';
import type { Archive } from './deleting.ts';
import { goOn, type Left } from './going-on.ts';
import { type Notice, type Notifying, type NotifyTold, startNotifying } from './notifying.ts';
import { type AnyAgent, refuseOtherAgent, sandboxesOf } from './program-agent.ts';
import { type ProviderOf, sweptBy } from './sweep-sandboxes.ts';
import { Sweeping } from './sweeping.ts';
import type { WorkCounts, WorkTold } from './told.ts';

/** Options of a worker; the defaults suit normal use. */
export interface WorkerOptions {
  /** Where the runs are. The caller closes it, after the worker. */
  readonly store: JournalStore;
  /** The agents that it carries, each by the release under which its runs begin. */
  readonly agents: Iterable<AnyAgent>;
  /** Other releases of agents: the worker goes on with the runs that are under them, and begins none. */
  readonly releases?: Iterable<AnyAgent>;
  /**
   * Moves runs at rest of other releases to those of `agents`, where these take the whole past the same way
   * (semantics.md CO3). Left out, such runs stay where they are.
   */
  readonly adopt?: boolean;
  /** The version of the code of its agents, in place of the one that each names. */
  readonly version?: string;
  /** Conditions in code that configs name. */
  readonly guards?: Guards;
  /** The folder of a run's own, which has to be there. */
  readonly folderOf: (run: string) => string | Promise<string>;
  /**
   * Providers of sandboxes for the runs of all agents, beside those that an agent brings. The worker sweeps: it
   * destroys the sandboxes of runs of its agents once their grace is over.
   */
  readonly sandboxesOf?: (run: string) => Readonly<Record<string, SandboxProvider>>;
  /** The queue that it works on; `default`. */
  readonly queue?: string;
  /** The most runs at once; 16. */
  readonly concurrency?: number;
  /** The time between two looks for runs, in milliseconds; 1,000. */
  readonly pollMs?: number;
  /** The longest wait for calls under way when it is stopped, in milliseconds; 30,000. */
  readonly drainMs?: number;
  /** A run that can go on within so many milliseconds is not given back; 1,000. */
  readonly lingerMs?: number;
  /** Runs that ended longer ago than so many milliseconds are deleted; left out, none are. */
  readonly retainMs?: number;
  /** Keeps each of them elsewhere before it is deleted; left out, they are kept nowhere. */
  readonly archive?: Archive;
  /** Keeps runs apart that touch the same things outside; those of the store, and none with null. */
  readonly claims?: Claims | null;
  /**
   * Takes messages to people: a run of the store needs a person, or needs no one any more. Each message once, over all
   * workers of the store and their restarts; where it rejects, the message is sent again, with the same id
   * (docs/notify.md).
   */
  readonly notify?: (notice: Notice) => Promise<void>;
  /** Told what becomes of runs. */
  readonly onTold?: (told: WorkTold) => void;
}

/** A worker that works. */
export interface Worker {
  readonly counts: WorkCounts;
  /** The agents that it carries, with their digests and versions. */
  readonly carries: readonly Carried[];
  /** Takes no more runs, waits for the calls that are under way, and gives everything back. */
  stop(): Promise<void>;
}

/** The first and the longest delay of a run that failed, in milliseconds. */
const FIRST_DELAY = 1_000;
const LONGEST_DELAY = 5 * 60_000;
/** So many takings of one run within a window are more than its messages explain: it then waits. */
const TOO_OFTEN = 20;
const WINDOW = 10_000;
/** So many times its concurrency a worker has open where most of its runs wait for claims. */
const CROWD = 4;
/** Polls between two looks for runs that are not taken. */
const LEFT_EVERY = 10;

/**
 * Starts a worker.
 * @throws Error where the config of an agent cannot be read, or two releases would take the same runs (`agent_twice`).
 * @example
 * import { memoryStore } from 'belay-sidecar';
 * import { startWorker } from 'belay-sidecar/workers';
 *
 * const store = memoryStore();
 * const worker = startWorker({ store, agents: [], folderOf: () => 'work' });
 * assert.deepEqual(worker.carries, []);
 * await worker.stop();
 * await store.close();
 */
export function startWorker(options: WorkerOptions): Worker {
  refuseOther('startWorker', { options: [options, WORKER_OPTIONS] });
  const [agents, releases] = [[...options.agents], [...(options.releases ?? [])]];
  for (const agent of [...agents, ...releases]) refuseOtherAgent('startWorker', agent);
  return new Working({ ...options, agents, releases });
}

/** Tells people of the runs of the store, where the worker is to. */
function notifyingFor({ store, queue, notify, onTold }: WorkerOptions): Notifying | null {
  if (notify === undefined) return null;
  const told = (each: NotifyTold) => {
    if (each.is !== 'unread') onTold?.(each);
  };
  return startNotifying({ store, notify, ...(queue !== undefined && { queue }), onTold: told });
}

class Working implements Worker {
  readonly carries: readonly Carried[];
  readonly #options: WorkerOptions;
  readonly #carried: readonly CarriedAgent[];
  readonly #adopting: Adopting | null;
  readonly #stopping = new AbortController();
  readonly #open = new Map<string, Promise<void>>();
  /** The claims of the store, where the caller gave none. */
  readonly #own: StoreClaims | null;
  readonly #claims: CountedClaims | null;
  readonly #failures = new Map<string, number>();
  readonly #takings = new Map<string, number[]>();
  readonly #counts = {
    taken: 0,
    done: 0,
    cancelled: 0,
    compensated: 0,
    parked: 0,
    failed: 0,
    polls: 0,
    told: 0,
    unserved: 0,
    crashed: 0,
  };
  readonly #sweeping: Sweeping | null;
  readonly #notifying: Notifying | null;
  readonly #working: Promise<void>;
  #answered: number | null = null;
  #left = '';
  #wake: () => void = () => {};

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#carried = carriedBy(options);
    this.carries = this.#carried.map(({ by: _, ...carried }) => carried);
    this.#adopting = options.adopt === true ? new Adopting(options, this.#carried) : null;
    this.#sweeping = options.retainMs === undefined ? null : new Sweeping(options, options.retainMs);
    this.#notifying = notifyingFor(options);
    this.#own = options.claims === undefined ? claimsIn(options.store) : null;
    const claims = options.claims ?? this.#own;
    this.#claims = claims === null ? null : new CountedClaims(claims, this.#stopping.signal, () => this.#wake());
    // Every open run listens for the stop.
    setMaxListeners(0, this.#stopping.signal);
    this.#working = this.#work();
  }

  get counts(): WorkCounts {
    const { moved = 0, stays = 0 } = this.#adopting ?? {};
    return { ...this.#counts, moved, stays, open: this.#open.size, answered: this.#answered };
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#own?.close();
    this.#wake();
    await Promise.all([...this.#open.values(), this.#working, this.#notifying?.stop()]);
  }

  async #work(): Promise<void> {
    const { pollMs = 1_000 } = this.#options;
    for (let polls = 0; !this.#stopping.signal.aborted; polls += 1) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      try {
        await this.#adopting?.look(this.#stopping.signal);
        await this.#poll();
        if (polls % LEFT_EVERY === 0) {
          await this.#lookForLeft();
          await this.#sweeping?.sweep(this.#stopping.signal);
          await this.#sweepSandboxes();
        }
        this.#answered = Date.now();
      } catch (error) {
        this.#options.onTold?.({ is: 'store_failed', error });
      }
      await within(pollMs, woken);
    }
  }

  get #asked() {
    const { queue = 'default', concurrency = 16 } = this.#options;
    const waiting = this.#claims?.waiting ?? 0;
    // Runs that wait for claims do nothing. If there are many of them, the worker takes only runs that may hold claims
    // they wait for.
    const holding = this.#open.size >= concurrency * CROWD;
    return { queue, carries: this.carries, limit: concurrency - this.#open.size + waiting, holding };
  }

  async #poll(): Promise<void> {
    const asked = this.#asked;
    if (asked.limit <= 0) return;
    const ready = await this.#options.store.work.ready(asked);
    this.#counts.polls += 1;
    this.#counts.told += ready.length;
    for (const order of ready) if (!this.#open.has(order.run) && !this.#stopping.signal.aborted) this.#take(order);
  }

  #take(order: WorkOrder): void {
    const { run } = order;
    const going = this.#goOn(order)
      .catch((error: unknown) => this.#options.onTold?.({ is: 'store_failed', error }))
      .finally(() => {
        this.#open.delete(run);
        this.#wake();
      });
    this.#open.set(run, going);
  }

  async #goOn(order: WorkOrder): Promise<void> {
    const { run } = order;
    const { store, folderOf, drainMs = 30_000, lingerMs = 1_000, onTold } = this.#options;
    const own = servedBy(order, this.#carried);
    if (own === undefined) return;
    const { by: agent, machine, config, version } = own;
    // Before it begins: another worker with another version does not take it then.
    if (order.digests === null && !(await store.work.bind(run, { machine, config }))) return;
    const stopping = this.#stopping.signal;
    let isTaken = false;
    const onTaken = () => {
      isTaken = true;
      this.#counts.taken += 1;
      onTold?.({ is: 'taken', run, agent: order.agent });
    };
    const given = {
      order,
      agent,
      under: { machine, config },
      version,
      store,
      stopping,
      lingerMs,
      drainMs,
      onTaken,
      claims: this.#claims,
      sandboxes: this.#options.sandboxesOf?.(run) ?? {},
    };
    const left = await goOn({ ...given, folder: async () => folderOf(run) });
    // Two workers that see the same run ask for it both: the one that comes late has nothing to tell.
    // A run that is paused was looked at for its mail, and not taken.
    if (isTaken || (left.is !== 'held_elsewhere' && left.is !== 'paused')) await this.#tell(run, left);
  }

  async #tell(run: string, left: Left): Promise<void> {
    const { store, onTold } = this.#options;
    if (left.is === 'done' || left.is === 'cancelled' || left.is === 'compensated') this.#counts[left.is] += 1;
    if (left.is === 'parked' || left.is === 'stuck') this.#counts.parked += 1;
    if (left.is === 'failed') {
      this.#counts.failed += 1;
      const failures = this.#failures.get(run) ?? 0;
      this.#failures.set(run, failures + 1);
      const delay = Math.min(FIRST_DELAY * 2 ** failures, LONGEST_DELAY);
      await store.work.delay(run, delay, `${left.code} ${left.why}`.slice(0, 500));
    } else this.#failures.delete(run);
    const isAtRest = left.is === 'waits' || left.is === 'parked' || left.is === 'stuck';
    if (isAtRest && this.#isTooOften(run)) await store.work.delay(run, FIRST_DELAY, 'taken too often');
    onTold?.({ is: 'left', run, as: left });
  }

  /** Counts the takings of a run that goes nowhere, a delay that moves nothing for instance. */
  #isTooOften(run: string): boolean {
    const now = Date.now();
    const recent = [...(this.#takings.get(run) ?? []), now].filter((time) => now - time < WINDOW);
    for (const [other, times] of this.#takings)
      if (times.every((time) => now - time >= WINDOW)) this.#takings.delete(other);
    this.#takings.set(run, recent);
    return recent.length > TOO_OFTEN;
  }

  /** Destroys the sandboxes that are due, of its own agents. */
  async #sweepSandboxes(): Promise<void> {
    const { store, sandboxesOf: others, onTold } = this.#options;
    const providerOf: ProviderOf = ({ run, provider }, agent) =>
      this.#carried
        .filter((each) => agent === null || each.agent === agent)
        .map(({ by }) => sandboxesOf(by, others?.(run))[provider])
        .find((each) => each !== undefined);
    for (const sandbox of await sweptBy(store, providerOf, { stopping: this.#stopping.signal }))
      onTold?.({ is: 'swept', sandbox });
  }

  async #lookForLeft(): Promise<void> {
    const runs = await this.#options.store.work.left(this.#asked);
    this.#counts.unserved = runs.filter(({ why }) => why === 'unserved').length;
    this.#counts.crashed = runs.length - this.#counts.unserved;
    const text = JSON.stringify(runs.map(({ order, why }) => [order.run, why, order.digests]));
    if (text === this.#left) return;
    this.#left = text;
    if (runs.length > 0) this.#options.onTold?.({ is: 'not_taken', runs });
  }
}

const AGENTS = kind(
  'a list of agents',
  (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
);

/** The options, as they are held against what is given. */
const WORKER_OPTIONS = shape<WorkerOptions>('an object: { store, agents, folderOf }', {
  store: STORE,
  agents: AGENTS,
  releases: optional(AGENTS),
  adopt: optional(FLAG),
  version: optional(NAME),
  guards: optional(namedBy(CODE)),
  folderOf: CODE,
  sandboxesOf: optional(CODE),
  queue: optional(NAME),
  concurrency: optional(NUMBER),
  pollMs: optional(NUMBER),
  drainMs: optional(NUMBER),
  lingerMs: optional(NUMBER),
  retainMs: optional(NUMBER),
  archive: optional(CODE),
  claims: optional(nullable(having('claims, as claimsIn() makes them', 'take'))),
  notify: optional(CODE),
  onTold: optional(CODE),
});
