/** Drives one run through commands: a machine, its sidecar, its journal, and whoever gives the commands. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ApprovalRequest, Decision, LocalStore, StoredRow } from '../../src/index.ts';
import { memoryStore } from '../../src/index.ts';
import type { LocalJournal } from '../../src/journal/journal.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import type { RunState } from '../../src/projection/run-state.ts';
import { runStatusOf } from '../../src/reports/run-status.ts';
import { readRun } from '../../src/sidecar/opening/read-run.ts';
import type { Sidecar } from '../../src/xstate/index.ts';
import { attach, resume } from '../../src/xstate/index.ts';
import { HANG } from '../poll.ts';
import type { Lab } from './building.ts';
import { configOf, LABS, type LabName } from './machines.ts';
import type { World } from './world.ts';

/** Something that must not be, in words. */
export class Harm extends Error {}

/** For so many turns nothing may happen; before the last of them a timer may fire. */
const CALM = 8;

const turn = () => new Promise((resolve) => setImmediate(resolve));
const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

/** Settles as a promise does, or throws where it does not. */
export async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Harm(`${what} never comes back`)), HANG);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A run under commands. */
export class Driver {
  readonly lab: Lab;
  readonly world: World;
  readonly name: LabName;
  readonly #file: string | null;
  #store: LocalStore;
  #journal: LocalJournal | null = null;
  #sidecar: Sidecar | null = null;
  #isClosed = false;
  /** The gates of all processes, in the order in which they were told. */
  readonly gates: string[] = [];

  /** @param folder where the journal's file is; null for a journal in memory. */
  constructor(name: LabName, world: World, folder: string | null) {
    this.name = name;
    this.lab = LABS[name];
    this.world = world;
    this.#file = folder === null ? null : join(folder, 'journal.db');
    this.#store = this.#file === null ? memoryStore() : sqliteStore(this.#file);
  }

  get sidecar(): Sidecar {
    return this.#sidecar as Sidecar;
  }

  /** The number of rows of the journal, those that are not durable yet included. */
  get head(): number {
    return this.#isClosed ? this.rows().length : (this.#journal?.head ?? 0);
  }

  get context(): Record<string, unknown> {
    return (this.sidecar.actor.getSnapshot() as { context: Record<string, unknown> }).context;
  }

  /** The run as its journal has it. */
  fold(): RunState {
    return readRun(this.rows()).runState;
  }

  /** The rows of the journal after a head. */
  rows(head = 0): StoredRow[] {
    if (this.#isClosed) return [...this.#store.read('r')].filter(({ seq }) => seq > head);
    return [...(this.#journal as LocalJournal).read(head)];
  }

  async open(): Promise<void> {
    const { world } = this;
    const store: LocalStore = Object.create(this.#store, {
      open: {
        value: async (run: string, mode: 'create' | 'resume' | 'either') => {
          this.#journal = await this.#store.open(run, mode);
          return this.#journal;
        },
      },
    });
    const options = {
      run: 'r',
      config: configOf(this.name),
      journal: store,
      reconcilers: { find: ({ key }: { key: string }) => world.ask(key) },
      undo: { un: ({ key, undoKey }: { key: string; undoKey: string }) => world.undo(key, undoKey) },
      onGate: ({ gate }: ApprovalRequest) => void (this.gates.includes(gate) || this.gates.push(gate)),
      keepAlive: false,
    };
    const machine = this.lab.machine(world);
    this.#sidecar = this.#journal === null ? await attach(machine, options) : await resume(machine, options);
    this.#sidecar.actor.start();
  }

  /** Closes the sidecar, and takes the run up with another one: from the file, where there is one. */
  async restart(between: (closed: Sidecar) => Promise<void> = async () => {}): Promise<void> {
    const closed = this.sidecar;
    await soon(closed.close(), 'close()');
    this.#isClosed = true;
    await between(closed);
    this.#isClosed = false;
    if (this.#file !== null) {
      await this.#store.close();
      this.#store = sqliteStore(this.#file);
    }
    await soon(this.open(), 'resume()');
  }

  async turns(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) await turn();
  }

  /** Waits until nothing more happens by itself. */
  async quiet(): Promise<void> {
    const until = Date.now() + HANG;
    for (let calm = 0; calm < CALM; ) {
      const [head, activity] = [this.head, this.world.activity];
      await (calm === CALM - 1 ? pause() : turn());
      const isBusy =
        this.world.busy > 0 || this.sidecar.status === 'recovering' || (calm === CALM - 1 && this.#commits());
      if (isBusy) await pause();
      calm = isBusy || head !== this.head || activity !== this.world.activity ? 0 : calm + 1;
      if (Date.now() > until) throw new Harm(`the run never comes to rest: it is ${this.sidecar.status}`);
    }
  }

  /** Whether something is being made visible. */
  #commits(): boolean {
    return this.name === 'mailing' && this.sidecar.status === 'running' && this.fold().publications.length > 0;
  }

  /** Whether an undo has failed, and its plan waits for the next process. */
  isStuck(): boolean {
    return runStatusOf(this.rows()).standing.is === 'stuck';
  }

  /** What the run is parked on, as the journal has it. */
  questions(): Decision[] {
    return [...this.fold().open.values()].map(({ decision }) => decision);
  }

  async end(): Promise<void> {
    await soon(this.sidecar.close(), 'close()');
    await this.#store.close();
    if (this.#file !== null)
      for (const tail of ['', '-wal', '-shm', '-anchor']) rmSync(`${this.#file}${tail}`, { force: true });
  }
}
