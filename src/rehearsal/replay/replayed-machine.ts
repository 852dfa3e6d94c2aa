/**
 * A machine that a journal drives: it receives the recorded events and calls nothing. Each of its steps is made an
 * entry by the same code, and under the same kind of state, as in a run.
 */
import { withComputed } from '../../boundaries/computed.ts';
import type { BoundaryConfig } from '../../boundaries/config.ts';
import { EntryDecoder, EntryEncoder } from '../../journal/entry-codec.ts';
import type { ValueCodec } from '../../journal/value-codec.ts';
import type { Entry } from '../../model/entry.ts';
import { type InstanceId, ROOT } from '../../model/instance.ts';
import { regionName, split } from '../../model/region.ts';
import type { StepEntry } from '../../model/step-entry.ts';
import { RunState } from '../../projection/run-state.ts';
import { type Placed, placedIn } from '../../recording/entry-states.ts';
import { Macrosteps } from '../../recording/macrosteps.ts';
import { StepRecorder } from '../../recording/record-step.ts';
import { DECISION_POLICY } from '../../recovery/decision-policy.ts';
import type { ActorHandle, Microstep, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Crash, Machines, Runtime } from '../../runtime/runtime.ts';
import { SilentWatcher } from '../../runtime/silent-watcher.ts';
import { planResume } from '../../sidecar/plan/resume-plan.ts';
import type { AnyStateMachine } from '../../xstate/actor.ts';
import { ActorPlaces } from '../../xstate/references.ts';
import { inertSetting, MachineRuntime } from '../../xstate/runtime.ts';

/** A step that the machine took, with the context of its actor after it. */
export interface TakenStep {
  readonly entry: StepEntry;
  readonly context: unknown;
}

/** The clock of a replay: no delay is ever over by it, and what was delayed is an event of the journal. */
const NEVER_LATER = () => 0;

/** A machine of today that goes through a run of the past. */
export class ReplayedMachine extends SilentWatcher {
  readonly runState: RunState;
  readonly #encoder: EntryEncoder;
  readonly #decoder: EntryDecoder;
  readonly #runtime: MachineRuntime;
  /** The same, as a run knows it: by handles. */
  readonly #port: Runtime & Machines;
  readonly #recorder: StepRecorder;
  readonly #config: BoundaryConfig;
  readonly #placed: readonly Placed[];
  readonly #refs = new Map<number, ActorHandle>();
  readonly #numbers = new WeakMap<object, number>();
  readonly #inputs = new Map<number, unknown>();
  readonly #macrosteps: Macrosteps;
  readonly #taken = new Map<number, TakenStep[]>();
  #rows = 0;
  /** The time of the last entry of the journal, in milliseconds. */
  #time = 0;
  #error: string | null = null;

  constructor(machine: AnyStateMachine, config: BoundaryConfig, codecs: readonly ValueCodec[]) {
    super();
    this.#config = config;
    this.runState = new RunState(undefined, undefined, codecs);
    this.#macrosteps = new Macrosteps(this.runState.places);
    const places = new ActorPlaces();
    this.#encoder = new EntryEncoder(undefined, [places, ...codecs]);
    this.#decoder = new EntryDecoder(codecs);
    this.#runtime = new MachineRuntime(machine, this, inertSetting(places));
    this.#port = this.#runtime;
    this.#placed = placedIn(config.skeletons.values(), (path) => this.#runtime.placeAt(path));
    const port = { config, runState: this.runState, decisionPolicy: DECISION_POLICY, encoder: this.#encoder };
    this.#recorder = new StepRecorder(port, this.#placed, null);
  }

  /** Begins the machine with the input of the recorded run. */
  begin(input: unknown): void {
    this.#start(this.#runtime.make({ input }));
  }

  /**
   * Takes the machine up where a recorded run stands, as a fresh process does: after its control was put elsewhere.
   * @throws what building it throws, where today's machine does not have that place.
   */
  takeUp(entries: readonly { readonly entry: Entry; readonly row: { readonly time: number } }[]): void {
    for (const { entry, row } of entries) this.#fold(entry, row.time);
    this.#start(this.#runtime.make({ plan: planResume(this.runState, NEVER_LATER) }));
  }

  #fold(entry: Entry, time: number): void {
    this.#time = time;
    this.runState.apply(entry, time);
  }

