/** A run of a task without a sidecar, by a client that does what its policy says when a call fails. */
import { NotApplied } from 'belay-sidecar';
import { type Doubt, isDecidable, resolve } from './asking.ts';
import { type Found, type Observed, provided, type Setting } from './observed.ts';
import { goOn, type Persisted, Persistence } from './plain.ts';
import { type GoingBack, goesBack, LIMITS, type PlainPolicy } from './policies.ts';
import { Refused, type World, type Wrong } from './set.ts';
import { Record } from './undoing.ts';
import { callName, Lost, Wire } from './wire.ts';

/** The number of times that the oracle goes back before its run counts as spent. */
const PATIENCE = 1_000;

/** Where a run goes that was stopped: on from a snapshot (null: from the beginning), or nowhere, with the reason it waits for. */
type Stop = { readonly from: Persisted | null } | { readonly parked: NonNullable<Observed['parked']> };

/** An attempt that was told an error; only the oracle hears whether it landed, and what it answered. */
interface Failed {
  readonly error: unknown;
  readonly landed: boolean;
  readonly answer: unknown;
}

/** A run without a sidecar. */
export class Unwatched {
  readonly #setting: Setting;
  readonly #world: World;
  readonly #policy: PlainPolicy;
  readonly #wire: Wire;
  readonly #left: string[] = [];
  readonly #found: Found[] = [];
  readonly #record = new Record();
  /** The steps at which calls were first made. */
  readonly #places = new Map<string, Persisted>();
  #persistence: Persistence | undefined;
  #stop: (stop: Stop) => void = () => {};

  constructor(setting: Setting, world: World, policy: PlainPolicy) {
    this.#setting = setting;
    this.#world = world;
    this.#policy = policy;
    this.#wire = new Wire(world, setting.faults, setting.weather);
  }

