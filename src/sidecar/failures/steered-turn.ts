/** Acts on the inputs of a program that receives (semantics.md RC8, RC9): who may change what was answered, and what becomes of the turns behind it. */
import type { SentSteer } from '../../effects/messages/steers.ts';
import { INPUT } from '../../model/message-entries.ts';
import { eventType } from '../../model/reply-event.ts';
import { turnIn } from '../../model/turn-event.ts';
import { nameOfStep } from '../../projection/received.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { RecordedStep, ToRedeliver } from '../../projection/state-types.ts';
import type { Enterable } from '../../runtime/runtime.ts';
import type { Raised } from '../parts.ts';
import { metOnPaper, type Past, turnsFrom } from './entered.ts';

/** An event as an act finds it: where it waits, or where it was received. */
export interface Found {
  readonly name: string;
  readonly event: unknown;
  readonly by: string | null;
  readonly version: number;
  /** True where it waits since a restore has changed what its sender had seen. */
  readonly isTakenBack: boolean;
  /** The step that took it; null where it waits. */
  readonly step: RecordedStep | null;
  /** True where it is an input of a program that is entered, and of no machine. */
  readonly isOfProgram: boolean;
  /** The program as it is entered on paper; null for a machine, and where it cannot be. */
  readonly program: Enterable | null;
}

/** The number of the message of an act, which comes behind the messages before it; left out or null for an act of the program. */
interface AfterPosts {
  readonly post?: number | null;
}

/** The step that took the input of a turn with an id; undefined where none stands. */
export function turnNamed(runState: RunState, id: string): RecordedStep | undefined {
  return turnsFrom(runState, 0).findLast(({ outside }) => turnIn(outside)?.id === id);
}

/** The reason why an act on an input of a program is refused; null where it is not, or where the event is none. */
export function refusalOfTurn(
  runState: RunState,
  word: SentSteer & AfterPosts,
  { name, event, step, program, isOfProgram: isInput }: Found,
): string | null {
  if (!isInput || program === null) return null;
  if (name === INPUT && program.begunWith(null) === undefined)
    return 'steer_unsupported: a thread is begun without an input: change the input of its first turn';
  const odd = word.act === 'revise' ? oddVersion(event, Object.keys(word.to ?? {}).join()) : null;
  if (odd !== null) return odd;
  if (word.from === 'here') return 'steer_unsupported: hand it in as the next turn';
  if (step === null) return null;
  const { said } = runState.turns;
  if (said === null || said.step <= step.nth) return null;
  const other = turnsFrom(runState, turnAt(runState, step)).find((one) => senderOf(runState, one) !== word.by);
  const waits = turnsBefore(runState, word).find(({ held }) => held?.by !== word.by);
  if (other === undefined && waits === undefined) return null;
  const by = other === undefined ? waits?.held?.by : senderOf(runState, other);
  const reader = by == null ? 'who handed it in gave no name' : `it was sent by ${by}`;
  const turn = other === undefined ? `the turn ${waits?.name} that waits` : `turn ${turnIn(other.outside)?.turn}`;
  return `said_to_person: what was said behind ${name} was read in ${turn}, and ${reader}: only its reader may change what led to it. Fork the run at the last row before ${name} (belay fork), or correct it in a new turn`;
}

/** The reason why an input, or an answer, cannot say other members from here on; null where it can. */
function oddVersion(event: unknown, members: string): string | null {
  if (turnIn(event) !== null)
    return members === 'input' ? null : 'steer_unsupported: a turn is revised by its input: { input: … }';
  if (!isAnswer(event)) return null;
  if (members !== 'value') return 'steer_unsupported: an answer is revised by its value: { value: … }';
  return (event as { readonly of?: unknown }).of === undefined
    ? 'steer_unsupported: the journal does not say what was asked: retract the answer, and answer what is asked then'
    : null;
}

/** The cause of an act, with what the program comes to on paper. */
export async function metBy(past: Past, raised: Raised, program: Enterable | null): Promise<Raised> {
  const { steers } = raised;
  const isEntered = program !== null && steers !== undefined;
  return isEntered ? { ...raised, met: await metOnPaper(program, past, steers, raised.undone) } : raised;
}

/** The number of the step that has begun the turn of a step; its own where none has. */
function turnAt(runState: RunState, { nth }: RecordedStep): number {
  return turnsFrom(runState, 0).findLast((turn) => turn.nth <= nth)?.nth ?? nth;
}

function senderOf({ received }: RunState, { nth }: RecordedStep): string | null {
  return received.takenBy(nth)?.by ?? null;
}

/** The turns that were left before an act and that wait (RC12). */
function turnsBefore({ held }: RunState, { post }: AfterPosts): readonly ToRedeliver[] {
  const isBefore = ({ held: one }: ToRedeliver) => post == null || one?.post == null || one.post < post;
  return held.filter((one) => turnIn(one.event) !== null && isBefore(one));
}

/** The names of the later turns that an act takes along: the words that they answer are others by now (RC9). */
export function droppedWith(
  runState: RunState,
  program: Enterable | null,
  word: Pick<SentSteer, 'later'> & AfterPosts,
  step: RecordedStep,
): readonly string[] {
  if (program === null || program.said !== 'stands') return [];
  const { received } = runState;
  const { later = [] } = word;
  const names = turnsFrom(runState, step.nth + 1).map(
    (one) => [received.takenBy(one.nth)?.name ?? nameOfStep(one.nth), turnIn(one.outside)?.id] as const,
  );
  const waiting = turnsBefore(runState, word).map(({ name, event }) => [name ?? '', turnIn(event)?.id] as const);
  return [...names, ...waiting].flatMap(([name, id]) =>
    later.includes(name) || (id !== undefined && later.includes(id)) ? [] : [name],
  );
}

/** True for an event that brings the input of a program's turn or the answer to what it asks, or that a program has begun with. */
export function isOfProgram(event: unknown): boolean {
  return turnIn(event) !== null || INPUTS.includes(eventType(event));
}

/** True for an event that brings the answer to a question. */
export function isAnswer(event: unknown): boolean {
  return eventType(event) === ANSWER;
}

/** The events of the first steps of programs, and that of an answer. */
const ANSWER = 'graph.answer';
const INPUTS: readonly string[] = ['loop.begin', 'flow.begin', 'graph.begin', ANSWER];
