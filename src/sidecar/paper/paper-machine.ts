/**
 * The machine of a run on paper (semantics.md PA1). It is put where the run stood before a step, receives journaled
 * events and takes its transitions. It calls nothing and sends nothing out, and the run does not see it.
 */
import type { RecordedStep } from '../../projection/state-types.ts';
import type { ActorHandle, Microstep, RuntimeEvent } from '../../runtime/microstep.ts';
import type { ActorPlan } from '../../runtime/restore-plan.ts';
import type { Armed, Machines, Runtime } from '../../runtime/runtime.ts';
import { SilentWatcher } from '../../runtime/silent-watcher.ts';
import { Copies } from './copies.ts';

/** A machine on paper. */
export class PaperMachine extends SilentWatcher {
  readonly #runtime: Runtime & Machines;
  #copies = new Copies();
  #refs = new Map<number, ActorHandle>();
  #taken = new Map<ActorHandle, Microstep[]>();
  /** The inputs of actors, by their numbers in the journal. */
  readonly inputs = new Map<number, unknown>();
  #hasThrown = false;
  /** The number of delayed events that were scheduled. */
  scheduled = 0;
  readonly #armed = new Map<ActorHandle, Map<string, Armed>>();

  constructor(machines: Machines) {
    super();
    this.#runtime = machines.inert(this);
  }

  /** Begins the machine with the input of the run. */
  begin(input: unknown): void {
    this.#copies = new Copies();
    this.#start({ input: this.#copies.of(input) });
  }

  /** Puts the machine where a plan says. */
  putAt(plan: ActorPlan): void {
    this.#copies = new Copies();
    this.#start({ plan: this.#copied(plan) });
  }

  #copied(plan: ActorPlan): ActorPlan {
    const make = plan.make.map((child) => ({
      ...child,
      input: this.#copies.of(child.input),
      plan: child.plan === null ? null : this.#copied(child.plan),
    }));
    return { ...plan, context: this.#copies.of(plan.context), make };
  }

