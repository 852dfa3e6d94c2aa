/** One life of a group of attempts: drawn moves, deaths of processes and choosers, complaints, pauses, ends by hand; and what the world says of it. */

import { claimsIn } from '../../src/effects/claims/kept.ts';
import { entriesOf } from '../../src/journal/entries.ts';
import { JournalError, type JournalStore } from '../../src/journal/journal.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import type { Entry } from '../../src/model/entry.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { SidecarError } from '../../src/sidecar/sidecar-error.ts';
import { wrapJournals } from '../../src/testing/wrap-journals.ts';
import { workClient } from '../../src/workers/client.ts';
import { attach, resume } from '../../src/xstate/attach.ts';
import { calm, until } from '../poll.ts';
import { isFinal, judged } from './attempts-judge.ts';
import type { AttemptMove, AttemptsScenario, KeepMove } from './attempts-scenario.ts';
import { configOf, machineOf, UNITS, World } from './world.ts';

type Sidecar = Awaited<ReturnType<typeof attach>>;

/** The world of attempts: it says at once what a run must not have done. */
class AttemptsWorld extends World {
  readonly wrong: string[] = [];
  kept: () => string | null = () => null;
  isFinal: (tool: string) => boolean = () => false;

  override act(run: string, name: string, key: string, input: number): number {
    const isNew = this.acts.every((act) => act.key !== key);
    if (isNew && run !== 'parent' && this.isFinal(name) && this.kept() !== run)
      this.wrong.push(`${run} made ${name}, which nothing takes back, while ${this.kept() ?? 'none'} was kept`);
    return super.act(run, name, key, input);
  }
}

/** One attempt, process after process. */
class AttemptLife {
  sidecar: Sidecar | null = null;
  isDead = false;
  /** The appends and the messages of its processes so far. */
  moved = 0;
  /** Resolves at the death of the present process. */
  #died: Promise<void> = new Promise(() => {});
  #dies: () => void = () => {};
  #journal: { close(): Promise<void> } | null = null;
  readonly run: string;
  readonly #group: Group;
  readonly #number: number;

  constructor(run: string, group: Group, number: number) {
    this.run = run;
    this.#group = group;
    this.#number = number;
  }

  get status(): string {
    return this.isDead ? 'dead' : (this.sidecar?.status ?? 'none');
  }

