/** Runs one scenario for real: attaches the sidecar to a machine, says that the run is to end with its undos, and goes on, process after process. */
import { type AnyStateMachine, assign, setup } from 'xstate';
import { type BoundaryConfig, type Ending, loadConfig } from '../../src/index.ts';
import { kindNumbered } from '../../src/journal/entry-table.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { type Death, MortalStore } from '../simulation/mortal-store.ts';
import { VirtualTime } from '../virtual-time.ts';
import type { CallName, Case, Kind, Scenario } from './scenario.ts';
import { type Life, World } from './world.ts';

const CLASSES: Readonly<Record<Kind, string>> = {
  idempotent: 'effect: idempotent',
  reversible: 'effect: reversible, undo: un',
  compensable: 'effect: compensable, undo: un',
  irreversible: 'effect: irreversible',
  bare: 'effect: compensable',
  gated: 'effect: compensable, undo: un, gate: true',
};

const configs = new Map<string, BoundaryConfig>();

/** The config of a case. */
function configOf({ shape, a, b }: Case): BoundaryConfig {
  const known = configs.get(`${shape} ${a} ${b}`);
  if (known !== undefined) return known;
  const rests = shape === 'rests' || shape === 'restored';
  const [from, next] =
    shape === 'beside' ? ['left.first', 'left.over'] : ['first', shape === 'one' ? 'waiting' : 'second'];
  const [second, end] = shape === 'beside' ? ['right.second', 'right.over'] : ['second', 'waiting'];
  const b2 =
    shape === 'one'
      ? ''
      : `
  TWO:
    entity: '"two"'
    states: ['${second}']
    entry: ['${second}']
    inputs: [${rests ? 'x' : ''}]
    outputs: [y]
    exit: [{ id: two, at: ${second} -> ${end}, when: memory.?y.hasValue() }]
    rollback: { anchors: [two], resume: '${second}', compensable: undo }`;
  const text = `
belay: 1
agent: m
tools:
  a: { reads: [], writes: [x], ${CLASSES[a]}, reconcile: find, timeout: 5s }
  b: { reads: [${rests ? 'x' : ''}], writes: [y], ${CLASSES[b]}, reconcile: find, timeout: 5s }
skeletons:
  ONE:
    entity: '"one"'
    states: ['${from}']
    entry: ['${from}']
    outputs: [x]
    exit: [{ id: one, at: ${from} -> ${next}, when: memory.?x.hasValue() }]
    rollback: { anchors: [one], resume: '${from}', compensable: undo }${b2}
`;
  const { config, findings } = loadConfig(text, { file: 'm.yaml' });
  if (config === null) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  configs.set(`${shape} ${a} ${b}`, config);
  return config;
}

function calling(name: CallName, key: string, target: string, reads: string | null) {
  return {
    invoke: {
      src: name,
      ...(reads !== null && {
        input: ({ context }: { context: Record<string, unknown> }) => ({ [reads]: context[reads] }),
      }),
      onDone: {
        target,
        actions: [assign({ [key]: ({ event }: { event: { output: unknown } }) => event.output } as never)],
      },
    },
  };
}

function machineOf({ shape }: Case, world: World, life: Life): AnyStateMachine {
  const rests = shape === 'rests' || shape === 'restored' ? 'x' : null;
  const waiting = { waiting: { on: { GO: 'end' } }, end: { type: 'final' as const } };
  const definition =
    shape === 'one'
      ? { initial: 'first', states: { first: calling('a', 'x', 'waiting', null), ...waiting } }
      : shape === 'beside'
        ? {
            type: 'parallel',
            states: {
              left: { initial: 'first', states: { first: calling('a', 'x', 'over', null), over: {} } },
              right: { initial: 'second', states: { second: calling('b', 'y', 'over', null), over: {} } },
            },
          }
        : {
            initial: 'first',
            states: {
              first: calling('a', 'x', 'second', null),
              second: calling('b', 'y', 'waiting', rests),
              ...waiting,
            },
          };
  const actors = { a: world.tool('a', life), b: world.tool('b', life) };
  return setup({ actors: actors as never }).createMachine({ id: 'm', context: {}, ...definition } as never) as never;
}

/** What a scenario came to. */
export interface Course {
  readonly world: World;
  readonly ending: Ending | null;
  /** The status of the journal of the run. */
  readonly standing: ReturnType<typeof timelineOf>['standing'];
  readonly runState: ReturnType<typeof timelineOf>['runState'];
  /** The number of appends before the word, and in all. */
  readonly before: number;
  readonly appends: number;
  /** True where the run came to stand still, or to its end. */
  readonly isQuiet: boolean;
  readonly crashed: boolean;
  /** The errors that nothing handled. */
  readonly errors: readonly string[];
}

