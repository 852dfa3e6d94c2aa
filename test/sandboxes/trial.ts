/** Plays one scenario for real: the sidecar over a machine, process after process, in a time that is driven. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxProvider } from '../../src/effects/sandbox.ts';
import { memoryStore, vetoes } from '../../src/index.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import type { SandboxDesk } from '../../src/journal/sandboxes.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { workClient } from '../../src/workers/client.ts';
import { deleteEnded } from '../../src/workers/deleting.ts';
import { sweepSandboxes } from '../../src/workers/sweep-sandboxes.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { MortalStore } from '../simulation/mortal-store.ts';
import { VirtualTime } from '../virtual-time.ts';
import { configOf, type Memory, machineOf, sorted, wait } from './machine.ts';
import { Rooms } from './rooms.ts';
import type { Happens, Scenario } from './scenario.ts';

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** What a scenario came to. */
export interface Course {
  readonly wrong: readonly string[];
  readonly rooms: number;
  readonly status: string;
  readonly codes: readonly string[];
  readonly appends: number;
}

/** The rounds in which nothing was due after which nothing comes any more, and the most timers of a scenario. */
const IDLE = 20;
const MOST = 6_000;
const ANN = { by: 'ann' };

/** Plays a scenario to its end, or to where it waits for what never comes. */
export async function play(scenario: Scenario): Promise<Course> {
  const time = new VirtualTime();
  time.hold();
  const errors: string[] = [];
  const note = (error: unknown) => void errors.push(String(error instanceof Error ? error.stack : error));
  process.on('unhandledRejection', note);
  try {
    return await new Trial(scenario, time, errors).run();
  } finally {
    process.off('unhandledRejection', note);
    time.release();
  }
}

class Trial {
  readonly #scenario: Scenario;
  readonly #time: VirtualTime;
  readonly #wrong: string[];
  readonly #rooms: Rooms;
  readonly #store: MortalStore;
  readonly #begun: number;
  readonly #once: { unanswered: boolean };
  /** The rows of sandboxes, which outlive each process. */
  readonly #rows: SandboxDesk;
  readonly #close: () => Promise<void>;
  /** The store of a scenario in which another run works beside. */
  readonly #both = memoryStore();
  #sweeps = 0;
  #isLater = false;
  #journal: JournalStore | null = null;
  #life = { isDead: false };
  #status = 'hang';
  #codes: readonly string[] = [];
  #memory: Memory | null = null;

