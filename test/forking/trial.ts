/** One life of a run and of a fork of it: both go on in turns, are closed and taken up, complained about, and asked about by people. */

import { claimsIn } from '../../src/effects/claims/kept.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import { gathered } from '../../src/journal/gathered.ts';
import type { JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Entry } from '../../src/model/entry.ts';
import { forkRun } from '../../src/sidecar/opening/fork-run.ts';
import { SidecarError } from '../../src/sidecar/sidecar-error.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { calm, until } from '../poll.ts';
import { type ActClass, configOf, machineOf, UNITS, World } from './world.ts';

type Sidecar = Awaited<ReturnType<typeof attach>>;

/** What happens to one of the two runs. */
export type Move =
  | { readonly is: 'go' | 'reopen' | 'lost' | 'refused' }
  | { readonly is: 'fail'; readonly unit: string };

/** A scenario: moves of the parent, the fork, and then moves of either. */
export interface Scenario {
  readonly classes: readonly ActClass[];
  readonly before: readonly Move[];
  /** The share of the rows of the parent at which it is forked, from 0 to 1. */
  readonly at: number;
  readonly after: readonly { readonly run: 'parent' | 'child'; readonly move: Move }[];
  /** The answer of the person who is asked whether an act of the child is another one. */
  readonly says: 'approved' | 'denied';
  /** The external key that each unit touches, under claims; left out where the runs have none. */
  readonly keys?: readonly (string | null)[];
}

/** The end of a run. */
interface End {
  readonly is: string;
  readonly context: Readonly<Record<string, number>>;
  readonly entries: readonly Entry[];
}

/** What came of a scenario. */
export interface Course {
  readonly world: World;
  readonly parent: End;
  readonly child: End;
  /** The keys of the acts of the common past. */
  readonly common: readonly string[];
  /** The keys of calls of the child that a person was asked about on account of the parent. */
  readonly asked: ReadonlyMap<string, string | null>;
  readonly keys: Scenario['keys'];
  /** The keys that the child has waited for, each with the run that had it. */
  readonly waited: readonly string[];
  /** The runs that wait at the end. */
  readonly waiting: readonly string[];
  /** The number of messages of the parent, before and after. */
  readonly refused: string | null;
}

/** The part of a scenario that the life of one run needs. */
type Lived = Pick<Scenario, 'classes' | 'says' | 'keys'> & { readonly gated?: boolean };

/** One of the runs, process after process. */
export class Life {
  #sidecar: Sidecar | null = null;
  readonly asked = new Map<string, string | null>();
  /** Happens before the next question is answered. */
  meanwhile: () => Promise<unknown> = async () => {};

  readonly run: string;
  readonly world: World;
  readonly store: JournalStore;
  readonly scenario: Lived;
  readonly waited: string[] = [];

  constructor(run: string, world: World, store: JournalStore, scenario: Lived) {
    this.run = run;
    this.world = world;
    this.store = store;
    this.scenario = scenario;
  }

  async open(how: 'attach' | 'resume'): Promise<void> {
    const { classes, says, gated, keys } = this.scenario;
    const machine = machineOf(this.world, this.run, classes);
    const sidecar = await (how === 'attach' ? attach : resume)(machine, {
      run: this.run,
      journal: this.store,
      config: configOf(classes, gated, keys),
      ...(keys !== undefined && { claims: claimsIn(this.store) }),
      onFinding: ({ code, text }) => void (code === 'waits_for_run' && this.waited.push(text)),
      reconcilers: this.world.reconcilers,
      undo: this.world.undosOf(this.run),
      keepAlive: false,
      onGate: ({ gate, asks, kin, key }) => {
        if (asks !== 'approval') return;
        if (kin !== undefined) this.asked.set(key, kin.key);
        const before = this.meanwhile;
        this.meanwhile = async () => {};
        queueMicrotask(() => void before().then(() => sidecar.answer(gate, says, { by: 'ann' })));
      },
    });
    sidecar.actor.start();
    this.#sidecar = sidecar;
    await this.rest();
    await sidecar.durable();
    await calm(2);
  }

  get sidecar(): Sidecar {
    return this.#sidecar as Sidecar;
  }

  /** Waits until the run waits for an event, a person, or is over. */
  async rest(): Promise<void> {
    await until(
      async () => (await this.isWaiting()) || this.#isAtRest(),
      () => `the rest of ${this.run}`,
      20_000,
    );
  }

