/**
 * Runs one case for real: attaches the sidecar to the graph, has the calls return in the order of the case, tells the failure, has the process
 * die where the case says so and takes the run up, until it is done, parked, or nothing can happen any more.
 */
import type { BoundaryConfig } from '../../../src/boundaries/config.ts';
import type { LocalStore } from '../../../src/journal/journal.ts';
import { memoryStore } from '../../../src/journal/memory/store.ts';
import { type AttachedGraph, attachGraph, resumeGraph } from '../../../src/langgraph/graph.ts';
import type { Decision } from '../../../src/model/decision.ts';
import type { InstanceId } from '../../../src/model/instance.ts';
import { MortalStore } from '../../../src/rehearsal/trial/mortal-store.ts';
import type { ToolCall } from '../../../src/runtime/tool-call.ts';
import { VirtualTime } from '../../virtual-time.ts';
import type { Case } from './cases.ts';
import { forcedBy, lastEntered } from './forced.ts';
import type { Args } from './little-graph.ts';
import { INPUT, realGraph } from './real-graph.ts';
import { World } from './world.ts';

/** How a run came to rest. */
type Rest =
  | { readonly is: 'done'; readonly state: unknown }
  | {
      readonly is: 'parked';
      readonly verdict: string;
      readonly codes: readonly string[];
      readonly forced: readonly string[];
    }
  | { readonly is: 'hang'; readonly why: string };

export interface Result {
  readonly rest: Rest;
  readonly world: World;
  /** False where the run was over before the failure was to be told. */
  readonly isTold: boolean;
  /** The calls, in the order in which they returned first. */
  readonly returned: readonly string[];
  /** True where two calls were under way at once. */
  readonly isSide: boolean;
  readonly appends: number;
  readonly log: readonly string[];
}

/** Calls that may return and timers that may fire before a run counts as never coming to rest. */
const PATIENCE = 120;
/** Turns of the event loop in which a run may be busy with itself. */
const LONGEST = 2_000;
/** Turns of the event loop in which nothing happens before a run counts as quiet. */
const IDLE = 4;

/** Runs one case. */
export async function runCase(one: Case, config: BoundaryConfig): Promise<Result> {
  const time = new VirtualTime();
  time.hold();
  const drive = new Drive(one, config, time);
  const noteCrash = (error: unknown) => void drive.crashes.push(error);
  process.on('unhandledRejection', noteCrash);
  process.on('uncaughtException', noteCrash);
  try {
    return await drive.whole();
  } finally {
    process.off('unhandledRejection', noteCrash);
    process.off('uncaughtException', noteCrash);
    time.release();
  }
}

class Drive {
  readonly crashes: unknown[] = [];
  readonly #case: Case;
  readonly #config: BoundaryConfig;
  readonly #time: VirtualTime;
  readonly #world: World;
  readonly #rows: LocalStore;
  readonly #store: MortalStore;
  readonly #returned: string[] = [];
  #run: AttachedGraph | null = null;
  #life = { isDead: false };
  /** The replies since the one that was wrong; null before it. */
  #since: number | null = null;
  #isSide = false;
  #complains: 'not yet' | 'now' | 'again' | 'heard' = 'not yet';
  #beats = 0;
  /** The unit over several nodes whose call fails: its calls have numbers of their own. */
  #wrong: InstanceId | null = null;

