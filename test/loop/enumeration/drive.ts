/**
 * Runs one case for real: hands the inputs in one after the other, says what was found wrong, has the process die where the case says so, and takes
 * the loop up in another one, which hands the same input in again.
 */
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import { loadConfig } from '../../../src/boundaries/load.ts';
import { flow } from '../../../src/flow/flow.ts';
import { memoryStore } from '../../../src/journal/memory/store.ts';
import { type AttachedLoop, loop } from '../../../src/loop/loop.ts';
import { MortalStore } from '../../../src/rehearsal/trial/mortal-store.ts';
import { timelineOf } from '../../../src/reports/timeline.ts';
import { workClient } from '../../../src/workers/client.ts';
import { VirtualTime } from '../../virtual-time.ts';
import { type Case, CLASSES, type Class, type TurnAct } from './cases.ts';
import { type Act, type Wanted, World } from './world.ts';

type Log = readonly string[];

/** What has happened. */
export interface Result {
  readonly world: World;
  /** What each turn has answered with. */
  readonly said: readonly Log[];
  /** What the loop says at the end; null where it is parked. */
  readonly state: Log | null;
  /** The code by which the complaint was refused; `taken` where it was, null where there was none. */
  readonly answer: string | null;
  /** True where a process had died, and the turn that the complaint is about was over by the world when the next one told it. */
  readonly isSaid: boolean;
  /** The turns that an act has taken out while they were open. */
  readonly gone: readonly number[];
  /** The acts that stood when the act on a turn was answered: what may be why it was refused. */
  readonly after: readonly Pick<Act, 'tool' | 'turn' | 'id' | 'of' | 'answer'>[];
  /** The acts that stood when the complaint was told. */
  readonly before: readonly string[];
  /** Null where it came to rest. */
  readonly hangs: string | null;
  /** The answers of the model that the journal had when the process died. */
  readonly durable: readonly string[];
  readonly appends: number;
}

/** What a turn says otherwise lies so far behind it. */
export const AGAIN = 10;
const LONGEST = 3_000;
const IDLE = 4;
const known = new Map<string, BoundaryConfig>();

class Dead extends Error {}

/** The page of all cases: one tool for each class. A step of a flow may be behind any other, and at the end of a turn. */
function configOf(decides: boolean, { as, isNarrow }: Pick<Case, 'as' | 'isNarrow'>): BoundaryConfig {
  const name = `${as} ${decides} ${isNarrow}`;
  const made = known.get(name);
  if (made !== undefined) return made;
  const tools = ['model', ...CLASSES.map((each) => `t_${each}`)];
  const reads = as === undefined || isNarrow ? 'reads: []' : 'reads: [turns, steps]';
  const exits = (tool: string) =>
    (as === undefined ? ['end'] : [...tools, 'end']).map((to) => ({
      id: `${tool}_${to}`,
      at: `${tool} -> ${to}`,
      when: 'true',
      outputs: [`steps/${tool}@{entity}`],
    }));
  const text = [
    'belay: 1\nagent: little\ntries: 50\ntools:',
    `  model: { ${reads}, writes: [], effect: none${decides ? ', decides: true' : ''} }`,
    ...CLASSES.map((effect) => {
      const undo = effect === 'reversible' ? ', undo: undo' : '';
      const ask =
        effect === 'none' ? ', retry: { max: 2, backoff: 1ms }' : ', reconcile: { ask: find, tries: 3, wait: 1ms }';
      return `  t_${effect}: { ${reads}, writes: [], effect: ${effect}${undo}${ask} }`;
    }),
    'skeletons:',
    ...tools.map(
      (tool) => `  ${tool}_:
    entity: args.call
    states: [${tool}]
    entry: [${tool}]
    outputs: ['steps/${tool}@{entity}']
    exit: ${JSON.stringify(exits(tool))}
    rollback: { anchors: ${JSON.stringify(exits(tool).map(({ id }) => id))}, resume: ${tool}, compensable: undo, tries: 20, joint: [${tools.map((each) => `${each}_`).join(', ')}] }`,
    ),
    '',
  ].join('\n');
  const { config, findings } = loadConfig(text, { file: 'little.yaml' });
  if (config === null) throw new Error(`${findings.map(({ message }) => message)}\n${text}`);
  known.set(name, config);
  return config;
}

