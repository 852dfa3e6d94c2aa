/**
 * The port between a run and the runtime that executes it. A runtime reports its steps, failures and calls before they
 * have consequences, and a plan puts it into a new state. A run knows no runtime by name; a runtime knows no journal.
 */
import type { TurnEntry } from '../model/entry.ts';
import type { StateValue } from '../model/step-entry.ts';
import type { ToolVersion } from '../model/tool-version.ts';
import type { ActorHandle, Microstep, Place, RuntimeEvent } from './microstep.ts';
import type { ActorPlan } from './restore-plan.ts';

/** A call of a tool that an actor makes. */
export interface Call {
  readonly ref: ActorHandle;
  readonly tool: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** Makes the call, with its idempotency key, the input that counts, and the handle of its sandbox. */
  act(key: string | undefined, signal: AbortSignal, input: unknown, sandbox?: unknown): Promise<unknown>;
  /** True where the user's own code takes an error of this call; where it cannot be told, false. */
  handles(error: unknown): boolean;
  /**
   * True for a call of code that makes several, and that runs again as a whole: its other calls come before it, or do
   * not come (C8).
   */
  readonly ofNode?: boolean;
  /** The version of its tool; left out where that names none. */
  readonly version?: ToolVersion;
}

/** A delayed event that an actor has scheduled. Milliseconds. */
export interface Armed {
  readonly id: string;
  /** The path of the region that it belongs to, within its machine. */
  readonly region: string;
  readonly event: RuntimeEvent;
  readonly delay: number;
  /** The time at which the timer is due, if a plan has set one; null otherwise. */
  readonly due: number | null;
  /** The actor that hears it, where that is another one. */
  readonly target: ActorHandle | null;
}

/** A step that failed: the actor stays in its state. */
export interface Crash {
  readonly event: RuntimeEvent;
  readonly error: unknown;
  /** The states that heard the event. */
  readonly places: readonly Place[];
  /** True where the event itself tells of an error of another actor. */
  readonly ofChild: boolean;
  /**
   * Whence an event came that the runtime does not have again: from outside, or from another machine. Left out for any
   * other.
   */
  readonly from?: 'outside' | 'machine';
  /** The limit of the runtime that was met; left out where code threw (TH7). */
  readonly limit?: number;
  /** True where the runtime itself refuses to go on: no other code helps. */
  readonly isRefused?: true;
}

/** The origin of an event, for the run that may have it wait. */
export interface Origin {
  /** The machine that sent the event; null if no machine did. */
  sender(): ActorHandle | null;
  /** The child that sent it and is no machine; null where none did (CH8). */
  source(): ActorHandle | null;
  /** True where it came from outside the actor system. */
  isOutside(): boolean;
}

/** The run, as a runtime tells it what happens and asks it what may. */
export interface Watcher {
  /** The microsteps that one event caused, in order. Called before anything that they started runs. */
  steps(ref: ActorHandle, seen: readonly Microstep[]): void;
  /** Resolves once the failure is answered: an actor that no restore has moved by then stays in its state. */
  crashed(ref: ActorHandle, crash: Crash): Promise<void>;
  /**
   * True if an event has to wait, or is refused: then the actor does not see it now.
   * @param from tells its origin; left out if that is unknown.
   */
  stops(ref: ActorHandle, event: RuntimeEvent, from?: Origin): boolean;
  call(call: Call): Promise<unknown>;
  /** The root has come to its end. @returns true if the end has to wait for a decision about the root. */
  holdsEnd(output: unknown): boolean;
  /**
   * A thread has come to the end of a turn. @param rest tells the step that ends it, and says which turn it is; it is
   * called once nothing is left to decide about that turn, and never where a restore has put the thread elsewhere by
   * then (RC2).
   * @param then is called once the end is durable: until then the thread says nothing of the turn.
   */
  endsTurn(rest: () => Pick<TurnEntry, 'nth' | 'said' | 'id' | 'is'>, then: () => void): void;
  /** The events of a type from outside that a restore took back and that have not come again, in their order. */
  toComeAgain(type: string): readonly RuntimeEvent[];
  /** The program waits for its next input. */
  awaitsInput(): void;
  /**
   * The turn that has a name: one that has ended, or that a restore took back and that comes again. Undefined where
   * none has it.
   */
  turnNamed(id: string): { readonly nth: number; readonly is: string } | undefined;
  /** The first macrostep of the root threw: nothing has begun. */
  failedToBegin(error: unknown): void;
  /** The root takes events: it was started. Told where the run has asked for it. */
  woken(): void;
  /**
   * A root that has begun is being started: what its first steps have sent is on its way. Told by runtimes of machines.
   */
  started(): void;
  /** The root is told to stop: what follows is no act of the user's. */
  stopping(): void;
  /** An actor was made by a restore, in the place of the one that the journal numbers so. */
  adopted(ref: ActorHandle, number: number): void;
  armed(ref: ActorHandle, timer: Armed): void;
  /** A delayed event was taken back, or it fired and no state heard it. */
  disarmed(ref: ActorHandle, id: string): void;
  /** False where it is known that the call of an actor did not happen. */
  mayStand(ref: ActorHandle): boolean;
  /**
   * True for a call that work which was taken over has led to, and of which nothing may stand: the program itself has
   * not asked for it.
   */
  isUnasked(ref: ActorHandle): boolean;
  /**
   * The epoch of the work in a state of the root: how often decisions have taken it back, whichever process made them.
   */
  epochIn(path: string): number;
  /** Tells of what a person should know, and no failure says. */
  finds(code: string, text: string): void;
  /** The actor of a number; undefined where none was made in this process. */
  actorAt(number: number): ActorHandle | undefined;
}

