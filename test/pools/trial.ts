/** Runs that spend of one pool: they go on in an order that is given, lose replies, hang, die, are complained about, aborted and taken up. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { NotApplied } from '../../src/effects/signals.ts';
import { JournalError, type JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Pool } from '../../src/journal/pools.ts';
import type { ToolCall } from '../../src/runtime/tool-call.ts';
import { SidecarError } from '../../src/sidecar/sidecar-error.ts';
import { wrapJournals } from '../../src/testing/index.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/attach.ts';
import { tool } from '../../src/xstate/tool.ts';
import { calm, until } from '../poll.ts';

/** What a call may spend, and what it spends. */
type Spending = readonly [most: number, took: number];

/** How a call can be taken back; `held`: it is held back until its unit commits; `again`: idempotent, and no reconciler knows of it. */
export type Kind = 'none' | 'again' | 'idempotent' | 'compensable' | 'irreversible' | 'held';

export interface Spender {
  readonly kind: Kind;
  /** Its rounds: it spends the first one again behind the last. */
  readonly spends: readonly Spending[];
}

export type Move = { readonly run: number } & (
  | { readonly is: 'go' | 'lose' | 'refuse' | 'hang' | 'answer' | 'reopen' | 'abort' | 'fail' }
  | { readonly is: 'die'; readonly append: number }
);

export interface Scenario {
  readonly limit: number;
  readonly runs: readonly Spender[];
  readonly moves: readonly Move[];
}

export interface Course {
  readonly scenario: Scenario;
  /** What is wrong, in words; empty where nothing is. */
  readonly wrong: readonly string[];
  readonly refused: number;
  readonly waited: number;
  readonly parked: number;
}

interface Fact {
  readonly run: string;
  readonly most: number;
  readonly took: number;
  /** True while nobody can know what it took: it counts with its most. */
  isUnsure: boolean;
}

/** The counterparty of all runs: what was really spent, and what cannot be known. */
class World {
  readonly facts = new Map<string, Fact>();
  readonly wrong: string[] = [];
  readonly lost = new Set<string>();
  readonly refusing = new Set<string>();
  readonly hanging = new Map<string, (() => void) | null>();
  /** True where a run holds calls back, of which the world knows nothing. */
  isHolding = false;
  #plain = 0;

  readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get spent(): number {
    return [...this.facts.values()].reduce((sum, { took }) => sum + took, 0);
  }

  /** The most that may have been spent, by all that anybody can know. */
  get bound(): number {
    return [...this.facts.values()].reduce((sum, { most, took, isUnsure }) => sum + (isUnsure ? most : took), 0);
  }

  /** Something of a run that nobody can know: it counts with its most. */
  unsure(run: string, most: number): void {
    this.#plain += 1;
    this.facts.set(`unsure ${this.#plain}`, { run, most, took: 0, isUnsure: true });
  }

  async pay(run: string, { key, input }: ToolCall<{ most: number; took: number }>): Promise<{ took: number }> {
    if (this.refusing.delete(run)) throw new NotApplied('busy');
    const { most, took } = input;
    this.#plain += 1;
    const name = key ?? `plain ${this.#plain}`;
    // A counterparty that is asked again under a key does nothing more; the run counts the call again.
    if (this.facts.has(name)) this.unsure(run, most);
    const fact = this.facts.get(name) ?? { run, most, took, isUnsure: true };
    this.facts.set(name, fact);
    if (this.spent > this.limit) this.wrong.push(`${run} has spent beyond the limit: ${this.spent} of ${this.limit}`);
    if (this.hanging.has(run)) await new Promise<void>((resolve) => this.hanging.set(run, resolve));
    this.hanging.delete(run);
    if (this.lost.delete(run)) throw new Error('the reply is lost');
    fact.isUnsure = false;
    return { took };
  }

  async outcome({ key }: { key: string }) {
    const fact = this.facts.get(key);
    if (fact === undefined) return { is: 'not_applied' } as const;
    fact.isUnsure = false;
    return { is: 'applied', output: { took: fact.took } } as const;
  }
}

function configOf(kind: Kind, limit: number): BoundaryConfig {
  const effect = {
    none: 'effect: none',
    again: 'effect: idempotent',
    idempotent: 'effect: idempotent, reconcile: asked',
    compensable: 'effect: compensable, undo: undone, reconcile: asked',
    irreversible: 'effect: irreversible, reconcile: asked',
    held: 'effect: irreversible, buffer: true, reconcile: asked',
  }[kind];
  const text = `belay: 1
agent: spends
budgets: { cents: { pool: team, limit: ${limit} } }
tools:
  pay: { reads: [nth], writes: [paid], ${effect}, spends: { cents: { at_most: args.most, charge: 'output.took' } } }
skeletons:
  PAY:
    entity: '"it"'
    states: [paying]
    entry: [paying]
    inputs: [nth]
    outputs: [paid]
    exit: [{ id: paid, at: paying -> idle, when: 'true' }]
    rollback: { anchors: [paid], resume: paying, compensable: undo, tries: 9 }
`;
  const { config, findings } = loadConfig(text, { file: 'spends.yaml' });
  if (config === null) throw new Error(JSON.stringify(findings));
  return config;
}

