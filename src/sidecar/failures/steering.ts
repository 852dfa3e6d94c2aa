/**
 * Acts on events: an event of the run is revised from its beginning, retracted, or confirmed (semantics.md ST2, ST7,
 * ST9 to ST11). An act is carried out as a whole, or refused with its obstacles; a refused act moves no entry of the
 * run.
 */
import type { SentSteer } from '../../effects/messages/steers.ts';
import { type Decision, isRestore } from '../../model/decision.ts';
import { isOpen } from '../../model/effect.ts';
import { INPUT } from '../../model/message-entries.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import { type RunEvent, waitingEvents } from '../../reports/events.ts';
import { blockedText, waitingText } from '../../reports/steer-text.ts';
import type { Raised } from '../parts.ts';
import type { PlanRunner } from '../plan/plan-runner.ts';
import { inFull, type PreviewedAnswer } from '../queries/answer-in-full.ts';
import { SidecarError } from '../sidecar-error.ts';
import { leftBefore } from './complaints.ts';
import { countingDecision } from './counting.ts';
import type { Decisions } from './decisions.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RecoveryParts } from './recovery-parts.ts';
import {
  causeOf,
  type Found,
  type Looked,
  laterEntries,
  lookAt,
  lookedAt,
  named,
  notReceived,
  revised,
  steeredEntry,
  unnamed,
  type Word,
} from './steered-event.ts';
import { metBy } from './steered-turn.ts';
import { keptThoughUndone, undoneEntries } from './undone-by-hand.ts';
import { leftByWaiting } from './without-event.ts';

type Needs = Pick<
  RecoveryParts,
  'parts' | 'machine' | 'write' | 'queries' | 'open' | 'queue' | 'lifecycle' | 'begunWith' | 'program'
>;

/** The answer to an act on an event. */
export interface SteerAnswer {
  /** The name of the event. */
  readonly event: string;
  readonly act: SentSteer['act'];
  /** `same`: the act changes nothing, or was carried out before. */
  readonly is: 'done' | 'same' | 'refused';
  /** The reason why it was refused; null where it was not. */
  readonly why: string | null;
  /** The version of the event from here on. */
  readonly version: number;
  /** The work that goes back, stands, and is undone for it, as it was when the act was decided; null where the act is about no event that was received. */
  readonly answer: PreviewedAnswer | null;
  /** The events that wait behind it for their senders: what these had seen is not so any more. */
  readonly waits: readonly RunEvent[];
}

/** The acts on the events of one run. */
export class Steering {
  readonly #run: Needs;
  readonly #by: { readonly decisions: Decisions; readonly openCalls: OpenCalls; readonly plans: PlanRunner };
  readonly #waiting: Word[] = [];

  constructor(
    run: Needs,
    by: { readonly decisions: Decisions; readonly openCalls: OpenCalls; readonly plans: PlanRunner },
  ) {
    this.#run = run;
    this.#by = by;
  }

  /** Takes a message in, unless it was heard before. */
  take(post: number, sent: SentSteer): void {
    const { parts, lifecycle } = this.#run;
    if (parts.runState.asked.sent.has(post)) return;
    this.#waiting.push({ ...sent, post });
    if (lifecycle.isAwake || lifecycle.answer('deliver').is === 'no') this.begin();
  }

  /** The machine is there: the acts that have waited for it are answered. */
  begin(): void {
    for (const word of this.#waiting.splice(0)) {
      // A broken journal reports its failure to the callers that wait for the run.
      const answered = this.#steer(word).then(() => this.#run.write.durable());
      void answered.catch(() => {});
    }
  }

  /**
   * Carries an act of the program's own out, behind the recoveries before it.
   * @throws SidecarError `event_unknown`, `run_finished`; JournalError `journal_closed` where the run is given back before it is answered.
   */
  async say(sent: SentSteer): Promise<SteerAnswer> {
    const answer = await this.#steer({ ...sent, post: null });
    if (answer === null) throw leftBefore();
    await this.#run.write.durable();
    return answer;
  }

  /** @returns null where the next process answers it. */
  async #steer(word: Word): Promise<SteerAnswer | null> {
    const { lifecycle, queue, machine } = this.#run;
    // What may rest on the event does not leave before the act is answered.
    const answered = lifecycle.begins('suspects');
    try {
      machine.holdTurns(word.post);
      return await queue.add(() => this.#answer(named(this.#run.parts.runState, word)));
    } finally {
      answered();
    }
  }

