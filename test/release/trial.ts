/** Two or three runs on the same keys: they go on in an order that is given, and are complained about, aborted, closed and taken up. */
import { claimsIn } from '../../src/effects/claims/kept.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { SidecarError } from '../../src/sidecar/sidecar-error.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { calm, until } from '../poll.ts';
import { type Act, configOf, machineOf, World } from './world.ts';

type Sidecar = Awaited<ReturnType<typeof attach>>;

/** What happens to a run: it acts, is closed and taken up, is complained about from an act on, or is aborted. */
export type Move = { readonly run: number } & (
  | { readonly is: 'go' | 'reopen' | 'abort' }
  | { readonly is: 'fail'; readonly act: number }
);

export interface Scenario {
  readonly runs: readonly (readonly Act[])[];
  readonly moves: readonly Move[];
  readonly release?: 'whole' | 'final';
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

/** One run, process after process. */
export class Life {
  readonly #world: World;
  readonly #store: JournalStore;
  readonly #acts: readonly Act[];
  readonly #prefix: string;
  readonly #release: 'whole' | 'final';
  readonly run: string;
  why: readonly string[] = [];
  readonly findings: string[] = [];
  #sidecar: Sidecar | null = null;

  constructor(
    run: string,
    { world, store, prefix = '' }: { world: World; store: JournalStore; prefix?: string },
    acts: readonly Act[],
    release: 'whole' | 'final',
  ) {
    this.run = run;
    this.#world = world;
    this.#prefix = prefix;
    this.#store = store;
    this.#acts = acts;
    this.#release = release;
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

  async open(how: 'attach' | 'resume'): Promise<void> {
    const sidecar = await (how === 'attach' ? attach : resume)(
      machineOf(this.#world, this.run.slice(this.#prefix.length), this.#acts),
      {
        run: this.run,
        journal: this.#store,
        claims: claimsIn(this.#store),
        config: configOf(this.#acts, this.#release),
        reconcilers: this.#world.reconcilers,
        undo: this.#world.undos,
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
      if (await this.isWaiting()) return true;
      if (status === 'recovering' || status === 'ending') return false;
      return status !== 'running' || this.value === 'idle' || this.value.startsWith('w');
    };
    await until(isAtRest, () => `the rest of ${this.run}: ${this.sidecar.status} ${this.value}`, 10_000);
    if (['running', 'parked'].includes(this.sidecar.status)) await this.sidecar.durable();
    await calm(1);
  }

  async move(move: Move): Promise<void> {
    const { sidecar } = this;
    if (move.is === 'reopen') {
      if (['done', 'cancelled', 'compensated'].includes(sidecar.status) || (await this.isWaiting())) return;
      // A run that is parked over a circle is refused when it is taken up while the other one waits for it.
      if (this.why.includes('recovery_budget_spent')) return;
      await sidecar.close();
      return this.open('resume');
    }
    if (move.is === 'abort') await sidecar.cancel({ by: 'ann', undo: true }).catch(known);
    else if (move.is === 'fail') {
      const subject = { instance: { skeleton: `u${move.act}`, entity: 'it' }, key: `u${move.act}` };
      await sidecar.fail('CONTRACT_VIOLATION', subject).catch(known);
    } else if (sidecar.status === 'running' && (this.value === 'idle' || this.value.startsWith('w')))
      sidecar.actor.send({ type: 'go' });
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
    (acts, run) => new Life(`${prefix}${name(run)}`, { world, store, prefix }, acts, scenario.release ?? 'final'),
  );
  for (const life of lives) await life.open('attach');
  for (const move of scenario.moves) await lives[move.run]?.move(move);
  // Each goes on to its end, or until it waits for a person.
  for (let round = 0; round < 8; round += 1) {
    for (const [run, life] of lives.entries()) await life.move({ run, is: 'go' });
    if (lives.every(({ sidecar }) => sidecar.status !== 'running')) break;
  }
  const stands: Stand[] = [];
  let released = 0;
  for (const life of lives) {
    const { status } = life.sidecar;
    stands.push({ status, context: life.context, why: life.why, isWaiting: await life.isWaiting() });
  }
  for (const life of lives) {
    const text = JSON.stringify(await entries(store, life.run));
    released += text.split('"do":"released"').length - 1;
    await life.sidecar.close();
  }
  return { scenario, world, stands, released };
}

async function entries(store: JournalStore, run: string): Promise<unknown> {
  const { entriesOf } = await import('../../src/journal/entries.ts');
  const { gathered } = await import('../../src/journal/gathered.ts');
  return [...entriesOf(await gathered(store.read(run)))].map(({ entry }) => entry);
}
