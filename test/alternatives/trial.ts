/** Runs one scenario for real: attaches the sidecar to a machine with alternatives, and goes on, process after process. */
import { PROCESS } from '../../src/clock/clock.ts';
import type { Ending } from '../../src/index.ts';
import type { StoredRow } from '../../src/journal/journal.ts';
import type { Shown } from '../../src/model/choice-entries.ts';
import { timelineOf } from '../../src/reports/timeline.ts';
import { SPACING } from '../../src/sidecar/opening/options.ts';
import { workClient } from '../../src/workers/index.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { type Death, MortalStore } from '../simulation/mortal-store.ts';
import { VirtualTime } from '../virtual-time.ts';
import { configOf, machineOf } from './machine.ts';
import type { Scenario } from './scenario.ts';
import { type Life, World } from './world.ts';

interface Asked {
  readonly gate: string;
  readonly asks: string;
  readonly candidates?: readonly Shown[];
}

/** What a scenario came to. */
export interface Course {
  readonly world: World;
  readonly ending: Ending | null;
  readonly runState: ReturnType<typeof timelineOf>['runState'];
  readonly standing: ReturnType<typeof timelineOf>['standing'];
  readonly context: Readonly<Record<string, unknown>>;
  readonly appends: number;
  /** The number of appends at which the choice was in the journal; null where it never was. */
  readonly isSaid: boolean;
  readonly refused: string | null;
  readonly errors: readonly string[];
  /** What waited for a person on the way. */
  readonly waited: readonly string[];
}

const ROUNDS = 8;
const IDLE = 12;
const LOOKS = 4_000;

