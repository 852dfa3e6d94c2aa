/**
 * A machine that is driven by a journal: it hears the events that were recorded, calls nothing, and each step that it takes is made an
 * entry by the same code and under the same kind of state as in a run.
 */
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { EntryDecoder, EntryEncoder } from '../../journal/entry-codec.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Entry, StepEntry } from '../../model/entry.ts';
import { type InstanceId, ROOT } from '../../model/instance.ts';
import { regionName, split } from '../../model/region.ts';
import { RunState } from '../../projection/run-state.ts';
import { type Placed, placedIn } from '../../recording/entry-states.ts';
import { StepRecorder } from '../../recording/record-step.ts';
import { DECISION_POLICY } from '../../recovery/decision-policy.ts';
import { planResume } from '../../sidecar/plan.ts';
import { type AnyStateMachine, anyRef, type Event, makeActor, type Ref } from '../../xstate/actor.ts';
import { dropActions, keepUnstarted } from '../../xstate/inert.ts';
import { MachineWatch, type Microstep, type Watcher } from '../../xstate/watch.ts';

/** A step that the machine took, with the context of its actor after it. */
export interface TakenStep {
  readonly entry: StepEntry;
  readonly context: unknown;
}

/** The clock of a replay: no delay is ever over by it, and what was delayed is an event of the journal. */
const NEVER_LATER = () => 0;

/** Nothing that is called ever answers: what it answered then is an event of the journal. */
const NEVER = new Promise<never>(() => {});

/** A machine of today that goes through a run of the past. */
export class ReplayedMachine implements Watcher {
  readonly runState: RunState;
  readonly #encoder: EntryEncoder;
  readonly #decoder: EntryDecoder;
  readonly #watch: MachineWatch;
  readonly #recorder: StepRecorder;
  readonly #placed: readonly Placed[];
  readonly #refs = new Map<number, Ref>();
  readonly #numbers = new WeakMap<object, number>();
  readonly #inputs = new Map<number, unknown>();
  readonly #macrosteps = new Map<number, number>();
  readonly #taken = new Map<number, TakenStep[]>();
  #rows = 0;
  #error: string | null = null;