  get #isLeft(): boolean {
    const { lifecycle } = this.#run;
    return lifecycle.isLeft || lifecycle.leave.aborted;
  }

  async #answer(word: Word, asked = new Set<string>()): Promise<SteerAnswer | null> {
    await this.#run.lifecycle.past('ask');
    if (this.#isLeft) return null;
    const looked = this.#lookOr(word);
    if ('why' in looked) return this.#told(word, looked, null);
    const { found } = looked;
    if (looked.is === 'here') return this.#sendHere(word, found);
    if (found.step !== null) return this.#change(word, found, found.step);
    const left = word.act === 'confirm' ? [] : leftByWaiting(this.#run, found, word.undone);
    const unknown = left.find(({ id, status }) => id !== null && isOpen(status) && !asked.has(id));
    if (unknown?.id != null) {
      await this.#by.openCalls.findOut(unknown.id);
      // The run has gone on meanwhile: the event may have been received.
      return this.#answer(word, asked.add(unknown.id));
    }
    if (left.length > 0) return this.#told(word, { is: 'refused', why: waitingText(left) }, null);
    const { parts, write, machine } = this.#run;
    write.together(() => {
      write.append([steeredEntry(parts.runState, word, found, null)]);
      write.append(laterEntries(parts.runState, word));
      write.append(undoneEntries(parts.runState, word.undone ?? [], word));
    }, false);
    machine.offer();
    return this.#told(word, { is: 'done', why: null }, null, false);
  }

  /** The same for an act that a message brought: its refusal is in the journal, whatever that is. */
  #lookOr(word: Word): Looked {
    try {
      const { parts, program } = this.#run;
      return lookAt(lookedAt(parts, program), word);
    } catch (error) {
      if (word.post === null || !(error instanceof SidecarError)) throw error;
      return { is: 'refused', why: error.message };
    }
  }

  /** Sends a new event that names the one whose place it takes: nothing of the past moves. */
  #sendHere(word: Word, found: Found): SteerAnswer {
    const { id, by, post } = word;
    const event = revised(found, word);
    this.#run.machine.receive(post, { event, at: null, by, instead: found.name, ...(id !== undefined && { id }) });
    return this.#told(word, { is: 'done', why: null }, null, false);
  }

  /** Takes the receipt of an event out of the past. */
  async #change(word: Word, found: Found, step: RecordedStep): Promise<SteerAnswer | null> {
    const { parts, lifecycle } = this.#run;
    const begun = found.name === INPUT ? this.#run.begunWith(revised(found, word)) : null;
    const cause = causeOf(parts.runState, word, found, step, begun);
    const raised = cause === null ? null : await metBy(parts, cause, found.program);
    if (this.#isLeft) return null;
    if (raised === null) return this.#told(word, { is: 'refused', why: notReceived(found) }, null);
    const { decisions, openCalls } = this.#by;
    const isPast = () => this.#isLeft || lifecycle.answer('decide').is === 'no';
    const needs = { lifecycle, decisions, openCalls, isLeft: isPast, isPast };
    const carried = await countingDecision(needs, raised, (decision) => this.#carry(word, raised, decision));
    if (carried !== null || this.#isLeft) return carried;
    return this.#told(word, { is: 'refused', why: 'run_cancelled: a person ends the run' }, null);
  }

  /** Carries the decision about an act out. */
  async #carry(word: Word, raised: Raised, decision: Decision): Promise<SteerAnswer> {
    const { parts, open, queries } = this.#run;
    const { decisions, plans } = this.#by;
    const answer = inFull({ parts, queries }, 'decided', decision, []);
    if (!isRestore(decision)) return this.#told(word, { is: 'refused', why: blockedText(decision) }, answer);
    const kept = keptThoughUndone(parts.runState, word.undone ?? [], decision);
    if (kept !== null) return this.#told(word, { is: 'refused', why: kept }, answer);
    await plans.carryOut(decision, decisions.fence(raised, decision));
    const why = open.stuck === null ? null : 'an undo has failed: the run goes on once it is made';
    return this.#told(word, { is: 'done', why }, answer, false);
  }

  /** Tells what has become of an act. The entry of one that moved nothing is written here; said again under its name, it leaves the name to the first. */
  #told(
    word: Word,
    { is, why }: Pick<SteerAnswer, 'is' | 'why'>,
    answer: PreviewedAnswer | null,
    writes = is === 'refused' || word.post !== null,
  ): SteerAnswer {
    const { parts, write } = this.#run;
    const { received } = parts.runState;
    const isRepeated = word.id !== undefined && received.act(word.id) !== undefined;
    const version = received.get(word.of)?.version ?? 0;
    const said = isRepeated ? unnamed(word) : word;
    const entry = steeredEntry(parts.runState, said, null, is === 'refused' ? why : null);
    if (writes) write.append([{ ...entry, version }]);
    return { event: word.of, act: word.act, is, why, version, answer, waits: waitingEvents(parts.runState) };
  }
}
