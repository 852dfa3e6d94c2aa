/** Two or three runs on the same keys: they go on in an order that is given, and are complained about, aborted, closed and taken up. */

import type { Claims, StoreClaims } from '../../src/effects/claims/claims.ts';
import { claimsIn } from '../../src/effects/claims/kept.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { SidecarError } from '../../src/sidecar/sidecar-error.ts';
import { wrapJournals } from '../../src/testing/index.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { calm, until } from '../poll.ts';
import { type Act, type Claiming, configOf, machineOf, World } from './world.ts';

type Sidecar = Awaited<ReturnType<typeof attach>>;

/** What happens to a run: it acts, goes round again, is closed and taken up, is complained about from an act on, or is aborted. */
export type Move = {
  readonly run: number;
} /** A reply is lost where the next act asks for one; a person frees what the run has, while no process has it. */ & (
  | { readonly is: 'go' | 'again' | 'reopen' | 'abort' | 'lose' | 'free' }
  | { readonly is: 'fail'; readonly act: number; readonly ordinal?: number }
  /** The process dies at the append that is so many ahead, and another one takes the run up. */
  | { readonly is: 'die'; readonly append: number }
);

export interface Scenario {
  readonly runs: readonly (readonly Act[])[];
  readonly moves: readonly Move[];
  readonly claiming?: Claiming;
}

/** How a run stands in the end. */
interface Stand {
  readonly status: string;
  readonly context: Readonly<Record<string, string>>;
  /** The codes of the vetoes of its last decision. */
  readonly why: readonly string[];
  readonly isWaiting: boolean;
}

export interface Course {
  readonly scenario: Scenario;
  readonly world: World;
  readonly stands: readonly Stand[];
  /** The keys that were released, run by run. */
  readonly released: number;
}

const name = (run: number) => `run-${'abc'[run]}`;

/** A process of a run. From its death on it does nothing: what it has begun comes back to nobody. */
class Process {
  isDead = false;
  #left = Number.POSITIVE_INFINITY;
  #close: () => unknown = () => {};

  /** Has it die at an append. */
  dieAt(append: number): void {
    this.#left = append;
  }

  /** Gives back what it had, as an operating system does. */
  async bury(): Promise<void> {
    await this.#close();
  }

  /** Waits for what a process does, or for its death. */
  async orDead(work: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = work.then(() => {
      isOver = true;
    });
    await Promise.race([over, until(() => isOver || this.isDead)]);
  }

  lives<T>(act: () => Promise<T>): Promise<T> {
    return this.isDead ? new Promise<T>(() => {}) : act();
  }

  journals(store: JournalStore): JournalStore {
    return wrapJournals(store, (journal) => {
      this.#close = () => journal.close();
      return {
        append: (rows, note) => {
          this.#left -= 1;
          if (this.#left <= 0) this.isDead = true;
          return this.isDead && this.#left < 0 ? journal.head : journal.append(rows, note);
        },
        flush: () => this.lives(async () => await journal.flush()),
        close: async (rest) => (this.isDead ? undefined : await journal.close(rest)),
      };
    });
  }

  claims(claims: StoreClaims): Claims {
    const { take, release, letGo, takeBack, freed } = claims;
    const mortal = <A extends unknown[], R>(act: (...args: A) => R | Promise<R>) => {
      return (...args: A): Promise<R> => this.lives(async () => await act.apply(claims, args));
    };
    return {
      take: mortal(take),
      release: mortal(release),
      letGo: mortal(letGo as NonNullable<typeof letGo>),
      takeBack: mortal(takeBack as NonNullable<typeof takeBack>),
      freed: mortal(freed as NonNullable<typeof freed>),
    };
  }
}

/** The surroundings of a run, and what makes its machine. */
interface Surroundings {
  readonly world: World;
  readonly store: JournalStore;
  readonly prefix?: string;
  readonly make?: typeof machineOf;
}

/** One run, process after process. */
export class Life {
  readonly #world: World;
  readonly #store: JournalStore;
  readonly #acts: readonly Act[];
  readonly #prefix: string;
  readonly #claiming: Claiming;
  readonly #make: typeof machineOf;
  #process = new Process();
  readonly run: string;
  why: readonly string[] = [];
  /** The keys that a person has freed. */
  readonly freed: string[] = [];
  readonly findings: string[] = [];
  #sidecar: Sidecar | null = null;
  #isGone = false;