export async function play(scenario: Scenario): Promise<Course> {
  const time = new VirtualTime();
  time.hold();
  const errors: string[] = [];
  const note = (error: unknown) => void errors.push(String(error));
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
  readonly #errors: string[];
  readonly #store: MortalStore;
  readonly #world: World;
  readonly #waited: string[] = [];
  #sidecar: Sidecar | null = null;
  #life: Life = { isDead: false };
  #ending: Ending | null = null;
  #isSaid = false;
  #refused: string | null = null;
  #moves = 0;
  #context: Record<string, unknown> = {};

  constructor(scenario: Scenario, time: VirtualTime, errors: string[]) {
    this.#scenario = scenario;
    this.#time = time;
    this.#errors = errors;
    this.#world = new World(scenario, time.now);
    this.#store = new MortalStore(scenario.crash === null ? [] : [scenario.crash as Death]);
    this.#store.onRows = () => {
      this.#moves += 1;
      const { word } = scenario;
      if (word === null || this.#isSaid || this.#store.appends < word.append) return;
      this.#isSaid = true;
      queueMicrotask(() => this.#word());
    };
    this.#store.onDeath = () => {
      this.#life.isDead = true;
    };
  }

  async run(): Promise<Course> {
    await this.#process(true);
    for (let lives = 0; this.#life.isDead && lives < 4; lives += 1) {
      if (this.#scenario.isDead === true) this.#time.sleep(3_600_000);
      await this.#process(false);
    }
    const rows = [...(await this.#store.next('r').then((store) => store.read('r') as Iterable<StoredRow>))];
    const { standing, runState } = timelineOf(rows as never);
    return {
      ...{ world: this.#world, ending: this.#ending, standing, runState, context: this.#context },
      ...{ appends: this.#store.appends, isSaid: this.#isSaid, refused: this.#refused },
      ...{ errors: this.#errors, waited: this.#waited },
    };
  }

  /** A person says the word of the scenario: once, to the process that is there. */
  #word(): void {
    const sidecar = this.#sidecar;
    if (sidecar === null || this.#life.isDead) return;
    const said = this.#say(sidecar);
    void said.catch((error: { code?: string }) => {
      this.#refused = error.code ?? String(error);
    });
  }

  async #say(sidecar: Sidecar): Promise<unknown> {
    switch (this.#scenario.word?.is) {
      case 'complaint':
        return sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'PRE', entity: 'pre' }, key: 'x' });
      case 'abort':
        return sidecar.cancel({ by: 'ada', undo: true });
      case 'cancel':
        return sidecar.cancel({ by: 'ada' });
      case 'pause': {
        await sidecar.pause({ by: 'ada' });
        return sidecar.unpause({ by: 'ada' });
      }
      case 'leave':
        return sidecar.actor.send({ type: 'LEAVE' } as never);
      default:
        return undefined;
    }
  }

  /** The person is asked for a branch. */
  #chooses(life: Life, gate: string, candidates: readonly Shown[]): void {
    const sidecar = this.#sidecar;
    if (sidecar === null || life.isDead) return;
    const by = { by: 'ann' };
    const open = candidates.filter(({ is }) => is === 'over').map(({ branch }) => branch);
    const [low, high] = [open[0] ?? '', open.at(-1) ?? ''];
    const takes = (branch: string) => void sidecar.answer(gate, 'approved', { ...by, with: branch }).catch(() => {});
    const { choosing } = this.#scenario;
    if (choosing === 'wrong') takes('b9');
    if (choosing === 'complains') this.#findsWrong(sidecar);
    if (choosing === 'denies') void sidecar.answer(gate, 'denied', by).catch(() => {});
    else if (choosing === 'late') PROCESS.after(10_000, () => takes(high));
    else if (choosing !== 'never') takes(choosing === 'low' ? low : high);
    if (choosing === 'twice') takes(low);
  }

  /** The person finds wrong, once, what the branches were given. */
  #findsWrong(sidecar: Sidecar): void {
    if (this.#isFound) return;
    this.#isFound = true;
    const said = sidecar.fail('CONTRACT_VIOLATION', { instance: { skeleton: 'PRE', entity: 'pre' }, key: 'x' });
    void said.catch((error: { code?: string }) => {
      if (!this.#life.isDead && error.code === undefined) this.#errors.push(String(error));
    });
  }

  #isFound = false;

  async #process(isFirst: boolean): Promise<void> {
    const life: Life = { isDead: false };
    this.#life = life;
    this.#sidecar = null;
    const options = {
      run: 'r',
      // A process that takes the run up begins behind a base.
      [SPACING]: { rows: 6, times: 0, newest: 2 },
      config: configOf(this.#scenario),
      journal: await this.#store.next('r'),
      undo: { un: this.#world.undo(life) },
      reconcilers: { find: this.#world.reconciler(life) },
      now: this.#time.now,
      onGate: ({ gate, asks, candidates }: Asked) => {
        if (asks === 'branch') queueMicrotask(() => this.#chooses(life, gate, candidates ?? []));
        if (asks === 'approval') queueMicrotask(() => this.#sidecar?.answer(gate, 'approved', { by: 'ann' }));
      },
    };
    const machine = machineOf(this.#scenario, this.#world, life);
    const sidecar = await this.#opened(isFirst ? attach(machine, options as never) : resume(machine, options as never));
    if (sidecar === null) return;
    this.#sidecar = sidecar;
    for (const asked of sidecar.gates()) options.onGate(asked);
    sidecar.actor.start();
    if (this.#scenario.word?.is === 'pause' && sidecar.status === 'paused')
      void sidecar.unpause({ by: 'ada' }).catch(() => {});
    await this.#goOn(sidecar);
    if (life.isDead) return;
    this.#context = (sidecar.actor.getSnapshot() as { context: Record<string, unknown> }).context;
    await this.#settled(sidecar.close());
  }

  /** The sidecar, once it is there; null where the process died. */
  async #opened(opening: Promise<unknown>): Promise<Sidecar | null> {
    const [done] = await this.#settled(opening.then((sidecar) => sidecar as Sidecar));
    if (done === undefined || this.#life.isDead) return null;
    if (done.status === 'fulfilled') return done.value;
    const { code } = done.reason as { code?: string };
    if (code === 'paused') return this.#unpaused();
    if (code !== 'run_cancelled') this.#errors.push(String(done.reason));
    else this.#ending = { status: 'cancelled', by: 'ada', why: null } as never;
    return null;
  }

  /** A run that a person has paused is not taken up: the person has it go on first. */
  async #unpaused(): Promise<null> {
    await this.#settled(workClient(await this.#store.next('r')).unpause('r', { by: 'ada' }));
    await this.#process(false);
    return null;
  }

  async #goOn(sidecar: Sidecar): Promise<void> {
    for (let round = 0; round <= ROUNDS && !this.#life.isDead; round += 1) {
      const now = await this.#endingOf(sidecar);
      if (this.#life.isDead) return;
      this.#ending = now;
      if (now === null || (now.status !== 'parked' && now.status !== 'stuck')) return;
      this.#waited.push(`${now.status} ${refusalsOf(now)}`);
      if (this.#scenario.person === 'never') return;
      await this.#help(sidecar, now);
    }
  }

  async #settled<T>(...work: readonly Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
    let all: PromiseSettledResult<T>[] | null = null;
    void Promise.allSettled(work).then((done) => {
      all = done;
    });
    await this.#until(() => all !== null || this.#life.isDead);
    return all ?? [];
  }

  async #endingOf(sidecar: Sidecar): Promise<Ending | null> {
    const first = await this.#told(sidecar);
    if (
      first === null ||
      this.#life.isDead ||
      (first.status !== 'parked' && first.status !== 'stuck' && first.status !== 'paused')
    )
      return first;
    await this.#until(() => this.#life.isDead);
    return this.#told(sidecar);
  }

  async #told(sidecar: Sidecar): Promise<Ending | null> {
    let ending: Ending | null = null;
    void sidecar.finished().then(
      (is) => {
        ending = is;
      },
      () => {},
    );
    await this.#until(() => ending !== null || this.#life.isDead);
    return ending;
  }

  async #help(sidecar: Sidecar, ending: Ending): Promise<void> {
    if (ending.status !== 'parked' && ending.status !== 'stuck') return;
    const acts = 'unblock' in ending.decision ? ending.decision.unblock.acts : [];
    const done = acts.flatMap((act): Promise<unknown>[] => {
      if (act.act === 'settle_outcome') return [this.#tell(sidecar, act.effect.id as string)];
      if (act.act === 'undo_by_hand') return [this.#undo(sidecar, act.effect.id as string)];
      return act.act === 'cancel_run' ? [sidecar.cancel({ by: 'ann', undo: true })] : [];
    });
    for (const one of await this.#settled(...done))
      if (one.status === 'rejected') this.#errors.push(String(one.reason));
  }

  #tell(sidecar: Sidecar, key: string): Promise<unknown> {
    const act = this.#world.acts.get(key);
    return sidecar.settle(
      key,
      act === undefined ? 'failed' : 'confirmed',
      act === undefined ? undefined : `${act.tool}:${act.branch}:${act.nth}`,
    );
  }

  #undo(sidecar: Sidecar, key: string): Promise<unknown> {
    const isThere = this.#world.acts.get(key)?.isThere === true;
    if (this.#scenario.person === 'stands' && isThere) return sidecar.stand(key, { by: 'ann' });
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

function refusalsOf(ending: Ending): string {
  if (!('decision' in ending)) return '';
  return ending.decision.refusals
    .map((refusal) => ('code' in refusal ? refusal.code : refusal.adds.map(({ code }) => code).join('+')))
    .join(',');
}