  /** True while a call of the run stands in line for a claim. */
  async isWaiting(): Promise<boolean> {
    const { waiting } = await this.store.claims.list();
    return waiting.some(({ run, waitsFor }) => run === this.run && waitsFor.length > 0);
  }

  #isAtRest(): boolean {
    const { status, actor } = this.sidecar;
    if (status === 'recovering' || status === 'ending' || status === 'waits') return false;
    if (status !== 'running') return true;
    const { value } = actor.getSnapshot() as { value: string };
    return value === 'idle' || value.endsWith('Over');
  }

  async move(move: Move): Promise<void> {
    const { sidecar } = this;
    if (move.is === 'reopen') {
      await sidecar.close();
      return this.open('resume');
    }
    if (move.is === 'fail') {
      const subject = { instance: { skeleton: move.unit, entity: 'it' }, key: move.unit };
      await sidecar.fail('CONTRACT_VIOLATION', subject).catch(ignoreKnown);
    } else {
      if (move.is !== 'go') this.world.next = [move.is];
      if (sidecar.status === 'running') sidecar.actor.send({ type: 'go' });
    }
    await calm(2);
    await this.rest();
    // What is durable by itself has a time of its own: a run can be forked behind it.
    await sidecar.durable();
    this.world.next = [];
  }

  /** The durable entries of the run. */
  rows() {
    return [...entriesOf(this.store.read(this.run) as never)];
  }

  async end(): Promise<End> {
    const { status, actor } = this.sidecar;
    const { context, value } = actor.getSnapshot() as { context: Record<string, number>; value: string };
    await this.sidecar.close();
    const entries = [...entriesOf(await gathered(this.store.read(this.run)))].map(({ entry }) => entry);
    return { is: status === 'running' ? value : status, context, entries };
  }
}

/** A complaint about what the run does not have, or that has ended, is refused: nothing has happened. */
function ignoreKnown(error: unknown): void {
  if (!(error instanceof SidecarError)) throw error;
}

/** Plays a scenario. @param isForked false for the parent alone. */
export async function play(scenario: Scenario, isForked = true): Promise<Course> {
  const [world, store] = [new World(), memoryStore()];
  const parent = new Life('parent', world, store, scenario);
  await parent.open('attach');
  for (const move of scenario.before) await parent.move(move);
  await parent.sidecar.durable();
  let child: Life | null = null;
  let refused: string | null = null;
  let common: string[] = [];
  if (isForked) {
    const made = await forked(store, scenario.at);
    refused = made.refused;
    if (made.at !== null) {
      child = new Life('child', world, store, scenario);
      await child.open('resume');
      common = intentsUpTo(store, made.at);
    }
  }
  for (const { run, move } of scenario.after) {
    if (run === 'parent') await parent.move(move);
    else await child?.move(move);
  }
  // Both go on to their ends, as far as they come.
  for (const life of [parent, child]) for (const _ of UNITS) await life?.move({ is: 'go' });
  await child?.move({ is: 'go' });
  await parent.move({ is: 'go' });
  if (scenario.keys !== undefined) for (const _ of UNITS) await child?.move({ is: 'go' });
  const waiting = (await store.claims.list()).waiting.map(({ run }) => run);
  const none: End = { is: 'none', context: {}, entries: [] };
  const ends = { child: (await child?.end()) ?? none, parent: await parent.end() };
  return {
    world,
    ...ends,
    common,
    keys: scenario.keys,
    asked: child?.asked ?? new Map(),
    waited: child?.waited ?? [],
    waiting,
    refused,
  };
}

async function forked(store: JournalStore, share: number) {
  const { head } = (await store.run('parent')) as { head: number };
  const wanted = Math.max(1, Math.round(head * share));
  const wish = (at: number) => forkRun(store, 'parent', { at, as: 'child', by: 'ann' });
  try {
    return { at: (await wish(wanted)).at, refused: null };
  } catch (error) {
    if (!(error instanceof SidecarError && error.code === 'fork_refused')) throw error;
    const nearest = /is (\d+)\.$/.exec(error.message)?.[1];
    return { at: nearest === undefined ? null : (await wish(Number(nearest))).at, refused: error.message };
  }
}

function intentsUpTo(store: JournalStore, at: number): string[] {
  const keys = new Set<string>();
  for (const { entry, row } of entriesOf(store.read('parent') as never))
    if (row.seq <= at && entry.do === 'intent') keys.add(entry.key);
  return [...keys];
}
