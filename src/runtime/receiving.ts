/**
 * The part that loops and flows have in common: their function receives. It ends a turn with what that turn says, rests, and is handed the input of the next turn
 * (semantics.md RC1 to RC9).
 */
import type { TurnEntry } from '../model/entry.ts';
import { never } from './calls-under-way.ts';
import { EnteredRuntime } from './entered.ts';
import { BEGIN, END } from './lanes.ts';
import type { ActorHandle, RuntimeEvent } from './microstep.ts';
import type { ActorPlan } from './restore-plan.ts';
import type { Watcher } from './runtime.ts';
import { type ThreadNotes, type TurnEvent, Turns, turnOf } from './turns.ts';

/** The name under which the runtime keeps its own notes in the context. */
export const OWN = '__belay';

/** The context of a program that may receive. What is left out is there once it has received. */
export interface Received {
  readonly input: unknown;
  /** The inputs of its turns, by their numbers. */
  readonly turns?: Readonly<Record<string, unknown>>;
  /** What its turns have said. */
  readonly said?: Readonly<Record<string, unknown>>;
  readonly steps: Readonly<Record<string, unknown>>;
  /** There once the program has returned. */
  readonly output?: unknown;
  readonly [OWN]?: OwnNotes;
}

/** The notes of the runtime's own. */
export interface OwnNotes {
  /** Under which the digests of inputs are made. */
  readonly salt: string;
  readonly thread: ThreadNotes;
  /** The markers that a flow has passed (CO8). */
  readonly since?: Readonly<Record<string, number>>;
}

/** What a program has read as it goes on: everything that it was given before. */
export const ALL: readonly (readonly string[])[] = [['input'], ['turns'], ['steps']];

/** The surroundings of a program that may receive. */
export interface Surroundings {
  /** Under which the digests of inputs are made, in a run that begins. */
  readonly salt: string;
  readonly said: TurnEntry['said'];
  digest(input: unknown, salt: string): string;
  /** Hears that the program rests between two turns, and that it does so no more. */
  rests(): void;
  leavesRest(): void;
}

/** One entry into the function of such a program. */
export interface ReceivingEntry {
  received: number;
  /** Takes the input that a receive waits for; null where none waits. */
  waiting: ((input: unknown) => void) | null;
}

/** A step between the calls of a program. */
export interface BetweenCalls<TMemory> {
  readonly event: RuntimeEvent;
  readonly to: typeof BEGIN | typeof END;
  readonly memory: (before: TMemory) => TMemory;
  readonly outside?: boolean;
  /** Left out where none of the user's code had a part in the step. */
  readonly reads?: readonly (readonly string[])[];
}

const NO_TURN: ThreadNotes = { turn: 0, isOpen: true };

/** Executes a program whose function receives. */
export abstract class ReceivingRuntime<
  TSetting extends Surroundings,
  TMemory extends Received,
  TEntry extends ReceivingEntry,
  TKind extends 'loop' | 'flow' = 'loop' | 'flow',
