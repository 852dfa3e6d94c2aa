/** One run of a task under a policy, in a world of its own: what was asked, what was changed, and how it ended. */
import {
  attach,
  type BoundaryConfig,
  type Claims,
  type Decision,
  type Effect,
  NotApplied,
  type Sidecar,
  type SidecarOptions,
  tool as toolOf,
  vetoes,
} from 'belay-sidecar';
import type { Faults } from './faults.ts';
import { goOn, LONGEST, type Persisted, Persistence } from './plain.ts';
import { LIMITS, type PlainPolicy, type Policy } from './policies.ts';
import type { DataSet, Rows, Task, World, Wrong } from './set.ts';
import { callName, Lost, Wire } from './wire.ts';

/** A call that told of wrong work, by the number of attempts made by then. */
interface Found {
  readonly wrong: Wrong;
  readonly by: string;
  readonly after: number;
}

/** A call whose outcome nobody knew when the run was parked. */
export interface Open {
  readonly tool: string;
  /** Whether its counterparty, asked now, would have told; or the same call under its key would have decided it. */
  readonly decidable: boolean;
  /** Whom the decision names to be asked; empty where it names nobody. */
  readonly ask: readonly string[];
}

/** What was observed of a run. */
export interface Observed {
  /** `broken`: it stood still, or an error ended it. `spent`: its policy's tries were used up. */
  readonly status: 'done' | 'parked' | 'spent' | 'broken';
  /** The calls that were left without an answer while the agent went on. */
  readonly left: readonly string[];
  readonly wire: Wire;
  readonly rows: Rows;
  readonly found: readonly Found[];
  /** Where the run is parked: the verdict, and the calls that stand in the way with nobody knowing what became of them. */
  readonly parked: {
    readonly verdict: Decision['verdict'];
    readonly why: string;
    readonly open: readonly Open[];
  } | null;
}

/** What a run is made of. */
export interface Setting {
  readonly set: DataSet;
  readonly config: BoundaryConfig;
  readonly task: Task;
  readonly faults: Faults;
  /** Whether counterparties answer questions; left out, those of the set do. */
  readonly asks?: boolean;
  /** What keeps the run apart from others, where others are in its world. */
  readonly claims?: Claims;
}

/** Runs a task under a policy, in a world of its own. */
export async function runTask(setting: Setting, policy: Policy): Promise<Observed> {
  const world = setting.task.open();
  try {
    return await runIn(world, setting, policy);
  } finally {
    world.close?.();
  }
}

/** Runs a task in a world that is there. */
export function runIn(world: World, setting: Setting, policy: Policy): Promise<Observed> {
  return policy === 'belay' || policy === 'comp-frozen'
    ? new Watched(setting, world).run(policy)
    : new Plain(setting, world, policy).run();
}

type Client = (tool: string, args: unknown) => Promise<unknown>;

/** The agent with a client for each tool of its world. */
function provided({ machine }: DataSet, world: World, client: Client): DataSet['machine'] {
  const actors = Object.keys(world.tools).map((name) => [name, toolOf(({ input }) => client(name, input))] as const);
  return machine.provide({ actors: Object.fromEntries(actors) }) as DataSet['machine'];
}

/** A run without a sidecar. */
class Plain {
  readonly #setting: Setting;
  readonly #world: World;
  readonly #policy: PlainPolicy;
  readonly #wire: Wire;
  readonly #left: string[] = [];
  readonly #found: Found[] = [];
  /** The steps at which calls were first made. */
  readonly #places = new Map<string, Persisted>();
  #persistence: Persistence | undefined;
  #stop: (from: Persisted | null) => void = () => {};

  constructor(setting: Setting, world: World, policy: PlainPolicy) {
    this.#setting = setting;
    this.#world = world;
    this.#policy = policy;
    this.#wire = new Wire(world, setting.faults);
  }

