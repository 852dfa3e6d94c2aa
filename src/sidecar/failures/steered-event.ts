/**
 * Finds the event that an act (revise, retract, confirm) is about, or the reason why the act is refused (semantics.md
 * ST2, ST9, ST10). Only reads the run.
 */
import { argsDigest } from '../../effects/digest.ts';
import type { SentSteer } from '../../effects/messages/steers.ts';
import type { Begun } from '../../model/entry.ts';
import { STEERED } from '../../model/failure.ts';
import { INPUT, type SteeredEntry } from '../../model/message-entries.ts';
import { eventType, INIT } from '../../model/reply-event.ts';
import { turnIn } from '../../model/turn-event.ts';
import { nameOfStep, stepOfName } from '../../projection/received.ts';
import type { RunState } from '../../projection/run-state.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import type { RuntimeEvent } from '../../runtime/microstep.ts';
import type { Enterable } from '../../runtime/runtime.ts';
import type { Raised, RunParts } from '../parts.ts';
import { SidecarError } from '../sidecar-error.ts';
import { droppedWith, type Found, isAnswer, isOfProgram, refusalOfTurn, turnNamed } from './steered-turn.ts';
import { keptThoughUndone, keysOf, refusalOfUndone } from './undone-by-hand.ts';
import { receiptAt, receiverOf } from './without-event.ts';

/** An act. `post`: the number of its message; null for an act of the program. */
export interface Word extends SentSteer {
  readonly post: number | null;
}

/** An act as it was left. An act without a message comes behind all messages. */
type Left = SentSteer & Partial<Pick<Word, 'post'>>;

export type { Found } from './steered-turn.ts';

/** The first answer to an act, before the past is looked at. `here`: the event stays, and a new event is sent. */
export type Looked = Answered | { readonly is: 'open' | 'here'; readonly found: Found };

interface Answered {
  readonly is: 'same' | 'refused';
  readonly why: string | null;
}

/** The parts of a run that tell which event an act is about. */
export interface LookedAt extends Pick<RunParts, 'runState' | 'config' | 'decisionPolicy' | 'lifecycle'> {
  /** The program as it is entered on paper; null for a machine, or if the program cannot be entered. */
  readonly program: Enterable | null;
}

/** Picks those parts of a run. */
export function lookedAt(
  { runState, config, decisionPolicy, lifecycle }: Omit<LookedAt, 'program'>,
  program: Enterable | null,
): LookedAt {
  return { runState, config, decisionPolicy, lifecycle, program };
}

const SAME = { is: 'same', why: null } as const;
const no = (why: string) => ({ is: 'refused', why }) as const;

/** Finds the event that an act is about, or refuses the act. @throws SidecarError `event_unknown`, `run_finished`. */
export function lookAt(parts: LookedAt, word: Left): Looked {
  const { runState, lifecycle, program } = parts;
  const may = lifecycle.answer('deliver');
  if (may.is === 'no' && !may.code.startsWith('journal_'))
    throw new SidecarError('run_finished', 'the run takes no event any more: it has ended, or a person ends it');
  const before = word.id === undefined ? undefined : runState.received.act(word.id);
  if (before !== undefined) {
    const isSame = before.of === word.of && before.digest === digestOf(runState, word);
    if (!isSame) return no(`message_differs: another act has the name ${word.id}`);
    return { is: before.refused === null ? 'same' : 'refused', why: before.refused };
  }
  if ((runState.pending?.stuck.size ?? 0) > 0 || runState.open.size > 0)
    return no('the run waits for an answer to what was found wrong, or for an undo: that comes first');
  const found = find(runState, word.of, program);
  if (typeof found === 'string') return no(found);
  const looked = lookAtFound(parts, word, found);
  if ('why' in looked && looked.why !== null) return looked;
  const { undone = [] } = word;
  // The decision says what an act on a received event takes back.
  const isDecided = looked.is === 'open' && looked.found.step !== null;
  const kept = () => keptThoughUndone(runState, undone, looked.is === 'open' ? 'waits' : 'nothing');
  const why = refusalOfUndone(runState, word) ?? (isDecided ? null : kept());
  return why === null ? looked : no(why);
}

function lookAtFound(parts: LookedAt, word: Left, found: Found): Looked {
  const { runState, config, decisionPolicy } = parts;
  const type = eventType(found.event) || (runState.received.get(found.name)?.event ?? '');
  if (word.base !== undefined && word.base !== found.version)
    return no(`steer_conflict: version ${word.base} was meant, and the event is at version ${found.version}`);
  if (!isAllowed(parts, { type, by: found.by }, word))
    return no(`steer_not_yours: it was sent by ${found.by}, who alone may change it or say that it still holds`);
  if (runState.received.get(found.name)?.is === 'retracted')
    return word.act === 'retract' ? SAME : no('it was retracted: send it anew');
  // An event that the run merely holds is handed on by itself, and so is one confirmed since the last restore.
  if (word.act === 'confirm') return isUnconfirmed(runState, found) ? { is: 'open', found } : SAME;
  const why = refusalOfInput(found, word) ?? refusalOfTurn(runState, word, found) ?? refusalOfLater(parts, word);
  if (why !== null) return no(why);
  if (word.act === 'revise' && isEqual(revised(found, word), found.event)) return SAME;
  if (found.step === null) return { is: 'open', found };
  const isHere = word.act === 'revise' && (word.from ?? config.events.get(type)?.from) === 'here';
  if (isHere) return lookHere(runState, word, found);
  if (decisionPolicy.policy !== 'line') return no('steer_unsupported: the policy is not `line`');
  return { is: 'open', found };
}

