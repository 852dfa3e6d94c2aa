/** Runs whose process dies at an append of their journal, and the next process that takes them up. */
import type { AnyStateMachine } from 'xstate';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { type Death, MortalStore } from '../simulation/mortal-store.ts';
import type { configOf } from './little.ts';

export const value = ({ actor }: Sidecar) => (actor.getSnapshot() as { value: unknown }).value;
export const context = ({ actor }: Sidecar) => (actor.getSnapshot() as { context: unknown }).context;

/** The end of a run, or what it is parked on; null where it comes to neither within some hundred turns of a held clock. */
export async function settledIn(sidecar: Sidecar) {
  for (let turn = 0; turn < 2_000 && !['done', 'parked', 'stuck'].includes(sidecar.status); turn += 1)
    await new Promise<void>((resolve) => setTimeout(resolve, 100));
  return ['done', 'parked', 'stuck'].includes(sidecar.status) ? sidecar.finished() : null;
}

/** The processes of one run. Its counterparties say of a call that it did not happen. */
export class Dying {
  readonly store: MortalStore;
  isDead = false;
  readonly #machine: AnyStateMachine;
  readonly #config: ReturnType<typeof configOf>;
  readonly #more: object;

  /** @param more further options of each process. */
  constructor(
    machine: AnyStateMachine,
    config: ReturnType<typeof configOf>,
    deaths: readonly Death[] = [],
    more: object = {},
  ) {
    this.#more = more;
    this.#machine = machine;
    this.#config = config;
    this.store = new MortalStore(deaths);
    this.store.onDeath = () => {
      this.isDead = true;
    };
  }

  /** The first process; it is not started. */
  async attached(input?: unknown): Promise<Sidecar> {
    return (await attach(this.#machine, {
      ...((await this.#options()) as object),
      input,
    } as never)) as unknown as Sidecar;
  }

  /** The next process, started, once the one before has gone. */
  async resumed(before: Sidecar): Promise<Sidecar> {
    before.actor.stop();
    const next = (await resume(this.#machine, await this.#options())) as unknown as Sidecar;
    next.actor.start();
    return next;
  }

  async #options() {
    const journal = await this.store.next('r');
    const reconcilers = { find: () => ({ is: 'not_applied' }) };
    return { run: 'r', config: this.#config, journal, reconcilers, ...this.#more } as never;
  }
}