function isEnding(rows: readonly Pick<StoredRow, 'kind'>[]): boolean {
  return rows.some(({ kind }) => kindNumbered(kind) === 'cancel');
}

/** How often a person helps. */
const ROUNDS = 8;
/** The looks after which a run that does nothing counts as quiet, and the most of them. */
const IDLE = 12;
const LOOKS = 4_000;

/** Runs a scenario; without a moment, its machine as far as it goes by itself. */
export async function play(scenario: Scenario, isCancelled = true): Promise<Course> {
  const time = new VirtualTime();
  time.hold();
  const errors: string[] = [];
  const note = (error: unknown) => void errors.push(String(error));
  process.on('unhandledRejection', note);
  try {
    return await new Trial(scenario, isCancelled, time, errors).run();
  } finally {
    process.off('unhandledRejection', note);
    time.release();
  }
}

class Trial {
  readonly #scenario: Scenario;
  readonly #isCancelled: boolean;
  readonly #time: VirtualTime;
  readonly #errors: string[];
  readonly #store: MortalStore;
  readonly #world: World;
  #sidecar: Sidecar | null = null;
  #life: Life = { isDead: false };
  #ending: Ending | null = null;
  #isSaid = false;
  #before = 0;
  #crashed = false;
  #moves = 0;

  constructor(scenario: Scenario, isCancelled: boolean, time: VirtualTime, errors: string[]) {
    this.#scenario = scenario;
    this.#isCancelled = isCancelled;
    this.#time = time;
    this.#errors = errors;
    this.#world = new World(scenario, isCancelled);
    this.#store = new MortalStore([]);
    const { moment } = scenario;
    this.#store.onRows = (rows) => {
      this.#moves += 1;
      if (isEnding(rows)) this.#world.isFenced = true;
      if (isCancelled && 'append' in moment && this.#store.appends === moment.append) this.#word();
    };
    this.#store.onDeath = () => {
      this.#life.isDead = true;
      this.#crashed = true;
    };
    this.#world.onUnder = () => this.#word();
  }

  async run(): Promise<Course> {
    await this.#process(true);
    for (let lives = 0; this.#life.isDead && lives < 4; lives += 1) await this.#process(false);
    const rows = [...(await this.#store.next('r').then((store) => store.read('r') as Iterable<never>))];
    const { standing, runState } = timelineOf(rows);
    return {
      world: this.#world,
      ending: this.#ending,
      standing,
      runState,
      before: this.#before,
      appends: this.#store.appends,
      isQuiet: this.#ending !== null || !this.#isCancelled,
      crashed: this.#crashed,
      errors: this.#errors,
    };
  }

  /** The word that the run is to end with its undos: said at the moment, and again to each process after it. */
  #word(): void {
    if (this.#isSaid) return;
    this.#isSaid = true;
    this.#before = this.#store.appends;
    const { crash } = this.#scenario;
    if (crash !== null) this.#store.kill({ append: this.#before + crash.append, when: crash.when } as Death);
    this.#world.takeAway();
    queueMicrotask(() => this.#cancel());
  }

  #cancel(): void {
    const sidecar = this.#sidecar;
    // One that is being opened hears of it as soon as it is there.
    if (sidecar === null) return;
    void sidecar.cancel({ by: 'ada', undo: true }).catch(() => {});
  }

  async #process(isFirst: boolean): Promise<void> {
    const life: Life = { isDead: false };
    this.#life = life;
    this.#sidecar = null;
    const { shape } = this.#scenario;
    const config = configOf(this.#scenario);
    const journal = await this.#store.next('r');
    // What a process has appended as it died may be there, or be lost.
    if (!isFirst) this.#world.isFenced = isEnding([...(journal.read('r') as Iterable<StoredRow>)]);
    const options = {
      run: 'r',
      config,
      journal,
      undo: { un: this.#world.undo(life) },
      reconcilers: { find: this.#world.reconciler(life) },
      now: this.#time.now,
    };
    const machine = machineOf(this.#scenario, this.#world, life);
    const sidecar = await this.#opened(isFirst ? attach(machine, options as never) : resume(machine, options as never));
    if (sidecar === null) return;
    this.#sidecar = sidecar;
    if (this.#isSaid) this.#cancel();
    sidecar.actor.start();
    await this.#goOn(sidecar, isFirst && shape === 'restored' ? this.#complaining(sidecar) : () => {});
    if (!life.isDead) await this.#settled(sidecar.close());
  }

  /** The sidecar, once it is there; null where the process died, or the run was over. */
  async #opened(opening: Promise<unknown>): Promise<Sidecar | null> {
    const [done] = await this.#settled(opening.then((sidecar) => sidecar as Sidecar));
    if (done === undefined || this.#life.isDead) return null;
    if (done.status === 'fulfilled') return done.value;
    // A run that was ended before its first step is refused: it is over.
    if ((done.reason as { code?: string }).code !== 'run_cancelled') this.#errors.push(String(done.reason));
    else this.#ending = { status: 'compensated', by: 'ada', why: null, standing: [], stands: [] };
    return null;
  }

  /** Complains about the first call, once, as soon as the machine waits. */
  #complaining(sidecar: Sidecar): () => void {
    let isDone = false;
    return () => {
      if (isDone || (sidecar.actor.getSnapshot() as { value?: unknown }).value !== 'waiting') return;
      isDone = true;
      const instance = { skeleton: 'ONE', entity: 'one' };
      void sidecar.fail('CONTRACT_VIOLATION', { instance, key: 'x' }).catch(() => {});
    };
  }

  /** Goes on until the run ends, or waits for a person who never comes. */
  async #goOn(sidecar: Sidecar, look: () => void): Promise<void> {
    for (let round = 0; round <= ROUNDS && !this.#life.isDead; round += 1) {
      const now = await this.#endingOf(sidecar, look);
      if (this.#life.isDead) return;
      this.#ending = now;
      if (now === null || now.status === 'compensated' || now.status === 'done') return;
      if (!this.#world.isFenced || this.#scenario.person === 'never') return;
      await this.#help(sidecar, now);
    }
  }

  /** What some work came to; nothing where the process died before, or it never comes to anything. */
  async #settled<T>(...work: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
    let all: PromiseSettledResult<T>[] | null = null;
    void Promise.allSettled(work).then((done) => {
      all = done;
    });
    await this.#until(() => all !== null || this.#life.isDead);
    return all ?? [];
  }

  /** How a run ends, or stands still once nothing moves; null where it does neither. */
  async #endingOf(sidecar: Sidecar, look: () => void): Promise<Ending | null> {
    const first = await this.#told(sidecar, look);
    // A standstill before the word may have been told as it was said.
    if (first === null || first.status === 'compensated' || this.#life.isDead) return first;
    await this.#until(() => this.#life.isDead);
    return this.#told(sidecar, look);
  }

  async #told(sidecar: Sidecar, look: () => void): Promise<Ending | null> {
    let ending: Ending | null = null;
    void sidecar.finished().then(
      (is) => {
        ending = is;
      },
      () => {},
    );
    await this.#until(() => {
      look();
      return ending !== null || this.#life.isDead;
    });
    return ending;
  }

  /** A person does what the run waits for: says what became of calls, undoes what is owed, or says that it stands. */
  async #help(sidecar: Sidecar, ending: Ending): Promise<void> {
    if (ending.status !== 'parked' && ending.status !== 'stuck') return;
    const acts = 'unblock' in ending.decision ? ending.decision.unblock.acts : [];
    const done = acts.flatMap((act): Promise<unknown>[] => {
      if (act.act === 'settle_outcome') return [this.#tell(sidecar, act.effect.id as string)];
      return act.act === 'undo_by_hand' ? [this.#undo(sidecar, act.effect.id as string)] : [];
    });
    for (const one of await this.#settled(...done))
      if (one.status === 'rejected') this.#errors.push(String(one.reason));
  }

  #tell(sidecar: Sidecar, key: string): Promise<unknown> {
    const isThere = this.#world.acts.has(key);
    return sidecar.settle(key, isThere ? 'confirmed' : 'failed', isThere ? 'seen' : undefined);
  }

  #undo(sidecar: Sidecar, key: string): Promise<unknown> {
    const isThere = this.#world.acts.get(key)?.isThere === true;
    if (this.#scenario.person === 'stands' && isThere) return sidecar.stand(key, { by: 'ada' });
    this.#world.byHand(key);
    return sidecar.settle(key, 'compensated');
  }

  /** Waits until something holds, or nothing moves any more. */
  async #until(holds: () => boolean): Promise<void> {
    for (let [looks, idle] = [0, 0]; looks < LOOKS && idle < IDLE; looks += 1) {
      const before = this.#moves;
      await new Promise((resolve) => setImmediate(resolve));
      if (holds()) return;
      if (this.#moves !== before) {
        idle = 0;
        continue;
      }
      await new Promise((resolve) => setImmediate(resolve));
      if (holds()) return;
      idle = this.#moves !== before || this.#time.fireNext() ? 0 : idle + 1;
    }
  }
}