/** Runs one case. */
export async function runCase(one: Case): Promise<Result> {
  const time = new VirtualTime();
  time.hold();
  try {
    return await new Drive(one, time).whole();
  } finally {
    time.release();
  }
}

/** The ways of the program, whatever it is. */
interface Ways {
  ask(on: readonly string[], turn: number, wants: readonly Class[]): Promise<Wanted>;
  /** Makes the calls that are wanted. @returns their answers, in order. */
  all(wanted: Wanted, turn: number): Promise<readonly string[]>;
  receive<T>(said: unknown): Promise<T>;
}

type Settled = { readonly value: unknown } | { readonly error: unknown };

class Drive {
  readonly #case: Case;
  readonly #time: VirtualTime;
  readonly #world: World;
  readonly #rows = memoryStore();
  readonly #store: MortalStore;
  #life = { isDead: false };
  #run: AttachedLoop | null = null;
  #beats = 0;
  #answer: string | null = null;
  #before: string[] = [];
  #isDue = false;
  readonly #gone: number[] = [];
  #after: Result['after'] = [];
  readonly #durable: string[] = [];
  #isSaid = false;
  #deaths = 0;
  #pause: 'due' | 'on' | 'over' = 'due';

  constructor(one: Case, time: VirtualTime) {
    this.#case = one;
    this.#time = time;
    this.#world = new World(one);
    const death = () => {
      this.#deaths += 1;
      this.#life.isDead = true;
      this.#world.dies();
      const rows = JSON.stringify([...this.#rows.read('r')], (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      );
      this.#durable.push(
        ...this.#world.thoughts.flatMap(({ answer }) =>
          rows.includes(`"${answer}`) || rows.includes(`\\"${answer}`) ? [answer] : [],
        ),
      );
    };
    const row = () => {
      this.#beats += 1;
    };
    this.#store = new MortalStore(this.#rows, one.dies, { death, row });
  }

