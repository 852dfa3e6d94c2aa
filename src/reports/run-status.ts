/**
 * The status of a run, from its journal alone. Lists ask it of every run of a file, so most rows are only counted by
 * kind and not decoded.
 */

import { EntryDecoder, kindOf } from '../journal/entry-codec.ts';
import type { StoredRow } from '../journal/journal.ts';
import { alternativesAsked, choiceKey } from '../model/choice-entries.ts';
import type { Verdict } from '../model/decision.ts';
import { isOpen } from '../model/effect.ts';
import type { DecisionEntry, Entry } from '../model/entry.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import type { CancelEntry, EndEntry, PauseEntry } from '../model/message-entries.ts';
import { Mandates } from '../projection/mandates.ts';
import { questionOf } from '../projection/open-decisions.ts';
import type { LeftAtEnd } from './left-at-end.ts';
import {
  type AskedWait,
  journaledWaits,
  type QuestionWait,
  questionWait,
  type Wait,
  type WaitFacts,
  withoutOutcome,
} from './waits.ts';

/** The status of a run. Its lease, not its status, says whether a living process holds it. */
export type RunStatus =
  | {
      readonly is: 'done';
      /** The number of calls that were held back for a commit that never came; left out where there are none. */
      readonly unpublished?: number;
      /** The number of complaints that came too late to be answered; left out where there are none. */
      readonly unanswered?: number;
      /** The number of events from outside that no state has taken; left out where there are none. */
      readonly untaken?: number;
    }
  /** A person has ended it. */
  | { readonly is: 'cancelled' }
  /**
   * A person has aborted it, and undoable calls are undone. `stands`: the number of calls that stand; left out if it is
   * 0.
   */
  | { readonly is: 'compensated'; readonly stands?: number }
  /** A person has paused it: nothing leaves before `unpause` (LC10). */
  | { readonly is: 'paused'; readonly by: string; readonly why: string | null }
  /** Nothing more happens until a person or the world acts (§8.4). */
  | { readonly is: 'parked'; readonly verdict: Verdict }
  /** An undo failed, so the context is not restored (E5): a person has to look at it. */
  | { readonly is: 'stuck'; readonly verdict: Verdict; readonly effect: string; readonly error: string }
  /** A recovery was decided and is not yet carried out: it is under way, or was interrupted (R5). */
  | { readonly is: 'recovering'; readonly verdict: Verdict }
  /** Nothing is wrong: calls wait for a person's approval, each at a gate of its own. */
  | { readonly is: 'waiting'; readonly approvals: number }
  | { readonly is: 'open' };

/** The status of a run that is over. */
type Ended = Extract<RunStatus, { is: 'done' | 'cancelled' | 'compensated' }>;

/** True for the status of a run that is over. */
export function isOver(status: { readonly is: string }): status is Ended {
  return status.is === 'done' || status.is === 'cancelled' || status.is === 'compensated';
}

/** The entries that the status depends on. Of all other entries it is enough to know that they came. */
const TELLING: ReadonlySet<Entry['do']> = new Set([
  'begin',
  'decision',
  'phase',
  'end',
  'intent',
  'gate',
  'cancel',
  'pause',
  'asked',
  'choice',
  'mandate',
  'forked',
  'restored',
] as const);
/** The entries that the status depends on while a person is asked, or a counterparty is asked again. */
const ANSWERING: ReadonlySet<Entry['do']> = new Set(['answer', 'outcome', 'restored'] as const);

/** The entries that answer a parked question. */
const ENDING: ReadonlySet<Entry['do']> = new Set(['restored', 'retracted', 'retried', 'publish'] as const);

/** The entries that say of a finished run that a part of it never happened. */
const LEAVING: ReadonlySet<Entry['do']> = new Set(['finding', 'complaint'] as const);

/** A question that a run is parked on. Another decision about the same work answers it, as do `ENDING` entries. */
export interface Question {
  readonly verdict: Verdict;
  /** The instance that failed, by its name; null where none was found. */
  readonly failed: string | null;
  /** True for a complaint, which is answered once the work that it is about is gone (C12). */
  readonly suspect: boolean;
  readonly commit: string | null;
  readonly wait: QuestionWait;
}

