/**
 * Runs one case for real: hands the inputs in one after the other, answers what is asked, says what was found wrong, has the process die where the
 * case says so, and takes the thread up in another one, which hands the same input in again.
 */
import { Command } from '@langchain/langgraph';
import { memoryStore } from '../../../src/journal/memory/store.ts';
import { type AttachedGraph, attachGraph, resumeGraph } from '../../../src/langgraph/graph.ts';
import { MortalStore } from '../../../src/rehearsal/trial/mortal-store.ts';
import { VirtualTime } from '../../virtual-time.ts';
import { type Case, nodeOf, type TurnAct } from './cases.ts';
import { configOf, graphOf } from './little.ts';
import { type Act, World } from './world.ts';

/** The state of a thread, as its caller has it. */
export interface Said {
  readonly log: readonly string[];
  readonly [key: string]: unknown;
}

/** What has happened. */
export interface Result {
  readonly world: World;
  /** The state that each turn has answered with. */
  readonly said: readonly Said[];
  /** The state at the end; null where the thread is parked. */
  readonly state: Said | null;
  /** The code by which the complaint was refused; `taken` where it was, null where there was none. */
  readonly answer: string | null;
  /** The acts that stood when the complaint was told, or the act on a turn. */
  readonly before: readonly string[];
  /** The acts that stood when the act on a turn was answered: what may be why it was refused. */
  readonly after: readonly Act[];
  /** The turns that an act has taken out while they were open, or before they were handed in again. */
  readonly gone: readonly number[];
  /** Null where it came to rest. */
  readonly hangs: string | null;
  /** The answers that the journal had when the process died. */
  readonly durable: readonly string[];
  readonly appends: number;
}

const LONGEST = 3_000;
const IDLE = 4;
/** Longer than a graph that is entered on paper waits for its next step. */
const ON_PAPER = 110;

class Dead extends Error {}

/** Runs one case. */
export async function runCase(one: Case): Promise<Result> {
  const time = new VirtualTime();
  time.hold();
  const drive = new Drive(one, time);
  try {
    return await drive.whole();
  } finally {
    time.release();
  }
}

type Settled = { readonly value: unknown } | { readonly error: unknown };

class Drive {
  readonly #case: Case;
  readonly #time: VirtualTime;
  readonly #world: World;
  readonly #rows = memoryStore();
  readonly #store: MortalStore;
  #life = { isDead: false };
  #run: AttachedGraph | null = null;
  #beats = 0;
  #answer: string | null = null;
  #before: string[] = [];
  #after: Act[] = [];
  readonly #gone: number[] = [];
  /** The name of the answer that is retracted; null before that. */
  #reopens: string | null = null;
  #isDue = false;
  readonly #durable: string[] = [];