  #start(actor: ReturnType<MachineRuntime['make']>): void {
    this.adopted(actor, 0);
    actor.subscribe({ error: () => {} });
    actor.start();
  }

  /** Has an actor hear an event. @returns false where there is no such actor today. */
  hear(actor: number, event: RuntimeEvent): boolean {
    const ref = this.#refs.get(actor);
    this.#error = null;
    if (ref !== undefined) this.#port.send(ref, event);
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
    const ref = this.#refs.get(actor);
    const here = ref === undefined ? undefined : this.#port.inputOf(ref);
    const given = this.#inputs.has(actor) ? this.#inputs.get(actor) : here;
    const { started } = this.runState.actor(actor);
    return withComputed(this.#config, started?.kind === 'promise' ? started.src : null, given);
  }

  /**
   * Folds in a journal entry that is no step: the outcomes of calls are the recorded ones. Their owners are the
   * instances of today.
   */
  follow(entry: Entry, time: number): void {
    if (entry.do === 'intent' || entry.do === 'position')
      this.#fold({ ...entry, instance: this.#ownerOf(entry.actor) ?? entry.instance }, time);
    else if (entry.do !== 'finding' && entry.do !== 'config' && entry.do !== 'migrated') this.#fold(entry, time);
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
    const root = this.#refs.get(0);
    if (root !== undefined) this.#port.stop(root);
  }

  // The machine.

  override steps(ref: ActorHandle, seen: readonly Microstep[]): void {
    const number = this.#numbers.get(ref);
    if (number === undefined) return;
    const sender = seen[0]?.sender ?? null;
    this.#macrosteps.begin(number, sender === null ? undefined : this.#numbers.get(sender), undefined);
    for (const step of seen) this.#step(ref, number, step);
  }

  #step(ref: ActorHandle, number: number, seen: Microstep): void {
    const { runState } = this;
    const { next } = runState.places;
    const ended = new Set(seen.gone.flatMap((gone) => this.#numbers.get(gone) ?? []));
    if (seen.done)
      for (const child of runState.actors) if (child.parent === number && child.ended === null) ended.add(child.number);
    const heard = this.#heardFrom(ref, seen.event);
    if (heard !== null) ended.add(heard);
    const { entries } = this.#recorder.step(number, seen, [...ended], this.#macrosteps.tiesOf(number, seen));
    for (const entry of entries.flatMap((each) => this.#asJournaled(each))) {
      runState.apply(entry, this.#time);
      if (entry.do !== 'step') continue;
      const taken = this.#taken.get(number) ?? [];
      this.#taken.set(number, taken);
      taken.push({ entry, context: runState.actor(number).context });
    }
    this.#macrosteps.took(number, seen, next);
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

  #heardFrom(ref: ActorHandle, event: RuntimeEvent): number | null {
    const child = this.#port.teller(ref, event) ?? null;
    return child === null ? null : (this.#numbers.get(child) ?? null);
  }

  override async crashed(_ref: ActorHandle, { error }: Crash): Promise<void> {
    this.#error = error instanceof Error ? error.message : String(error);
  }

  override failedToBegin(error: unknown): void {
    this.#error = error instanceof Error ? error.message : String(error);
  }

  override adopted(ref: ActorHandle, number: number): void {
    this.#refs.set(number, ref);
    this.#numbers.set(ref, number);
    this.#port.announce(ref);
  }

  override holdsEnd(): boolean {
    return false;
  }

  override actorAt(number: number): ActorHandle | undefined {
    return this.#refs.get(number);
  }
}
