/**
 * The messages of a run and the fate of each: a function of its inbox and its journal, so that every process gives the
 * same answer (semantics.md CH1).
 */
import { answerIn } from '../effects/messages/answers.ts';
import { cancelIn } from '../effects/messages/cancels.ts';
import { complaintIn } from '../effects/messages/complaints.ts';
import { keepIn } from '../effects/messages/keeps.ts';
import { mandateId, mandateIn, revokeIn } from '../effects/messages/mandates.ts';
import { outcomeIn } from '../effects/messages/outcomes.ts';
import { pauseIn } from '../effects/messages/pauses.ts';
import { retryIn } from '../effects/messages/retries.ts';
import { sentIn } from '../effects/messages/sent-events.ts';
import { steerIn } from '../effects/messages/steers.ts';
import { EntryDecoder, kindOf } from '../journal/entry-codec.ts';
import type { Posted, StoredRow } from '../journal/journal.ts';
import type { Entry } from '../model/entry.ts';
import type { MandateEntry } from '../model/mandate-entries.ts';
import type { Fate, ReceivedEvent } from '../projection/received.ts';
import type { RunState } from '../projection/run-state.ts';
import { type MessageTurn, turnOf } from './turn-of.ts';

/** The kinds of messages. `none`: it has no form that a run understands. */
type MessageKind =
  | 'event'
  | 'complaint'
  | 'answer'
  | 'cancel'
  | 'pause'
  | 'retry'
  | 'outcome'
  | 'steer'
  | 'keep'
  | 'mandate'
  | 'none';

/** A message, and what has become of it. */
export interface RunMessage {
  /** The number of the message; null where the program of the run sent it itself. */
  readonly post: number | null;
  /** The name that its sender gave it; left out where it gave none. */
  readonly id?: string;
  readonly kind: MessageKind;
  /** Its content, in a few words: the type of an event, the work that a complaint is about, a verdict. */
  readonly says: string;
  readonly by: string | null;
  /** The wall clock at which it was left, in milliseconds; null where the program sent it. */
  readonly time: number | null;
  /** `left`: no process has read it. `untaken`: the run has ended without it. */
  readonly is: Fate | 'left' | 'untaken';
  /** The reason why it was refused; null where it was not. */
  readonly why: string | null;
  /** The turn that it has begun; left out for what begins none. */
  readonly turn?: MessageTurn;
}

/** The entries that tell of a message that is no event. */
type Telling =
  | Extract<Entry, { do: 'complaint' | 'answer' | 'cancel' | 'pause' | 'retried' | 'settled' | 'steered' | 'kept' }>
  | Extract<MandateEntry, { readonly post: number | null }>;
const TELLING: ReadonlySet<Entry['do']> = new Set([
  'complaint',
  'answer',
  'cancel',
  'pause',
  'retried',
  'settled',
  'steered',
  'kept',
  'mandate',
] as const);

/**
 * Lists the messages of a run: those that were left, in order, and behind them the events that its own program sent under a name.
 * @param rows all rows of its journal.
 */
export function messagesOf(rows: Iterable<StoredRow>, posts: readonly Posted[], runState: RunState): RunMessage[] {
  const told = toldIn(rows);
  const isOver = runState.ended !== null;
  const withTurn = (event: ReceivedEvent | undefined) => {
    const turn = event === undefined ? null : turnOf(event, runState);
    return { ...fateOf(event, isOver), ...(turn !== null && { turn }) };
  };
  const events = new Map(runState.received.all.flatMap((event) => (event.post === null ? [] : [[event.post, event]])));
  const left = posts.map(({ number, body, time }): RunMessage => {
    const { kind, says, by, id } = readMessage(body);
    const isEvent = kind === 'event' || events.has(number);
    const outcome = isEvent ? withTurn(events.get(number)) : wordOutcome(told.get(number), isOver);
    return { post: number, ...(id !== undefined && { id }), kind, says, by, time, ...outcome };
  });
  const own = runState.received.all.flatMap((event): RunMessage[] => {
    if (event.post !== null) return [];
    const { name, event: says, by } = event;
    return [{ post: null, id: name, kind: 'event', says, by, time: null, ...fateOf(event, isOver) }];
  });
  return [...left, ...own].map((message) => redacted(message, runState));
}