  get #scenario(): AttemptsScenario {
    return this.#group.scenario;
  }

  /** The store as this process has it: from its death on it does nothing. */
  #mortal(): JournalStore {
    const { store } = this.#group;
    const dies = () => {
      this.moved += 1;
      const due = this.#scenario.deaths.find((each) => each.run === this.#number && each.at === this.moved);
      return due?.when ?? null;
    };
    const life = { isDead: false };
    const die = () => {
      life.isDead = true;
      this.isDead = true;
      this.#dies();
    };
    const wrapped = wrapJournals(store, (journal) => {
      this.#journal = journal;
      return {
        close: () => (life.isDead ? Promise.resolve() : journal.close()),
        append: (rows, note) => {
          if (life.isDead) return journal.head;
          const when = dies();
          if (when === 'before') die();
          if (life.isDead) return journal.head;
          const head = journal.append(rows, note);
          if (when === 'after') die();
          return head;
        },
        flush: async () => {
          const durable = life.isDead ? 0 : await journal.flush();
          return life.isDead ? new Promise<number>(() => {}) : durable;
        },
      };
    });
    const post = async (run: string, body: string): Promise<number> => {
      const when = life.isDead ? 'before' : dies();
      if (when !== null) die();
      if (when === 'before') return new Promise<number>(() => {});
      const number = await store.post(run, body);
      return life.isDead ? new Promise<number>(() => {}) : number;
    };
    return { ...wrapped, post };
  }

  async open(): Promise<void> {
    const { world, late } = this.#group;
    const { classes, keys } = this.#scenario;
    await this.close();
    // The lease of a process that died is over.
    if (this.isDead) await this.#journal?.close().catch(() => {});
    this.isDead = false;
    this.#died = new Promise((resolve) => {
      this.#dies = resolve;
    });
    const now = () => Date.now() + (late ? 7_200_000 : 0);
    const opening = resume(machineOf(world, this.run, classes), {
      run: this.run,
      journal: this.#mortal(),
      config: configOf(classes, false, keys),
      ...(keys !== undefined && { claims: claimsIn(this.#group.store) }),
      reconcilers: world.reconcilers,
      undo: world.undosOf(this.run),
      keepAlive: false,
      now,
      onGate: ({ gate, asks }) => {
        if (asks === 'approval')
          queueMicrotask(() => void this.sidecar?.answer(gate, 'approved', { by: 'ann' }).catch(() => {}));
      },
    }).then(
      (sidecar) => sidecar,
      (error: unknown) => {
        const { code } = error as { code?: string };
        if (code === 'run_finished' || code === 'paused' || code === 'run_cancelled') return null;
        throw error;
      },
    );
    // A process that dies as it opens never comes back.
    const opened = await Promise.race([opening, this.#died.then(() => null)]);
    this.sidecar = opened;
    opened?.actor.start();
    await this.rest();
  }

  async close(): Promise<void> {
    const { sidecar } = this;
    this.sidecar = null;
    if (sidecar === null) return;
    await Promise.race([sidecar.close().catch(() => {}), this.#died]);
  }

  get isOver(): boolean {
    return ['done', 'compensated', 'cancelled'].includes(this.standing());
  }

  standing(): string {
    const { entries } = this.#group;
    const end = entries(this.run).findLast((entry) => entry.do === 'end');
    return end === undefined ? this.status : (end as Extract<Entry, { do: 'end' }>).status;
  }

  async rest(): Promise<void> {
    let quiet = 0;
    await until(
      async () => {
        quiet = (await this.#isAtRest()) ? quiet + 1 : 0;
        return quiet > 2;
      },
      () => `the rest of ${this.run}: ${this.status}`,
      10_000,
    );
  }

  async #isAtRest(): Promise<boolean> {
    const { sidecar } = this;
    if (this.isDead || sidecar === null) return true;
    const { waiting } = await this.#group.store.claims.list();
    if (waiting.some(({ run, waitsFor }) => run === this.run && waitsFor.length > 0)) return true;
    const { status } = sidecar;
    if (['recovering', 'ending', 'waits', 'cancelling', 'opening'].includes(status)) return false;
    if (status !== 'running') return true;
    const { value } = sidecar.actor.getSnapshot() as { value: string };
    return value === 'idle' || value.endsWith('Over');
  }

  async move(move: AttemptMove): Promise<void> {
    if (this.isDead || move.is === 'reopen') return this.open();
    const { sidecar } = this;
    if (sidecar === null) return;
    const { world, client } = this.#group;
    const said = { by: 'ann' };
    // What a person says to a paused run is answered once it goes on.
    const quietly = (work: Promise<unknown>) => Promise.race([work.catch(ignoreKnown), this.#died, calm(60)]);
    if (move.is === 'fail') await quietly(complained(sidecar, move.unit));
    else if (move.is === 'pause' || move.is === 'unpause') await quietly(sidecar[move.is](said));
    else if (move.is === 'abort') await quietly(client.cancel(this.run, { ...said, undo: true }));
    else if (move.is === 'cancel') await quietly(client.cancel(this.run, said));
    else {
      if (move.is !== 'go') world.next = [move.is];
      if (sidecar.status === 'running') sidecar.actor.send({ type: 'go' });
    }
    await calm(2);
    await this.rest();
    world.next = [];
  }
}

/** Complains about a unit. A run that is being given back refuses at once. */
async function complained(sidecar: Sidecar, unit: string): Promise<void> {
  await sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: unit, entity: 'it' }, key: unit });
}

function ignoreKnown(error: unknown): void {
  const isLeft = error instanceof JournalError && error.code === 'journal_closed';
  if (!(error instanceof SidecarError || error instanceof RangeError || isLeft)) throw error;
}

/** A group, with its store and its world. */
class Group {
  readonly store = memoryStore();
  readonly world = new AttemptsWorld();
  readonly client = workClient(this.store);
  late = false;
  readonly lives: AttemptLife[];
  readonly scenario: AttemptsScenario;

  constructor(scenario: AttemptsScenario) {
    this.scenario = scenario;
    this.lives = Array.from({ length: scenario.count }, (_, index) => new AttemptLife(`try-${index + 1}`, this, index));
    const final = new Set(
      UNITS.flatMap((unit, index) => (isFinal(scenario.classes[index] ?? 'none') ? [`act-${unit}`] : [])),
    );
    this.world.isFinal = (tool) => final.has(tool);
    this.world.kept = () => this.kept;
  }

  get kept(): string | null {
    for (const { body } of this.store.posts('try-1')) {
      const { keep } = JSON.parse(body) as { keep?: string };
      if (keep !== undefined) return keep;
    }
    return null;
  }

  readonly entries = (run: string): Entry[] => [...entriesOf(this.store.read(run))].map(({ entry }) => entry);

  /** A person keeps an attempt, and may be gone before the others were told. */
  async keep({ run, dies, two }: KeepMove): Promise<string[]> {
    const wrong: string[] = [];
    let left = dies ?? Number.POSITIVE_INFINITY;
    const post = (name: string, body: string): number => {
      if (left <= 0) throw new Error('the chooser is gone');
      left -= 1;
      return this.store.post(name, body);
    };
    const chooser = workClient({ ...wrapJournals(this.store, () => ({})), post } as never);
    const asked = two ? [run, (run + 1) % this.lives.length] : [run];
    const said = await Promise.allSettled(asked.map((each) => chooser.keep(`try-${each + 1}`, { by: `p${each}` })));
    const taken = said.flatMap((each) => (each.status === 'fulfilled' ? [each.value.run] : []));
    if (new Set(taken).size > 1) wrong.push(`two attempts were kept: ${taken.join(', ')}`);
    if (taken[0] !== undefined && taken[0] !== this.kept)
      wrong.push(`${taken[0]} was told that it is kept, and ${this.kept} is`);
    for (const each of said)
      if (each.status === 'rejected' && !(each.reason instanceof SidecarError) && !/is gone/.test(String(each.reason)))
        wrong.push(`keep: ${String(each.reason)}`);
    for (const life of this.lives) await life.rest();
    return wrong;
  }
}

/** What came of a scenario. */
export interface AttemptsCourse {
  readonly kept: string | null;
  readonly ends: Readonly<Record<string, string>>;
  readonly acts: World['acts'];
  readonly entries: Readonly<Record<string, readonly Entry[]>>;
  readonly wrong: readonly string[];
  /** The appends and messages of each attempt: when a person kept one first, and at the end. */
  readonly moved: Readonly<Record<string, readonly [atChoice: number, atEnd: number]>>;
}

/** Plays a scenario to its end: whatever was left undone, people and processes come back until nothing moves. */
export async function playAttempts(scenario: AttemptsScenario): Promise<AttemptsCourse> {
  const group = new Group(scenario);
  const { store, world, client, lives } = group;
  const { classes, keys, count } = scenario;
  const parent = await attach(machineOf(world, 'parent', classes), {
    run: 'parent',
    journal: store,
    config: configOf(classes, false, keys),
    ...(keys !== undefined && { claims: claimsIn(store) }),
    reconcilers: world.reconcilers,
    undo: world.undosOf('parent'),
    keepAlive: false,
    onGate: ({ gate }) => queueMicrotask(() => void parent.answer(gate, 'approved', { by: 'ann' })),
  });
  parent.actor.start();
  parent.actor.send({ type: 'go' });
  await until(() => (parent.actor.getSnapshot() as { value: string }).value === 'firstOver');
  await parent.durable();
  await calm(2);
  const before = JSON.stringify([store.run('parent')?.head, store.posts('parent')]);
  const score = scenario.score ? 'double(memory.?second.orValue(0))' : undefined;
  await client.forkAttempts('parent', {
    as: 'try',
    attempts: count,
    by: 'ann',
    ...(score !== undefined && { score, ...(scenario.deadline && { deadline: 3_600_000 }) }),
  });
  const wrong: string[] = [];
  for (const life of lives) await life.open();
  let atChoice: number[] | null = null;
  for (const each of scenario.moves)
    if ('is' in each) {
      atChoice ??= lives.map(({ moved }) => moved);
      wrong.push(...(await group.keep(each)));
    } else await (lives[each.run] as AttemptLife).move(each.move);
  await finish(group, wrong);
  if (JSON.stringify([store.run('parent')?.head, store.posts('parent')]) !== before)
    wrong.push('the parent is another one');
  const ends = Object.fromEntries(lives.map((life) => [life.run, life.standing()]));
  const entries = Object.fromEntries(lives.map(({ run }) => [run, group.entries(run)]));
  for (const life of lives) await life.close();
  await parent.close();
  const tried = lives.map(({ run }) => {
    const { context } = timelineOf([...store.read(run)]).runState.actor(0);
    return { run, end: ends[run] ?? '', entries: entries[run] ?? [], context: context as Record<string, number> };
  });
  wrong.push(...world.wrong, ...judged(scenario, group.kept, tried, world.acts));
  const moved = Object.fromEntries(
    lives.map((life, index) => [life.run, [atChoice?.[index] ?? 0, life.moved] as const]),
  );
  return { kept: group.kept, ends, acts: world.acts, entries, wrong, moved };
}

/** Everyone comes back: processes are opened again, paused runs go on, and a person chooses where nothing did. */
async function finish(group: Group, wrong: string[]): Promise<void> {
  const { lives } = group;
  group.late = true;
  for (let round = 0; round < 8; round += 1) {
    for (const life of lives) if (!life.isOver) await comesBack(life, group, round);
    if (lives.every((life) => life.isOver)) return;
    const open = lives.find((life) => !life.isOver && life.status !== 'cancelling');
    if (round > 1 && group.kept === null && open !== undefined)
      wrong.push(...(await group.keep({ is: 'keep', run: lives.indexOf(open), dies: null, two: false })));
    await calm(250);
    for (const life of lives) await life.rest();
  }
}

async function comesBack(life: AttemptLife, { client }: Group, round: number): Promise<void> {
  if (life.isDead || life.sidecar === null || round % 3 === 2) await life.open();
  if (life.status === 'paused' || life.sidecar === null) {
    await client.unpause(life.run, { by: 'ann' }).catch(ignoreKnown);
    await life.open();
  }
  for (let moves = 0; moves < 4 && life.status === 'running'; moves += 1) await life.move({ is: 'go' });
}