  async run(): Promise<Observed> {
    const { set, task } = this.#setting;
    const input = task.input();
    const machine = provided(set, this.#world, (tool, args) => this.#call(tool, args));
    if (this.#policy === 'oracle' || this.#policy === 'checkpoint-every-step')
      this.#persistence = new Persistence(machine);
    if (this.#policy === 'checkpoint-rollback') this.#persistence = new Persistence(machine, set.snapshots);
    const limit = goesBack(this.#policy) ? LIMITS[this.#policy] : PATIENCE;
    let from: Persisted | null = null;
    for (let again = 0; ; again += 1) {
      const stops: Stop[] = [];
      const stop = new Promise<void>((resolve) => {
        this.#stop = (place) => {
          stops.push(place);
          resolve();
        };
      });
      const persistence = this.#persistence === undefined ? {} : { persistence: this.#persistence };
      const context = await goOn({ machine, input }, from, { ...persistence, stop });
      const stopped = stops.at(-1);
      if (stopped === undefined) return this.#observed(context === null ? 'broken' : 'done', context);
      if ('parked' in stopped) return { ...this.#observed('parked', null), parked: stopped.parked };
      if (again === limit) return this.#observed('spent', null);
      from = stopped.from;
    }
  }

  async #call(tool: string, args: unknown): Promise<unknown> {
    const name = callName(tool, args);
    const place = this.#persistence?.steps.at(-1);
    if (place !== undefined && !this.#places.has(name)) this.#places.set(name, place);
    const back = this.#backFor(this.#world.wrong?.(tool, args) ?? null, name);
    if (back !== null) return back;
    const kept = this.#policy === 'oracle' ? this.#record.answerOf(tool, args) : null;
    if (kept !== null) return kept.answer;
    const answer = await this.#tried(tool, args);
    this.#record.note(tool, args, answer);
    return answer;
  }

  /** Makes a call as often as the policy does. */
  async #tried(tool: string, args: unknown): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      const made = this.#attempt(tool, args);
      if (!('error' in made)) return made.answer;
      const next = this.#after({ tool, args }, made, tries);
      if (next !== null) return next.answer;
    }
  }

  /** Does what the policy does after an error: gives the agent an answer, or makes the call again (null). */
  #after(doubt: Doubt, { error, landed, answer }: Failed, tries: number): { readonly answer: unknown } | null {
    if (error instanceof NotApplied) throw error;
    const resolved = this.#policy === 'ask-and-retry' ? this.#resolve(doubt) : null;
    if (resolved?.is === 'applied') return { answer: resolved.output };
    if (resolved?.is === 'unknown') return { answer: this.#park(doubt) };
    const name = callName(doubt.tool, doubt.args);
    if (error instanceof Refused) return this.#refused(name);
    if (this.#policy === 'oracle' && landed) return { answer };
    if (goesBack(this.#policy)) return { answer: this.#goBack(this.#policy) };
    if (!this.#isTriedEnough(error, tries)) return null;
    this.#left.push(name);
    return { answer: null };
  }

  /** Goes back for work that a call told to be wrong, if the policy does; null where the run goes on. */
  #backFor(wrong: Wrong | null, by: string): Promise<never> | null {
    if (wrong === null) return null;
    this.#found.push({ wrong, by, after: this.#wire.attempts.length });
    const before = callName(wrong.before.tool, wrong.before.args);
    switch (this.#policy) {
      case 'whole-restart':
        return this.#goBack(this.#policy);
      case 'checkpoint-rollback':
      case 'checkpoint-every-step':
        return this.#stopAt({ from: this.#backTo(before) });
      case 'oracle': {
        const fixed = wrong.affects === undefined ? [] : this.#record.goBack(wrong, this.#wire, this.#setting.config);
        if (fixed.length > 0) return this.#parkOn(`${fixed[0]?.tool} cannot be undone`, []);
        return this.#stopAt({ from: this.#backTo(before) });
      }
      case 'ask-and-retry':
        // It has no way back. Of a wrong answer that the agent itself goes on after, it leaves what was done.
        return wrong.affects === undefined ? null : this.#parkOn('it has no way back', []);
      case 'give-up':
      case 'naive-retry':
        return null;
    }
  }

  /** Takes a refusal for an answer: what was made already is there, and anything else is left out. */
  #refused(name: string): { readonly answer: null } {
    if (!this.#wire.applied.some((each) => each.name === name && !each.undone)) this.#left.push(name);
    return { answer: null };
  }

  /** True if a failed call is left. The oracle leaves the calls that its counterparty refuses, and nothing else. */
  #isTriedEnough(error: unknown, tries: number): boolean {
    if (this.#policy === 'oracle') return !(error instanceof Lost);
    if (this.#policy === 'naive-retry' || this.#policy === 'ask-and-retry') return tries >= LIMITS[this.#policy];
    return true;
  }

  #attempt(tool: string, args: unknown): { readonly answer: unknown } | Failed {
    try {
      const { answer, fault } = this.#wire.attempt(tool, args);
      if (fault === null) return { answer };
      if (fault === 'after' && this.#policy === 'oracle') return { error: new Lost(), ...this.#landed() };
      return { error: new Lost(), landed: false, answer };
    } catch (error) {
      return { error, landed: false, answer: undefined };
    }
  }

  /** Lets the effect of the last attempt land, if it is late: the oracle knows whether it will, and what it will answer. */
  #landed(): { readonly landed: boolean; readonly answer: unknown } {
    const last = this.#wire.attempts.length - 1;
    const own = () => this.#wire.applied.findLast(({ attempt }) => attempt === last);
    if (own() === undefined) this.#wire.settle();
    return { landed: own() !== undefined, answer: own()?.answer };
  }

  #resolve(doubt: Doubt): ReturnType<typeof resolve> {
    const { config, asks = true } = this.#setting;
    return resolve(doubt, this.#wire, config, asks);
  }

  /** Where a call was first made in the work that stands: places and snapshots after it lie in work that is given up. */
  #backTo(name: string): Persisted | null {
    const names = [...this.#places.keys()];
    for (const later of names.slice(names.indexOf(name) + 1)) this.#places.delete(later);
    const place = this.#places.get(name) ?? null;
    const steps = this.#persistence?.steps ?? [];
    if (place !== null) steps.splice(steps.indexOf(place) + 1);
    return place;
  }

  #goBack(policy: GoingBack): Promise<never> {
    return this.#stopAt({ from: policy === 'whole-restart' ? null : (this.#persistence?.steps.at(-1) ?? null) });
  }

  /** Waits for the outcome of a call. */
  #park(doubt: Doubt): Promise<never> {
    const { set, config, asks = true } = this.#setting;
    const decidable = isDecidable(doubt, this.#wire, config, asks);
    return this.#parkOn('effect_outcome_unknown', [{ tool: doubt.tool, decidable, ask: [set.asks[doubt.tool] ?? ''] }]);
  }

  #parkOn(why: string, open: NonNullable<Observed['parked']>['open']): Promise<never> {
    return this.#stopAt({ parked: { verdict: 'escalate', why, open } });
  }

  /** Stops the run: the call that asks for it is never answered. */
  #stopAt(stop: Stop): Promise<never> {
    this.#stop(stop);
    return new Promise(() => {});
  }

  #observed(status: Observed['status'], context: unknown): Observed {
    this.#wire.settle();
    const rows = this.#world.rows();
    return { status, left: this.#left, wire: this.#wire, rows, context, found: this.#found, parked: null };
  }
}
