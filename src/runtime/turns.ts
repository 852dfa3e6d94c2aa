/**
 * The turns of a run that receives: an entered program is handed one input after the other, rests between them, and what a restore took
 * back comes again (semantics.md RC1 to RC5).
 */
import type { TurnEntry } from '../model/entry.ts';
import type { RuntimeEvent } from './microstep.ts';
import type { Receiver, Watcher } from './runtime.ts';

/** The words of a caller about a turn. */
export interface TurnOptions {
  /** The name of the turn, that of the message for instance: handed in twice under one name, it is one turn. */
  readonly id?: string;
}

/** The turn of a thread. Between two turns it is the last one. */
export interface ThreadNotes {
  readonly turn: number;
  /** True from its input until its end. */
  readonly isOpen: boolean;
  /** The name that its caller gave it. */
  readonly id?: string;
  /** The digest of its input. */
  readonly is?: string;
}

/** The event that brings the input of a turn. */
export interface TurnEvent<TType extends string = string> extends RuntimeEvent {
  readonly type: TType;
  readonly input: unknown;
  readonly turn: number;
  readonly id?: string;
  /** The digest of the input. */
  readonly is: string;
}

/** The turn that an event begins, as the context notes it. */
export function turnOf({ turn, id, is }: TurnEvent): ThreadNotes {
  return { turn, isOpen: true, is, ...(id !== undefined && { id }) };
}

/** The number of a turn that was retracted: it is none any more, and no other turn has its id. */
const GONE = 0;

/** A runtime whose program receives, as its turns ask it. */
interface TurnsPort<TType extends string> {
  /** The type of the event that brings the input of a turn. */
  readonly type: TType;
  readonly watcher: Watcher;
  /** What a turn has said stands, or is rewritten; null for a run that receives nothing. */
  readonly said: TurnEntry['said'] | null;
  /** The turn that is open, or was last; null before the first step. */
  turn(): ThreadNotes | null;
  digestOf(input: unknown): string;
  /** Goes on with an event once nothing holds that back, and not at all where it does not count any more. */
  when(event: RuntimeEvent, isStale: () => boolean, then: () => void): void;
  /** Tells the step by which a turn begins, and goes on with it. */
  begins(event: TurnEvent<TType>): void;
  /** Tells the step by which a turn ends. */
  ends(): void;
  /** The program rests: nothing comes of itself. */
  rests(): void;
  /** It rests no more. */
  leavesRest(): void;
}

/** The turns of one run. */
export class Turns<TType extends string = string> implements Receiver {
  /** True where the program waits for its next input, and none comes again by itself. */
  isReady = false;
  readonly #port: TurnsPort<TType>;

  constructor(port: TurnsPort<TType>) {
    this.#port = port;
  }

  /** The turn that is open, or was last; null before the first step. */
  get turn(): ThreadNotes | null {
    return this.#port.turn();
  }

  /** True between two turns. */
  get isResting(): boolean {
    return this.turn?.isOpen === false;
  }

  digestOf(input: unknown): string {
    return this.#port.digestOf(input);
  }

  /** The turn that has ended under a name; undefined where none has. */
  turnNamed(id: string): ReturnType<Watcher['turnNamed']> {
    return this.#port.watcher.turnNamed(id);
  }

  /** The program waits for no input any more. */
  leaves(): void {
    this.isReady = false;
    this.#port.leavesRest();
  }