  async run(): Promise<Observed> {
    const { set, task } = this.#setting;
    const machine = provided(set, this.#world, (tool, args) => this.#call(tool, args));
    if (this.#policy === 'oracle') this.#persistence = new Persistence(machine);
    if (this.#policy === 'checkpoint-rollback') this.#persistence = new Persistence(machine, set.snapshots);
    const limit =
      this.#policy === 'whole-restart' || this.#policy === 'checkpoint-rollback' ? LIMITS[this.#policy] : 1_000;
    let from: Persisted | null = null;
    for (let again = 0; ; again += 1) {
      let next: { readonly from: Persisted | null } | null = null;
      const stop = new Promise<void>((resolve) => {
        this.#stop = (place) => {
          next = { from: place };
          resolve();
        };
      });
      const persistence = this.#persistence === undefined ? {} : { persistence: this.#persistence };
      const memory = await goOn({ machine, input: task.input() }, from, { ...persistence, stop });
      const stopped = next as { readonly from: Persisted | null } | null;
      if (stopped === null) return this.#observed(memory === null ? 'broken' : 'done');
      if (again === limit) return this.#observed('spent');
      from = stopped.from;
    }
  }

  async #call(tool: string, args: unknown): Promise<unknown> {
    const name = callName(tool, args);
    const place = this.#persistence?.steps.at(-1);
    if (place !== undefined && !this.#places.has(name)) this.#places.set(name, place);
    const back = this.#backFor(this.#world.wrong?.(tool, args) ?? null, name);
    if (back !== null) return back;
    for (let tries = 1; ; tries += 1) {
      const made = this.#attempt(tool, args);
      if (!('error' in made)) return made.answer;
      if (made.error instanceof NotApplied) throw made.error;
      if (this.#policy === 'oracle' && made.landed) return made.answer;
      if (this.#goesBack()) return this.#goBack();
      if (this.#isTriedEnough(made.error, tries)) {
        this.#left.push(name);
        return null;
      }
    }
  }

  /** Goes back for work that a call told to be wrong, if the policy does; null where the run goes on. */
  #backFor(wrong: Wrong | null, by: string): Promise<never> | null {
    if (wrong === null) return null;
    this.#found.push({ wrong, by, after: this.#wire.attempts.length });
    if (this.#policy === 'oracle') return this.#stopAt(this.#backTo(callName(wrong.before.tool, wrong.before.args)));
    return this.#goesBack() ? this.#goBack() : null;
  }

  /** Whether a call that fails has the run go back, rather than being made again or left. */
  #goesBack(): boolean {
    return this.#policy === 'whole-restart' || this.#policy === 'checkpoint-rollback';
  }

  /** Whether a call that has failed is left. The oracle leaves what its counterparty refuses, and nothing else. */
  #isTriedEnough(error: unknown, tries: number): boolean {
    if (this.#policy === 'oracle') return !(error instanceof Lost);
    return tries === (this.#policy === 'naive-retry' ? LIMITS['naive-retry'] : 1);
  }

  #attempt(tool: string, args: unknown): { answer: unknown } | { error: unknown; landed: boolean; answer: unknown } {
    try {
      const { answer, fault } = this.#wire.attempt(tool, args);
      return fault === null ? { answer } : { error: new Lost(), landed: fault === 'after', answer };
    } catch (error) {
      return { error, landed: false, answer: undefined };
    }
  }

  /** Where a call was first made in the work that stands: places after it lie in work that is given up. */
  #backTo(name: string): Persisted | null {
    const names = [...this.#places.keys()];
    for (const later of names.slice(names.indexOf(name) + 1)) this.#places.delete(later);
    return this.#places.get(name) ?? null;
  }

  #goBack(): Promise<never> {
    return this.#stopAt(this.#policy === 'checkpoint-rollback' ? (this.#persistence?.steps.at(-1) ?? null) : null);
  }

  /** Stops the run, to go on from a snapshot: the call that asks for it is never answered. */
  #stopAt(from: Persisted | null): Promise<never> {
    this.#stop(from);
    return new Promise(() => {});
  }

  #observed(status: Observed['status']): Observed {
    return { status, left: this.#left, wire: this.#wire, rows: this.#world.rows(), found: this.#found, parked: null };
  }
}

/** How often a run is started over that a decision advises to. */
const RERUNS = 10;

/** A run under the sidecar. */
class Watched {
  readonly #setting: Setting;
  readonly #world: World;
  readonly #wire: Wire;
  readonly #found: Found[] = [];

  constructor(setting: Setting, world: World) {
    this.#setting = setting;
    this.#world = world;
    this.#wire = new Wire(world, setting.faults);
  }