/** The states that control comes to with a claim, below what goes on around them (C5a). */
export interface Arrival {
  /** All active states. */
  readonly after: readonly Place[];
  readonly entered: readonly Place[];
  readonly moves: readonly string[];
  /** The place of the region's own state. */
  readonly source: Place;
  /** True where the actor is at its end there. */
  readonly done: boolean;
}

/**
 * An event that states tell their surroundings when they are complete, and the paths of the regions that made them so.
 */
export interface Completion {
  readonly event: RuntimeEvent;
  readonly regions: readonly string[];
}

/** Executes one run. Its actors are known by their handles; the root is the first. */
export interface Runtime {
  /** The place of a state, by the path that a config names it with; undefined where there is no such state. */
  placeAt(path: string): Place | undefined;
  /** The value of a region that stands in a state: the state's path from the region on, its initial states below it. */
  valueWithin(prefix: string, region: string, path: string): StateValue | undefined;
  /** The function of a tool, for a call that is made when no actor waits for it any more. */
  toolNamed(name: string): ((call: object) => Promise<unknown>) | undefined;

  /** Makes the root from its input, or where a plan says. It is not started. */
  make(from: { readonly input: unknown } | { readonly plan: ActorPlan }): ActorHandle;
  /** Tells the first steps of an actor, once, when the run has numbered it. */
  announce(ref: ActorHandle): void;
  /** Ends the root, whose end had to wait. */
  end(root: ActorHandle, output: unknown): void;
  /** Has the watcher told when the root takes events. */
  wake(root: ActorHandle): void;
  stop(root: ActorHandle): void;
  /** Puts an actor where a plan says, in place. */
  restore(ref: ActorHandle, plan: ActorPlan): void;

  /** Hands an event to an actor that has waited: it comes from inside. */
  deliver(ref: ActorHandle, event: RuntimeEvent): void;
  /** The child whose end an event tells of; undefined where it is not there any more, null for any other event. */
  teller(ref: ActorHandle, event: RuntimeEvent): ActorHandle | null | undefined;
  /** The output of an actor that is over. */
  outputOf(ref: ActorHandle): unknown;
  /** The input that an actor was made with. */
  inputOf(ref: ActorHandle): unknown;
  /** The input of an actor that a state is to start. */
  inputFor(
    ref: ActorHandle,
    child: { readonly id: string; readonly at: string | null; readonly input?: unknown },
    context: unknown,
    event: RuntimeEvent,
  ): unknown;
  /** The states of a region's part of a value, as a step that came there would have entered them. */
  arrival(ref: ActorHandle, value: StateValue, context: unknown, region: string): Arrival;

  /**
   * The context as newly entered work sees it: without the writes of the other units in a step of many that is not
   * over.
   */
  seen(context: unknown): unknown;
  /** The machines that it executes; null for a runtime that has none. */
  readonly machines: Machines | null;
  /** The way in of inputs from outside; null for a program that receives none. */
  readonly receives: Receiver | null;
  /** The program as it is entered on paper; null for machines, and for a program that cannot be entered so. */
  readonly enterable: Enterable | null;
  /**
   * True while code of the program's own runs, beside its calls: what it does next comes of itself. False for machines.
   */
  readonly isRunning: boolean;
}

