/**
 * The part that runtimes have in common whose program is a function, or made of functions: it cannot be put anywhere. It is entered again
 * after a restore, and in each process; what is kept answers from the context.
 */
import { endedChild } from '../model/reply-event.ts';
import type { StateValue } from '../model/step-entry.ts';
import type { CallsUnderWay, CallUnderWay } from './calls-under-way.ts';
import type { ActorHandle, Place, RuntimeEvent } from './microstep.ts';
import { rootPlace } from './plain-step.ts';
import type { ActorPlan } from './restore-plan.ts';
import type { Arrival, Crash, Enterable, Receiver, Runtime, Watcher } from './runtime.ts';

/** The control of a run, null before its first step, and its context. */
export interface Position<TMemory> {
  value: StateValue | null;
  memory: TMemory;
}

/** Executes a program that is entered again, and is its root: such a runtime has no machines. From outside it hears the inputs of turns, where it receives. */
export abstract class EnteredRuntime<TProgram, TMemory extends object, TEntry extends object> implements Runtime {
  readonly machines = null;
  /** Null for a program that receives nothing. */
  get receives(): Receiver | null {
    return null;
  }
  /** Null for a program that is not entered on paper. */
  get enterable(): Enterable | null {
    return null;
  }
  protected readonly program: TProgram;
  protected readonly watcher: Watcher;
  protected abstract readonly at: Position<TMemory>;
  protected abstract readonly calls: CallsUnderWay;
  /** The last entry into the program; null where none counts. */
  protected entry: TEntry | null = null;
  readonly #waiting = new Map<RuntimeEvent, () => void>();
  /** The entry that threw last. */
  #failed: TEntry | null = null;
  #isStarted = false;
  #wakes = false;

  constructor(program: TProgram, watcher: Watcher) {
    this.program = program;
    this.watcher = watcher;
  }

  /** The context of a run that begins. */
  protected abstract first(input: unknown): TMemory;
  /** Tells the first step. */
  protected abstract begin(): void;
  /** True once the program has come to its end. */
  protected abstract isOver(): boolean;
  protected abstract enter(): void;

  /** True while an entry's own code runs, and waits for no call and no input. */
  protected abstract runs(entry: TEntry): boolean;

  get isRunning(): boolean {
    const { entry } = this;
    return entry !== null && entry !== this.#failed && this.runs(entry);
  }

  /** Leaves the program: nothing that it does from now on counts, but for its calls that are kept. */
  protected leave(): void {
    this.entry = null;
  }

  abstract outputOf(): unknown;

  /** A program has one region, unless it says otherwise: the root's own. */
  placeAt(path: string): Place | undefined {
    return rootPlace(path);
  }

  valueWithin(_prefix: string, _region: string, path: string): StateValue | undefined {
    return path;
  }

  arrival(_ref: ActorHandle, value: StateValue, _context: unknown, _region: string): Arrival {
    const source = rootPlace(String(value));
    return { after: [source], entered: [source], moves: [''], source, done: false };
  }

  /** Enters the program for the first time in this process. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.#wakes) this.watcher.woken();
    if (this.at.value === null) this.begin();
    if (!this.isOver()) this.enter();
  }

  make(from: { readonly input: unknown } | { readonly plan: ActorPlan }): ActorHandle {
    if ('plan' in from) this.restore(this, from.plan);
    else this.at.memory = this.first(from.input);
    return this;
  }

  restore(_: ActorHandle, { value, context, keep, make }: ActorPlan): void {
    this.leave();
    this.calls.keep(keep);
    this.at.memory = context as TMemory;
    this.at.value = value;
    for (const { number, id, src, input } of make) this.watcher.adopted(this.calls.add(id, src ?? '', input), number);
    if (this.isOver()) this.watcher.holdsEnd(this.outputOf());
    else if (this.#isStarted) this.enter();
  }

  deliver(_: ActorHandle, event: RuntimeEvent): void {
    const go = this.#waiting.get(event);
    this.#waiting.delete(event);
    go?.();
  }

  teller(_: ActorHandle, { type }: RuntimeEvent): ActorHandle | null | undefined {
    const id = endedChild(type);
    return id === null ? null : this.calls.underWay.get(id);
  }

  wake(): void {
    this.#wakes = true;
  }

  stop(): void {
    this.leave();
    this.calls.keep([]);
  }

  toolNamed(name: string) {
    return this.calls.tools.get(name) as ((call: object) => Promise<unknown>) | undefined;
  }

  announce(): void {}

  end(): void {}

  seen(context: unknown): unknown {
    return context;
  }

  inputOf(ref: ActorHandle): unknown {
    return (ref as Partial<CallUnderWay>).input;
  }

  inputFor(_: ActorHandle, { input }: { readonly input?: unknown }): unknown {
    return input;
  }

  /** Tells that the program threw on an event, unless that does not count any more. Resolves once it is answered. */
  protected async crashes(
    event: RuntimeEvent,
    error: unknown,
    places: readonly Place[],
    isStale: () => boolean,
    why: Pick<Crash, 'limit' | 'isRefused'> = {},
  ): Promise<void> {
    if (isStale()) return;
    this.#failed = this.entry;
    await this.watcher.crashed(this, { event, error, places, ofChild: false, ...why });
  }

  /** Goes on with an event once nothing holds that back, and not at all where it does not count any more. */
  protected when(event: RuntimeEvent, isStale: () => boolean, then: () => void): void {
    const go = () => {
      if (isStale()) return;
      if (this.watcher.stops(this, event)) this.#waiting.set(event, go);
      else then();
    };
    go();
  }
}