  async run(policy: 'comp-frozen' | 'belay'): Promise<Observed> {
    const { set, config, task, asks = true, claims } = this.#setting;
    const machine = provided(set, this.#world, async (tool, args) => this.#wire.call(tool, args));
    const sidecar = await attach(machine, {
      run: task.id,
      config,
      input: task.input(),
      policy: policy === 'belay' ? 'line' : 'dart',
      reconcilers: policy === 'belay' && asks ? this.#reconcilers() : {},
      undo: this.#undo(),
      ...(claims !== undefined && { claims }),
      governor: async (call) => {
        const wrong = this.#world.wrong?.(call.tool, call.args) ?? null;
        if (wrong === null) return null;
        this.#found.push({ wrong, by: callName(call.tool, call.args), after: this.#wire.attempts.length });
        await sidecar.fail('CONTRACT_VIOLATION', { instance: wrong.instance, key: wrong.key });
        return null;
      },
    });
    try {
      sidecar.actor.start();
      let ending = await endingOf(sidecar);
      for (let reruns = 0; ending?.status === 'parked' && ending.decision.verdict === 'rerun'; reruns += 1) {
        if (reruns === RERUNS) break;
        await sidecar.rerun();
        ending = await endingOf(sidecar);
      }
      const status = ending === null || ending.status === 'stuck' ? 'broken' : ending.status;
      const parked = ending?.status === 'parked' ? this.#parkedOn(ending.decision) : null;
      return { status, left: [], wire: this.#wire, rows: this.#world.rows(), found: this.#found, parked };
    } finally {
      await sidecar.close();
    }
  }

  #reconcilers(): NonNullable<SidecarOptions['reconcilers']> {
    const named = [...this.#setting.config.tools.values()].flatMap(({ reconcile }) => reconcile ?? []);
    return Object.fromEntries(named.map((name) => [name, ({ tool, args }) => this.#wire.shows(tool, args)]));
  }

  #undo(): NonNullable<SidecarOptions['undo']> {
    const named = [...this.#setting.config.tools.values()].flatMap(({ undo }) => undo ?? []);
    return Object.fromEntries(
      named.map((name) => [name, (call) => this.#wire.undo(call.tool, call.args, call.output)]),
    );
  }

  #parkedOn(decision: Decision): NonNullable<Observed['parked']> {
    const acts = 'unblock' in decision ? decision.unblock.acts : [];
    const effects = [
      ...[...vetoes(decision)].flatMap((veto) => ('effect' in veto ? [veto.effect] : [])),
      ...acts.flatMap((act) => (act.act === 'settle_outcome' ? [act.effect] : [])),
    ];
    const open = new Map(effects.filter(isUnsettled).map((effect) => [effect.id, effect] as const));
    const why = [...new Set([...vetoes(decision)].map(({ code }) => code))].join(', ');
    return {
      verdict: decision.verdict,
      why,
      open: [...open.values()].map((effect) => {
        const named = acts.find((act) => act.act === 'settle_outcome' && act.effect.id === effect.id);
        const ask = named?.act === 'settle_outcome' ? (named.ask?.writes ?? []) : [];
        return { tool: effect.tool ?? '', decidable: this.#isDecidable(effect), ask };
      }),
    };
  }

  #isDecidable({ tool = '', class: kind, status }: Effect): boolean {
    if (status === 'failed') return false;
    if (kind === 'idempotent') return true;
    const last = this.#wire.attempts.findLast((attempt) => attempt.tool === tool && attempt.fault !== null);
    if (last === undefined || this.#setting.asks === false) return false;
    return this.#wire.shows(tool, JSON.parse(last.name.slice(tool.length + 1))).is !== 'unknown';
  }
}

/** Whether nobody knows what became of a call; or whether it never happens, however often it is tried. */
function isUnsettled({ status }: Effect): boolean {
  return status === 'intended' || status === 'unknown' || status === 'failed';
}

/** How a run ends; null where it stands still for too long. */
async function endingOf(sidecar: Sidecar): Promise<Awaited<ReturnType<Sidecar['finished']>> | null> {
  let late: NodeJS.Timeout | undefined;
  const waited = new Promise<null>((resolve) => {
    late = setTimeout(() => resolve(null), LONGEST).unref();
  });
  return Promise.race([sidecar.finished().catch(() => null), waited]).finally(() => clearTimeout(late));
}