  constructor(one: Case, time: VirtualTime) {
    this.#case = one;
    this.#time = time;
    this.#world = new World(one);
    const death = () => {
      this.#life.isDead = true;
      this.#world.dies();
      const rows = JSON.stringify([...this.#rows.read('r')], (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      );
      this.#durable.push(...this.#world.acts.map(({ answer }) => answer).filter((answer) => rows.includes(answer)));
    };
    const row = () => {
      this.#beats += 1;
    };
    this.#store = new MortalStore(this.#rows, one.dies, { death, row });
  }

  async whole(): Promise<Result> {
    const said: Said[] = [];
    let [state, hangs]: [Said | null, string | null] = [null, null];
    try {
      await this.#begin(attachGraph).catch((error) => {
        if (!(error instanceof Dead)) throw error;
      });
      for (const [turn, node] of this.#case.thread.turns.entries()) {
        this.#world.turn = turn;
        said.push(await this.#alive((run) => this.#turn(run, turn, node)));
        if (this.#isDueAt(turn, false)) await this.#alive((run) => this.#complain(run));
      }
      state = await this.#alive((run) => this.#toEnd(run.invoke()));
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'run_parked') hangs = String((error as Error).stack ?? error);
    }
    await this.#run?.close().catch(() => {});
    const { appends } = this.#store;
    return {
      world: this.#world,
      said,
      state,
      answer: this.#answer,
      before: this.#before,
      after: this.#after,
      gone: this.#gone,
      hangs,
      durable: this.#durable,
      appends,
    };
  }

  async #begin(opens: typeof attachGraph): Promise<void> {
    const life = { isDead: false };
    this.#life = life;
    const never = () => new Promise<never>(() => {});
    const { setting } = this.#case;
    const opening = opens(
      graphOf(this.#case, (tool, call) => (life.isDead ? never() : this.#world.call(tool, call))),
      {
        run: 'r',
        config: configOf(this.#case),
        journal: await this.#store.next(),
        thread: { said: setting === 'stands' ? 'stands' : 'rewritten' },
        now: this.#time.now,
        reconcilers: { find: (call) => (life.isDead ? never() : this.#world.find(call)) },
        undo: { undo: (call) => (life.isDead ? never() : this.#world.undo(call)) },
      },
    );
    this.#run = (await this.#settles(opening)) as AttachedGraph;
  }

  /** Does something in a process, and once more in the next one where it dies over it. */
  async #alive<T>(go: (run: AttachedGraph) => Promise<T>): Promise<T> {
    for (;;) {
      try {
        if (this.#life.isDead) await this.#begin(resumeGraph);
        // What was found wrong is told again where the process died over it.
        if (this.#isDue && this.#answer === null) await this.#complain(this.#run as AttachedGraph);
        return await go(this.#run as AttachedGraph);
      } catch (error) {
        if (!(error instanceof Dead)) throw error;
      }
    }
  }

  async #turn(run: AttachedGraph, turn: number, node: number): Promise<Said> {
    // What is done again behind a complaint is waited for: its questions are answered there.
    if (this.#answer === 'taken') await this.#toEnd(run.invoke());
    const { act, complaint } = this.#case;
    const note = act === undefined ? {} : { note: 'first' };
    let invoked: Promise<object> = run.invoke({ go: `n${node}`, ...note }, { id: `m${turn}` });
    invoked.catch(() => {});
    await this.#quiet();
    const isUnderWay = () => this.#world.calls.some(({ tool }) => tool === `n${node}`);
    const isOwn = complaint?.about === turn;
    try {
      if (this.#isDueAt(turn, true) && !isOwn) {
        // Where a person is asked before it, the call comes behind the answer.
        if (act !== undefined && !isUnderWay()) invoked = (await this.#answers(invoked, isUnderWay)).now;
        if (act !== undefined || isUnderWay()) await this.#complain(run);
      }
      return await this.#toEnd(invoked, isOwn ? turn : null);
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'turn_retracted' || act === undefined) throw error;
      this.#gone.push(turn);
      return { log: [] };
    }
  }

  /** Answers what a turn asks, until its call is under way. */
  async #answers(invoked: Promise<object>, isUnderWay: () => boolean): Promise<{ readonly now: Promise<object> }> {
    const state = (await this.#settles(invoked)) as Said;
    if (!('__interrupt__' in state)) return { now: invoked };
    const run = this.#run as AttachedGraph;
    const resume = Object.fromEntries(run.questions().map(({ id }) => [id, 'yes']));
    const now = run.resume(new Command({ resume }));
    now.catch(() => {});
    for (let times = 0; times < 9 && !isUnderWay(); times += 1) await this.#quiet();
    if (this.#life.isDead) throw new Dead();
    return { now };
  }

  /** Says the input of a turn otherwise, or that it never was. */
  async #steer(run: AttachedGraph, act: TurnAct): Promise<void> {
    const { about, does } = act;
    if (this.#answer !== null) return;
    this.#isDue = true;
    this.#before = this.#world.acts.filter(({ undone }) => !undone).map(({ answer }) => answer);
    this.#world.log.push(`${does} turn ${about + 1}`);
    if (run.status === 'opening') void run.invoke().catch(() => {});
    await this.#quiet();
    const node = nodeOf(this.#case, about, true);
    const said = {
      go: `n${node}`,
      note: does === 'revise' ? 'second' : 'first',
      ...(does === 'blind' && { other: 'x' }),
    };
    const { nodes, turns } = this.#case.thread;
    const asked = turns.slice(0, about).filter((each) => nodes[each]?.asks !== 'never').length;
    const answers = run.events().filter(({ type, is }) => type === 'graph.answer' && is !== 'retracted');
    this.#reopens ??= answers[asked]?.name ?? null;
    const isOfAnswer = does === 'reopen' || does === 'answer';
    const of = isOfAnswer ? (this.#reopens ?? 'none') : `m${about}`;
    const isRetracted = does === 'reopen' || does === 'retract';
    const to = does === 'answer' ? { value: 'no' } : { input: said };
    const saying = isRetracted ? run.retract(of, { id: 'act' }) : run.revise(of, to, { id: 'act' });
    const answer = await this.#settled(saying);
    if ('error' in answer) this.#answer = String((answer.error as { readonly code?: string }).code ?? answer.error);
    else {
      const { is, why } = answer.value as { readonly is: string; readonly why: string | null };
      this.#answer = is === 'refused' ? `refused: ${why}` : 'taken';
    }
    this.#after = this.#world.acts.filter(({ undone }) => !undone).map((each) => ({ ...each }));
    this.#world.log.push(`answer: ${this.#answer}`);
  }

  /** Waits for the end of a turn, and answers what it asks. @param own the turn in which its own answer may be found wrong. */
  async #toEnd(invoked: Promise<object>, own: number | null = null): Promise<Said> {
    let state = (await this.#settles(invoked)) as Said;
    if (own !== null && '__interrupt__' in state && this.#isDueAt(own, true)) {
      await this.#complain(this.#run as AttachedGraph);
      state = (await this.#settles((this.#run as AttachedGraph).invoke())) as Said;
    }
    for (let times = 0; '__interrupt__' in state && times < 9; times += 1) {
      const run = this.#run as AttachedGraph;
      const resume = Object.fromEntries(run.questions().map(({ id }) => [id, 'yes']));
      state = (await this.#settles(run.resume(new Command({ resume })))) as Said;
    }
    return state;
  }

  #isDueAt(turn: number, inFlight: boolean): boolean {
    const due = this.#case.act ?? this.#case.complaint;
    return due?.during === turn && due.inFlight === inFlight && this.#answer === null;
  }

  async #complain(run: AttachedGraph): Promise<void> {
    const { complaint, thread, act } = this.#case;
    if (act !== undefined) return this.#steer(run, act);
    if (complaint === null) return;
    const node = thread.turns[complaint.about] as number;
    const ordinal = thread.turns.slice(0, complaint.about).filter((other) => other === node).length;
    if (!this.#isDue) this.#before = this.#world.acts.filter(({ undone }) => !undone).map(({ answer }) => answer);
    this.#isDue = true;
    this.#world.isTold = true;
    this.#world.log.push(`fail(turn ${complaint.about + 1})`);
    // Without it the run is not there to hear of it.
    if (run.status === 'opening') void run.invoke().catch(() => {});
    await this.#quiet();
    const instance = { skeleton: `N${node}`, entity: 'it', ordinal };
    const failing = run.fail('CONTRACT_VIOLATION', { instance, key: `k${node}` });
    const answer = await this.#settled(failing);
    this.#answer =
      'error' in answer ? String((answer.error as { readonly code?: string }).code ?? answer.error) : 'taken';
    this.#world.log.push(`answer: ${this.#answer}`);
  }

  /** Waits for something, has calls return meanwhile, and timers fire. @throws Dead where the process dies. */
  async #settles(promise: Promise<unknown>): Promise<unknown> {
    const settled = await this.#settled(promise);
    if ('error' in settled) throw settled.error;
    return settled.value;
  }

  async #settled(promise: Promise<unknown>): Promise<Settled> {
    let settled: Settled | null = null;
    promise.then(
      (value) => {
        settled = { value };
      },
      (error: unknown) => {
        settled = { error };
      },
    );
    for (let times = 0; times < 200; times += 1) {
      await this.#quiet();
      if (this.#life.isDead) throw new Dead();
      if (settled !== null) return settled;
      const [call] = this.#world.calls;
      if (call !== undefined) call.return();
      else if (!this.#time.fireNext()) break;
    }
    throw new Error(`at rest, ${this.#run?.status}, and nothing comes of it`);
  }

  /** Waits until promises and flushes have nothing more to do. */
  async #quiet(): Promise<void> {
    // A graph that is entered on paper is waited for.
    const longest = this.#isDue && this.#case.act !== undefined && this.#answer === null ? ON_PAPER : IDLE;
    for (let idle = 0, before = -1, turns = 0; idle < longest; turns += 1) {
      if (turns > LONGEST) throw new Error('it is busy with itself for ever');
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.#beats + this.#world.log.length;
      idle = now === before ? idle + 1 : 0;
      before = now;
    }
  }
}
