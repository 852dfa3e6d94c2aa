/**
 * Acts on events: what the run was sent has said something else from its beginning, was never sent, or still holds (semantics.md ST2, ST7, ST9 to ST11). An
 * act is carried out as a whole, or refused with what stands against it, and then no entry of the run moves.
 */
import { argsDigest } from '../../effects/digest.ts';
import type { SentSteer } from '../../effects/messages/steers.ts';
import { isRestore } from '../../model/decision.ts';
import { STEERED } from '../../model/failure.ts';
import type { SteeredEntry } from '../../model/message-entries.ts';
import { eventType } from '../../model/reply-event.ts';
import { stepOfName } from '../../projection/received.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { RecordedStep } from '../../projection/state-types.ts';
import { INPUT, type RunEvent, waitingEvents } from '../../reports/events.ts';
import { blockedText } from '../../reports/steer-text.ts';
import type { Raised } from '../parts.ts';
import type { PlanRunner } from '../plan/plan-runner.ts';
import { inFull, type PreviewedAnswer } from '../queries/answer-in-full.ts';
import { SidecarError } from '../sidecar-error.ts';
import { leftBefore } from './complaints.ts';
import { countingDecision } from './counting.ts';
import { MOST_TURNS } from './deciding.ts';
import type { Decisions } from './decisions.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RecoveryParts } from './recovery-parts.ts';
import { receiptAt, receiverOf } from './without-event.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'machine' | 'write' | 'queries' | 'open' | 'queue' | 'lifecycle'>;

/** An act, and the message that brought it; null for the program's own. */
interface Word extends SentSteer {
  readonly post: number | null;
}

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

/** An event as an act finds it: where it waits, or where it was received. */
interface Found {
  readonly name: string;
  readonly event: unknown;
  readonly by: string | null;
  readonly version: number;
  /** True where it waits since a restore has changed what its sender had seen. */
  readonly isTakenBack: boolean;
  readonly step: RecordedStep | null;
}