  async whole(): Promise<Result> {
    const said: Log[] = [];
    let [state, hangs]: [Log | null, string | null] = [null, null];
    try {
      await this.#begin('attach').catch((error) => {
        if (!(error instanceof Dead)) throw error;
      });
      for (const [turn] of this.#case.turns.entries()) {
        this.#world.turn = turn;
        said.push(await this.#alive((run) => this.#turn(run, turn)));
        if (this.#isDueAt(turn, 'over')) await this.#alive((run) => this.#complain(run));
      }
      state = ((await this.#alive((run) => this.#settles(run.invoke()))) ?? []) as Log;
    } catch (error) {
      this.#world.log.push(`ends: ${(error as Error).message}`);
      if ((error as { readonly code?: string }).code !== 'run_parked') hangs = String((error as Error).stack ?? error);
    }
    await this.#run?.close().catch(() => {});
    const { appends } = this.#store;
    const [world, answer, before, durable] = [this.#world, this.#answer, this.#before, this.#durable];
    const [gone, after] = [this.#gone, this.#after];
    return { world, said, state, answer, isSaid: this.#isSaid, gone, after, before, hangs, durable, appends };
  }

  #program(life: { readonly isDead: boolean }) {
    return this.#case.as === 'flow' ? this.#flow(life) : this.#loop(life);
  }

  #loop(life: { readonly isDead: boolean }) {
    const world = this.#world;
    const never = () => new Promise<never>(() => {});
    return loop('little', ({ think, act, receive }) => {
      const ask: Ways['ask'] = (on, turn, wants) =>
        think(on, () => (life.isDead ? never() : world.think(on, turn, wants)));
      const all: Ways['all'] = ({ answer, calls }, turn) =>
        Promise.all(
          calls.map(({ tool, id }) =>
            act(`t_${tool}`, id, { of: answer }, ({ key = '', input }) =>
              life.isDead ? never() : world.act(tool, id, turn, input.of, key),
            ),
          ),
        );
      return this.#body({ ask, all, receive });
    });
  }

  /** The same, one step after the other. */
  #flow(life: { readonly isDead: boolean }) {
    const world = this.#world;
    const never = () => new Promise<never>(() => {});
    return flow<undefined>('little', (step, _, receive) => {
      let thoughts = 0;
      const ask: Ways['ask'] = (on, turn, wants) => {
        thoughts += 1;
        const call = String(thoughts);
        return step(`model@${call}`, { call, on }, ({ input }) =>
          life.isDead ? never() : world.think(input.on, turn, wants),
        );
      };
      const all: Ways['all'] = async ({ answer, calls }, turn) => {
        const answers: string[] = [];
        for (const { tool, id } of calls)
          answers.push(
            await step(`t_${tool}@${id}`, { call: id, of: answer }, ({ key = '', input }) =>
              life.isDead ? never() : world.act(tool, id, turn, input.of, key),
            ),
          );
        return answers;
      };
      return this.#body({ ask, all, receive });
    });
  }

  async #body({ ask, all, receive }: Ways): Promise<never> {
    const { turns, act: turnAct } = this.#case;
    const log: string[] = [];
    for (;;) {
      const said = await receive<number>([...log]);
      const turn = said % AGAIN;
      log.push(`in ${said}`);
      for (const wants of turns[turn] ?? []) {
        const on = turnAct?.isBlind ? [`turn ${turn}`, `round ${log.length}`] : [...log];
        const wanted = await ask(on, turn, wants);
        log.push(wanted.answer);
        log.push(...(await all(wanted, turn)));
      }
    }
  }

  async #begin(how: 'attach' | 'resume'): Promise<void> {
    const life = { isDead: false };
    this.#life = life;
    this.#run = null;
    const never = () => new Promise<never>(() => {});
    const opening = this.#program(life)[how]({
      input: undefined,
      run: 'r',
      // An equal question has its old answer.
      config: configOf(this.#case.act !== undefined, this.#case),
      journal: await this.#store.next(),
      said: this.#case.said,
      now: this.#time.now,
      reconcilers: { find: (call) => (life.isDead ? never() : this.#world.find(call)) },
      undo: { undo: (call) => (life.isDead ? never() : this.#world.undo(call)) },
      onFinding: ({ code, text }) => {
        this.#world.log.push(`${code}: ${text}`);
      },
    });
    // A flow is entered as it is opened: where something is to be said of it, its calls come back once that is said.
    const isToSay = this.#isDue && this.#answer === null;
    this.#run = (await this.#settles(opening, this.#case.as !== 'flow' || !isToSay)) as AttachedLoop;
  }

  /** Does something in a process, and once more in the next one where it dies over it. */
  async #alive<T>(go: (run: AttachedLoop) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        if (this.#life.isDead || this.#run === null) await this.#begin('resume');
        // What was found wrong is told again where the process died over it.
        if (this.#isDue && this.#answer === null) await this.#complain(this.#run as AttachedLoop);
        return await go(this.#run as AttachedLoop);
      } catch (error) {
        const isPaused = (error as { readonly code?: string }).code === 'paused' && this.#case.pauses !== undefined;
        if (isPaused) await this.#unpauses();
        else if (!(error instanceof Dead)) throw error;
      }
    }
  }

  async #turn(run: AttachedLoop, turn: number): Promise<Log> {
    // What is done again behind a complaint is waited for.
    if (this.#answer === 'taken') {
      const before = run.invoke();
      before.catch(() => {});
      if (!this.#isOwn(turn)) await this.#settles(before);
    }
    const invoked = this.#case.by === 'message' ? this.#sent(run, turn) : run.invoke(turn, { id: `m${turn}` });
    invoked.catch(() => {});
    for (const moment of ['model', 'act'] as const)
      if (this.#isDueAt(turn, moment)) {
        const isUnderWay = () => this.#world.calls.some(({ of }) => of === moment);
        await this.#settled(invoked, isUnderWay);
        if (isUnderWay()) await this.#complain(run);
      }
    try {
      return (await this.#settles(invoked)) as Log;
    } catch (error) {
      const isGone = (error as { readonly code?: string }).code === 'turn_retracted' && this.#case.act !== undefined;
      if (!isGone) throw error;
      this.#gone.push(turn);
      return [];
    }
  }

  /** Leaves the turn as another process does, and waits until it is over or the run stands still. */
  async #sent(run: AttachedLoop, turn: number): Promise<unknown> {
    const client = workClient(this.#rows);
    const id = `m${turn}`;
    // A sender that has no answer sends it again.
    for (let times = 0; times < 2; times += 1) await client.send('r', { type: 'turn', input: turn }, { id });
    let error: unknown = null;
    run.invoke().catch((failed: unknown) => {
      error = failed;
    });
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const { idle } = run.rest();
      if (run.status === 'parked' || run.status === 'stuck') await run.invoke();
      if (!idle && error === null) continue;
      const told = await client.outcome('r', id);
      if (told?.turn?.isOver === true) return told.turn.said;
      if (error !== null) throw error;
      if (told?.is === 'retracted') throw Object.assign(new Error('it was taken out'), { code: 'turn_retracted' });
      if (told?.is === 'refused') throw new Error(`refused: ${told.why}`);
    }
  }

  /** True where the turn itself is the one that is done again. */
  #isOwn(turn: number): boolean {
    return this.#due?.during === turn && this.#due.while !== 'over';
  }

  #isDueAt(turn: number, moment: string): boolean {
    return this.#due?.during === turn && this.#due.while === moment && this.#answer === null;
  }