/** The facts from which waits are derived, besides questions. */
export interface WaitParts {
  /** The wall clock at which the present status began, in milliseconds. */
  readonly since: number | null;
  /** The wall clock of the pause; null where there is none. */
  readonly pausedSince: number | null;
  /** The tools of the calls that the last decision undoes, by their keys. */
  readonly undo: readonly (readonly [key: string, tool: string])[];
  readonly asked: readonly (readonly [gate: string, asked: AskedWait])[];
  /** The times from which counterparties are asked again, by the keys of the calls. */
  readonly again: readonly (readonly [key: string, next: number])[];
}

/** Follows a run from entry to entry. */
export class RunStatusFold {
  agent: string | null = null;
  #stands: Exclude<RunStatus, { is: 'waiting' | 'paused' }> = { is: 'open' };
  #paused: Extract<RunStatus, { is: 'paused' }> | null = null;
  /** The instances of the calls that wait at a gate, or once did, by their keys. */
  readonly #gated = new Map<string, InstanceId>();
  /** The tools of those calls, by their keys. */
  readonly #tools = new Map<string, string>();
  #since: number | null = null;
  #pausedSince: number | null = null;
  #undo: WaitParts['undo'] = [];
  readonly #asked = new Map<string, AskedWait>();
  readonly #again = new Map<string, number>();
  /** The approvals that are wanted: the key of the call, by the gate. */
  readonly #approvals = new Map<string, string>();

  readonly #mandates = new Mandates();
  /** True once a person ends the run: nothing waits for a mandate then. */
  #isEnding = false;

  /** The undos that an abort owes, and why, by the keys of their calls; null for a run that is not aborted (AB4). */
  #owed: Map<string, string> | null = null;

  /** The questions that it is parked on, the newest last. */
  readonly #questions = new Map<string, Question>();