> extends EnteredRuntime<TSetting, TMemory, TEntry> {
  readonly turns: Turns<`${TKind}.input`>;
  readonly #kind: TKind;

  constructor(kind: TKind, setting: TSetting, watcher: Watcher) {
    super(setting, watcher);
    this.#kind = kind;
    this.turns = new Turns({
      type: `${kind}.input`,
      watcher,
      said: setting.said,
      turn: () => (this.at.value === null ? null : this.#thread),
      digestOf: (input) => this.digest(input),
      when: (event, isStale, then) => this.when(event, isStale, then),
      begins: (event) => this.#begins(event),
      ends: () => this.tells(this.#resting()),
      rests: () => setting.rests(),
      leavesRest: () => setting.leavesRest(),
    });
  }

  override get receives(): Turns<`${TKind}.input`> {
    return this.turns;
  }

  /** Tells a step between calls. */
  protected abstract tells(step: BetweenCalls<TMemory>): void;
  /** Sees to it that the function has come to each call that the journal has, and that each has its answer in the context. */
  protected abstract toEnd(entry: TEntry, where: string): Promise<void>;
  /** Tells that the function cannot go on. */
  protected abstract breaks(entry: TEntry, why: string): Promise<never>;

  protected digest(input: unknown): string {
    const { program, at } = this;
    return program.digest(input, at.memory[OWN]?.salt ?? program.salt);
  }

  get #thread(): ThreadNotes {
    return this.at.memory[OWN]?.thread ?? NO_TURN;
  }

  /** True where the function has been given all that the run was, and waits in no receive. */
  protected isGiven(received: number): boolean {
    return this.#thread.isOpen && received >= Object.keys(this.at.memory.turns ?? {}).length;
  }

  /** A context with more notes of the runtime's own. */
  protected noted(memory: TMemory, notes: Partial<OwnNotes>): TMemory {
    const own = { salt: this.program.salt, thread: NO_TURN, ...memory[OWN], ...notes };
    return { ...memory, [OWN]: own };
  }

  /** What the turn has said that was last, or the output of a program that has returned. */
  get said(): unknown {
    const { memory } = this.at;
    return 'output' in memory ? memory.output : memory.said?.[this.#thread.turn];
  }

  /** A context in which the turn that is open says something. */
  protected saying(memory: TMemory, said: unknown): TMemory {
    return { ...memory, said: { ...memory.said, [this.#thread.turn]: said } };
  }

  override restore(ref: ActorHandle, plan: ActorPlan): void {
    this.turns.leaves();
    super.restore(ref, plan);
  }

  /** Hands the function its next input. */
  protected async receive(entry: TEntry, said: unknown): Promise<unknown> {
    entry.received += 1;
    const nth = entry.received;
    const inputs = () => this.at.memory.turns ?? {};
    if (Object.hasOwn(inputs(), nth)) return inputs()[nth];
    const input = new Promise((given) => {
      entry.waiting = given;
    });
    await this.toEnd(entry, 'receive()');
    if (this.entry !== entry) return never();
    // One that was handed in meanwhile is there.
    if (Object.hasOwn(inputs(), nth)) return input;
    const { turn, isOpen } = this.#thread;
    if (nth !== turn + 1)
      return this.breaks(entry, `the ${this.#kind} came to its turn ${nth}, and its journal has it in turn ${turn}`);
    if (!isOpen) this.turns.rest();
    else if (turn === 0) this.#between(entry, this.#resting(), () => this.turns.rest());
    else this.#endsTurn(entry, said);
    return input;
  }

  #endsTurn(entry: TEntry, said: unknown): void {
    const end = () => this.turns.end();
    if (this.at.value === END && Object.hasOwn(this.at.memory.said ?? {}, this.#thread.turn)) {
      end();
      return;
    }
    const memory = (before: TMemory) => this.saying(before, said);
    this.#between(entry, { event: { type: `${this.#kind}.turn` }, to: END, reads: ALL, memory }, end);
  }

  #between(entry: TEntry, step: BetweenCalls<TMemory>, then: () => void): void {
    this.when(
      { type: `${this.#kind}.turn` },
      () => this.entry !== entry,
      () => {
        this.tells(step);
        then();
      },
    );
  }

  #resting(): BetweenCalls<TMemory> {
    const memory = (before: TMemory) => this.#noted(before, { ...this.#thread, isOpen: false });
    return { event: { type: `${this.#kind}.rest` }, to: BEGIN, memory };
  }

  #begins(event: TurnEvent<`${TKind}.input`>): void {
    const memory = (before: TMemory) =>
      this.#noted({ ...before, turns: { ...before.turns, [event.turn]: event.input } }, turnOf(event));
    this.tells({ event, to: BEGIN, outside: true, memory });
    const { entry } = this;
    const given = entry?.waiting;
    if (entry == null || given == null) return;
    entry.waiting = null;
    given(event.input);
  }

  #noted(memory: TMemory, thread: ThreadNotes): TMemory {
    const { turns = {}, said = {} } = memory as Received;
    return this.noted({ ...memory, turns, said }, { thread });
  }
}