function machineOf(spends: readonly Spending[], pay: (call: ToolCall<never>) => Promise<unknown>): AnyStateMachine {
  const next = (nth: number) => {
    const [most, took] = spends[nth % spends.length] as Spending;
    return { most, took };
  };
  return setup({ actors: { pay: tool((call) => pay(call as never)) } as never }).createMachine({
    id: 'spends',
    context: { nth: 0, paid: null, refusals: 0 },
    initial: 'idle',
    states: {
      idle: { on: { go: 'paying' } },
      paying: {
        invoke: {
          src: 'pay',
          input: ({ context }: { context: { nth: number } }) => next(context.nth),
          onDone: {
            target: 'idle',
            actions: assign(({ context }) => ({ nth: context.nth + 1, paid: `${context.nth}` })),
          },
          onError: {
            target: 'idle',
            actions: assign(({ context, event }) => ({
              refusals: context.refusals + Number((event.error as { code?: string }).code === 'pool_spent'),
            })),
          },
        },
      },
    },
  } as never) as never;
}

/** One run, process after process. */
class Life {
  sidecar!: Sidecar;
  waited = 0;
  #isDead = false;
  #left = Number.POSITIVE_INFINITY;
  #bury: () => unknown = () => {};
  #isWaiting = false;
  #isChargeLost = false;

  readonly run: string;
  readonly spender: Spender;
  readonly world: World;
  readonly store: JournalStore;
  readonly name: string;

  constructor(run: string, spender: Spender, world: World, store: JournalStore, name: string) {
    this.run = run;
    this.spender = spender;
    this.world = world;
    this.store = store;
    this.name = name;
  }

  async open(how: typeof attach | typeof resume): Promise<void> {
    this.#isDead = false;
    this.#left = Number.POSITIVE_INFINITY;
    this.#isWaiting = false;
    const { world, run } = this;
    const never = () => new Promise<never>(() => {});
    const life = { isDead: false };
    const isOwnDead = () => life.isDead;
    const journal = wrapJournals(this.store, (inner) => {
      this.#bury = () => inner.close();
      return {
        append: (rows, note) => {
          this.#left -= 1;
          if (this.#left <= 0) {
            life.isDead = true;
            this.#isDead = true;
          }
          return life.isDead && this.#left < 0 ? inner.head : inner.append(rows, note);
        },
        flush: async () => (life.isDead ? never() : await inner.flush()),
        close: async (rest) => (life.isDead ? undefined : await inner.close(rest)),
      };
    });
    const pay = async (call: ToolCall<never>) => {
      if (isOwnDead()) return never();
      const paid = await world.pay(run, call);
      return isOwnDead() ? never() : paid;
    };
    this.sidecar = await how(machineOf(this.spender.spends, pay), {
      run: this.name,
      journal,
      config: configOf(this.spender.kind, world.limit),
      reconcilers: { asked: async (call) => (isOwnDead() ? never() : world.outcome(call)) },
      undo: { undone: async () => (isOwnDead() ? never() : undefined) },
      keepAlive: false,
      onFinding: ({ code, text }) => {
        if (code !== 'waits_for_pool') return;
        this.waited += 1;
        this.#isWaiting = true;
        if (!text.includes('reserved')) world.wrong.push(`no witness: ${text}`);
      },
    });
    this.sidecar.actor.start();
    await this.rest();
  }

  get context(): { nth: number; refusals: number } {
    return (this.sidecar.actor.getSnapshot() as { context: { nth: number; refusals: number } }).context;
  }

  /** The most that its next call may spend. */
  get most(): number {
    const { spends } = this.spender;
    return (spends[this.context.nth % spends.length] as Spending)[0];
  }

  get isIdle(): boolean {
    return (this.sidecar.actor.getSnapshot() as { value: string }).value === 'idle';
  }