  /** The parts that a base holds. */
  get parts() {
    const { agent } = this;
    const [gated, approvals, questions] = [[...this.#gated], [...this.#approvals], [...this.#questions]];
    const [stands, paused] = [this.#stands, this.#paused];
    const more = {
      ...(questions.length > 0 && { questions }),
      ...(paused !== null && { paused }),
      ...(this.#mandates.isUsed && { mandates: this.#mandates.saved }),
      ...(this.#isEnding && { ending: true }),
      ...(this.#owed !== null && { owed: [...this.#owed] as readonly (readonly [string, string])[] }),
    };
    const waits: WaitParts = {
      since: this.#since,
      pausedSince: this.#pausedSince,
      undo: this.#undo,
      asked: [...this.#asked],
      again: [...this.#again],
    };
    return { agent, stands, gated, approvals, tools: [...this.#tools], waits, ...more };
  }

  /** The things that the run waits for, as its journal tells them. */
  get waits(): Wait[] {
    const { now } = this;
    const stuckOn = now.is === 'stuck' ? now.effect : null;
    return journaledWaits({
      is: now.is,
      verdict: 'verdict' in now ? now.verdict : null,
      since: now.is === 'paused' ? this.#pausedSince : this.#since,
      tool: this.#undo.find(([key]) => key === stuckOn)?.[1] ?? null,
      questions: now.is === 'parked' ? [...this.#questions.values()].map(({ wait }) => wait) : [],
      asked: [...this.#asked.values()],
      again: this.#again,
      mandate: this.#wanted,
    });
  }

  /** The names of the questions that it is parked on, the newest last. */
  get open(): readonly string[] {
    return this.#stands.is === 'parked' ? [...this.#questions.keys()] : [];
  }

  /** Goes on from the parts of a base. */
  resumeAt({
    agent,
    stands,
    gated,
    approvals,
    tools,
    waits,
    questions = [],
    paused,
    owed,
    mandates,
    ending = false,
  }: RunStatusFold['parts']): void {
    this.#isEnding = ending;
    if (mandates !== undefined) this.#mandates.resumeAt(mandates);
    this.agent = agent;
    this.#since = waits.since;
    this.#pausedSince = waits.pausedSince;
    this.#undo = waits.undo;
    for (const [key, tool] of tools) this.#tools.set(key, tool);
    for (const [gate, asked] of waits.asked) this.#asked.set(gate, asked);
    for (const [key, next] of waits.again) this.#again.set(key, next);
    this.#paused = paused ?? null;
    this.#owed = owed === undefined ? null : new Map(owed);
    for (const [name, question] of questions) this.#questions.set(name, question);
    this.#stands = stands;
    for (const [key, id] of gated) this.#gated.set(key, id);
    for (const [gate, key] of approvals) this.#approvals.set(gate, key);
  }

  /** The tool that waits for another mandate, and since when; null where none does. */
  get #wanted(): NonNullable<WaitFacts['mandate']> | null {
    const { wanted, over } = this.#mandates;
    return wanted === null || over === null || this.#isEnding ? null : { tool: wanted, since: over.since };
  }

  get now(): RunStatus {
    const { size } = this.#approvals;
    if (isOver(this.#stands)) return this.#stands;
    if (this.#paused !== null) return this.#paused;
    const owed = this.#owed?.entries().next().value;
    if (owed !== undefined) return { is: 'stuck', verdict: 'escalate', effect: owed[0], error: owed[1] };
    if (this.#stands.is !== 'open') return this.#stands;
    if (this.#wanted !== null) return { is: 'parked', verdict: 'escalate' };
    return size > 0 ? { is: 'waiting', approvals: size } : this.#stands;
  }

  /** True where the entry itself has to be handed to `take`. */
  needs(kind: Entry['do']): boolean {
    if (this.#stands.is === 'done' && LEAVING.has(kind)) return true;
    if (this.#questions.size > 0 && (ENDING.has(kind) || kind === 'outcome')) return true;
    if (this.#owed !== null && (kind === 'stands' || kind === 'outcome')) return true;
    return TELLING.has(kind) || (this.#asked.size + this.#again.size > 0 && ANSWERING.has(kind));
  }

  /** Takes an entry in. @param time the wall clock of its append, in milliseconds. */
  take(entry: Pick<Entry, 'do'> | Entry, time: number): void {
    const before = this.#stands;
    this.#take(entry, time);
    this.#mandates.fold(entry, time);
    if (this.#stands !== before) this.#since = time;
  }

  #take(entry: Pick<Entry, 'do'> | Entry, time: number): void {
    const now = this.#stands;
    switch (entry.do) {
      case 'begin':
        this.agent = (entry as Extract<Entry, { do: 'begin' }>).agent;
        return;
      case 'end':
        this.#questions.clear();
        this.#stands = endedAs(entry as EndEntry);
        return;
      case 'cancel':
        this.#cancel(entry as CancelEntry);
        return;
      case 'pause':
        this.#pause(entry as PauseEntry, time);
        return;
      case 'decision':
        this.#decide(entry as DecisionEntry, time);
        return;
      case 'asked':
        this.#askedAgain(entry as Extract<Entry, { do: 'asked' }>);
        return;
      case 'phase':
        this.#phase(entry as Extract<Entry, { do: 'phase' }>);
        return;
      case 'step':
        // A parked machine takes no step, so the run was taken up again and its question is answered.
        if (now.is === 'parked') this.#goesOn();
        return;
      case 'retracted':
      case 'retried':
      case 'publish':
        this.#end(entry as Extract<Entry, { do: 'retracted' | 'retried' | 'publish' }>);
        return;
      case 'intent': {
        const { held, key, instance, tool } = entry as Extract<Entry, { do: 'intent' }>;
        if (held !== 'gate') return;
        this.#gated.set(key, instance);
        this.#tools.set(key, tool);
        return;
      }
      case 'gate':
        this.#ask(entry as Extract<Entry, { do: 'gate' }>, time);
        return;
      case 'finding':
      case 'complaint':
        if (now.is === 'done') this.#stands = left(now, entry as Extract<Entry, { do: 'finding' | 'complaint' }>);
        return;
      case 'choice':
        // The undos of losers are owed like the undos of an abort (AL7).
        this.#owed ??= new Map();
        this.#chosen(entry as Extract<Entry, { do: 'choice' }>);
        return;
      case 'stands':
        this.#owed?.delete((entry as Extract<Entry, { do: 'stands' }>).key);
        return;
      case 'answer':
      case 'outcome':
      case 'restored':
        this.#answered(entry as Extract<Entry, { do: 'answer' | 'outcome' | 'restored' }>);
        return;
      default:
        return;
    }
  }

  #ask({ asks, gate, key, expires, review }: Extract<Entry, { do: 'gate' }>, time: number): void {
    if (asks === 'branch') this.#unasked(key);
    if (asks !== 'outcome') this.#approvals.set(gate, key);
    const tool = asks === 'branch' ? alternativesAsked(key) : (review?.tool ?? this.#tools.get(key) ?? null);
    const until = expires === null ? {} : { until: expires };
    this.#asked.set(gate, { key, asks, tool, since: time, ...until });
  }

  /** A choice was made: no person is asked about it any more. */
  #chosen({ alternatives, branches }: Extract<Entry, { do: 'choice' }>): void {
    this.#unasked(choiceKey(alternatives, branches));
  }

  #unasked(about: string): void {
    for (const [gate, { key }] of [...this.#asked])
      if (key === about) {
        this.#asked.delete(gate);
        this.#approvals.delete(gate);
      }
  }

  #askedAgain({ key, next }: Extract<Entry, { do: 'asked' }>): void {
    if (next === null) this.#again.delete(key);
    else this.#again.set(key, next);
  }

  #cancel({ refused, undo }: CancelEntry): void {
    if (refused !== null) return;
    this.#isEnding = true;
    const { is } = this.#stands;
    // A cancelled run asks its parked questions no more; an abort also replaces a restore.
    if (is === 'parked' || (undo === true && (is === 'recovering' || is === 'stuck'))) this.#goesOn();
    if (undo === true) this.#owed = new Map();
  }

  #pause({ paused, by, why, refused }: PauseEntry, time: number): void {
    if (refused !== null) return;
    this.#paused = paused ? { is: 'paused', by, why } : null;
    this.#pausedSince = paused ? time : null;
  }

  #phase({ phase, effect = '', error = '' }: Extract<Entry, { do: 'phase' }>): void {
    const now = this.#stands;
    if (this.#owed !== null && phase === 'STUCK') this.#owed.set(effect, error);
    else this.#owed?.delete(effect);
    if (phase === 'RESUMED') this.#stands = this.#rest;
    else if (phase === 'STUCK' && now.is === 'recovering')
      this.#stands = { is: 'stuck', verdict: now.verdict, effect, error };
    else if (now.is === 'stuck' && phase !== 'STUCK') this.#stands = { is: 'recovering', verdict: now.verdict };
    // A rerun was advised, and somebody has started it.
    else if (now.is === 'parked' && phase === 'FENCED') this.#stands = { is: 'recovering', verdict: now.verdict };
  }

  #decide(entry: DecisionEntry, time: number): void {
    const { decision, suspect, commit } = entry;
    const { verdict, failed } = decision;
    const isParked = verdict === 'escalate' || verdict === 'rerun';
    const name = questionOf({ ...entry, failed });
    this.#questions.delete(name);
    if (isParked) {
      const about = failed === null ? null : instanceName(failed);
      const wait = questionWait(entry, time);
      this.#questions.set(name, { verdict, failed: about, suspect: suspect === true, commit: commit ?? null, wait });
    }
    const byHand = 'unblock' in decision ? decision.unblock.acts : [];
    const owed = byHand.flatMap((act) => (act.act === 'undo_by_hand' ? [act.effect] : []));
    this.#undo = [...decision.undo, ...owed].flatMap(({ id, tool }) =>
      id === null || tool === undefined ? [] : [[id, tool]],
    );
    this.#stands = { is: isParked ? 'parked' : 'recovering', verdict };
  }

  /** The status where nothing is being carried out: parked, on the newest question that is open. */
  get #rest(): Exclude<RunStatus, { is: 'waiting' | 'paused' }> {
    const last = [...this.#questions.values()].at(-1);
    return last === undefined ? { is: 'open' } : { is: 'parked', verdict: last.verdict };
  }

  #goesOn(): void {
    this.#questions.clear();
    this.#stands = { is: 'open' };
  }

  /** Ends the questions that an entry answers. */
  #end(entry: Extract<Entry, { do: 'restored' | 'retracted' | 'retried' | 'publish' }>): void {
    if (this.#questions.size === 0) return;
    const isAnswered = (name: string, { failed, suspect, commit }: Question): boolean => {
      switch (entry.do) {
        case 'retracted':
        case 'retried':
          return entry.questions.includes(name);
        case 'publish':
          return commit === entry.id;
        case 'restored':
          return entry.kept.some(([id, at]) => instanceName(id) === failed && (!suspect || at === 0));
      }
    };
    for (const [name, question] of this.#questions) if (isAnswered(name, question)) this.#questions.delete(name);
    if (this.#stands.is === 'parked') this.#stands = this.#rest;
  }

  /** Ends the questions about a call whose outcome is known; a complaint is decided anew instead (C12). */
  #known(key: string): void {
    this.#again.delete(key);
    for (const [name, question] of this.#questions) {
      const wait = question.suspect ? question.wait : withoutOutcome(question.wait, key);
      if (wait === null) this.#questions.delete(name);
      else if (wait !== question.wait) this.#questions.set(name, { ...question, wait });
    }
    if (this.#stands.is === 'parked') this.#stands = this.#rest;
  }

  /**
   * Drops approvals: a person has answered, the outcome is known otherwise, or a restore has voided the request (R4).
   */
  #answered(entry: Extract<Entry, { do: 'answer' | 'outcome' | 'restored' }>): void {
    if (entry.do === 'restored') this.#end(entry);
    if (entry.do === 'outcome' && (entry.status === 'compensated' || entry.status === 'failed'))
      this.#owed?.delete(entry.key);
    if (entry.do === 'outcome' && !isOpen(entry.status)) this.#known(entry.key);
    if (this.#asked.size === 0) return;
    const isDue = ([gate, { key }]: [string, AskedWait]): boolean => {
      switch (entry.do) {
        case 'answer':
          return entry.gate === gate && entry.verdict !== 'refused';
        case 'outcome':
          return entry.key === key && !isOpen(entry.status);
        case 'restored': {
          const own = this.#gated.get(key);
          return own === undefined || entry.kept.some(([id]) => instanceName(id) === instanceName(own));
        }
      }
    };
    for (const asked of [...this.#asked]) {
      if (!isDue(asked)) continue;
      this.#asked.delete(asked[0]);
      this.#approvals.delete(asked[0]);
    }
  }
}

function endedAs({ status, untaken, standing = [] }: EndEntry): Ended {
  if (status === 'cancelled') return { is: 'cancelled' };
  if (status === 'compensated') return { is: 'compensated', ...(standing.length > 0 && { stands: standing.length }) };
  return { is: 'done', ...(untaken !== undefined && { untaken }) };
}

/** Counts one more call or complaint that never came to anything in a finished run. */
function left(done: Extract<RunStatus, { is: 'done' }>, entry: Extract<Entry, { do: 'finding' | 'complaint' }>) {
  const { unpublished = 0, unanswered = 0 } = done;
  if (entry.do === 'finding')
    return entry.code === 'never_published' ? { ...done, unpublished: unpublished + 1 } : done;
  return entry.refused === null ? done : { ...done, unanswered: unanswered + 1 };
}

/** The status of a finished run with these numbers of leftovers. */
export function doneWith({
  unpublished = [],
  unanswered = [],
  untaken = [],
}: LeftAtEnd): Extract<RunStatus, { is: 'done' }> {
  return {
    is: 'done',
    ...(unpublished.length > 0 && { unpublished: unpublished.length }),
    ...(unanswered.length > 0 && { unanswered: unanswered.length }),
    ...(untaken.length > 0 && { untaken: untaken.length }),
  };
}

/** The agent of a run and how it stands. @throws JournalError `journal_corrupt`, `journal_not_ours`. */
export function runStatusOf(rows: Iterable<StoredRow>): {
  readonly agent: string | null;
  readonly standing: RunStatus;
} {
  const runState = new RunStatusFold();
  const reader = new EntryDecoder();
  for (const row of rows) {
    const kind = kindOf(row);
    if (kind === null || runState.needs(kind)) {
      const entry = reader.entry(row);
      if (entry !== null) runState.take(entry, row.time);
    } else runState.take({ do: kind }, row.time);
  }
  return { agent: runState.agent, standing: runState.now };
}