  #begins(event: TurnEvent<TType>): void {
    this.leaves();
    this.#port.begins(event);
  }

  refusalOf(input: unknown, id: string | undefined): string | null {
    const { turn } = this;
    const last = turn?.id === undefined ? undefined : { nth: turn.turn, is: turn.is };
    const known = id === undefined ? undefined : id === turn?.id ? last : this.turnNamed(id);
    if (known?.nth === GONE) return `turn_retracted: ${JSON.stringify(id)} was retracted: give it another id`;
    if (known === undefined) return null;
    return known.is === this.digestOf(input)
      ? `it is turn ${known.nth} of the run already`
      : `turn_differs: turn ${known.nth} has the id ${JSON.stringify(id)}, and another input`;
  }

  waits(input: unknown, id: string | undefined): RuntimeEvent {
    return { type: this.#port.type, input, is: this.digestOf(input), ...(id !== undefined && { id }) } as RuntimeEvent;
  }

  /** Has a run that rests begin the turn of an input. @returns false where the run takes none now. */
  receive(input: unknown, id: string | undefined, note = () => {}, is = this.digestOf(input)): boolean {
    const { type, when } = this.#port;
    const turn = (this.turn?.turn ?? 0) + 1;
    const event = { type, input, turn, is, ...(id !== undefined && { id }) } as TurnEvent<TType>;
    let isTaken = false;
    // One that has to wait is not taken: its caller is told so, and nothing of it comes later.
    let isLate = false;
    when(
      event,
      () => isLate || !this.isResting,
      () => {
        isTaken = true;
        note();
        this.#begins(event);
      },
    );
    isLate = true;
    return isTaken;
  }

  /** Ends a turn, once nothing is left to be decided about it. */
  end(): void {
    const { said, watcher, ends } = this.#port;
    const rest = () => {
      ends();
      const { turn: nth, id, is } = this.turn as ThreadNotes;
      return { nth, said: said ?? 'stands', ...(id !== undefined && is !== undefined && { id, is }) };
    };
    watcher.endsTurn(rest, () => {
      if (this.isResting) this.rest();
    });
  }

  /** Rests between two turns, unless the input of the next one was taken back: it comes again (RC4). */
  rest(): void {
    const { when, rests, watcher } = this.#port;
    const back = this.#toComeAgain()[0] ?? null;
    const isStale = () => !this.isResting;
    if (back !== null) {
      when(back, isStale, () => {
        // An act may have changed it where it had to wait.
        const now = this.#toComeAgain()[0];
        if (now === undefined) this.rest();
        else this.#begins(now);
      });
      return;
    }
    this.isReady = true;
    rests();
    watcher.awaitsInput();
  }

  /**
   * True for a turn that the run has no more. One that a restore took back comes again, even where an earlier turn asks meanwhile.
   * @param last the turn at which the run rests or asks; null where it has none any more.
   */
  isGone(own: ThreadNotes | null, last: ThreadNotes | null = this.turn): boolean {
    if (own === null || last === null || last.turn >= own.turn) return false;
    return ![last, ...this.#toComeAgain()].some(({ is, id }) => is === own.is && id === own.id);
  }

  #toComeAgain(): readonly TurnEvent<TType>[] {
    const { type, watcher } = this.#port;
    return watcher.toComeAgain(type) as readonly TurnEvent<TType>[];
  }
}

/** The text of the error of a turn that the run has no more. */
export const TAKEN_OUT = 'The turn was taken out by an act on it, or on a turn before it.';

/** The codes of what is refused of a turn. */
export type TurnCode = 'turn_open' | 'turn_differs' | 'turn_over' | 'turn_retracted';

/**
 * Hands a run that receives the input of a turn: it is the next turn where the run rests, and the turn that is open where it is that one once more.
 * @param refuse makes the error of a turn that is not taken. @param stopped makes that of a run which takes none before a person has acted.
 * @throws Error that those make.
 */
export function handIn(
  turns: Turns,
  input: unknown,
  id: string | undefined,
  refuse: (code: TurnCode, text: string) => Error,
  stopped: () => Error,
): void {
  const is = turns.digestOf(input);
  const { turn } = turns;
  const known = id === undefined ? undefined : turns.turnNamed(id);
  const differs = (nth: number) =>
    refuse('turn_differs', `Turn ${nth} has the id ${JSON.stringify(id)}, and another input.`);
  if (turn?.isOpen === true && turn.id === id && (id !== undefined || turn.is === is)) {
    if (turn.is !== is) throw differs(turn.turn);
    return;
  }
  if (known?.nth === GONE)
    throw refuse('turn_retracted', `The turn ${JSON.stringify(id)} was retracted: hand its input in under another id.`);
  if (known !== undefined) {
    if (known.is !== is) throw differs(known.nth);
    // One that was taken back comes again by itself. The last turn is answered with the state that it has led to, which is that of the thread.
    if ((turn?.turn ?? 0) < known.nth || (turn?.isOpen === false && turn.turn === known.nth)) return;
    const text = `Turn ${known.nth}, ${JSON.stringify(id)}, is over, and others came behind it: see getState() for where the thread stands.`;
    throw refuse('turn_over', text);
  }
  if (!turns.isResting) {
    const text = `Turn ${turn?.turn ?? 0} of the thread is open, and this is another input: nothing of it was taken. Go on with that turn, by invoke() or by its own input, and send this one once it is over.`;
    throw refuse('turn_open', text);
  }
  if (!turns.receive(input, id)) throw stopped();
}