  constructor(
    run: string,
    { world, store, prefix = '', make = machineOf }: Surroundings,
    acts: readonly Act[],
    claiming: Claiming = {},
  ) {
    this.run = run;
    this.#world = world;
    this.#prefix = prefix;
    this.#store = store;
    this.#acts = acts;
    this.#claiming = claiming;
    this.#make = make;
  }

  /** True while no process has the run: a person has freed it. */
  get isGone(): boolean {
    return this.#isGone;
  }

  get sidecar(): Sidecar {
    return this.#sidecar as Sidecar;
  }

  get value(): string {
    return (this.sidecar.actor.getSnapshot() as { value: string }).value;
  }

  get context(): Record<string, string> {
    return (this.sidecar.actor.getSnapshot() as { context: Record<string, string> }).context;
  }

  /** Takes the run up, unless it would wait for a run that waits for it: then it is left until a person frees it. */
  async again(): Promise<void> {
    await this.open('resume').catch((error: unknown) => {
      if (!(error instanceof SidecarError) || error.code !== 'claimed') throw error;
      this.#isGone = true;
      this.why = ['circle'];
    });
  }

  async open(how: 'attach' | 'resume'): Promise<void> {
    const process = new Process();
    this.#process = process;
    this.#isGone = false;
    const world = this.#world;
    const sidecar = await (how === 'attach' ? attach : resume)(
      this.#make(world, this.run.slice(this.#prefix.length), this.#acts, () => process.isDead),
      {
        run: this.run,
        journal: process.journals(this.#store),
        claims: process.claims(claimsIn(this.#store)),
        config: configOf(this.#acts, this.#claiming),
        reconcilers: { asked: (call) => process.lives(() => world.reconcilers.asked(call)) },
        undo: { undone: (call) => process.lives(() => world.undos.undone(call)) },
        keepAlive: false,
        onFinding: ({ code, text }) => void this.findings.push(`${code}: ${text}`),
        onDecision: ({ decision }) => {
          this.why = decision.refusals.flatMap((refusal) =>
            'code' in refusal ? [refusal.code] : refusal.adds.map(({ code }) => code),
          );
        },
      },
    );
    sidecar.actor.start();
    this.#sidecar = sidecar;
    await this.rest();
  }

  async isWaiting(): Promise<boolean> {
    return (await this.#store.claims.list()).waiting.some(
      ({ run, waitsFor }) => run === this.run && waitsFor.length > 0,
    );
  }

  /** Waits until nothing moves by itself. */
  async rest(): Promise<void> {
    const isAtRest = async () => {
      const { status } = this.sidecar;
      if (this.#process.isDead) return true;
      if (await this.isWaiting()) return true;
      if (status === 'recovering' || status === 'ending') return false;
      return status !== 'running' || this.value === 'idle' || this.value.startsWith('w');
    };
    await until(isAtRest, () => `the rest of ${this.run}: ${this.sidecar.status} ${this.value}`);
    if (this.#process.isDead) return this.takeUp();
    if (['running', 'parked'].includes(this.sidecar.status)) await this.#process.orDead(this.sidecar.durable());
    await calm(1);
    if (this.#process.isDead) await this.takeUp();
  }

  /** Gives the run back. */
  async end(): Promise<void> {
    await this.#process.orDead(this.sidecar.close());
  }

  /** Another process takes the run up once the one before is dead. */
  async takeUp(): Promise<void> {
    this.sidecar.actor.stop();
    await this.#process.bury();
    await this.again();
  }

  async #complain({ act, ordinal }: Extract<Move, { readonly is: 'fail' }>): Promise<void> {
    const instance = { skeleton: `u${act}`, entity: 'it', ...(ordinal !== undefined && { ordinal }) };
    const subject = { instance, key: `u${act}` };
    await this.#process.orDead(this.sidecar.fail('CONTRACT_VIOLATION', subject).catch(known));
  }

  async move(move: Move): Promise<void> {
    const { sidecar } = this;
    if (move.is === 'die') return this.#process.dieAt(move.append);
    if (move.is === 'lose') return void this.#world.lost.add(this.run.slice(this.#prefix.length));
    if (move.is === 'reopen' || move.is === 'free') {
      if (['done', 'cancelled', 'compensated'].includes(sidecar.status) || (await this.isWaiting())) return;
      // A run that is parked over a circle is refused when it is taken up while the other one waits for it.
      if (this.why.includes('recovery_budget_spent')) return;
      await this.#process.orDead(sidecar.close());
      if (this.#process.isDead) return this.takeUp();
      if (move.is === 'free') {
        const head = (await this.#store.run(this.run))?.head ?? 0;
        this.freed.push(...((await this.#store.claims.free(this.run, head, 'ann')) ?? []));
        this.#isGone = true;
        return;
      }
      return this.again();
    }
    if (move.is === 'abort') await this.#process.orDead(sidecar.cancel({ by: 'ann', undo: true }).catch(known));
    else if (move.is === 'fail') await this.#complain(move);
    else if (sidecar.status === 'running' && (this.value === 'idle' || this.value.startsWith('w')))
      sidecar.actor.send({ type: move.is });
    await calm(1);
    await this.rest();
  }
}

/** A complaint about what the run does not have, or that has ended, is refused: nothing has happened. */
function known(error: unknown): void {
  if (!(error instanceof SidecarError)) throw error;
}

/** Plays a scenario, and lets each run go on as far as it comes. */
export async function play(scenario: Scenario, store: JournalStore = memoryStore(), prefix = ''): Promise<Course> {
  const world = new World();
  const lives = scenario.runs.map(
    (acts, run) => new Life(`${prefix}${name(run)}`, { world, store, prefix }, acts, scenario.claiming),
  );
  for (const life of lives) await life.open('attach');
  for (const move of scenario.moves) await moved(lives[move.run] as Life, move);
  await goneOn(lives);
  const stands: Stand[] = [];
  let released = 0;
  for (const life of lives) {
    const status = life.isGone ? 'parked' : life.sidecar.status;
    stands.push({ status, context: life.context, why: life.why, isWaiting: await life.isWaiting() });
  }
  for (const life of lives) {
    const text = JSON.stringify(await entries(store, life.run));
    released += text.split('"do":"released"').length - 1;
    await life.end();
  }
  return { scenario, world, stands, released };
}

async function entries(store: JournalStore, run: string): Promise<unknown> {
  const { entriesOf } = await import('../../src/journal/entries.ts');
  const { gathered } = await import('../../src/journal/gathered.ts');
  return [...entriesOf(await gathered(store.read(run)))].map(({ entry }) => entry);
}

/** Does something to a run that a process has, or can have. */
export async function moved(life: Life, move: Move): Promise<void> {
  if (life.isGone) await life.again();
  if (!life.isGone) await life.move(move);
}

/** Each goes on to its end, or until it waits for a person. */
async function goneOn(lives: readonly Life[]): Promise<void> {
  for (let round = 0; round < 8; round += 1) {
    for (const [run, life] of lives.entries()) await moved(life, { run, is: 'go' });
    if (lives.every(({ sidecar, isGone }) => isGone || sidecar.status !== 'running')) return;
  }
}