  get #due(): Pick<TurnAct, 'during' | 'while'> | null {
    return this.#case.act ?? this.#case.complaint;
  }

  /** Says the input of a turn otherwise, or that it never was. */
  async #steer(run: AttachedLoop, { about, during, does, ahead }: TurnAct): Promise<void> {
    if (this.#answer !== null) return;
    if (ahead === true && !this.#isDue) await this.#leavesLater(during);
    this.#isDue = true;
    this.#before = this.#world.acts.filter(({ undone }) => !undone).map(({ answer }) => answer);
    if (run.status === 'opening') void run.invoke().catch(() => {});
    await this.#quiet();
    const how = { id: 'act' };
    const saying =
      does === 'revise' ? run.revise(`m${about}`, { input: about + AGAIN }, how) : run.retract(`m${about}`, how);
    const answer = (await this.#settled(saying)) as Settled;
    if ('error' in answer) this.#answer = String((answer.error as { readonly code?: string }).code ?? answer.error);
    else {
      const { is, why } = answer.value as { readonly is: string; readonly why: string | null };
      this.#answer = is === 'refused' ? `refused: ${why}` : 'taken';
      this.#world.log.push(`${is} ${why}`);
    }
    this.#after = this.#world.acts
      .filter(({ undone }) => !undone)
      .map(({ tool, turn, id, of, answer }) => ({ tool, turn, id, of, answer }));
    this.#world.log.push(`answer: ${this.#answer}`);
  }

  /** Leaves the turns behind one: they wait for it. */
  async #leavesLater(turn: number): Promise<void> {
    const client = workClient(this.#rows);
    for (let later = turn + 1; later < this.#case.turns.length; later += 1)
      await client.send('r', { type: 'turn', input: later }, { id: `m${later}` });
  }

  async #complain(run: AttachedLoop): Promise<void> {
    if (this.#case.act !== undefined) {
      await this.#steer(run, this.#case.act);
      return;
    }
    const { complaint, turns } = this.#case;
    if (complaint === null) return;
    if (!this.#isDue) this.#before = this.#world.acts.filter(({ undone }) => !undone).map(({ answer }) => answer);
    const { about, of } = complaint;
    // A flow that a process takes up goes on by itself: its turn may be over before anyone complains.
    const ended = timelineOf([...this.#rows.read('r')]).runState.turns.said;
    if (this.#deaths > 0 && (ended?.turn ?? 0) > about && this.#world.isWhole(about)) this.#isSaid = true;
    const rounds = turns.slice(0, about).reduce((sum, { length }) => sum + length, 0);
    const own = this.#world.acts.findLast((act) => act.turn === about && act.isWrong);
    const entity = of === 'model' ? String(rounds + 1) : own?.id;
    const skeleton = of === 'model' ? 'model_' : `t_${own?.tool}_`;
    this.#isDue = true;
    this.#world.isTold = true;
    this.#world.log.push(`fail(${skeleton} ${entity})`);
    // Without it the run is not there to hear of it.
    if (run.status === 'opening') void run.invoke().catch(() => {});
    await this.#quiet();
    const failing = run.fail('CONTRACT_VIOLATION', { instance: { skeleton, entity: entity ?? '' } });
    const answer = await this.#settled(failing);
    this.#answer =
      answer !== null && 'error' in answer
        ? String((answer.error as { readonly code?: string }).code ?? answer.error)
        : 'taken';
    this.#world.log.push(`answer: ${this.#answer}`);
  }

  /** Waits for something, has calls return meanwhile, and timers fire. @throws Dead where the process dies. */
  async #settles(promise: Promise<unknown>, returns = true): Promise<unknown> {
    const settled = (await this.#settled(promise, undefined, returns)) as Settled;
    if ('error' in settled) throw settled.error;
    return settled.value;
  }

  /** @returns null where it has come to where it is to be left. */
  async #settled(promise: Promise<unknown>, isLeft = () => false, returns = true): Promise<Settled | null> {
    let settled: Settled | null = null;
    promise.then(
      (value) => {
        settled = { value };
      },
      (error: unknown) => {
        settled = { error };
      },
    );
    for (let times = 0; times < 300; times += 1) {
      await this.#quiet();
      if (this.#life.isDead) throw new Dead();
      if (settled !== null) return settled;
      if (isLeft()) return null;
      await this.#pauses();
      const [call] = this.#world.calls;
      if (call !== undefined && returns) call.return();
      else if (this.#time.fireNext()) continue;
      else if (this.#pause === 'on') await this.#unpauses();
      else break;
    }
    throw new Error(`at rest, ${this.#run?.status}, and nothing comes of it`);
  }

  /** Has a person pause the run where that is due. */
  async #pauses(): Promise<void> {
    const { pauses } = this.#case;
    const run = this.#run;
    if (pauses === undefined || this.#pause !== 'due' || run === null || this.#store.appends <= pauses) return;
    this.#pause = 'over';
    let isSaid = false;
    const told = (pause: 'on' | 'over', text: string) => () => {
      [isSaid, this.#pause] = [true, pause];
      this.#world.log.push(text);
    };
    run.pause({ by: 'ann' }).then(told('on', 'paused'), told('over', 'not paused'));
    // A process that dies over it says nothing more.
    while (!isSaid && !this.#life.isDead) await this.#quiet();
    if (!isSaid) throw new Dead();
  }

  async #unpauses(): Promise<void> {
    this.#pause = 'over';
    this.#world.log.push('goes on');
    await workClient(this.#rows).unpause('r', { by: 'ann' });
    this.#run?.rest();
  }

  /** Waits until promises and flushes have nothing more to do. */
  async #quiet(): Promise<void> {
    // A loop that is entered on paper is waited for.
    const isOnPaper = this.#case.act !== undefined ? this.#answer === null : this.#case.as === 'flow';
    const longest = this.#isDue && isOnPaper ? 110 : IDLE;
    for (let idle = 0, before = -1, turns = 0; idle < longest; turns += 1) {
      if (turns > LONGEST) throw new Error('it is busy with itself for ever');
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.#beats + this.#world.log.length;
      idle = now === before ? idle + 1 : 0;
      before = now;
    }
  }
}