/** True for an event that a restore took back and that its sender has not confirmed since. */
function isUnconfirmed({ toRedeliver }: RunState, { name, isTakenBack }: Found): boolean {
  return isTakenBack && toRedeliver.find((back) => back.name === name)?.confirmed !== true;
}

/** A new event under the name of its act: said again, it is that event. */
function lookHere(runState: RunState, word: SentSteer, found: Found): Looked {
  const { id } = word;
  const known = id === undefined ? undefined : runState.received.get(id);
  if (known === undefined) return { is: 'here', found };
  const isSame = known.digest === argsDigest(revised(found, word), runState.secret, runState.codecs);
  return isSame && known.instead === found.name ? SAME : no(`message_differs: another event has the id ${id}`);
}

/**
 * True for a person who may change an event: its sender, a person that the config lets, and anyone if the sender is
 * unknown.
 */
function isAllowed(
  { config }: LookedAt,
  event: { readonly type: string; readonly by: string | null },
  { by }: SentSteer,
): boolean {
  if (event.by === null || event.by === by) return true;
  const steer = config.events.get(event.type)?.steer ?? 'own';
  return steer === 'any' || (steer !== 'own' && by !== null && steer.includes(by));
}

/** The reason why an act on the input of a run is refused; null if it is not, or if the act is about another event. */
function refusalOfInput({ name }: Found, { act, from }: SentSteer): string | null {
  const isRefused = name === INPUT && (act === 'retract' || from === 'here');
  return isRefused ? 'steer_unsupported: a run has one input from its beginning: revise it, or cancel the run' : null;
}

/** The reason why the later events that an act confirms cannot hold; null if they can. */
function refusalOfLater(parts: LookedAt, word: SentSteer): string | null {
  for (const name of word.later ?? []) {
    const found = find(parts.runState, name, parts.program);
    if (typeof found === 'string') return `${name} cannot hold with it: ${found}`;
    if (!isAllowed(parts, { type: eventType(found.event), by: found.by }, word))
      return `steer_not_yours: ${name} was sent by ${found.by}, who alone may say that it still holds`;
  }
  return null;
}

/**
 * Finds an event by its name.
 * @returns the event, or the reason why no act can be about it.
 * @throws SidecarError `event_unknown`.
 */
function find(runState: RunState, called: string, program: Enterable | null): Found | string {
  const { received, toRedeliver, held } = runState;
  if (called === INPUT) return inputOf(runState, program);
  const name = nameFor(runState, called);
  const known = received.get(name);
  const at = { name, by: known?.by ?? null, version: known?.version ?? 0, program };
  const waits = [...toRedeliver, ...held].find((one) => one.name === name);
  if (waits !== undefined) {
    const isTakenBack = toRedeliver.includes(waits);
    const of = { ...at, isOfProgram: isOfProgram(waits.event) };
    return { ...of, event: waits.event, by: waits.held?.by ?? at.by, isTakenBack, step: null };
  }
  const nth = known?.step ?? stepOfName(name);
  const step = nth === null ? undefined : receiptAt(runState, nth);
  if (step !== undefined)
    return { ...at, event: step.outside, isTakenBack: false, step, isOfProgram: isOfProgram(step.outside) };
  if (known === undefined)
    throw new SidecarError('event_unknown', `the run was sent no event ${JSON.stringify(name)}: events() lists them`);
  if (known.is === 'retracted') return { ...at, event: null, isTakenBack: false, step: null, isOfProgram: false };
  return known.is === 'refused'
    ? 'it was refused, and nothing rests on it: send it anew'
    : 'it is part of work that is set aside: it can be changed once that work is taken over, or given up';
}

/** The act, with the names of its events as the journal has them. */
export function named<Said extends SentSteer>(runState: RunState, said: Said): Said {
  const of = nameFor(runState, said.of);
  const before = said.id === undefined ? undefined : runState.received.act(said.id);
  // A repeated act is about the same event as the first time, also if that event is gone by now.
  const isGone = of === said.of && runState.received.get(of) === undefined && stepOfName(of) === null;
  const undone = said.undone === undefined ? {} : { undone: keysOf(runState, said.undone) };
  return { ...said, ...undone, of: isGone && of !== INPUT ? (before?.of ?? of) : of };
}