/** A message by the name that its sender gave it, or by its number; undefined where there is none. */
export function messageNamed(messages: readonly RunMessage[], name: string | number): RunMessage | undefined {
  return messages.find(({ id, post }) => (typeof name === 'number' ? post === name : id === name));
}

function toldIn(rows: Iterable<StoredRow>): Map<number, string | null> {
  const reader = new EntryDecoder();
  const told = new Map<number, string | null>();
  for (const row of rows) {
    const kind = kindOf(row);
    if (kind !== null && !TELLING.has(kind)) continue;
    const entry = reader.entry(row) as Telling | null;
    if (entry === null || !('post' in entry) || entry.post === null) continue;
    const refused = entry.do === 'answer' ? (entry.verdict === 'refused' ? entry.why : null) : entry.refused;
    told.set(entry.post, refused);
  }
  return told;
}

function fateOf(event: ReceivedEvent | undefined, isOver: boolean): Pick<RunMessage, 'is' | 'why'> {
  if (event === undefined) return { is: isOver ? 'untaken' : 'left', why: null };
  const isUntaken = isOver && (event.is === 'held' || event.is === 'taken_back');
  return { is: isUntaken ? 'untaken' : event.is, why: event.why };
}

function wordOutcome(refused: string | null | undefined, isOver: boolean): Pick<RunMessage, 'is' | 'why'> {
  if (refused === undefined) return { is: isOver ? 'untaken' : 'left', why: null };
  return { is: refused === null ? 'taken' : 'refused', why: refused };
}

function readMessage(body: string): Pick<RunMessage, 'kind' | 'says' | 'by'> & { readonly id?: string } {
  const event = sentIn(body);
  if (event !== null)
    return { kind: 'event', says: event.event.type, by: event.by, ...(event.id !== undefined && { id: event.id }) };
  const complaint = complaintIn(body);
  if (complaint !== null) {
    const { instance, key, by } = complaint;
    const about = `${instance.skeleton} about ${JSON.stringify(instance.entity)}`;
    return { kind: 'complaint', says: key === null ? about : `${key} of ${about}`, by };
  }
  const cancel = cancelIn(body);
  if (cancel !== null) return { kind: 'cancel', says: 'cancel', by: cancel.by };
  const pause = pauseIn(body);
  if (pause !== null) return { kind: 'pause', says: pause.pause ? 'pause' : 'unpause', by: pause.by };
  const retry = retryIn(body);
  if (retry !== null) return { kind: 'retry', says: 'retry', by: retry.by };
  const outcome = outcomeIn(body);
  if (outcome !== null) return { kind: 'outcome', says: `${outcome.status} ${outcome.settle}`, by: outcome.by };
  const steer = steerIn(body);
  if (steer !== null) return { kind: 'steer', says: `${steer.act} ${steer.of}`, by: steer.by };
  const keep = keepIn(body);
  if (keep !== null) return { kind: 'keep', says: `keep ${keep.keep}`, by: keep.by };
  const mandate = mandateIn(body);
  if (mandate !== null) return { kind: 'mandate', says: mandateId(mandate.mandate), by: mandate.mandate.by };
  const revoke = revokeIn(body);
  if (revoke !== null) return { kind: 'mandate', says: `revoke ${revoke.revoke ?? ''}`.trim(), by: revoke.by };
  const answer = answerIn(body);
  if (answer !== null) return { kind: 'answer', says: `${answer.verdict} ${answer.gate}`, by: answer.by };
  return { kind: 'none', says: 'it has no form that a run understands', by: null };
}

function redacted(message: RunMessage, { redaction }: RunState): RunMessage {
  const { says, by, why } = message;
  const text = (of: string | null) => (of === null ? null : redaction.text(of));
  return { ...message, says: redaction.text(says), by: text(by), why: text(why) };
}