  #start(from: Parameters<Runtime['make']>[0]): void {
    // Delays on paper never ring; an armed delay would keep the process alive.
    this.stop();
    this.#refs = new Map();
    this.#taken = new Map();
    this.inputs.clear();
    this.#armed.clear();
    this.#hasThrown = false;
    const root = this.#runtime.make(from) as ActorHandle & {
      subscribe(observer: { error(): void }): unknown;
      start(): unknown;
    };
    this.adopted(root, 0);
    root.subscribe({ error: () => {} });
    root.start();
  }

  /** Has an actor receive an event. @returns false if there is no such actor, or if a step of it throws. */
  receives(actor: number, event: unknown): boolean {
    const ref = this.#refs.get(actor);
    this.#hasThrown = false;
    if (ref !== undefined) this.#runtime.send(ref, this.#copies.of(event) as RuntimeEvent);
    return ref !== undefined && !this.#hasThrown;
  }

  /** The paths of the regions in which the machine takes an event; null where its code throws. */
  takers(event: RuntimeEvent): readonly string[] | null {
    const root = this.#refs.get(0);
    try {
      return root === undefined ? [] : this.#runtime.takers(root, this.#copies.of(event) as RuntimeEvent);
    } catch {
      return null;
    }
  }

  /** Puts an actor where a plan says, in place. @returns false where there is no such actor. */
  restore(actor: number, planOf: (now: ActorNow) => ActorPlan): boolean {
    const ref = this.#refs.get(actor);
    if (ref !== undefined) this.#runtime.restore(ref, this.#copied(planOf(actorNowOf(ref))));
    return ref !== undefined;
  }

  /** The state of an actor; null where there is none. */
  now(actor: number): ActorNow | null {
    const ref = this.#refs.get(actor);
    return ref === undefined ? null : actorNowOf(ref);
  }

  /** The steps of an actor that were not fetched yet. */
  ahead(actor: number): Microstep[] {
    const ref = this.#refs.get(actor);
    return (ref === undefined ? undefined : this.#taken.get(ref)) ?? [];
  }

  /** True if any actor has a step that was not fetched. */
  get isAhead(): boolean {
    return [...this.#taken.values()].some((steps) => steps.length > 0);
  }

  /** Has every machine take its eventless transitions. @returns false if a machine throws. */
  settles(): boolean {
    const machines = [...this.#refs].filter(([, ref]) => isMachine(ref));
    return machines.every(([actor]) => this.receives(actor, this.#runtime.settling));
  }

  /** The control and the contexts of all machines. */
  get whole(): unknown {
    const root = this.#refs.get(0);
    return root === undefined ? null : wholeOf(root);
  }

  /** True where the last event that an actor received led to an error. */
  get hasThrown(): boolean {
    return this.#hasThrown;
  }

  /** The delayed events that an actor waits for. */
  armedBy(actor: number): readonly Armed[] {
    const ref = this.#refs.get(actor);
    return [...((ref && this.#armed.get(ref)) ?? new Map<string, Armed>()).values()];
  }

  /** The path of the state that a delayed event belongs to; null for a delayed event of another kind. */
  stateOfTimer(actor: number, type: string): string | null {
    const ref = this.#refs.get(actor);
    return ref === undefined ? null : this.#runtime.stateOfTimer(ref, type);
  }

  /** The input of an actor; undefined where there is no such actor. */
  inputOf(actor: number): { readonly is: unknown } | undefined {
    const ref = this.#refs.get(actor);
    return ref === undefined ? undefined : { is: this.#runtime.inputOf(ref) };
  }

  /** Drops the steps that were not fetched. */
  forget(): void {
    this.#taken = new Map();
  }

  /** Notes the numbers that the journal gives the actors of a step. */
  number({ entry, firstStarted }: RecordedStep, { started }: Microstep): void {
    for (const [index, { id, at }] of (entry?.started ?? []).entries()) {
      const child = started.find((one) => one.id === id && (one.place === null) === (at === null));
      if (child === undefined) continue;
      this.#refs.set(firstStarted + index, child.ref);
      this.inputs.set(firstStarted + index, child.input);
    }
  }

  stop(): void {
    const root = this.#refs.get(0);
    if (root !== undefined) this.#runtime.stop(root);
  }

  // The machine.

  override steps(ref: ActorHandle, seen: readonly Microstep[]): void {
    const taken = this.#taken.get(ref) ?? [];
    this.#taken.set(ref, taken);
    taken.push(...seen);
    for (const { started } of seen) for (const child of started) this.#runtime.announce(child.ref);
  }

  override adopted(ref: ActorHandle, number: number): void {
    this.#refs.set(number, ref);
    this.#runtime.announce(ref);
  }

  override armed(ref: ActorHandle, timer: Armed): void {
    const own = this.#armed.get(ref) ?? new Map<string, Armed>();
    this.#armed.set(ref, own);
    this.scheduled += 1;
    own.set(timer.id, timer);
  }

  override disarmed(ref: ActorHandle, id: string): void {
    this.#armed.get(ref)?.delete(id);
  }

  override async crashed(): Promise<void> {
    this.#hasThrown = true;
  }

  override failedToBegin(): void {
    this.#hasThrown = true;
  }

  override actorAt(number: number): ActorHandle | undefined {
    return this.#refs.get(number);
  }
}

/** The state of an actor on paper. */
export interface ActorNow {
  readonly value: ActorPlan['value'];
  readonly context: unknown;
  /** The ids of the actors that it has. */
  readonly children: readonly string[];
}

interface Snapshot extends Omit<ActorNow, 'children'> {
  readonly children?: Readonly<Record<string, ActorHandle | undefined>>;
}

function snapshotOf(ref: ActorHandle): Snapshot {
  return (ref as { getSnapshot(): Snapshot }).getSnapshot();
}

/** True for an actor that is a machine. */
function isMachine(ref: ActorHandle): boolean {
  return snapshotOf(ref).value !== undefined && snapshotOf(ref).children !== undefined;
}

function wholeOf(ref: ActorHandle): unknown {
  const { value, context, children = {} } = snapshotOf(ref);
  const machines = Object.entries(children).flatMap(([id, child]): [string, unknown][] =>
    child !== undefined && isMachine(child) ? [[id, wholeOf(child)]] : [],
  );
  return { value, context, machines: Object.fromEntries(machines) };
}

function actorNowOf(ref: ActorHandle): ActorNow {
  const { value, context, children = {} } = snapshotOf(ref);
  return { value, context, children: Object.keys(children) };
}
