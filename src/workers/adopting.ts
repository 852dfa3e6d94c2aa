/**
 * Moves runs of other releases to the releases under which a worker begins runs, a few at each look (semantics.md CO3).
 */

import type { SandboxProvider } from '../effects/sandbox.ts';
import type { JournalStore } from '../journal/journal.ts';
import { isUnder, type WorkOrder } from '../journal/work.ts';
import { CodedError } from '../model/coded-error.ts';
import type { Guards } from '../predicates/compile.ts';
import { letGo, type OpenAgent, openedFor } from '../xstate/agent.ts';
import type { CarriedAgent } from './carried.ts';
import { adopted, type OpenProgram, sandboxesOf } from './program-agent.ts';
import type { WorkTold } from './told.ts';

/** The runs that are looked at together. */
const PAGE = 32;
/** The looks between two rounds through the runs of other releases. */
const ROUND_EVERY = 10;

/** The parts of a worker that adopting needs. */
interface Setting {
  readonly store: JournalStore;
  readonly queue?: string;
  readonly guards?: Guards;
  readonly folderOf: (run: string) => string | Promise<string>;
  readonly sandboxesOf?: (run: string) => Readonly<Record<string, SandboxProvider>>;
  readonly onTold?: (told: WorkTold) => void;
}

/** A run that was found to stay: until its journal goes on, nothing else comes of it. */
interface Staying {
  /** Null where something else than its journal kept it: it is looked at in each round. */
  readonly head: number | null;
  readonly why: string;
}

/** The runs of other releases, gone through round by round. */
export class Adopting {
  readonly #setting: Setting;
  readonly #carries: readonly CarriedAgent[];
  readonly #staying = new Map<string, Staying>();
  #met = new Set<string>();
  #after: string | null = null;
  #until = 0;
  /** The runs that were moved. */
  moved = 0;

  constructor(setting: Setting, carries: readonly CarriedAgent[]) {
    this.#setting = setting;
    this.#carries = carries;
  }

  /** The runs that did not go over when they were last looked at. */
  get stays(): number {
    return this.#staying.size;
  }

  /** Looks at the next few runs. @throws where the store cannot be asked. */
  async look(stopping: AbortSignal): Promise<void> {
    if (this.#until > 0) {
      this.#until -= 1;
      return;
    }
    const { store, queue = 'default' } = this.#setting;
    const asked = { queue, carries: this.#carries, limit: PAGE, after: this.#after };
    const orders = await store.work.others(asked);
    for (const order of orders) {
      if (stopping.aborted) return;
      await this.#lookAt(order);
    }
    this.#after = orders.length < PAGE ? null : (orders.at(-1)?.run ?? null);
    if (this.#after === null) this.#endRound();
  }

  /** Forgets the runs that stayed once and were not met again: they are moved, or over. */
  #endRound(): void {
    for (const run of this.#staying.keys()) if (!this.#met.has(run)) this.#staying.delete(run);
    this.#met = new Set();
    this.#until = ROUND_EVERY;
  }

  async #lookAt(order: WorkOrder): Promise<void> {
    const { run, agent, digests } = order;
    this.#met.add(run);
    const head = (await this.#setting.store.run(run))?.head ?? null;
    const own = this.#carries.find((each) => each.agent === agent && each.begins);
    if (own === undefined || digests === null || isUnder(digests, own)) return;
    if (head === null || this.#staying.get(run)?.head === head) return;
    try {
      const moved = await this.#adopt(order, own);
      if (moved.is === 'stays') return this.#stay(order, moved.code, moved.why, head);
      this.#staying.delete(run);
      if (moved.is !== 'moved') return;
      this.moved += 1;
      this.#setting.onTold?.({ is: 'moved', run, agent });
    } catch (error) {
      const code = error instanceof CodedError ? String(error.code) : 'cannot_open';
      // Another process was faster: its end is seen in the next round.
      if (code === 'lease_held' || code === 'lease_lost') return;
      this.#stay(order, code, (error instanceof Error ? error.message : String(error)).split('\n')[0] as string, null);
    }
  }

  async #adopt({ run, input }: WorkOrder, { by, version }: CarriedAgent) {
    const { store, folderOf, guards } = this.#setting;
    const folder = await folderOf(run);
    const given = input === '' ? undefined : (JSON.parse(input) as unknown);
    const open = await openedFor<OpenAgent | OpenProgram>(by, { run, folder, input: given });
    try {
      const named = version === null ? {} : { version };
      const of = { ...(guards !== undefined && open.guards === undefined && { guards }), ...named };
      const sandboxes = sandboxesOf(by, this.#setting.sandboxesOf?.(run));
      return await adopted(by, open, { run, config: by.config, journal: store, sandboxes, ...of });
    } finally {
      await letGo(open);
    }
  }

  #stay({ run, agent }: WorkOrder, code: string, why: string, head: number | null): void {
    const known = this.#staying.get(run);
    this.#staying.set(run, { head, why });
    if (known?.why !== why) this.#setting.onTold?.({ is: 'stays', run, agent, code, why });
  }
}
