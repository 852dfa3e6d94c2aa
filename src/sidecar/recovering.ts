/**
 * A run's recoveries, one after the other: a failure is settled or decided, and what was decided is carried out, or waits for somebody
 * (semantics.md §8, R5). How the run ends, or comes to stand still, is known here.
 */

import { type Alarm, setAlarm } from '../effects/alarm.ts';
import type { LedgerCall } from '../effects/ledger.ts';
import { errorMessage } from '../effects/signals.ts';
import { encode } from '../journal/codec.ts';
import { isSame } from '../journal/value-codec.ts';
import type { Decision } from '../model/decision.ts';
import { crossing, type Effect, isOpen } from '../model/effect.ts';
import type { DecisionEntry, DismissalReason, Entry } from '../model/entry.ts';
import type { Failure } from '../model/failure.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { parseKey } from '../model/key.ts';
import type { WorkRecord } from '../projection/records.ts';
import type { Kept } from '../projection/rollback.ts';
import { budgetKey, questionOf, type RunState } from '../projection/run-state.ts';
import { isAllowed } from '../recovery/joint.ts';
import type { Approvals } from './approvals.ts';
import type { Calls } from './calls.ts';
import type { Outbox } from './outbox.ts';
import type { Held, Raised, RunParts, Suspect } from './parts.ts';
import { keptByRerun } from './plan.ts';
import type { RecoveryQueries } from './recovery-queries.ts';
import type { Ending, MovedInput } from './report.ts';
import { SidecarError } from './sidecar-error.ts';
import type { Writing } from './writing.ts';

/**
 * The delay before the second recovery from the same failure, which doubles for each further one, and the longest, in
 * milliseconds.
 */
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 250;

/** What a recovery does to the machine. */
interface Machine {
  /** Holds events back, until `release`. */
  hold(): void;
  release(): void;
  /** Undoes memory and, in place, control. */
  restore(parts: RestoredParts, inPlace: boolean): void;
  /** Sends again what restores took back. */
  offer(): void;
  /** Gives a record up. */
  dismiss(record: WorkRecord, why: DismissalReason, wrong?: readonly string[]): void;
  /** Begins a run again whose first macrostep threw; false where there is none. */
  beginAgain(): boolean;
  /** A recovery is over, whatever came of it. */
  settled(): void;
}

/** What a restore keeps, sets aside, and does not believe any more. */
export interface RestoredParts {
  readonly kept: readonly Kept[];
  readonly aside: readonly InstanceId[];
  /** The keys of calls whose recorded answers were found wrong (C10). */
  readonly wrong: readonly string[];
  /** Those of them of which it is known that it was that answer, and not another of the same work. */
  readonly sure: readonly string[];
}

/** A question that a run was parked on, and its answer so far. */
interface Question {
  readonly raised: Raised;
  readonly decision: Decision;
}

/** An undo that a plan still owes, and why. */
interface Owed {
  readonly effect: Effect;
  readonly error: string;
}

/** Who helps with it. */
interface Helpers {
  readonly write: Writing;
  readonly calls: Calls;
  readonly queries: RecoveryQueries;
  readonly approvals: Approvals;
  readonly outbox: Outbox;
}

/** The recoveries of one run. */
export class Recovering {
  readonly #parts: RunParts;
  readonly #run: Machine;
  readonly #write: Writing;
  readonly #calls: Calls;
  readonly #queries: RecoveryQueries;
  readonly #approvals: Approvals;
  readonly #outbox: Outbox;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** What was raised and is not looked at yet. */
  readonly #queued = new Set<Raised>();
  /** Complaints that nobody has looked at yet, and why those were refused that were looked at. */
  readonly #fresh = new Set<Raised>();
  readonly #refusedComplaints = new Map<Raised, SidecarError>();
  /** The parked complaints that a complaint takes the place of, until the journal has it. */
  readonly #replaced = new Map<Raised, readonly Raised[]>();
  /** The failures whose wrong answers a cut has taken out of service. */
  readonly #cutFor = new WeakSet<Failure>();
  /** What failed last in each instance, and how often in a row. */
  readonly #repeated = new Map<string, { readonly what: string; readonly times: number }>();
  /** When counterparties are asked again. */
  #later: Alarm | undefined;
  #stopping = false;
  /**
   * The plan that waits for its undos: nothing is decided before it is finished, which another decision would displace (E5, R5).
   */
  #stuck: { readonly decision: Decision; readonly parts: RestoredParts } | null = null;
  #ended: (ending: Ending) => void = () => {};
  #failed: (error: unknown) => void = () => {};
  /** The questions that the run is parked on. */
  #parked: readonly Raised[] = [];
  /** Failed calls that are to be made again once nobody is waited for. */
  #deferred: Raised[] = [];
  /** The commits that were refused before the machine is there; null once it is. */
  #refused: Raised[] | null = null;
  /** Those of them that wait for a person. */
  #early: Raised[] = [];
  /**
   * The questions of the last process, while they are asked again before the machine is there: what they are about is no work to
   * build on.
   */
  #unanswered: readonly Raised[] = [];
  /** The plan that is being carried out. */
  #plan: Promise<void> | null = null;
  /**
   * The decision that the run is parked on once its counterparties were asked as often as the config says; null where nobody is
   * asked.
   */
  #asking: Decision | null = null;
  /** The calls whose outcome the run is parked on, and whose late reply sets it going again. */
  readonly #awaited = new Set<string>();
  /** True once those who wait for the run have been told. */
  #isTold = false;
  /** How the run ended or came to stand still, for the first time since it was last set going. */
  finished: Promise<Ending> = this.#newEnding();

  constructor(parts: RunParts, run: Machine, { write, calls, queries, approvals, outbox }: Helpers) {
    this.#parts = parts;
    this.#run = run;
    this.#write = write;
    this.#calls = calls;
    this.#queries = queries;
    this.#approvals = approvals;
    this.#outbox = outbox;
    write.onBreak((error) => this.#failed(error));
  }

  get #runState(): RunState {
    return this.#parts.runState;
  }