/** The first answer to an act, before the past is looked at. */
type Looked =
  | { readonly is: 'same' | 'refused'; readonly why: string | null }
  | { readonly is: 'open'; readonly found: Found };

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
      // A journal that takes nothing any more says so to those who wait for the run.
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
    const { lifecycle, queue } = this.#run;
    // What may rest on the event does not leave before the act is answered.
    const answered = lifecycle.begins('suspects');
    try {
      return await queue.add(() => this.#answer(word));
    } finally {
      answered();
    }
  }

  get #isLeft(): boolean {
    const { lifecycle } = this.#run;
    return lifecycle.isLeft || lifecycle.leave.aborted;
  }

  async #answer(word: Word): Promise<SteerAnswer | null> {
    await this.#run.lifecycle.past('ask');
    if (this.#isLeft) return null;
    const looked = this.#lookOr(word);
    if (looked.is !== 'open') return this.#told(word, looked, null);
    const { found } = looked;
    if (found.step !== null) return this.#change(word, found, found.step);
    this.#run.write.append([this.#entry(word, found, null)]);
    this.#run.machine.offer();
    return this.#told(word, { is: 'done', why: null }, null, false);
  }

  /** The same for an act that a message brought: its refusal is in the journal, whatever that is. */
  #lookOr(word: Word): Looked {
    try {
      return this.#look(word);
    } catch (error) {
      if (word.post === null || !(error instanceof SidecarError)) throw error;
      return { is: 'refused', why: error.message };
    }
  }

  /**
   * Tells what an act would come to if it was said now. Nothing moves: no entry is written, nothing is called.
   * @throws SidecarError `event_unknown`, `run_finished`.
   */
  async preview(sent: SentSteer): Promise<SteerAnswer> {
    const word = { ...sent, post: null };
    for (let times = 0; ; times += 1) {
      const looked = this.#look(word);
      if (looked.is !== 'open') return this.#told(word, looked, null, false);
      const { found } = looked;
      if (found.step === null) return this.#told(word, { is: 'done', why: null }, null, false);
      const raised = this.#raised(word, found, found.step);
      if (raised === null) return this.#told(word, { is: 'refused', why: 'no state has taken it' }, null, false);
      const deciding = this.#by.decisions.begin(raised, times < MOST_TURNS);
      if (deciding.isLong) await deciding.inTurns();
      const decision = deciding.standing;
      if (decision === null) continue;
      const answer = inFull(this.#run, 'decided', decision, []);
      if (isRestore(decision)) return this.#told(word, { is: 'done', why: null }, answer, false);
      return this.#told(word, { is: 'refused', why: blockedText(decision) }, answer, false);
    }
  }

  /** The refusal of an act, or the event that it is about. It changes nothing. @throws SidecarError `event_unknown`, `run_finished`. */
  #look(word: SentSteer): Looked {
    const { parts, open, lifecycle } = this.#run;
    const { runState } = parts;
    const no = (why: string) => ({ is: 'refused', why }) as const;
    const may = lifecycle.answer('deliver');
    if (may.is === 'no' && !may.code.startsWith('journal_'))
      throw new SidecarError('run_finished', 'the run takes no event any more: it has ended, or a person ends it');
    const before = word.id === undefined ? undefined : runState.received.act(word.id);
    if (before !== undefined) {
      const isSame = before.of === word.of && before.digest === this.#digestOf(word);
      if (!isSame) return no(`message_differs: another act has the name ${word.id}`);
      return { is: before.refused === null ? 'same' : 'refused', why: before.refused };
    }
    if (open.stuck !== null || runState.open.size > 0)
      return no('the run waits for an answer to what was found wrong, or for an undo: that comes first');
    const found = this.#find(word.of);
    return typeof found === 'string' ? no(found) : this.#lookAt(word, found);
  }

  #lookAt(word: SentSteer, found: Found): Looked {
    const { parts } = this.#run;
    const no = (why: string) => ({ is: 'refused', why }) as const;
    const same = { is: 'same', why: null } as const;
    if (word.base !== undefined && word.base !== found.version)
      return no(`steer_conflict: version ${word.base} was meant, and the event is at version ${found.version}`);
    if (found.by !== null && found.by !== word.by)
      return no(`steer_not_yours: it was sent by ${found.by}, who alone may change it or say that it still holds`);
    if (parts.runState.received.get(found.name)?.is === 'retracted')
      return word.act === 'retract' ? same : no('it was retracted: send it anew');
    // One that the run merely holds is handed on by itself.
    if (word.act === 'confirm') return found.isTakenBack ? { is: 'open', found } : same;
    if (word.act === 'revise' && isEqual(revised(found, word), found.event)) return same;
    if (found.step === null) return { is: 'open', found };
    if (parts.decisionPolicy.policy !== 'line') return no('steer_unsupported: the policy is not `line`');
    return { is: 'open', found };
  }

  /** The event of a name, or the reason why no act can be about it. @throws SidecarError `event_unknown`. */
  #find(name: string): Found | string {
    const { runState } = this.#run.parts;
    const { received, toRedeliver, held } = runState;
    if (name === INPUT) return 'steer_unsupported: the input of a run is not changed; begin another run with it';
    const known = received.get(name);
    const of = { name, by: known?.by ?? null, version: known?.version ?? 0 };
    const waits = [...toRedeliver, ...held].find((one) => one.name === name);
    if (waits !== undefined) {
      const isTakenBack = toRedeliver.includes(waits);
      return { ...of, event: waits.event, by: waits.held?.by ?? of.by, isTakenBack, step: null };
    }
    const nth = known?.step ?? stepOfName(name);
    const step = nth === null ? undefined : receiptAt(runState, nth);
    if (step !== undefined) return { ...of, event: step.outside, isTakenBack: false, step };
    if (known === undefined)
      throw new SidecarError('event_unknown', `the run was sent no event ${JSON.stringify(name)}: events() lists them`);
    if (known.is === 'retracted') return { ...of, event: null, isTakenBack: false, step: null };
    return known.is === 'refused'
      ? 'it was refused, and nothing rests on it: send it anew'
      : 'it is part of work that is set aside: it can be changed once that work is taken over, or given up';
  }

  /** Takes the receipt of an event out of the past. */
  async #change(word: Word, found: Found, step: RecordedStep): Promise<SteerAnswer | null> {
    const { parts, lifecycle, open, queries } = this.#run;
    const raised = this.#raised(word, found, step);
    if (raised === null) return this.#told(word, { is: 'refused', why: 'no state has taken it' }, null);
    const { decisions, openCalls, plans } = this.#by;
    const [isLeft, isPast] = [() => this.#isLeft, () => this.#isLeft || lifecycle.answer('decide').is === 'no'];
    const decision = await countingDecision({ lifecycle, decisions, openCalls, isLeft: isPast, isPast }, raised);
    if (isLeft()) return null;
    if (decision === null)
      return this.#told(word, { is: 'refused', why: 'run_cancelled: a person ends the run' }, null);
    const answer = inFull({ parts, queries }, 'decided', decision, []);
    if (!isRestore(decision)) return this.#told(word, { is: 'refused', why: blockedText(decision) }, answer);
    await plans.carryOut(decision, decisions.fence(raised, decision));
    const why = open.stuck === null ? null : 'an undo has failed: the run goes on once it is made';
    return this.#told(word, { is: 'done', why }, answer, false);
  }

  /** An act on an event that was received, as the cause of a decision; null where no instance has a part in its step. */
  #raised(word: Word, found: Found, step: RecordedStep): Raised | null {
    const { runState } = this.#run.parts;
    const receiver = receiverOf(runState, step);
    if (receiver === null) return null;
    const entry = this.#entry(word, found, null);
    const { act, of, event } = entry;
    const by = word.by === null ? '' : ` by ${word.by}`;
    return {
      signal: STEERED,
      error: `${of} was ${act === 'revise' ? 'revised' : 'retracted'}${by}`,
      actor: 0,
      failure: { in: receiver, key: null },
      call: null,
      heard: entry,
      steers: { act, of, step: step.nth, ...(event !== undefined && { event }) },
    };
  }

  #entry(word: Word, found: Found | null, refused: string | null): SteeredEntry {
    const { act, of, id, post, by, why } = word;
    const version = (found?.version ?? 0) + (act === 'revise' && found !== null ? 1 : 0);
    const named = id === undefined ? {} : { id, digest: this.#digestOf(word) };
    const event = act === 'revise' && found !== null ? { event: revised(found, word) } : {};
    const type = eventType(found?.event);
    return { do: 'steered', act, of, ...named, type, post, by, why, ...event, version, refused };
  }

  #digestOf({ act, of, to }: SentSteer): string {
    const { secret, codecs } = this.#run.parts.runState;
    return argsDigest([act, of, to ?? null], secret, codecs);
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
    const { id: _, ...unnamed } = word;
    const version = received.get(word.of)?.version ?? 0;
    const entry = this.#entry(isRepeated ? unnamed : word, null, is === 'refused' ? why : null);
    if (writes) write.append([{ ...entry, version }]);
    return { event: word.of, act: word.act, is, why, version, answer, waits: waitingEvents(parts.runState) };
  }
}

/** The event in its new version. */
function revised({ event }: Pick<Found, 'event'>, { to }: SentSteer): object {
  return { ...to, type: (event as { readonly type?: unknown }).type };
}