/** The name of an event as the journal has it. The id of a turn is replaced by the name of its event. */
function nameFor(runState: RunState, called: string): string {
  const { received, toRedeliver } = runState;
  if (received.get(called) !== undefined) return called;
  const back = toRedeliver.find(({ event }) => turnIn(event)?.id === called)?.name;
  if (back != null) return back;
  const step = turnNamed(runState, called);
  return step === undefined ? called : (received.takenBy(step.nth)?.name ?? nameOfStep(step.nth));
}

/** The input of a run as its first event. */
function inputOf({ places, received }: RunState, program: Enterable | null): Found | string {
  const step = places.first;
  const event = step?.entry?.event;
  if (step === null || (eventType(event) !== INIT && !isOfProgram(event)))
    return 'steer_unsupported: nothing has begun with it; begin another run';
  const version = received.get(INPUT)?.version ?? 0;
  const of = { name: INPUT, by: null, version, isTakenBack: false, step, program };
  return isOfProgram(event)
    ? { ...of, event: { ...(event as object), input: program?.inputIn(begunAt(step)) }, isOfProgram: true }
    : { ...of, event, isOfProgram: false };
}

/** The context that the first step of a program has begun with. */
function begunAt({ edits: [edit] }: RecordedStep): unknown {
  return edit?.op === 'set' ? edit.value : undefined;
}

/**
 * An act on a received event, as the cause of a decision. Null if no instance has a part in its step, or if the machine
 * cannot begin with the revised input.
 * @param begun the first step of the run with another input; null if the step then goes elsewhere, or if the event is
 * not the input.
 */
export function causeOf(
  runState: RunState,
  word: Word,
  found: Found,
  step: RecordedStep,
  begun: Begun | null = null,
): Raised | null {
  const receiver = receiverOf(runState, step);
  if (receiver === null || (found.name === INPUT && begun === null)) return null;
  const entry = steeredEntry(runState, word, found, null);
  const { act, of, event } = entry;
  const by = word.by === null ? '' : ` by ${word.by}`;
  const drops = found.isOfProgram ? droppedWith(runState, found.program, word, step) : [];
  const more = {
    ...(event !== undefined && { event }),
    ...(word.later !== undefined && { later: word.later.map((name) => nameFor(runState, name)) }),
    ...(drops.length > 0 && { drops }),
  };
  return {
    signal: STEERED,
    error: `${of} was ${act === 'revise' ? 'revised' : 'retracted'}${by}`,
    actor: 0,
    failure: { in: receiver, key: null },
    call: null,
    heard: entry,
    ...(word.undone !== undefined && { undone: word.undone }),
    steers: { act, of, step: step.nth, ...more, ...(begun !== null && { begun }) },
  };
}

/** The entry of an act. @param found the event that the act changes; null if it changes none. */
export function steeredEntry(
  runState: RunState,
  word: Word,
  found: Found | null,
  refused: string | null,
): SteeredEntry {
  const { act, of, id, post, by, why } = word;
  const version = (found?.version ?? 0) + (act === 'revise' && found !== null ? 1 : 0);
  const named = id === undefined ? {} : { id, digest: digestOf(runState, word) };
  const event = act === 'revise' && found !== null ? { event: revised(found, word) } : {};
  const type = eventType(found?.event);
  return { do: 'steered', act, of, ...named, type, post, by, why, ...event, version, refused };
}

/**
 * The entries of the later events that an act confirms beside the event that it is about, for an act that restores
 * nothing.
 */
export function laterEntries(runState: RunState, word: Word): SteeredEntry[] {
  return (word.later ?? []).flatMap((of) => {
    const found = find(runState, of, null);
    const confirms = { ...unnamed(word), act: 'confirm', of, post: null } as const;
    return typeof found === 'string' ? [] : [steeredEntry(runState, confirms, found, null)];
  });
}

/** The act without its id. */
export function unnamed({ id: _, ...word }: Word): Word {
  return word;
}

function digestOf({ secret, codecs }: RunState, { act, of, to, from, later, undone }: SentSteer): string {
  const more = undone === undefined ? [] : [undone];
  return argsDigest([act, of, to ?? null, from ?? null, later ?? null, ...more], secret, codecs);
}

/** The event in its new version. */
export function revised(
  { name, event, program }: Pick<Found, 'name' | 'event' | 'program'>,
  { to }: SentSteer,
): { readonly type: string } {
  const type = eventType(event);
  if (turnIn(event) !== null)
    return program?.turnWith(event as RuntimeEvent, to?.input) ?? { ...(event as RuntimeEvent), input: to?.input };
  if (isAnswer(event)) return { ...(event as RuntimeEvent), ...to, type };
  return name === INPUT ? ({ ...(event as object), type, input: to } as never) : { ...to, type };
}

/** The reason why no step can be found that received the event. */
export function notReceived({ name }: Pick<Found, 'name'>): string {
  return name === INPUT
    ? 'input_refused: with it the machine throws, its first step goes elsewhere, or its context holds an actor or a value that no journal holds; begin another run with it'
    : 'no state has taken it';
}