  /** Waits until nothing moves by itself. */
  async rest(isLast = false): Promise<void> {
    const hangs = () => !isLast && (this.world.hanging.get(this.run) ?? null) !== null;
    const atRest = () => {
      const { status } = this.sidecar;
      if (this.#isDead || hangs() || (!isLast && this.#isWaiting)) return true;
      return !['recovering', 'ending'].includes(status) && (status !== 'running' || this.isIdle);
    };
    await until(atRest, () => `the rest of ${this.run}: ${this.sidecar.status}`);
    if (this.isIdle) this.#isWaiting = false;
    await calm(1);
    if (this.#isDead) await this.takeUp();
  }

  async takeUp(): Promise<void> {
    this.world.hanging.delete(this.run);
    // It may have asked without a key before it died, or the charge is lost with it.
    if (this.spender.kind === 'none' && (!this.isIdle || this.#isChargeLost)) this.world.unsure(this.run, this.most);
    this.sidecar.actor.stop();
    await this.#bury();
    await this.open(resume);
  }

  async move(move: Move): Promise<void> {
    const { world, run, sidecar } = this;
    if (move.is === 'die') {
      this.#left = move.append;
      this.#isChargeLost = move.append === 0;
    } else if (move.is === 'lose') world.lost.add(run);
    else if (move.is === 'refuse') world.refusing.add(run);
    else if (move.is === 'hang') {
      if (!world.hanging.has(run)) world.hanging.set(run, null);
    } else if (move.is === 'answer') {
      world.hanging.get(run)?.();
      await calm(1);
      await this.rest();
    } else if (move.is === 'reopen') {
      if (sidecar.status !== 'running' || !this.isIdle) return;
      await sidecar.close();
      await this.open(resume);
    } else if (move.is === 'go') await this.#go();
    else {
      const asked =
        move.is === 'abort'
          ? sidecar.cancel({ by: 'ann', undo: true })
          : sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'PAY', entity: 'it' } });
      const said = asked.catch((error: unknown) => {
        if (!(error instanceof SidecarError || error instanceof JournalError)) throw error;
      });
      await Promise.race([
        said,
        until(
          () => this.#isDead || this.#isWaiting || world.hanging.has(run),
          () => 'an answer',
        ),
      ]);
      await this.rest();
    }
  }

  async #go(): Promise<void> {
    if (this.sidecar.status !== 'running' || !this.isIdle) return;
    const { world } = this;
    const { most } = this;
    const { refusals } = this.context;
    this.sidecar.actor.send({ type: 'go' });
    await calm(1);
    await this.rest();
    if (this.context.refusals > refusals && !world.isHolding && world.bound + most <= world.limit)
      world.wrong.push(`${this.run} was refused needlessly: ${world.bound} + ${most} of ${world.limit}`);
  }
}

/** Plays a scenario on a store of its own. */
export async function play(scenario: Scenario, store: JournalStore = memoryStore(), prefix = ''): Promise<Course> {
  const world = new World(scenario.limit);
  const lives = scenario.runs.map((spender, nth) => {
    const run = `run-${'abc'[nth]}`;
    return new Life(run, spender, world, store, `${prefix}${run}`);
  });
  world.isHolding = scenario.runs.some(({ kind }) => kind === 'held');
  for (const life of lives) await life.open(attach);
  for (const move of scenario.moves) await lives[move.run]?.move(move);
  await ended(lives, world);
  const pool = await (store.pools?.pool('team') ?? null);
  const wrong = [...world.wrong, ...(pool === null ? ['there is no pool'] : booked(pool, world))];
  const sum = (of: (life: Life) => number) => lives.reduce((all, life) => all + of(life), 0);
  const parked = lives.filter(({ sidecar }) => sidecar.status === 'parked' || sidecar.status === 'stuck').length;
  const counts = { refused: sum(({ context }) => context.refusals), waited: sum(({ waited }) => waited), parked };
  for (const { sidecar } of lives) await sidecar.close();
  return { scenario, wrong, ...counts };
}

/** Every answer comes, and each run goes round once more. */
async function ended(lives: readonly Life[], world: World): Promise<void> {
  for (const life of lives) world.hanging.get(life.run)?.();
  for (const life of lives) world.hanging.delete(life.run);
  for (const life of lives) await life.rest(true);
  for (const life of lives) await life.move({ run: 0, is: 'go' });
  for (const life of lives) await life.rest(true);
  for (const { sidecar } of lives) if (['running', 'parked'].includes(sidecar.status)) await sidecar.durable();
}

/** What a pool says against what the world knows: never less than was spent, and no more than may have been. */
function booked({ spent, reserved, limit }: Pool, world: World): string[] {
  const held = reserved.reduce((sum, { amount }) => sum + amount, 0);
  const wrong: string[] = [];
  if (spent + held > limit) wrong.push(`the pool is beyond its limit: ${spent} and ${held} of ${limit}`);
  if (spent + held < world.spent)
    wrong.push(`the pool has lost something: ${spent} and ${held}, and ${world.spent} was spent`);
  if (!world.isHolding && spent + held > world.bound)
    wrong.push(`the pool keeps too much: ${spent} and ${held}, and at most ${world.bound} was spent`);
  return wrong;
}