  constructor(machine: AnyStateMachine, config: BoundaryConfig, codecs: readonly ValueCodec[]) {
    this.runState = new RunState(undefined, undefined, codecs);
    this.#encoder = new EntryEncoder(undefined, codecs);
    this.#decoder = new EntryDecoder(codecs);
    this.#watch = new MachineWatch(machine, this);
    dropActions(this.#watch.machine);
    this.#placed = placedIn(config.skeletons.values(), this.#watch.places());
    const port = { config, runState: this.runState, decisionPolicy: DECISION_POLICY };
    this.#recorder = new StepRecorder(port, this.#placed, null);
  }

  /** Begins the machine with the input of the recorded run. */
  begin(input: unknown): void {
    this.#start(anyRef(makeActor(this.#watch, { input }, undefined, NEVER_LATER)));
  }

  /**
   * Takes the machine up where a recorded run stands, as a fresh process does: after its control was put elsewhere.
   * @throws what building it throws, where today's machine does not have that place.
   */
  takeUp(entries: readonly { readonly entry: Entry; readonly row: { readonly time: number } }[]): void {
    for (const { entry, row } of entries) this.runState.apply(entry, row.time);
    const actor = makeActor(this.#watch, { plan: planResume(this.runState, NEVER_LATER) }, undefined, NEVER_LATER);
    this.#start(anyRef(actor));
  }

  #start(actor: Ref): void {
    this.adopted(actor, 0);
    actor.subscribe({ error: () => {} });
    actor.start();
  }

  /** Has an actor hear an event. @returns false where there is no such actor today. */
  hear(actor: number, event: Event): boolean {
    const ref = this.#refs.get(actor);
    this.#error = null;
    ref?.send(event);
    return ref !== undefined;
  }

  /** The next step that an actor has taken and that was not asked for yet; null where it has taken none. */
  next(actor: number): TakenStep | null {
    return this.#taken.get(actor)?.shift() ?? null;
  }

  /** True where an actor has taken a step that was not asked for yet. */
  hasNext(actor: number): boolean {
    return (this.#taken.get(actor)?.length ?? 0) > 0;
  }

  /** The actors that have taken steps that were not asked for. */
  get ahead(): readonly number[] {
    return [...this.#taken].flatMap(([actor, steps]) => (steps.length > 0 ? [actor] : []));
  }

  /** The message of the error that the last event led to; null where it led to none. */
  get error(): string | null {
    return this.#error;
  }

  /** The input with which an actor was started today. */
  inputOf(actor: number): unknown {
    if (this.#inputs.has(actor)) return this.#inputs.get(actor);
    return (this.#refs.get(actor) as { readonly options?: { readonly input?: unknown } } | undefined)?.options?.input;
  }

  /** Folds an entry of the journal in that is no step: what became of calls is what it was. Their work is whose it is today. */
  follow(entry: Entry, time: number): void {
    if (entry.do === 'intent' || entry.do === 'position')
      this.runState.apply({ ...entry, instance: this.#ownerOf(entry.actor) ?? entry.instance }, time);
    else if (entry.do !== 'finding' && entry.do !== 'config') this.runState.apply(entry, time);
  }

  /** The instance that a call of an actor belongs to: outside every skeleton, the root of its region. */
  #ownerOf(actor: number): InstanceId | null {
    const { region } = this.runState.actor(actor);
    if (region === null) return null;
    const owner = this.runState.ownerOf(region, this.#placed);
    if (owner !== undefined) return owner.id;
    const [machine, path] = split(region);
    for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const id = { skeleton: ROOT, entity: regionName(machine, at), ordinal: 0 };
      if (this.runState.history.registry.get(id) !== undefined || at === '') return id;
    }
  }

  stop(): void {
    this.#refs.get(0)?.stop();
  }

  // The machine.

  begun(ref: Ref, seen: readonly Microstep[]): void {
    this.steps(ref, seen);
  }

  steps(ref: Ref, seen: readonly Microstep[]): void {
    for (const { started } of seen) for (const child of started) keepUnstarted(child);
    const number = this.#numbers.get(ref);
    if (number === undefined) return;
    for (const step of seen) this.#step(ref, number, step);
    this.#macrosteps.set(number, seen.length);
  }

  #step(ref: Ref, number: number, seen: Microstep): void {
    const { runState } = this;
    const ended = new Set(seen.gone.flatMap((gone) => this.#numbers.get(gone) ?? []));
    if (seen.snapshot.status === 'done')
      for (const child of runState.actors) if (child.parent === number && child.ended === null) ended.add(child.number);
    const heard = this.#heardFrom(ref, seen.event);
    if (heard !== null) ended.add(heard);
    const { entries } = this.#recorder.step(number, seen, [...ended], this.#sentBy(seen));
    for (const entry of entries.flatMap((each) => this.#asJournaled(each))) {
      runState.apply(entry, runState.time);
      if (entry.do !== 'step') continue;
      const taken = this.#taken.get(number) ?? [];
      this.#taken.set(number, taken);
      taken.push({ entry, context: runState.actor(number).context });
    }
    const first = runState.actors.length - seen.started.length;
    const ids = entries.flatMap((entry) => (entry.do === 'step' ? entry.started.map(({ id }) => id) : []));
    for (const child of seen.started) {
      const at = first + ids.indexOf(child.id);
      this.#inputs.set(at, child.input);
      this.adopted(child.ref, at);
    }
  }

  /** An entry as a journal gives it back: values that no journal holds are lost in both. */
  #asJournaled(entry: Entry): readonly Entry[] {
    return this.#encoder
      .rows(entry, () => {})
      .flatMap((row) => {
        this.#rows += 1;
        return this.#decoder.entry({ ...row, seq: this.#rows, time: 0 }) ?? [];
      });
  }

  #heardFrom(ref: Ref, event: Event): number | null {
    if (!/^xstate\.(?:done|error)\.actor\./.test(event.type)) return null;
    const { children } = ref.getSnapshot() as { children?: Record<string, Ref> };
    const child = children?.[String(event.actorId)];
    return child === undefined ? null : (this.#numbers.get(child) ?? null);
  }

  #sentBy({ sender }: Microstep): [number, number][] {
    const number = sender === null ? undefined : this.#numbers.get(sender);
    if (number === undefined) return [];
    return Array.from({ length: this.#macrosteps.get(number) ?? 0 }, (_, index) => [number, index + 1]);
  }

  crashed(_ref: Ref, _event: Event, error: unknown): void {
    this.#error = error instanceof Error ? error.message : String(error);
  }

  failedToBegin(error: unknown): void {
    this.#error = error instanceof Error ? error.message : String(error);
  }

  adopted(ref: Ref, number: number): void {
    const { started } = this.runState.actors[number] ?? { started: null };
    if (started !== null) keepUnstarted({ ref, kind: started.kind, src: started.src });
    this.#refs.set(number, ref);
    this.#numbers.set(ref, number);
    this.#watch.begin(ref);
  }

  call(): Promise<unknown> {
    return NEVER;
  }

  stops(): boolean {
    return false;
  }

  holdsEnd(): boolean {
    return false;
  }

  woken(): void {}

  stopping(): void {}
}