  constructor(scenario: Scenario, time: VirtualTime, errors: string[]) {
    this.#scenario = scenario;
    this.#time = time;
    this.#wrong = errors;
    this.#rooms = new Rooms(scenario, time.now);
    this.#begun = time.now();
    this.#once = { unanswered: scenario.happens.some(({ is }) => is === 'unanswered') };
    this.#store = new MortalStore(scenario.crash === null ? [] : [scenario.crash]);
    this.#store.onDeath = () => {
      this.#life.isDead = true;
    };
    const folder = scenario.rows === 'sqlite' ? mkdtempSync(join(tmpdir(), 'belay-boxes-')) : null;
    const store = folder === null ? memoryStore() : sqliteStore(join(folder, 'rows.sqlite'));
    this.#rows = store.sandboxes as SandboxDesk;
    this.#close = async () => {
      await store.close();
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    };
    for (const each of scenario.happens) {
      if (each.is === 'gone') setTimeout(() => this.#rooms.lose(), each.at * SECOND);
      if (each.is === 'dark')
        setTimeout(() => {
          this.#rooms.dark = time.now() + 60 * SECOND;
        }, each.at * SECOND);
    }
  }

  async run(): Promise<Course> {
    const beside = this.#scenario.beside === true ? await this.#openBeside() : null;
    for (let nth = 0; nth < 5; nth += 1) {
      const isOver = await this.#process(nth === 0);
      if (isOver && !(this.#status === 'parked' && this.#isDarkNow)) break;
      await this.#pass(isOver ? 70 * SECOND : 5 * SECOND);
      await this.#sweepEarly();
    }
    if (beside !== null) await this.#judgeBeside(beside);
    await this.#judge();
    await this.#close();
    return {
      wrong: [...this.#wrong, ...this.#rooms.wrong],
      rooms: this.#rooms.all.length,
      status: this.#status,
      codes: this.#codes,
      appends: this.#store.appends,
    };
  }

  /** A person takes a run up again whose provider did not answer. */
  get #isDarkNow(): boolean {
    const isOfDark = (code: string) => code === 'sandbox_failed' || code === 'effect_outcome_unknown';
    return this.#rooms.dark > 0 && this.#codes.some(isOfDark);
  }

  async #next(): Promise<JournalStore> {
    const isBeside = this.#scenario.beside === true;
    const store = isBeside ? wrapJournals(this.#both, () => ({})) : await this.#store.next('r');
    return { ...store, sandboxes: this.#rows };
  }

  /** Another run in the same process and store, to which nothing happens. */
  async #openBeside(): Promise<Sidecar> {
    const machine = machineOf(this.#rooms, () => false, { unanswered: false });
    const journal = await this.#next();
    const sidecar = await attach(machine, { ...this.#options(journal, { isDead: false }), run: 'o' } as never);
    (sidecar as Sidecar).actor.start();
    return sidecar as Sidecar;
  }

  async #judgeBeside(sidecar: Sidecar): Promise<void> {
    const ending = await this.#until(sidecar.finished());
    const { done } = (sidecar.actor.getSnapshot() as unknown as { context: Memory }).context;
    if (ending?.status !== 'done' || done.join() !== 'e0,e1,e2')
      this.#wrong.push(`the run beside is ${ending?.status}, and claims ${done}`);
    const [room, ...more] = this.#rooms.all.filter(({ run }) => run === 'o');
    const edits = sorted(room?.edits.values() ?? []).join();
    const isRight = more.length === 0 && (this.#isBeyond || edits === 'e0,e1,e2');
    if (!isRight) this.#wrong.push(`the run beside has ${more.length + 1} rooms, the first with ${edits}`);
    await this.#until(sidecar.close());
  }

  /** What was done in a room of this class lies beyond it. */
  get #isBeyond(): boolean {
    return this.#scenario.class === 'beyond' || this.#scenario.class === 'irreversible';
  }

  /** Sweeps between two processes, hours later by its clock: what is destroyed then has to be that of a run that is over. */
  async #sweepEarly(): Promise<void> {
    this.#sweeps += 1;
    const before = this.#rooms.there.length;
    const store = this.#journal as JournalStore;
    await sweepSandboxes(store, { rooms: this.#rooms }, { now: () => this.#time.now() + this.#sweeps * 4 * HOUR });
    if (this.#rooms.there.length < before) this.#rooms.isSwept = true;
  }

  /** Lets some time pass. */
  async #pass(time: number): Promise<void> {
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    }, time);
    while (!isOver && this.#time.fireNext()) await turn();
  }

  /** @returns false where another process takes the run up. */
  async #process(isFirst: boolean): Promise<boolean> {
    const life = { isDead: false };
    this.#life = life;
    this.#journal = await this.#next();
    const isDead = () => life.isDead;
    const options = this.#options(this.#journal, life);
    const machine = machineOf(this.#rooms, isDead, this.#once);
    const opening = (
      isFirst ? attach(machine, options as never) : resume(machine, options as never)
    ) as Promise<Sidecar>;
    const sidecar = await this.#until(
      opening.catch((error: { code?: string }) => {
        if (error.code === 'run_cancelled') return null;
        if (error.code === 'paused') return 'paused' as const;
        throw error;
      }),
    );
    if (sidecar === null || life.isDead) return !life.isDead;
    if (sidecar === 'paused') {
      await this.#seeStopped('a pause');
      await workClient(this.#journal).unpause('r', ANN);
      return false;
    }
    sidecar.actor.start();
    const reopen = this.#arrange(sidecar, life, isFirst);
    await this.#end(sidecar, life, reopen);
    if (life.isDead) return false;
    const isReopened = reopen.is;
    if (this.#status === 'parked' || this.#status === 'stuck') await this.#seeStopped(this.#status);
    this.#memory = (sidecar.actor.getSnapshot() as unknown as { context: Memory }).context;
    await this.#until(sidecar.close(reopen.drain ? { drain: MINUTE } : {}));
    if (life.isDead) return false;
    // A call that has not come back is left where it is.
    if (this.#rooms.acting === 0) await this.#seeStopped('close');
    return !isReopened;
  }

  #options(journal: JournalStore, life: { isDead: boolean }) {
    const find = ({ key, sandbox }: { key: string; sandbox?: unknown }) => {
      const edit = this.#rooms.edits(sandbox, 'find').get(key);
      return edit === undefined ? { is: 'not_applied' } : { is: 'applied', output: edit };
    };
    const undo = async ({ key, sandbox }: { key: string; sandbox?: unknown }) => {
      if (life.isDead) return new Promise<never>(() => {});
      return void this.#rooms.undo(sandbox, key);
    };
    return {
      run: 'r',
      config: configOf(this.#scenario, this.#isLater),
      journal,
      undo: this.#scenario.class === 'idempotent' || this.#scenario.class === 'irreversible' ? {} : { un: undo },
      reconcilers: { find },
      sandboxes: { rooms: dying(this.#rooms, () => life.isDead) },
      now: this.#time.now,
    };
  }

  async #end(sidecar: Sidecar, life: { isDead: boolean }, reopen: { is: boolean }): Promise<void> {
    for (let round = 0; round < 6 && !life.isDead && !reopen.is; round += 1) {
      const ending = await this.#until(Promise.race([sidecar.finished(), once(() => reopen.is)]));
      if (reopen.is) return;
      if (ending === null || ending === undefined) {
        if (!life.isDead) this.#status = 'hang';
        return;
      }
      this.#status = ending.status;
      this.#codes = 'decision' in ending ? [...new Set([...vetoes(ending.decision)].map(({ code }) => code))] : [];
      if (ending.status !== 'parked' && ending.status !== 'stuck' && ending.status !== 'paused') return;
      // Whatever is due may go on: the end of the pause, a question that is asked again.
      await this.#until(new Promise(() => {}), 300);
    }
  }

  async #seeStopped(when: string): Promise<void> {
    await this.#pass(when === 'close' ? (this.#scenario.cold + 5) * SECOND : 30 * SECOND);
    this.#seeNothingRuns(when);
  }

  #seeNothingRuns(when: string): void {
    // A provider that has not answered a stop has told so in a finding.
    if (this.#rooms.unstopped > 0) return;
    const up = this.#rooms.there.filter(({ is, ready }) => is === 'up' && ready <= this.#time.now());
    if (up.length > 0) this.#wrong.push(`${up[0]?.key} runs after ${when}`);
  }

  /** Has happen what is to happen, at its time. */
  #arrange(sidecar: Sidecar, life: { isDead: boolean }, isFirst: boolean): { is: boolean; drain: boolean } {
    const reopen = { is: false, drain: false };
    const at = (seconds: number, does: () => unknown, isOwed = false) => {
      const rest = this.#begun + seconds * SECOND - this.#time.now();
      if (rest < 0 && !isFirst && !isOwed) return;
      setTimeout(
        () =>
          void (
            life.isDead ||
            reopen.is ||
            Promise.resolve()
              .then(does)
              .catch(() => {})
          ),
        Math.max(0, rest),
      );
    };
    for (const happens of this.#scenario.happens as readonly Happens[]) {
      if (happens.is === 'pause') {
        at(happens.at, () => sidecar.pause(ANN));
        const unpause = () => {
          if (sidecar.status === 'paused') this.#seeNothingRuns('a pause');
          return sidecar.unpause(ANN);
        };
        at(happens.at + 60, unpause, true);
      }
      if (happens.is === 'complain')
        at(happens.at, () =>
          sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'EDIT', entity: 'one', ordinal: 0 } } as never),
        );
      if (happens.is === 'abort') at(happens.at, () => sidecar.cancel({ by: 'ann', undo: true }));
      if (happens.is === 'cancel') at(happens.at, () => sidecar.cancel(ANN));
      if ((happens.is === 'reopen' || happens.is === 'drain' || happens.is === 'release') && isFirst)
        at(happens.at, () => {
          reopen.is = true;
          reopen.drain = happens.is === 'drain';
          this.#isLater = happens.is === 'release';
        });
    }
    return reopen;
  }

  /** Judges what stands in the end, and sweeps. */
  async #judge(): Promise<void> {
    const { class: kind } = this.#scenario;
    const isBeyond = this.#isBeyond;
    const there = this.#rooms.there;
    if (there.length > 1) this.#wrong.push(`${there.length} rooms are there`);
    const stand = isBeyond ? this.#rooms.beyond : there[0]?.edits;
    const edits = sorted(stand?.values() ?? []);
    if (this.#status === 'done') {
      const claimed = sorted(this.#memory?.done ?? []);
      // A sandbox may be gone after the run has let go of it.
      const isKept = stand !== undefined;
      if (isKept && edits.join() !== claimed.join())
        this.#wrong.push(`the world has ${edits}, the run claims ${claimed}`);
      if (!isBeyond && this.#memory?.seen.join() !== claimed.join()) this.#wrong.push(`seen is ${this.#memory?.seen}`);
      if (claimed.join() !== 'e0,e1,e2') this.#wrong.push(`the run claims ${claimed}`);
    }
    if (this.#status === 'compensated' && kind !== 'irreversible' && kind !== 'idempotent' && edits.length > 0)
      this.#wrong.push(`aborted, and the world has ${edits}`);
    if (this.#status === 'hang') this.#wrong.push('it hangs');
    await this.#sweep();
  }

  /** Sweeps in the grace, by a process that dies over it, and by two at once. */
  async #sweep(): Promise<void> {
    const isOver = this.#status === 'done' || this.#status === 'compensated' || this.#status === 'cancelled';
    const store = this.#journal as JournalStore;
    const sweep = (by: number, provider: SandboxProvider = this.#rooms) =>
      sweepSandboxes(store, { rooms: provider }, { now: () => this.#time.now() + by });
    const isRowed = ((await store.sandboxes?.list('r')) ?? []).length > 0;
    if (isOver && isRowed && (await deleteEnded(store, 'r')) === null)
      this.#wrong.push('the run is deleted, and its room is there');
    const before = this.#rooms.there.length;
    if (this.#sweeps === 0) await sweep(HOUR / 2);
    if (this.#rooms.there.length !== before) this.#wrong.push('a room is destroyed in its grace');
    let isAsked = false;
    const never = () => {
      isAsked = true;
      return new Promise<never>(() => {});
    };
    void sweep(DAY, Object.assign(Object.create(this.#rooms) as Rooms, { destroy: never }));
    for (let nth = 0; nth < 20 && !isAsked; nth += 1) await turn();
    await sweep(DAY + MINUTE);
    if (this.#rooms.there.length !== before) this.#wrong.push('a room is destroyed that another sweep has');
    const destroyed = this.#rooms.destroyed.length;
    await Promise.all([sweep(DAY + 6 * MINUTE), sweep(DAY + 6 * MINUTE)]);
    const keys = this.#rooms.destroyed.slice(destroyed);
    if (new Set(keys).size < keys.length) this.#wrong.push(`${keys} are destroyed`);
    const left = this.#rooms.there.length;
    if (isOver && left > 0) this.#wrong.push(`${left} rooms are left`);
    if (isOver && this.#rooms.keptOf('r') > 0) this.#wrong.push('a snapshot is left');
    if (!isOver && left !== before) this.#wrong.push('a room of a run that goes on is destroyed');
    if (isOver && ((await store.sandboxes?.list()) ?? []).length > 0) this.#wrong.push('a row is left');
  }

  /** Fires timers until something settles, nothing is due any more, or the process dies. */
  async #until<T>(work: Promise<T>, most = MOST): Promise<T | null> {
    let settled: { readonly is: T } | { readonly error: unknown } | null = null;
    work.then(
      (is) => {
        settled = { is };
      },
      (error: unknown) => {
        settled = { error };
      },
    );
    for (let fired = 0, idle = 0; idle < IDLE && fired < most; ) {
      await turn();
      if (settled !== null) break;
      if (this.#life.isDead) return null;
      if (this.#time.fireNext()) [fired, idle] = [fired + 1, 0];
      else idle += 1;
    }
    if (settled === null) return null;
    if ('error' in (settled as object)) throw (settled as { error: unknown }).error;
    return (settled as { is: T }).is;
  }
}

/** The provider of a process: one that is dead asks for nothing any more. */
function dying(rooms: Rooms, isDead: () => boolean): Rooms {
  return new Proxy(rooms, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => (isDead() ? new Promise(() => {}) : Reflect.apply(member, target, given));
    },
  });
}

/** Resolves once something is so. */
async function once(is: () => boolean): Promise<null> {
  while (!is()) await wait(500);
  return null;
}

async function turn(): Promise<void> {
  for (let nth = 0; nth < 12; nth += 1) await new Promise((resolve) => setImmediate(resolve));
}