/** A changed input of a program, for a past on paper. */
export interface PaperChange {
  /** The number of the turn whose input is another one; 0 for the input of the run. */
  readonly turn: number;
  /** The input in its place; null where the turn never was. */
  readonly input: { readonly is: unknown } | null;
  /**
   * The numbers of the calls behind the change, by their names: they are made again, or answered from the ledger. All
   * others stand.
   */
  readonly behind: ReadonlyMap<string, number>;
  /** The steps behind the change, in order. */
  steps(): readonly PastStep[];
  /** The control and the context before the change. */
  standing(): Pick<ActorPlan, 'value' | 'context'>;
  /**
   * True where the ledger has an act of the call of a number with these arguments: a call that asks the same is
   * answered by it.
   */
  hasActed(call: number, input: unknown): boolean;
}

/** A step of the past, as a program on paper is held against it. */
export interface PastStep {
  readonly event: unknown;
  /** The control after it. */
  readonly value: StateValue;
  readonly started: readonly { readonly id: string; readonly number: number }[];
}

/**
 * A program that is entered again, and can be entered on paper: then it makes no call, and is answered from its past.
 */
export interface Enterable {
  /** The words of its turns stand, or are rewritten; null for a program that has no turns. */
  readonly said: TurnEntry['said'] | null;
  /** The input that the run was begun with, by the context of its first step. */
  inputIn(context: unknown): unknown;
  /** The event of a turn with another input. */
  turnWith(event: RuntimeEvent, input: unknown): RuntimeEvent;
  /** The context of the run, had it begun with another input; undefined for a program that begins without one. */
  begunWith(input: unknown): unknown;
  /**
   * Enters the program on paper with its unchanged past. Left out by a runtime that compares the input of each call
   * itself.
   * @returns the input of the call; null if the program does not come to the call.
   */
  asks?(name: string): Promise<{ readonly input: unknown } | null>;
  /** Enters the program on paper. @returns the numbers of the calls that it comes to and that are given the same. */
  onPaper(change: PaperChange): Promise<ReadonlySet<number>>;
}

/** The way into a program that is handed one input after the other. */
export interface Receiver {
  /** True where the program waits for its next input, and none comes again by itself. */
  readonly isReady: boolean;
  /** The reason why the input of a turn is none that can be the next one; null where it can. */
  refusalOf(input: unknown, id: string | undefined): string | null;
  /** The event of a turn that waits: it has no number yet. */
  waits(input: unknown, id: string | undefined): RuntimeEvent;
  /**
   * Begins a turn.
   * @param note is called right before its step is told.
   * @param is the digest of the input as it was sent.
   * @returns false where something holds it back.
   */
  receive(input: unknown, id: string | undefined, note?: () => void, is?: string): boolean;
}

/**
 * The abilities of a runtime of state machines: events from outside, steps that follow of themselves, delays, machines
 * within one.
 */
export interface Machines {
  /** The event with which a machine takes the eventless transitions of its present state, and nothing else. */
  readonly settling: RuntimeEvent;
  /**
   * The same machine for another watcher: it takes its transitions, and nothing leaves it. Its delays never ring, and
   * its actors answer nothing.
   */
  inert(watcher: Watcher): Runtime & Machines;
  /** Begins the root again, whose first macrostep threw. */
  begin(root: ActorHandle, input: unknown): void;
  /** Runs a function once, when the root has next told its state. */
  onceTold(root: ActorHandle, run: () => void): void;
  /** Sends an event from outside. */
  send(ref: ActorHandle, event: RuntimeEvent): void;
  /** Hands on an event that a step of the machine's own had raised. */
  raise(ref: ActorHandle, event: RuntimeEvent): void;
  /** Hands on an event that a child which is no machine had sent. */
  relay(source: ActorHandle, ref: ActorHandle, event: RuntimeEvent): void;
  /** True where a machine has come to its end. */
  isOver(ref: ActorHandle): boolean;
  /** The names of the tools that a machine may still call from where it stands; null where that cannot be told. */
  toolsAhead(ref: ActorHandle): ReadonlySet<string> | null;
  /** The path of the state that a delayed event belongs to; null for a delayed event of another kind. */
  stateOfTimer(ref: ActorHandle, type: string): string | null;
  /** The paths of the regions in which a machine would take an event now; none if it would not, or is over. */
  takers(machine: ActorHandle, event: RuntimeEvent): readonly string[];
  /** The completion events of a machine in a given state value, in the order in which they are raised. */
  completions(ref: ActorHandle, value: StateValue, context: unknown): readonly Completion[];
}
