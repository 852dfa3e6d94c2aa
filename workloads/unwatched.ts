/** A run of a task without a sidecar, by a client that does what its policy says when a call fails. */
import { NotApplied } from 'belay-sidecar';
import { type Found, type Observed, provided, type Setting } from './observed.ts';
import { goOn, type Persisted, Persistence } from './plain.ts';
import { LIMITS, type PlainPolicy } from './policies.ts';
import type { World, Wrong } from './set.ts';
import { callName, Lost, Wire } from './wire.ts';

/** A run without a sidecar. */
export class Unwatched {
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