  get status(): 'running' | 'recovering' | 'parked' {
    if (this.#parked.length > 0 && this.#asking === null) return 'parked';
    if (this.#asking !== null) return 'recovering';
    return this.#waiting > 0 ? 'recovering' : 'running';
  }

  /** Whether the run waits for somebody. */
  get isParked(): boolean {
    return this.#parked.length > 0;
  }

  /** Whether anything is being decided or carried out, or waits for a person. */
  get isBusy(): boolean {
    return this.#waiting > 0 || this.#parked.length > 0 || this.#stuck !== null;
  }

  stop(): void {
    this.#stopping = true;
    this.#later?.cancel();
  }

  /**
   * A failure that somebody outside has seen: the instance, and the key that was found wrong, if one was.
   * @throws SidecarError `stuck`, or `bad_failure` where it is to take the place of a complaint and none waits.
   */
  async fail(complaint: Omit<Raised, 'actor' | 'call' | 'suspect'>): Promise<void> {
    const raised: Raised = { ...complaint, actor: 0, call: null, suspect: true };
    this.#fresh.add(raised);
    await this.raise(raised);
    const why = this.#refusedComplaints.get(raised);
    this.#refusedComplaints.delete(raised);
    if (why !== undefined) throw why;
  }

  /**
   * Takes back the complaints that one takes the place of which is about work that is undone already, and needs no other answer (C12).
   * @throws SidecarError `stuck`, or `bad_failure` where it is to take the place of a complaint and none waits.
   */
  async retract(complaint: Suspect, instead: boolean): Promise<void> {
    const takesPlaceOf = (other: Raised) => isReplaced(other, { failure: null, complaint, instead });
    if (!instead && !this.#parked.some(takesPlaceOf)) return;
    this.#waiting += 1;
    const done = this.#queue.then(() => {
      this.refuseIfStuck();
      const replaced = this.#parked.filter(takesPlaceOf);
      if (instead && replaced.length === 0) throw noneWaits();
      if (replaced.length > 0) this.#write.append([retractionOf(replaced)]);
      this.#unask(replaced);
    });
    this.#queue = done.then(noted, noted).finally(() => this.#answered());
    await done;
  }

  /** @throws SidecarError `bad_failure` where no complaint waits that another one could take the place of. */
  refuseUnlessParked(): void {
    if (!this.#parked.some(({ complaint }) => complaint !== undefined)) throw noneWaits();
  }

  /** @throws SidecarError `stuck` while an undo has failed: nothing is decided before its plan is finished (E5). */
  refuseIfStuck(): void {
    if (this.#stuck !== null) throw stuck();
  }

  /** Asks the questions again that the run is parked on. */
  async askAgain(): Promise<void> {
    await this.#goOnStuck();
    if (this.#parked.length === 0 || this.#stuck !== null) return;
    // What others have read comes first: nothing is done again on what is still found wrong (C12).
    const entered = ({ failure }: Raised) =>
      (failure.in === null ? undefined : this.#runState.places.of(instanceName(failure.in))?.entered.nth) ?? 0;
    const parked = [...this.#parked, ...this.#deferred].sort((one, other) => entered(one) - entered(other));
    this.#deferred = [];
    this.#unpark();
    // A commit that was refused is tried again before anything is done again for it.
    await Promise.all(parked.map((raised) => (raised.again === undefined ? this.raise(raised) : raised.again())));
    if (parked.some(({ again }) => again !== undefined) && this.#parked.length === 0 && this.#waiting === 0)
      this.#run.release();
  }

  /**
   * Starts the run over, when that is what was advised: everything undone, the keys unchanged (§8.4). It waits for the recoveries before it,
   * and is held to what they have left.
   * @throws SidecarError `not_advised`, `stuck`.
   */
  async rerun(): Promise<void> {
    this.#waiting += 1;
    const started = this.#queue.then(() => this.#rerun());
    this.#queue = started.then(noted, noted).finally(() => this.#answered());
    if ((await started) === 'ask again') await this.askAgain();
  }

  async #rerun(): Promise<'started' | 'ask again'> {
    this.refuseIfStuck();
    const advised = [...this.#runState.open.values()].findLast((entry) => entry.decision.verdict === 'rerun');
    const raised = this.#parked.find((one) => isAnswerTo(one, advised)) ?? this.#parked[0];
    if (raised === undefined || advised === undefined) {
      const how = raised === undefined ? 'the run waits for nobody' : 'what it is parked on advises something else';
      throw new SidecarError('not_advised', `no rerun is advised: ${how}`);
    }
    // Advice holds at the head at which it was given (C13): it is asked for again, and another answer is shown instead.
    const decision = this.#decide(raised);
    if (decision.verdict !== 'rerun' || isDifferent(decision, advised.decision)) return 'ask again';
    if (await this.#demote(decision.undo)) return 'ask again';
    // It answers all that the run is parked on (C10).
    const complaints = this.#complaints(raised);
    this.#unpark();
    this.#write.append([this.#queries.decisionEntry(raised, decision), { do: 'phase', phase: 'FENCED' }]);
    for (const record of [...this.#runState.records.values()]) this.#run.dismiss(record, 'done_again');
    const kept = keptByRerun(this.#runState);
    await this.#carryOut(decision, { kept, aside: [], ...this.#distrusted(kept, complaints) });
    this.#run.beginAgain();
    return 'started';
  }

  /** One recovery is over, whatever came of it: where nobody is waited for, the machine goes on. */
  #answered(): void {
    this.#waiting -= 1;
    if (this.#waiting > 0) return;
    if (this.#parked.length === 0 && this.#stuck === null && !this.#stopping) this.#run.release();
    this.#run.settled();
  }

  #unpark(): void {
    this.#parked = [];
    this.#asking = null;
    if (this.#isTold) this.finished = this.#newEnding();
  }

  #newEnding(): Promise<Ending> {
    this.#isTold = false;
    const ending = new Promise<Ending>((resolve, reject) => {
      this.#ended = resolve;
      this.#failed = reject;
    });
    ending.catch(() => {});
    return ending;
  }

  /** Recoveries are made one after the other. */
  raise(raised: Raised): Promise<void> {
    this.#waiting += 1;
    this.#queued.add(raised);
    const next = this.#queue.then(async () => {
      this.#queued.delete(raised);
      const held = await this.#recover(raised);
      const retraction = this.#stopping ? [] : this.#retraction(raised);
      if (retraction.length > 0) this.#write.append(retraction);
      // While the run waits for somebody, no call is made again: it is decided again with what is parked.
      if (held.next === 'again' && this.#parked.length > 0) this.#deferred.push(raised);
      else if (held.next !== 'wait') raised.call?.answer(held);
    });
    this.#queue = next.catch((error) => this.#write.break(error)).finally(() => this.#answered());
    return next.catch(() => {});
  }

  async #recover(raised: Raised): Promise<Held> {
    if (this.#stopping || this.#write.broken !== null || this.#stuck !== null) {
      if (this.#fresh.delete(raised) && this.#stuck !== null) this.#refusedComplaints.set(raised, stuck());
      return { next: 'wait' };
    }
    if (this.#fresh.delete(raised) && !this.#takesPlace(raised)) return { next: 'wait' };
    // What was complained about is taken back already, or the call that failed is dropped (C11, C12).
    if (raised.call?.isDropped() === true) return { next: 'wait' };
    if (this.#isTakenBack(raised)) return this.#accuseLost(raised);
    const record = this.#recordAccused(raised);
    if (record !== null) return this.#accuse(raised, record);
    return this.#answer(raised);
  }

  /** Settles or decides a failure, and carries out what was decided. */
  async #answer(raised: Raised): Promise<Held> {
    await this.#pause(raised);
    if (this.#stopping || raised.call?.isDropped() === true) return { next: 'wait' };
    const settled = await this.#settle(raised);
    if (settled !== null) return settled;
    // No decision is made while a publication is in progress: it goes on until all of it is visible, or waits for a person.
    await Promise.race([this.#outbox.settled(), this.finished]);
    await this.#outbox.quiet();
    if (this.#stopping) return { next: 'wait' };
    let decision = this.#decide(raised);
    while (!isRestore(decision) && (await this.#askAbout(decision, raised.call?.key ?? null)))
      decision = this.#decide(raised);
    if (this.#stopping) return { next: 'wait' };
    // Nothing is awaited between the answer that counts and its entry (R5).
    while (decision.undo.length > 0 && (await this.#hasMoved(decision))) decision = this.#decide(raised);
    if (this.#stopping) return { next: 'wait' };
    if (!isRestore(decision)) {
      this.park(raised, this.#queries.withWhomToAsk(decision));
      return { next: 'wait' };
    }
    this.#run.hold();
    await this.#carryOut(decision, this.#fence(raised, decision));
    return { next: 'wait' };
  }

  /** Recoveries from the same failure do not follow one another without a delay: what it came from may pass (R6). */
  async #pause(raised: Raised): Promise<void> {
    const { failure, signal, about } = raised;
    if (failure.in === null || about !== undefined) return;
    const of = `${signal} ${instanceName(failure.in)}`;
    const what = failingOf(raised);
    const before = this.#repeated.get(of);
    const times = before?.what === what ? before.times : 0;
    this.#repeated.set(of, { what, times: times + 1 });
    if (times === 0) return;
    await new Promise((resolve) => setTimeout(resolve, Math.min(FIRST_PAUSE * 2 ** (times - 1), LONGEST_PAUSE)));
  }

  /**
   * Has a complaint take the place of others that the run is parked on, and that have moved nothing: of all where the caller says so, else of
   * the same one, and of one that did not say which occurrence it meant (C12). Any other complaint stays a suspect.
   * @returns false where it cannot: it is refused.
   */
  #takesPlace(raised: Raised): boolean {
    const replaced = this.#parked.filter((other) => isReplaced(other, raised));
    if (raised.instead === true && replaced.length === 0) {
      this.#refusedComplaints.set(raised, noneWaits());
      return false;
    }
    if (replaced.length > 0) this.#replaced.set(raised, replaced);
    this.#unask(replaced);
    return true;
  }

  /** Takes questions from those that the run is parked on. */
  #unask(queries: readonly Raised[]): void {
    if (queries.length === 0) return;
    const left = this.#parked.filter((one) => !queries.includes(one));
    if (left.length === 0) this.#unpark();
    this.#parked = left;
  }

  /** The entry that takes back what a complaint has taken the place of, once. */
  #retraction(raised: Raised): Entry[] {
    const replaced = this.#replaced.get(raised);
    this.#replaced.delete(raised);
    return replaced === undefined ? [] : [retractionOf(replaced)];
  }

  /** Whether work that was complained about has been undone since the complaint was made: it needs no second answer (C12). */
  #isTakenBack({ failure, about }: Raised): boolean {
    if (about === undefined || failure.in === null) return false;
    const name = instanceName(failure.in);
    const record = this.#runState.history.registry.get(failure.in);
    const isAside = [...this.#runState.records.values()].some(({ members }) => members.has(name));
    if (record === undefined) return !isAside;
    if (about.write !== null) {
      if (isAside) return false;
      return !this.#runState.history.versions
        .writesOf(record)
        .some(({ at }) => this.#runState.originOf(at) === about.write);
    }
    if ((this.#runState.epochs.get(name) ?? 0) === about.epoch || this.#runState.records.has(name)) return false;
    // What it had done before, and that still stands, was complained about as well.
    return !this.#runState.places.stepsOf(name, 0, Number.POSITIVE_INFINITY).some(({ act }) => act < about.head);
  }

  /** The record that holds the work that was complained about, if it is set aside. */
  #recordAccused({ failure, about }: Raised): WorkRecord | null {
    if (failure.in === null || about === undefined) return null;
    const name = instanceName(failure.in);
    if (this.#runState.history.registry.get(failure.in) !== undefined && !this.#runState.records.has(name)) return null;
    return [...this.#runState.records.values()].find(({ members }) => members.has(name)) ?? null;
  }

  /**
   * Work that is set aside was found wrong: no new cut; its record is given up, and what it did is undone where that is possible
   * (C12).
   */
  async #accuse(raised: Raised, record: WorkRecord): Promise<Held> {
    const name = instanceName(raised.failure.in as InstanceId);
    const calls = record.items.flatMap((item) => (item.is === 'call' ? [item.call] : []));
    const own = calls.filter(({ intent, status }) => instanceName(intent.instance) === name && status === 'confirmed');
    if (!(await this.#takeBack(raised, own))) return { next: 'wait' };
    const wrong = own.filter(({ status }) => status === 'confirmed').map(({ key }) => key);
    this.#run.dismiss(record, 'found_wrong', wrong);
    if (this.#parked.length === 0) this.#run.release();
    return { next: 'wait' };
  }

  /** Undone work was found wrong of which calls still stand: they are taken back before its replay comes to them (C10, C12). */
  async #accuseLost(raised: Raised): Promise<Held> {
    const lost = this.#lostOf(raised);
    if (lost.length === 0 || !(await this.#takeBack(raised, lost))) return { next: 'wait' };
    const wrong = lost.filter(({ status }) => status === 'confirmed').map(({ key }) => key);
    const instance = raised.failure.in as InstanceId;
    this.#write.append([{ do: 'dismissed', instance, why: 'undone_before', ...(wrong.length > 0 && { wrong }) }]);
    if (this.#parked.length === 0) this.#run.release();
    return { next: 'wait' };
  }

  /**
   * The standing calls of undone work that a complaint is about; with a key, unless a cut has answered it, which knew the call
   * (C10).
   */
  #lostOf({ failure, suspect }: Raised): LedgerCall[] {
    if (suspect !== true || failure.in === null) return [];
    return failure.key !== null && this.#cutFor.has(failure) ? [] : this.#queries.lost(failure.in);
  }

  /** Undoes confirmed calls of what was found wrong; where one cannot be undone, the run is parked. @returns whether all are. */
  async #takeBack(raised: Raised, calls: readonly LedgerCall[]): Promise<boolean> {
    const effects = calls.map(({ key, intent }) => this.#queries.effectOf(key, intent.instance));
    const undone = effects.filter((effect) => crossing(effect) === 'undo');
    const blocked = effects.filter((effect) => crossing(effect) !== 'cross' && crossing(effect) !== 'undo');
    if (blocked.length > 0 || (await this.#demote(undone))) {
      this.#park(raised, blocked.length > 0 ? blocked : effects);
      return false;
    }
    this.#run.hold();
    for (const effect of undone.reverse()) {
      if ((await this.#calls.undo(effect)) === null) continue;
      // It stands, and is what a person has to look at: nothing is done again over it (E5).
      if (!this.#stopping) this.#park(raised, [this.#queries.effectOf(effect.id as string, effect.instance)]);
      return false;
    }
    return true;
  }

  /**
   * Finishes the undos outside of any plan that a crash interrupted: they may have happened, and are made under the same keys
   * (E5).
   */
  async finishUndos(): Promise<void> {
    for (const { key, intent } of this.#runState.ledger.halfUndone())
      await this.#calls.undo(this.#queries.effectOf(key, intent.instance));
  }

  #park(raised: Raised, effects: readonly Effect[]): void {
    this.park(raised, {
      verdict: 'escalate',
      failed: raised.failure.in,
      at: this.#runState.history.head,
      policy: this.#parts.policy,
      refusals: effects.map((effect) => {
        return { code: 'unclaimed_effect', candidate: null, effect, instance: effect.instance } as const;
      }),
      undo: [],
      line: null,
      unblock: { leadsTo: 'ask_again', acts: effects.map((effect) => ({ act: 'undo_by_hand', effect })) },
    });
  }

  /** Parks a run that would do something anew while an effect of the same stands that no replay has claimed (C8). */
  parkUnclaimed(kept: readonly LedgerCall[], actor: number, instance: InstanceId, again: () => void = () => {}): void {
    const effects = kept.map(({ key, intent }) => this.#queries.effectOf(key, intent.instance));
    const error = new Error(`${kept.map(({ key }) => key).join(', ')} stands, and no replay has taken it over`);
    this.#park(
      { signal: 'CONTRACT_VIOLATION', error, actor, failure: { in: instance, key: null }, call: null, again },
      effects,
    );
  }

  /**
   * The replay of a call with other arguments: what stands is undone first, where class and promises allow (C7). @returns
   * whether it was.
   */
  async undoDiverged(recorded: LedgerCall): Promise<boolean> {
    const effect = this.#queries.effectOf(recorded.key, recorded.intent.instance);
    if (recorded.at !== null || crossing({ ...effect, undo: recorded.undo }) !== 'undo' || !this.#mayUndo(recorded))
      return false;
    if ((await this.#calls.moved(effect)) !== null) return false;
    return (await this.#calls.undo(effect)) === null;
  }

  /** Whether the undo of a kept effect crosses no promise, or one that the reviewed policy lets be crossed. */
  #mayUndo({ promise, intent }: LedgerCall): boolean {
    if (promise === null) return true;
    const { by } = promise;
    const rules = this.#queries.rules(
      by === null ? { in: null, key: null, why: 'fits_nobody' } : { in: by, key: null },
    );
    return isAllowed(rules, intent.instance);
  }

  /**
   * Looks for what stands in the world and no replay has claimed, before a run ends (C9): it is undone where class and promises allow;
   * otherwise the run is parked, naming it.
   * @returns whether nothing is left.
   */
  async clearUnclaimed(again: () => void): Promise<boolean> {
    for (const { key, status } of this.#runState.ledger.displaced()) {
      if (!isOpen(status)) continue;
      if (this.#calls.isUnderWay(key)) await this.#calls.abort(key);
      if (isOpen(this.#runState.ledger.get(key)?.status ?? 'failed')) await this.#calls.reconcile(key, true);
    }
    const isStanding = ({ status }: LedgerCall) => status === 'confirmed' || isOpen(status);
    const standing = this.#runState.ledger.displaced().filter(isStanding);
    const effects = new Map(
      standing.map((call) => [call, { ...this.#queries.effectOf(call.key, call.intent.instance), undo: call.undo }]),
    );
    const blocked: LedgerCall[] = [];
    for (const call of standing) {
      const effect = effects.get(call) as Effect;
      const isUndoable =
        crossing(effect) === 'undo' && this.#mayUndo(call) && (await this.#calls.moved(effect)) === null;
      if (!isUndoable) blocked.push(call);
    }
    if (blocked.length > 0) {
      const [{ intent }] = blocked as [LedgerCall];
      this.parkUnclaimed(blocked, 0, intent.instance, again);
      return false;
    }
    for (const call of standing.reverse()) {
      if ((await this.#calls.undo(effects.get(call) as Effect)) === null) continue;
      this.parkUnclaimed([call], 0, call.intent.instance, again);
      return false;
    }
    for (const record of [...this.#runState.records.values()]) this.#run.dismiss(record, 'unclaimed');
    return true;
  }

  /**
   * Makes known what became of calls that stand in the way because nobody knows: one under way is aborted and waited for, then its
   * counterparty is asked (E2, C11); of the failed call it was asked before.
   * @returns whether any of them is known now: then the answer that counts is still to come (R5).
   */
  async #askAbout({ refusals }: Decision, failed: string | null): Promise<boolean> {
    const { ledger } = this.#runState;
    const isStillOpen = (key: string) => isOpen(ledger.get(key)?.status ?? 'failed');
    const standing = refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds : []));
    const keys = standing.flatMap((reason) =>
      'effect' in reason && reason.effect.id !== null ? [reason.effect.id] : [],
    );
    const asked = [...new Set(keys)].filter((key) => key !== failed && isStillOpen(key));
    for (const key of asked) {
      if (this.#calls.isUnderWay(key)) {
        this.#run.hold();
        await this.#calls.abort(key);
      }
      if (isStillOpen(key) && (await this.#calls.reconcile(key)) !== null) this.#askLater();
    }
    return asked.some((key) => !isStillOpen(key));
  }

  /**
   * Whether what an answer rests on is another by now: in the history, or in the world, where something cannot be undone any
   * more.
   */
  async #hasMoved({ undo, at }: Decision): Promise<boolean> {
    const demoted = await this.#demote(undo);
    return !this.#stopping && (demoted || at !== this.#runState.history.head);
  }

  /** Writes an answer down with its fence, and tells it. @returns how far everyone is kept. */
  #fence(raised: Raised, decision: Restore): RestoredParts {
    const kept = this.#queries.keptBy(decision);
    const parts = { kept, aside: recordsIn(decision), ...this.#distrusted(kept, this.#complaints(raised)) };
    const moved = this.#queries.movedInputs(kept);
    const takenBack = this.#runState.takenBackBy(kept, parts.aside);
    const decided = this.#queries.decisionEntry(raised, decision);
    this.#write.append([...this.#retraction(raised), decided, { do: 'phase', phase: 'FENCED' }]);
    this.#tell(raised, decision, moved, takenBack);
    return parts;
  }

  /**
   * The recorded answers that are not served again (C10): of the work that was found wrong, and of all other work that goes back and that
   * a complaint is about which waits for its answer; this is its answer, too (C12).
   */
  #distrusted(
    kept: readonly Kept[],
    complaints: readonly { readonly suspect?: true | undefined; readonly failure: Failure }[],
  ): Pick<RestoredParts, 'wrong' | 'sure'> {
    const positions = new Map(kept.map(([id, position]) => [instanceName(id), position]));
    const wrong = new Set<string>();
    const sure = new Set<string>();
    for (const { failure, suspect } of complaints) {
      const at = failure.in === null ? undefined : positions.get(instanceName(failure.in));
      if (suspect !== true || failure.in === null || at === undefined) continue;
      this.#cutFor.add(failure);
      const answers = this.#queries.wrongAnswers(failure.in, failure.key?.text ?? null, at);
      for (const key of answers.keys) wrong.add(key);
      if (answers.isSure) for (const key of answers.keys) sure.add(key);
    }
    return { wrong: [...wrong], sure: [...sure] };
  }

  /** What is being decided, and all that waits to be. */
  #complaints(raised: Raised): Raised[] {
    return [...new Set([raised, ...this.#parked, ...this.#queued])];
  }

  #decide({ signal, failure }: Raised): Decision {
    // Complaints that wait for their answer are no work to build on (C12).
    const waiting = [...this.#parked, ...this.#queued, ...this.#unanswered];
    const others = waiting.filter((other) => other.failure !== failure);
    const suspects = others.flatMap((other) => (other.failure.in === null ? [] : [instanceName(other.failure.in)]));
    for (const { instance } of this.#runState.publications) suspects.push(instanceName(instance));
    return this.#parts.decisionPolicy.decide(this.#runState.history, failure, this.#queries.rules(failure), {
      control:
        this.#parts.policy === 'dart'
          ? null
          : {
              places: this.#runState.places,
              suspects: new Set(suspects),
              escapes: (cut) => this.#queries.escapes(cut),
            },
      unavailable: (checkpoint) => this.#queries.unavailable(failure, checkpoint, signal),
    });
  }

  /** Asks the world whether what would be undone still can be: what cannot blocks from now on (§6). */
  async #demote(undo: readonly Effect[]): Promise<boolean> {
    let demoted = false;
    for (const effect of undo) {
      const why = await this.#calls.moved(effect);
      if (why === null || effect.id === null) continue;
      this.#write.append([{ do: 'demoted', key: effect.id, why }]);
      demoted = true;
    }
    return demoted;
  }

  #tell(
    { signal, error }: Raised,
    decision: Decision,
    movedInputs: readonly MovedInput[] = [],
    takenBack: readonly unknown[] = [],
  ): void {
    try {
      this.#parts.onDecision({ decision, signal, error: errorMessage(error), movedInputs, takenBack });
    } catch (thrown) {
      // A listener that throws is no reason to leave a recovery half done.
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }

  park(raised: Raised, decision: Decision): void {
    this.#run.hold();
    this.#parked = [...this.#parked, raised];
    this.#write.append([...this.#retraction(raised), this.#queries.decisionEntry(raised, decision)]);
    this.#tell(raised, decision);
    this.#askPeople(decision);
    this.#standStill(decision);
  }

  /** The run waits for a person, once nobody else is left to be asked (E2). */
  #standStill(decision: Decision): void {
    this.#asking = null;
    if (this.#isAsking(decision)) {
      this.#asking = decision;
      this.#askLater();
      return;
    }
    const [ended, failed] = [this.#ended, this.#failed];
    this.#isTold = true;
    void this.#write.durable().then(() => ended({ status: 'parked', decision }), failed);
  }

  /** True where a counterparty will be asked again about a call that the decision stands on. */
  #isAsking({ refusals }: Decision): boolean {
    return effectsIn(refusals).some(({ id }) => {
      const call = id === null ? undefined : this.#runState.ledger.get(id);
      if (call === undefined || !isOpen(call.status) || call.asked.next === null) return false;
      return this.#parts.config.tools.get(call.intent.tool)?.asking.patient === true;
    });
  }

  /** Whatever nobody could tell is asked of a person, by a gate that outlives this process (E2). */
  #askPeople(decision: Decision): void {
    const acts = 'unblock' in decision ? decision.unblock.acts : [];
    for (const act of acts) {
      if (act.act === 'settle_outcome' && act.effect.id !== null && isOpen(act.effect.status))
        this.#approvals.askOutcome(act.effect.id);
    }
  }

  /** Asks the counterparties of open calls again when they are due, and the parked questions once one is known. */
  #askLater(): void {
    const open = this.#runState.ledger.open().filter(({ asked }) => asked.next !== null);
    const due = Math.min(...open.map(({ asked }) => asked.next as number));
    this.#later?.cancel();
    if (!Number.isFinite(due) || this.#stopping || this.#write.broken !== null) return;
    // Whoever waits for a run that is still asking keeps its process; one that is parked keeps none.
    const ask = () => void this.#askedLater(open.map(({ key }) => key));
    this.#later = setAlarm(due, this.#parts.now, ask, this.#asking !== null && this.#parts.keepAlive);
  }

  async #askedLater(keys: readonly string[]): Promise<void> {
    if (this.#stopping) return;
    const before = this.#runState.ledger.open().length;
    for (const key of keys) await this.#calls.reconcile(key);
    if (this.#runState.ledger.open().length < before) await this.askAgain();
    if (this.#asking !== null) this.#standStill(this.#asking);
    if (this.#asking === null) this.#askLater();
  }

  /** The outcome of a held call, if the ledger or the counterparty knows it (§8.0); null where the line has to be asked. */
  async #settle(raised: Raised): Promise<Held | null> {
    const { call, failure, signal } = raised;
    if (call === null || call.key === null) return null;
    if ((await this.#calls.reconcile(call.key)) !== null) this.#askLater();
    const known = this.#runState.ledger.get(call.key);
    if (known === undefined || isOpen(known.status) || this.#runState.actor(call.actor).ended !== null) return null;
    if (known.status !== 'confirmed' && known.status !== 'failed') return null;
    const failed = failure.in ?? known.intent.instance;
    const tries = this.#parts.config.skeletons.get(failed.skeleton)?.rollback.tries ?? this.#parts.config.tries;
    const spent = this.#runState.spent.get(budgetKey(failed, 'call', signal)) ?? 0;
    if (known.status === 'failed' && (spent >= tries || this.#runState.recoveries >= this.#parts.config.tries))
      return null;
    const effect = this.#queries.effectOf(call.key, known.intent.instance);
    const decision: Decision = {
      verdict: 'settle',
      failed,
      at: this.#runState.history.head,
      policy: this.#parts.policy,
      refusals: [],
      undo: [],
      line: null,
      effect,
    };
    this.#write.append([this.#queries.decisionEntry(raised, decision), { do: 'phase', phase: 'RESUMED' }]);
    this.#tell(raised, decision);
    if (this.#parked.length === 0) this.#run.release();
    // Whether the outcome of an earlier call answers this one is for the guard to say (E3).
    if (call.isHeld || known.status !== 'confirmed') return { next: 'again' };
    return { next: 'answer', output: known.output };
  }

  /** Asks the counterparties of all calls whose outcome is open, once at least (E2). */
  async reconcile(): Promise<void> {
    for (const { key } of this.openCalls()) await this.#calls.reconcile(key, true);
    this.#askLater();
  }

  /**
   * Why the journal does not take a person's word about a call: it knows better, or it is no answer of its tool. Null where it
   * does.
   */
  #contradicts(
    { key, status, intent, output: known }: LedgerCall,
    as: LedgerCall['status'],
    output: unknown,
  ): string | null {
    const isKnown = status === as && (as !== 'confirmed' || output === undefined || isSame(known, output));
    const isUndoneByHand = as === 'compensated' && status === 'confirmed';
    if (as === 'confirmed' && output === undefined && this.#earlier(key) !== undefined) return null;
    if (!isKnown && !isOpen(status) && !isUndoneByHand) return `is ${status} as the journal has it, and not ${as}`;
    const refused = as === 'confirmed' && !isKnown ? this.#parts.config.tools.get(intent.tool)?.refuses(output) : null;
    return refused == null ? null : `cannot have answered that: ${refused}`;
  }

  /**
   * A person says what became of a call (E2). Its counterparty is asked first, and what that knows counts; of an undo by hand it may not know.
   * @throws SidecarError `bad_settlement` where the journal or the counterparty knows better, the call is under way and nobody has asked, or
   * none was made; `not_advised` where a person undid by hand what the run relies on.
   */
  async settleEffect(key: string, status: 'confirmed' | 'failed' | 'compensated', output?: unknown): Promise<void> {
    const named = this.#runState.ledger.named(key);
    if (named === undefined) throw new SidecarError('bad_settlement', `no call has the key ${key}`);
    const gate = this.#runState.asked.of(named.key);
    const isAsked = gate?.asks === 'outcome' && gate.status === 'pending';
    if (named.status === 'intended' && this.#calls.isUnderWay(named.key) && !isAsked) {
      const why =
        'is under way, and its own answer will tell: wait for it, or close the run and settle it in the next process';
      throw new SidecarError('bad_settlement', `${named.intent.tool} (${named.key}) ${why}`);
    }
    const wasOpen = isOpen(named.status);
    if (status !== 'compensated') await this.#calls.askNow(named.key);
    const call = this.#runState.ledger.get(named.key) as LedgerCall;
    const why = this.#contradicts(call, status, output);
    if (why !== null) {
      // What waits for that outcome has its answer, if not the one that was given.
      if (wasOpen && !isOpen(call.status)) await this.askAgain();
      throw new SidecarError('bad_settlement', `${call.intent.tool} (${call.key}) ${why}`);
    }
    // The journal has it so already: a word that is given twice is one.
    if (call.status === status) return this.askAgain();
    if (status === 'compensated' && !this.#mayBeUndoneByHand(call)) {
      const relied = `the run relies on ${call.intent.tool} (${call.key}), and no open question advises to undo it`;
      throw new SidecarError('not_advised', `${relied}: look at what the run waits for now`);
    }
    const answer = output ?? this.#earlier(call.key)?.output;
    this.#write.append([{ do: 'outcome', key: call.key, status, ...(status === 'confirmed' && { output: answer }) }]);
    this.#approvals.wake();
    await this.#write.durable();
    await this.askAgain();
  }

  /** The earlier call that one which waits for a person may be the same act as (E3). */
  #earlier(key: string): LedgerCall | undefined {
    const gate = this.#runState.asked.of(key);
    return gate?.status === 'pending' && gate.like !== undefined ? this.#runState.ledger.get(gate.like) : undefined;
  }

  /**
   * Whether a person may undo a call by hand: no kept work relies on it, an open question names it, or a plan is to undo it
   * (C13).
   */
  #mayBeUndoneByHand({ key, at }: LedgerCall): boolean {
    const { open, pending } = this.#runState;
    const asked = [...open.values()].flatMap(({ decision }) => namedBy(decision));
    return at === null || [...asked, ...(pending?.entry.decision.undo ?? [])].some(({ id }) => id === key);
  }

  /** Resolves once no plan is being carried out; never where one cannot be finished in this process. */
  async clear(): Promise<void> {
    while (this.#plan !== null) await this.#plan.catch(() => {});
    if (this.#stuck !== null) await new Promise(() => {});
  }

  /** From FENCED on: undo in the world, then in memory and control, then go on (R5). Redo-only. */
  #carryOut(decision: Decision, parts: RestoredParts): Promise<void> {
    const plan = this.#carry(decision, parts).finally(() => {
      this.#plan = null;
    });
    this.#plan = plan;
    return plan;
  }

  async #carry(decision: Decision, parts: RestoredParts): Promise<void> {
    this.#run.hold();
    const { kept } = parts;
    if (!(await this.#undoAll(decision, parts))) return;
    if (this.#stopping) return;
    this.#run.restore(parts, true);
    this.#write.append([{ do: 'phase', phase: 'RESUMED' }]);
    this.#outbox.begin();
    this.#approvals.wake();
    // What was undone has no question any more; what else waits for a person is asked again.
    const moved = new Set(kept.map(([id]) => instanceName(id)));
    this.#parked = this.#parked.filter((raised) => {
      if (raised.suspect === true) return !this.#isTakenBack(raised);
      return (
        raised.call?.isDropped() !== true && (raised.failure.in === null || !moved.has(instanceName(raised.failure.in)))
      );
    });
    if (this.#parked.length > 0) void this.askAgain();
    else if (this.#waiting <= 1) this.#run.release();
    this.#run.offer();
    await this.#write.durable();
  }

  /** Undoes what a plan crosses, and removes what it takes back unseen (E4, E5). @returns whether all of it is undone. */
  async #undoAll(decision: Decision, parts: RestoredParts): Promise<boolean> {
    const owed = await this.#undoIndependently(decision.undo);
    const [first] = owed;
    if (first !== undefined) {
      this.#standStuck(decision, parts, first, owed);
      return false;
    }
    await this.#calls.staged();
    const records = new Set(parts.aside.map(instanceName));
    for (const [id, at] of parts.kept) {
      if (records.has(instanceName(id))) continue;
      for (const call of this.#runState.ledger.buffered(id)) if ((call.at ?? 0) > at) await this.#calls.discard(call);
    }
    return true;
  }

  /**
   * Undoes effects, newest first. One that fails holds back those that it is not independent of, and no others. @returns those
   * still owed.
   */
  async #undoIndependently(effects: readonly Effect[]): Promise<Owed[]> {
    const owed: Owed[] = [];
    for (const effect of effects) {
      const before = owed.find((other) => !this.#calls.mayUndoBeside(effect, other.effect));
      const error =
        before === undefined ? await this.#calls.undo(effect) : `it waits for the undo of ${before.effect.tool}`;
      if (error !== null) owed.push({ effect, error });
    }
    return owed;
  }

  /** A plan cannot be finished: nothing is restored until every undo that is owed was made, or a person has made it (E5). */
  #standStuck(decision: Decision, parts: RestoredParts, { effect, error }: Owed, owed: readonly Owed[]): void {
    this.#run.hold();
    this.#stuck = { decision, parts };
    for (const each of [...owed].reverse())
      this.#write.append([{ do: 'phase', phase: 'STUCK', effect: each.effect.id ?? '', error: each.error }]);
    const [ended, failed] = [this.#ended, this.#failed];
    this.#isTold = true;
    void this.#write.durable().then(() => ended({ status: 'stuck', decision, effect, error, owed }), failed);
  }

  /** Tries the plan again that could not be finished. */
  async #goOnStuck(): Promise<void> {
    const stuck = this.#stuck;
    if (stuck === null) return;
    this.#stuck = null;
    if (this.#isTold) this.finished = this.#newEnding();
    this.#waiting += 1;
    try {
      await this.#carryOut(stuck.decision, stuck.parts);
    } finally {
      this.#waiting -= 1;
      this.#run.settled();
    }
  }

  /** What is left of a decision that a crash interrupted: its undos, and the fold's part of the restore. */
  async finishPlan(): Promise<'restored' | 'nothing' | 'stuck'> {
    const { pending } = this.#runState;
    if (pending === null) return 'nothing';
    const { decision, suspect, key } = pending.entry;
    if (decision.verdict === 'settle' || decision.verdict === 'escalate') return 'nothing';
    if (decision.verdict === 'rerun' && pending.phase === 'DECIDED') return 'nothing';
    if (pending.phase !== 'RESTORED') {
      const kept = isRestore(decision) ? this.#queries.keptBy(decision) : keptByRerun(this.#runState);
      const open = this.#openQuestions().map(({ raised }) => raised);
      const answers = this.#distrusted(kept, [{ suspect, failure: failureBy(decision, key) }, ...open]);
      const parts = { kept, aside: isRestore(decision) ? recordsIn(decision) : [], ...answers };
      if (!isRestore(decision))
        for (const record of [...this.#runState.records.values()]) this.#run.dismiss(record, 'done_again');
      if (!(await this.#undoAll(decision, parts))) return 'stuck';
      this.#run.restore(parts, false);
    }
    this.#write.append([{ do: 'phase', phase: 'RESUMED' }]);
    await this.#write.durable();
    return 'restored';
  }

  /**
   * The questions that a run was parked on when its process ended; a call that was held, or that diverged, raises its own again.
   */
  #openQuestions(): Question[] {
    return [...this.#runState.open.values()].flatMap((entry) => {
      const { decision, signal, error, actor, key, call, suspect, complaint, commit } = entry;
      const isRaisedAgain = decision.refusals.some(
        (veto) => 'code' in veto && (veto.code === 'effect_diverged' || veto.code === 'unclaimed_effect'),
      );
      if (call !== null || (isRaisedAgain && suspect !== true) || this.#isOfCommit(decision)) return [];
      const failure = failureBy(decision, key);
      const told = complaint === undefined ? {} : { complaint };
      const found = suspect === true ? { suspect, about: this.#aboutNow(failure), ...told } : {};
      const of = commit === undefined ? {} : { commit, ...this.#againOf(commit) };
      const raised: Raised = { signal, error: new Error(error), actor, failure, call: null, ...found, ...of };
      // What is undone and has left nothing has its answer.
      if (this.#isTakenBack(raised) && this.#lostOf(raised).length === 0) return [];
      return [{ raised, decision }];
    });
  }

  #againOf(commit: string): Pick<Raised, 'again'> {
    const again = this.#early.find((raised) => raised.commit === commit)?.again;
    return again === undefined ? {} : { again };
  }

  /** What a complaint is about that was made before this process: the work as it stands now. */
  #aboutNow({ in: id }: Failure): NonNullable<Raised['about']> {
    const epoch = id === null ? 0 : (this.#runState.epochs.get(instanceName(id)) ?? 0);
    return { write: null, head: this.#runState.history.head, epoch };
  }

  /** Whether a decision is about a commit that cannot be made visible yet. */
  #isOfCommit({ refusals }: Decision): boolean {
    const reasons = refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds : []));
    const keys = reasons.flatMap((reason) => ('effect' in reason ? [reason.effect.id] : []));
    return this.#runState.publications.some((commit) => commit.keys.some((key) => keys.includes(key)));
  }

  /**
   * Asks those questions again, before the machine is there: what can be restored by now is, and another answer replaces the old
   * one.
   */
  async askPending(): Promise<'restored' | 'nothing' | 'stuck'> {
    for (let result: 'restored' | 'nothing' = 'nothing'; ; result = 'restored') {
      const restored = await this.#askOpen();
      if (restored !== true) return restored === 'stuck' ? 'stuck' : result;
    }
  }

  async #askOpen(): Promise<boolean | 'stuck'> {
    const queries = this.#openQuestions();
    this.#unanswered = queries.map(({ raised }) => raised);
    try {
      return await this.#askEach(queries);
    } finally {
      this.#unanswered = [];
    }
  }

  async #askEach(queries: readonly Question[]): Promise<boolean | 'stuck'> {
    for (const { raised, decision: before } of queries) {
      // Work that is set aside, or undone, is not decided about: its complaint waits for a person.
      if (this.#recordAccused(raised) !== null || this.#isTakenBack(raised)) continue;
      let decision = this.#decide(raised);
      while (decision.undo.length > 0 && (await this.#hasMoved(decision))) decision = this.#decide(raised);
      if (isRestore(decision)) {
        this.#fence(raised, decision);
        return (await this.finishPlan()) === 'stuck' ? 'stuck' : true;
      }
      const now = this.#queries.withWhomToAsk(decision);
      if (isDifferent(now, before)) this.#write.append([this.#queries.decisionEntry(raised, now)]);
    }
    return false;
  }

  /** Parks a run again that was parked when its process ended. */
  parkAgain(): boolean {
    const queries = this.#openQuestions();
    const last = queries.at(-1);
    if (last === undefined) return false;
    this.#run.hold();
    this.#parked = queries.map(({ raised }) => raised);
    this.#standStill(last.decision);
    return true;
  }

  /** A commit cannot be made visible: the run waits until somebody acts, and then it is tried again. */
  parkCommit(call: LedgerCall, error: unknown): Promise<void> {
    return new Promise((again) => this.#parkOpen(call, error, again));
  }

  /**
   * Finds out what became of the calls that nobody waits for any more, before a run ends (E2): those under way are waited for, then their
   * counterparties are asked. Where that does not tell, the run is parked on the first of them.
   * @returns whether all of them are known.
   */
  async clearOpen(again: () => void): Promise<boolean> {
    for (const { key } of this.openCalls()) {
      if (this.#calls.isUnderWay(key)) await this.#calls.abort(key);
      if (isOpen(this.#runState.ledger.get(key)?.status ?? 'failed')) await this.#calls.reconcile(key, true);
    }
    const [first] = this.openCalls();
    if (first !== undefined)
      this.#parkOpen(first, new Error(first.error ?? 'nobody has heard what became of it'), again);
    return first === undefined;
  }

  /** A call has come back after all: what waited for its outcome alone goes on. */
  heard(): void {
    const known = [...this.#awaited].filter((key) => !isOpen(this.#runState.ledger.get(key)?.status ?? 'failed'));
    for (const key of known) this.#awaited.delete(key);
    if (known.length > 0 && this.#parked.length > 0 && !this.#stopping) queueMicrotask(() => void this.askAgain());
  }

  /** The calls of which nobody knows what became, but for those that a commit makes visible. */
  openCalls(): LedgerCall[] {
    const outbox = new Set(this.#runState.publications.flatMap(({ keys }) => keys));
    return this.#runState.ledger.open().filter(({ key }) => !outbox.has(key));
  }

  #parkOpen({ key, intent }: LedgerCall, error: unknown, again: () => void): void {
    this.#awaited.add(key);
    const { instance } = intent;
    const effect = this.#queries.effectOf(key, instance);
    const candidate = this.#runState.history.registry.get(instance)?.committed ?? { kind: 'commit', at: 0 };
    const decision: Decision = {
      verdict: 'escalate',
      failed: instance,
      at: this.#runState.history.head,
      policy: this.#parts.policy,
      refusals: [{ candidate, adds: [{ code: 'effect_outcome_unknown', effect }] }],
      undo: [],
      line: null,
      unblock: { leadsTo: 'ask_again', acts: [{ act: 'settle_outcome', effect }] },
    };
    this.#askLater();
    const failure = { in: instance, key: null };
    const commit = this.#runState.publications.find(({ keys }) => keys.includes(key))?.id;
    const of = commit === undefined ? {} : { commit };
    const raised: Raised = { signal: 'TOOL_EXCEPTION', error, actor: 0, failure, call: null, again, ...of };
    this.park(raised, this.#queries.withWhomToAsk(decision));
  }

  /**
   * A commit was refused before anything of it was visible: its instance has failed, and is done again, or a person has to look
   * (E4).
   */
  refused(raised: Raised): void {
    if (this.#refused === null) void this.raise(raised);
    else this.#refused.push(raised);
  }

  /**
   * Before the machine of a run that is taken up is there: makes the commits that are due, and decides about those that are refused. What
   * cannot be done again stays a question, on which the run is parked.
   */
  async takeUpCommits(): Promise<'restored' | 'nothing' | 'stuck'> {
    for (let result: 'restored' | 'nothing' = 'nothing'; ; result = 'restored') {
      this.#refused = [];
      await this.goOnPublishing();
      const refused = this.#refused;
      this.#refused = null;
      const restored = await this.#decideEarly(refused);
      if (restored !== true) return restored === 'stuck' ? 'stuck' : result;
    }
  }

  async #decideEarly(refused: readonly Raised[]): Promise<boolean | 'stuck'> {
    for (const raised of refused) {
      let decision = this.#decide(raised);
      while (decision.undo.length > 0 && (await this.#hasMoved(decision))) decision = this.#decide(raised);
      if (isRestore(decision)) {
        this.#fence(raised, decision);
        return (await this.finishPlan()) === 'stuck' ? 'stuck' : true;
      }
      this.#write.append([this.#queries.decisionEntry(raised, this.#queries.withWhomToAsk(decision))]);
      this.#early.push(raised);
    }
    return false;
  }

  /** What was decided is made visible, or goes on to be, before anything else (E4). */
  async goOnPublishing(): Promise<void> {
    const { pending } = this.#runState;
    // A question about a commit is asked anew by the commit itself, if it still has to be.
    if (pending !== null && this.#isOfCommit(pending.entry.decision))
      this.#write.append([{ do: 'phase', phase: 'RESUMED' }]);
    this.#outbox.goOn();
    this.#outbox.begin();
    await Promise.race([this.#outbox.settled(), this.finished]);
  }

  /** The machine is at its end: nobody rolls anything back any more, so what was committed is made visible, and the rest goes. */
  async finish(output: unknown): Promise<void> {
    try {
      this.#outbox.begin(true);
      await this.#outbox.settled();
      const abandoned = await this.#outbox.abandon();
      const unpublished = [...new Set([...this.#outbox.abandoned(), ...abandoned])];
      await this.#write.durable();
      this.#parts.claims?.release(this.#parts.run);
      const dropped = this.#calls.plainUnderWay;
      const told = { ...(unpublished.length > 0 && { unpublished }), ...(dropped.length > 0 && { dropped }) };
      this.#ended({ status: 'done', output, ...told });
    } catch (error) {
      this.#failed(error);
    }
  }
}

type Restore = Extract<Decision, { verdict: 'restore' | 'restore_joint' }>;

function isRestore(decision: Decision): decision is Restore {
  return decision.verdict === 'restore' || decision.verdict === 'restore_joint';
}

/** Whether two answers ask for something else of whoever reads them. */
function isDifferent(a: Decision, b: Decision): boolean {
  const asks = (decision: Decision) => JSON.stringify([decision.verdict, 'unblock' in decision && decision.unblock]);
  return asks(a) !== asks(b);
}

/** The effects that an answer names: those that stand in the way, and those that a person is asked about. */
function namedBy(decision: Decision): Effect[] {
  const acts = 'unblock' in decision ? decision.unblock.acts : [];
  return [...effectsIn(decision.refusals), ...acts.flatMap((act) => ('effect' in act ? [act.effect] : []))];
}

/** The effects that refusals name. */
function effectsIn(refusals: Decision['refusals']): Effect[] {
  const reasons = refusals.flatMap((refusal): readonly object[] => ('adds' in refusal ? refusal.adds : [refusal]));
  return (reasons as readonly { readonly effect?: Effect }[]).flatMap(({ effect }) => effect ?? []);
}

/** Names what has failed, to tell whether the same fails again: a call by its key, one without a key by what it was asked. */
function failingOf({ call, error }: Raised): string {
  if (call === null) return errorMessage(error);
  if (call.key !== null) return call.key;
  const asked = encode(call.args);
  return `${call.tool} ${'text' in asked ? asked.text : ''}`;
}

/** True where a decision answers a failure. */
function isAnswerTo({ failure }: Raised, entry: DecisionEntry | undefined): boolean {
  const failed = entry?.decision.failed ?? null;
  if (entry === undefined || failed === null || failure.in === null) return false;
  return instanceName(failed) === instanceName(failure.in) && entry.key === (failure.key?.text ?? null);
}

/** The failure that a decision answered. */
function failureBy({ failed, refusals }: Decision, key: string | null): Failure {
  if (failed !== null) return { in: failed, key: key === null ? null : parseKey(key) };
  const several = refusals.some((refusal) => 'why' in refusal && refusal.why === 'fits_several');
  return { in: null, key: null, why: several ? 'fits_several' : 'fits_nobody' };
}

/** The instances that a decision sets aside by themselves. */
function recordsIn({ aside = [] }: Restore): InstanceId[] {
  return aside.flatMap(({ instance, within }) => (within === undefined ? [instance] : []));
}

/** A complaint as far as it may take the place of another: its failure is null where what it is about is undone already. */
interface Successor extends Pick<Raised, 'complaint' | 'instead'> {
  readonly failure: Failure | null;
}

/** Whether a new complaint takes the place of a question that the run is parked on. */
function isReplaced({ failure: old, complaint: meant }: Raised, { failure, complaint, instead }: Successor): boolean {
  if (meant === undefined) return false;
  if (instead === true) return true;
  if (old.in === null) return meant.skeleton === complaint?.skeleton && meant.entity === complaint.entity;
  if (failure === null || failure.in === null || instanceName(old.in) !== instanceName(failure.in)) return false;
  return old.key?.text === failure.key?.text;
}

function retractionOf(replaced: readonly Raised[]): Entry {
  const queries = replaced.map(({ failure, complaint }) =>
    questionOf({
      failed: failure.in,
      key: failure.key?.text ?? null,
      call: null,
      ...(complaint !== undefined && { complaint: complaint as NonNullable<DecisionEntry['complaint']> }),
    }),
  );
  return { do: 'retracted', questions: queries };
}

function noneWaits(): SidecarError {
  return new SidecarError(
    'bad_failure',
    'no complaint waits that this one could take the place of: leave `instead` out',
  );
}

function stuck(): SidecarError {
  const text =
    'an undo has failed, and nothing else is decided before it is done: have it tried again by reconcile(), or undo it by hand and settle it';
  return new SidecarError('stuck', text);
}

/** Whatever came of it is told to somebody else. */
function noted(): void {}