  constructor(one: Case, config: BoundaryConfig, time: VirtualTime) {
    this.#case = one;
    this.#config = config;
    this.#time = time;
    this.#world = new World(one);
    this.#rows = memoryStore({ now: time.now });
    this.#store = new MortalStore(this.#rows, one.dies, {
      death: () => {
        this.#life.isDead = true;
        if (this.#complains === 'now') this.#complains = 'again';
        this.#world.dies();
      },
      row: () => {
        this.#beats += 1;
      },
    });
  }

  async whole(): Promise<Result> {
    let rest: Rest;
    try {
      await this.#begin(attachGraph);
      rest = await this.#toRest();
    } catch (error) {
      rest = { is: 'hang', why: `crashed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}` };
    }
    await this.#run?.close().catch(() => {});
    const { log, isTold } = this.#world;
    const [returned, isSide, { appends }] = [this.#returned, this.#isSide, this.#store];
    return { rest, world: this.#world, isTold, returned, isSide, appends, log };
  }

  async #begin(attaches: typeof attachGraph): Promise<void> {
    const life = { isDead: false };
    this.#life = life;
    const never = () => new Promise<never>(() => {});
    const act = (tool: string, call: ToolCall<Args>) => (life.isDead ? never() : this.#world.call(tool, call));
    this.#run = await attaches(realGraph(this.#case.graph, act), {
      run: 'r',
      config: this.#config,
      journal: await this.#store.next(),
      input: INPUT,
      now: this.#time.now,
      reconcilers: { find: (call) => (life.isDead ? never() : this.#world.find(call)) },
      undo: { undo: (call) => (life.isDead ? never() : this.#world.undo(call)) },
      onDecision: ({ decision }) => this.#world.log.push(`decision ${decision.verdict} ${codesOf(decision).join(' ')}`),
    });
    // What was found wrong is told again where the process died over it.
    if (this.#complains === 'again') await this.#complain();
    // How it ended is asked of `finished()`.
    this.#run.invoke().catch(() => {});
    await this.#quiet();
  }

  /** Waits until promises and flushes have nothing more to do. */
  async #quiet(): Promise<void> {
    for (let idle = 0, before = -1, turns = 0; idle < IDLE; turns += 1) {
      if (turns > LONGEST) return void this.crashes.push('it is busy with itself for ever');
      await new Promise((resolve) => setImmediate(resolve));
      const now = this.#beats + this.#world.log.length;
      idle = now === before ? idle + 1 : 0;
      before = now;
    }
  }

  async #toRest(): Promise<Rest> {
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      const [crash] = this.crashes;
      if (crash !== undefined) return { is: 'hang', why: String(crash) };
      if (this.#life.isDead) {
        await this.#begin(resumeGraph);
        continue;
      }
      const ended = await this.#ending();
      if (ended?.is === 'done') return ended;
      if (this.#isDue()) {
        await this.#complain();
        if (this.#world.isTold) continue;
      }
      if (await this.#step()) continue;
      return ended ?? { is: 'hang', why: `at rest, ${this.#run?.status}` };
    }
    return { is: 'hang', why: 'never comes to rest' };
  }

  /** True where something is to be found wrong, also once more where the process died over it. */
  #isDue(): boolean {
    if (this.#complains === 'again') return true;
    return this.#complains === 'not yet' && this.#since !== null && this.#since >= this.#case.later;
  }

  /** Has the next call return, or the next timer fire. @returns false where there is none. */
  async #step(): Promise<boolean> {
    const open = this.#world.calls.filter(({ isOpen }) => isOpen);
    if (open.length > 1) this.#isSide = true;
    const call = this.#case.next === 'oldest' ? open[0] : open.at(-1);
    if (call === undefined) {
      if (!this.#time.fireNext()) return false;
    } else if (call.name === this.#case.call && !this.#world.isTold && this.#since === null) this.#fails(call);
    else {
      this.#heard(call.name);
      call.return('answers');
    }
    await this.#quiet();
    return true;
  }

  #heard(name: string): void {
    if (!this.#returned.includes(name)) this.#returned.push(name);
    if (this.#since !== null) this.#since += 1;
  }

  #fails(call: World['calls'][number]): void {
    const { kind, graph } = this.#case;
    const unit = graph.units.find(({ nodes }) => nodes.some((node) => call.name.startsWith(`n${node}/`)));
    if (unit !== undefined && unit.nodes.length > 1) this.#wrong = lastEntered(unit.name, this.#rows.read('r'));
    if (kind === 'wrong in flight') {
      this.#since = this.#case.later;
      return;
    }
    this.#heard(call.name);
    if (kind === 'wrong key' || kind === 'wrong work') {
      call.return('answers');
      this.#since = 0;
      return;
    }
    if (kind !== 'nothing') this.#world.isTold = true;
    const how = { 'lost reply': 'loses its reply', throws: 'throws', late: 'is late', nothing: 'answers' } as const;
    call.return(how[kind]);
  }

  async #complain(): Promise<void> {
    const { kind, call, graph } = this.#case;
    const [, tool = '', entity = '', ordinal = ''] = /^(.*)\/(.*)#(.*)$/.exec(call) ?? [];
    const isSent = graph.nodes.find(({ name }) => name === tool)?.isSent === true;
    const key = tool.replace('n', 'k') + (isSent ? `/${entity}` : '');
    const instance = this.#wrong ?? { skeleton: tool.toUpperCase(), entity, ordinal: Number(ordinal) };
    const before = this.#complains;
    this.#complains = 'now';
    this.#world.isTold = true;
    this.#world.log.push(`fail(${call})`);
    const run = this.#run as AttachedGraph;
    const life = this.#life;
    const settled = run.fail('CONTRACT_VIOLATION', { instance, ...(kind === 'wrong key' && { key }) }).then(
      () => {
        if (!life.isDead) this.#complains = 'heard';
      },
      (error: { readonly code?: string }) => {
        if (life.isDead) return;
        if (error.code !== 'bad_failure') this.crashes.push(`fail() was refused: ${String(error)}`);
        // Its superstep is not over: nothing is written yet, and it is said again behind the next reply.
        this.#complains = before;
        this.#world.isTold = before === 'again';
        this.#world.log.push(`refused: ${String(error)}`);
      },
    );
    settled.catch((error) => this.crashes.push(error));
    await this.#quiet();
  }

  async #ending(): Promise<Rest | null> {
    const none = Symbol('none');
    const nothing = new Promise<typeof none>((resolve) => setImmediate(() => resolve(none)));
    const ending = await Promise.race([(this.#run as AttachedGraph).finished(), nothing]);
    if (typeof ending === 'symbol') return null;
    if (ending.status === 'done') return { is: 'done', state: ending.output };
    if (ending.status === 'cancelled' || ending.status === 'compensated' || ending.status === 'paused')
      return { is: 'hang', why: `it was ${ending.status}` };
    if (ending.status === 'stuck') return { is: 'parked', verdict: 'stuck', codes: [ending.error], forced: [] };
    const { decision } = ending;
    const forced = forcedBy(decision, this.#world.log, this.#rows.read('r'));
    return { is: 'parked', verdict: decision.verdict, codes: codesOf(decision), forced };
  }
}

/** Collects every refusal code in a decision, each once. */
function codesOf(decision: Decision): readonly string[] {
  const codes = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (name === 'code' && typeof inner === 'string') codes.add(inner);
      walk(inner);
    }
  };
  walk(decision.refusals);
  return [...codes].sort();
}
