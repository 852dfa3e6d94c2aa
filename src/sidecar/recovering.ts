/**
 * A run's recoveries, one after the other: a failure is settled or decided, and what was decided is carried out, or waits for somebody
 * (semantics.md §8, R5). How the run ends, or comes to stand still, is known here.
 */
import type { LedgerCall } from '../effects/ledger.ts';
import { told } from '../effects/signals.ts';
import type { Decision } from '../model/decision.ts';
import { type Effect, isOpen } from '../model/effect.ts';
import type { Failure, Signal } from '../model/failure.ts';
import { instanceName } from '../model/instance.ts';
import { parseKey } from '../model/key.ts';
import { controlOf } from '../recovery/control.ts';
import type { Authority } from './authority.ts';
import type { Calls } from './calls.ts';
import { budgetKey, type Fold } from './fold.ts';
import type { Held, Raised, RunParts } from './parts.ts';
import { type Kept, keptByRerun } from './plan.ts';
import type { Publishing } from './publishing.ts';
import type { Questions } from './questions.ts';
import type { Ending, MovedInput } from './report.ts';
import type { Writing } from './writing.ts';

/** What a recovery does to the machine. */
interface Machine {
  /** Holds events back, until `release`. */
  hold(): void;
  release(): void;
  /** Undoes memory and, in place, control. */
  restore(kept: readonly Kept[], inPlace: boolean): void;
  /** Sends again what restores took back. */
  offer(): void;
}

/** Who helps with it. */
interface Helpers {
  readonly write: Writing;
  readonly calls: Calls;
  readonly questions: Questions;
  readonly authority: Authority;
  readonly publishing: Publishing;
}

/** The recoveries of one run. */
export class Recovering {
  readonly #parts: RunParts;
  readonly #run: Machine;
  readonly #write: Writing;
  readonly #calls: Calls;
  readonly #questions: Questions;
  readonly #authority: Authority;
  readonly #publishing: Publishing;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** When counterparties are asked again. */
  #later: NodeJS.Timeout | undefined;
  #stopping = false;
  /** Whether an undo failed: nothing is decided before that plan is finished, which another decision would displace (E5, R5). */
  #stuck = false;
  #ended: (ending: Ending) => void = () => {};
  #failed: (error: unknown) => void = () => {};
  /** The questions that the run is parked on. */
  #parked: readonly Raised[] = [];
  /** How the run ended or came to stand still, for the first time since it was last set going. */
  finished: Promise<Ending> = this.#newEnding();

  constructor(parts: RunParts, run: Machine, { write, calls, questions, authority, publishing }: Helpers) {
    this.#parts = parts;
    this.#run = run;
    this.#write = write;
    this.#calls = calls;
    this.#questions = questions;
    this.#authority = authority;
    this.#publishing = publishing;
    write.onBreak((error) => this.#failed(error));
  }

  get #fold(): Fold {
    return this.#parts.fold;
  }

  get status(): 'running' | 'recovering' | 'parked' {
    if (this.#parked.length > 0) return 'parked';
    return this.#waiting > 0 ? 'recovering' : 'running';
  }

  /** Whether the run waits for somebody. */
  get isParked(): boolean {
    return this.#parked.length > 0;
  }

  stop(): void {
    this.#stopping = true;
    clearTimeout(this.#later);
  }

  /** A failure that somebody outside has seen: the instance, and the key that was found wrong, if one was. */
  fail(signal: Signal, failure: Failure, error: unknown): Promise<void> {
    return this.raise({ signal, error, actor: 0, failure, call: null });
  }

  /** Asks the questions again that the run is parked on. */
  async askAgain(): Promise<void> {
    const parked = this.#parked;
    if (parked.length === 0) return;
    this.#unpark();
    await Promise.all(parked.map((raised) => (raised.again === undefined ? this.raise(raised) : raised.again())));
    if (parked.some(({ again }) => again !== undefined) && this.#parked.length === 0 && this.#waiting === 0)
      this.#run.release();
  }

  /** Starts the run over, when that is what was advised: everything undone, the keys unchanged (§8.4). */
  async rerun(): Promise<void> {
    const pending = this.#fold.pending?.entry;
    if (this.#parked.length === 0 || pending?.decision.verdict !== 'rerun') return;
    const { decision } = pending;
    this.#unpark();
    this.#write.append([{ do: 'phase', phase: 'FENCED' }]);
    await this.#carryOut(decision, keptByRerun(this.#fold));
  }

  #unpark(): void {
    this.#parked = [];
    this.finished = this.#newEnding();
  }

  #newEnding(): Promise<Ending> {
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
    const next = this.#queue.then(async () => {
      const held = await this.#recover(raised);
      if (held.next !== 'wait') raised.call?.answer(held);
    });
    this.#queue = next
      .catch((error) => this.#write.break(error))
      .finally(() => {
        this.#waiting -= 1;
      });
    return next.catch(() => {});
  }

  async #recover(raised: Raised): Promise<Held> {
    if (this.#stopping || this.#write.broken !== null || this.#stuck) return { next: 'wait' };
    const settled = await this.#settle(raised);
    if (settled !== null) return settled;
    // What is half visible is not decided about.
    await this.#publishing.quiet();
    if (this.#stopping) return { next: 'wait' };
    let decision = this.#decide(raised);
    if (!isRestore(decision) && (await this.#askAbout(decision, raised.call?.key ?? null)))
      decision = this.#decide(raised);
    if (this.#stopping) return { next: 'wait' };
    // Nothing is awaited between the answer that counts and its entry (R5).
    while (decision.undo.length > 0 && (await this.#hasMoved(decision))) decision = this.#decide(raised);
    if (this.#stopping) return { next: 'wait' };
    if (!isRestore(decision)) {
      this.park(raised, this.#questions.withWhomToAsk(decision));
      return { next: 'wait' };
    }
    this.#run.hold();
    await this.#carryOut(decision, this.#fence(raised, decision));
    return { next: 'wait' };
  }

  /**
   * Asks the counterparties of earlier calls that stand in the way because nobody knows what became of them, as where the machine
   * itself handled their errors (E2); of the failed call it was asked before.
   * @returns whether anybody was asked: then the answer that counts is still to come (R5).
   */
  async #askAbout({ refusals }: Decision, failed: string | null): Promise<boolean> {
    const open = new Set(this.#fold.ledger.open().flatMap(({ key, status }) => (status === 'unknown' ? [key] : [])));
    const standing = refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds : []));
    const keys = standing.flatMap((reason) =>
      'effect' in reason && reason.effect.id !== null ? [reason.effect.id] : [],
    );
    const asked = [...new Set(keys)].filter((key) => key !== failed && open.has(key));
    for (const key of asked) if ((await this.#calls.reconcile(key)) !== null) this.#askLater();
    return asked.length > 0;
  }

  /** Whether what an answer rests on is another by now: in the history, or in the world, where something cannot be undone any more. */
  async #hasMoved({ undo, at }: Decision): Promise<boolean> {
    const demoted = await this.#demote(undo);
    return !this.#stopping && (demoted || at !== this.#fold.history.head);
  }

  /** Writes an answer down with its fence, and tells it. @returns how far everyone is kept. */
  #fence(raised: Raised, decision: Restore): Kept[] {
    const kept = this.#questions.keptBy(decision);
    const moved = this.#questions.movedInputs(kept);
    this.#write.append([this.#questions.decisionEntry(raised, decision), { do: 'phase', phase: 'FENCED' }]);
    this.#tell(raised, decision, moved, this.#fold.takenBackBy(kept));
    return kept;
  }

  #decide({ signal, failure }: Raised): Decision {
    return this.#parts.judges.decide(this.#fold.history, failure, this.#questions.rules(failure), {
      control: this.#parts.policy === 'dart' ? null : controlOf(this.#fold.history, this.#fold.places),
      unavailable: (checkpoint) => this.#questions.unavailable(failure, checkpoint, signal),
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
      this.#parts.onDecision({ decision, signal, error: told(error), movedInputs, takenBack });
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
    this.#write.append([this.#questions.decisionEntry(raised, decision)]);
    this.#tell(raised, decision);
    this.#askPeople(decision);
    const [ended, failed] = [this.#ended, this.#failed];
    void this.#write.durable().then(() => ended({ status: 'parked', decision }), failed);
  }

  /** Whatever nobody could tell is asked of a person, by a gate that outlives this process (E2). */
  #askPeople(decision: Decision): void {
    const acts = 'unblock' in decision ? decision.unblock.acts : [];
    for (const act of acts) {
      if (act.act === 'settle_outcome' && act.effect.id !== null && isOpen(act.effect.status))
        this.#authority.askOutcome(act.effect.id);
    }
  }

  /** Asks the counterparties of open calls again when they are due, and the parked questions once one is known. */
  #askLater(): void {
    const open = this.#fold.ledger.open().filter(({ asked }) => asked.next !== null);
    const due = Math.min(...open.map(({ asked }) => asked.next as number));
    clearTimeout(this.#later);
    if (!Number.isFinite(due) || this.#stopping || this.#write.broken !== null) return;
    const wait = Math.min(Math.max(0, due - this.#parts.now()), 2 ** 31 - 1);
    this.#later = setTimeout(() => void this.#askedLater(open.map(({ key }) => key)), wait).unref();
  }

  async #askedLater(keys: readonly string[]): Promise<void> {
    if (this.#stopping) return;
    const before = this.#fold.ledger.open().length;
    for (const key of keys) await this.#calls.reconcile(key);
    if (this.#fold.ledger.open().length < before) await this.askAgain();
    this.#askLater();
  }

  /** The outcome of a held call, if the ledger or the counterparty knows it (§8.0); null where the line has to be asked. */
  async #settle(raised: Raised): Promise<Held | null> {
    const { call, failure, signal } = raised;
    if (call === null || call.key === null) return null;
    if ((await this.#calls.reconcile(call.key)) !== null) this.#askLater();
    const known = this.#fold.ledger.get(call.key);
    if (known === undefined || isOpen(known.status) || this.#fold.actor(call.actor).ended !== null) return null;
    if (known.status !== 'confirmed' && known.status !== 'failed') return null;
    const failed = failure.in ?? known.intent.instance;
    const tries = this.#parts.config.skeletons.get(failed.skeleton)?.rollback.tries ?? this.#parts.config.tries;
    const spent = this.#fold.spent.get(budgetKey(failed, 'call', signal)) ?? 0;
    if (known.status === 'failed' && (spent >= tries || this.#fold.recoveries >= this.#parts.config.tries)) return null;
    const effect = this.#questions.effectOf(call.key, known.intent.instance);
    const decision: Decision = {
      verdict: 'settle',
      failed,
      at: this.#fold.history.head,
      policy: this.#parts.policy,
      refusals: [],
      undo: [],
      line: null,
      effect,
    };
    this.#write.append([this.#questions.decisionEntry(raised, decision), { do: 'phase', phase: 'RESUMED' }]);
    this.#tell(raised, decision);
    if (this.#parked.length === 0) this.#run.release();
    return known.status === 'confirmed' ? { next: 'answer', output: known.output } : { next: 'again' };
  }

  /** Asks the counterparties of all calls whose outcome is open, once at least (E2). */
  async reconcile(): Promise<void> {
    const publishing = new Set(this.#fold.publications.flatMap(({ keys }) => keys));
    for (const { key } of this.#fold.ledger.open()) if (!publishing.has(key)) await this.#calls.reconcile(key, true);
    this.#askLater();
  }

  /** A person says what became of a call (E2). */
  async settleEffect(key: string, status: 'confirmed' | 'failed' | 'compensated', output?: unknown): Promise<void> {
    const call = this.#fold.ledger.get(key);
    if (call === undefined) throw new Error(`no call has the key ${key}`);
    this.#write.append([{ do: 'outcome', key, status, ...(status === 'confirmed' && { output }) }]);
    await this.#write.durable();
    await this.askAgain();
  }

  /** From FENCED on: undo in the world, then in memory and control, then go on (R5). Redo-only. */
  async #carryOut(decision: Decision, kept: readonly Kept[]): Promise<void> {
    this.#run.hold();
    const stuck = await this.#undoAll(decision, kept);
    if (stuck !== null) return;
    if (this.#stopping) return;
    this.#run.restore(kept, true);
    this.#write.append([{ do: 'phase', phase: 'RESUMED' }]);
    this.#publishing.begin();
    this.#authority.wake();
    // What was undone has no question any more; what else waits for a person is asked again.
    const moved = new Set(kept.map(([id]) => instanceName(id)));
    this.#parked = this.#parked.filter(({ failure }) => failure.in === null || !moved.has(instanceName(failure.in)));
    if (this.#parked.length === 0) this.#run.release();
    else void this.askAgain();
    this.#run.offer();
    await this.#write.durable();
  }

  /** Undoes what a plan crosses, and removes what it takes back unseen (E4, E5). @returns what went wrong, or null. */
  async #undoAll(decision: Decision, kept: readonly Kept[]): Promise<string | null> {
    for (const effect of decision.undo) {
      const error = await this.#calls.undo(effect);
      if (error === null) continue;
      this.#run.hold();
      this.#stuck = true;
      await this.#write.durable();
      this.#ended({ status: 'stuck', decision, effect, error });
      return error;
    }
    await this.#calls.staged();
    for (const [id, at] of kept) {
      for (const call of this.#fold.ledger.buffered(id)) if ((call.at ?? 0) > at) await this.#calls.discard(call);
    }
    return null;
  }

  /** What is left of a decision that a crash interrupted: its undos, and the fold's part of the restore. */
  async finishPlan(): Promise<'restored' | 'nothing' | 'stuck'> {
    const { pending } = this.#fold;
    if (pending === null) return 'nothing';
    const { decision } = pending.entry;
    if (decision.verdict === 'settle' || decision.verdict === 'escalate') return 'nothing';
    if (decision.verdict === 'rerun' && pending.phase === 'DECIDED') return 'nothing';
    if (pending.phase !== 'RESTORED') {
      const kept = isRestore(decision) ? this.#questions.keptBy(decision) : keptByRerun(this.#fold);
      if ((await this.#undoAll(decision, kept)) !== null) return 'stuck';
      this.#run.restore(kept, false);
    }
    this.#write.append([{ do: 'phase', phase: 'RESUMED' }]);
    await this.#write.durable();
    return 'restored';
  }

  /** The question that a run was parked on when its process ended; a call that was held, or that diverged, raises its own again. */
  #pendingQuestion(): { readonly raised: Raised; readonly decision: Decision } | null {
    const { pending } = this.#fold;
    if (pending === null || pending.entry.call !== null) return null;
    const { decision, signal, error, actor, key } = pending.entry;
    if (decision.verdict !== 'escalate' && decision.verdict !== 'rerun') return null;
    if (
      this.#isOfCommit(decision) ||
      decision.refusals.some((veto) => 'code' in veto && veto.code === 'effect_diverged')
    )
      return null;
    const failure = failureBy(decision, key);
    return { raised: { signal, error: new Error(error), actor, failure, call: null }, decision };
  }

  /** Whether a decision is about a commit that cannot be made visible yet. */
  #isOfCommit({ refusals }: Decision): boolean {
    const reasons = refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds : []));
    const keys = reasons.flatMap((reason) => ('effect' in reason ? [reason.effect.id] : []));
    return this.#fold.publications.some((commit) => commit.keys.some((key) => keys.includes(key)));
  }

  /** Asks that question again, before the machine is there: what can be restored by now is, and another answer replaces the old one. */
  async askPending(): Promise<'restored' | 'nothing' | 'stuck'> {
    const question = this.#pendingQuestion();
    if (question === null) return 'nothing';
    const { raised, decision: before } = question;
    let decision = this.#decide(raised);
    while (decision.undo.length > 0 && (await this.#hasMoved(decision))) decision = this.#decide(raised);
    if (isRestore(decision)) {
      this.#fence(raised, decision);
      return this.finishPlan();
    }
    const now = this.#questions.withWhomToAsk(decision);
    if (isDifferent(now, before)) this.#write.append([this.#questions.decisionEntry(raised, now)]);
    return 'nothing';
  }

  /** Parks a run again that was parked when its process ended. */
  parkAgain(): boolean {
    const question = this.#pendingQuestion();
    if (question === null) return false;
    const { raised, decision } = question;
    this.#run.hold();
    this.#parked = [raised];
    this.#ended({ status: 'parked', decision });
    return true;
  }

  // Committing.

  /** A commit cannot be made visible: the run waits until somebody acts, and then it is tried again. */
  parkCommit({ key, intent }: LedgerCall, error: unknown): Promise<void> {
    const { instance } = intent;
    const effect = this.#questions.effectOf(key, instance);
    const candidate = this.#fold.history.registry.get(instance)?.committed ?? { kind: 'commit', at: 0 };
    const decision: Decision = {
      verdict: 'escalate',
      failed: instance,
      at: this.#fold.history.head,
      policy: this.#parts.policy,
      refusals: [{ candidate, adds: [{ code: 'effect_outcome_unknown', effect }] }],
      undo: [],
      line: null,
      unblock: { leadsTo: 'ask_again', acts: [{ act: 'settle_outcome', effect }] },
    };
    this.#askLater();
    return new Promise((again) => {
      const failure = { in: instance, key: null };
      const raised: Raised = { signal: 'TOOL_EXCEPTION', error, actor: 0, failure, call: null, again };
      this.park(raised, this.#questions.withWhomToAsk(decision));
    });
  }

  /** What was decided is made visible, or goes on to be, before anything else (E4). */
  async goOnPublishing(): Promise<void> {
    const { pending } = this.#fold;
    // A question about a commit is asked anew by the commit itself, if it still has to be.
    if (pending !== null && this.#isOfCommit(pending.entry.decision))
      this.#write.append([{ do: 'phase', phase: 'RESUMED' }]);
    this.#publishing.goOn();
    this.#publishing.begin();
    await Promise.race([this.#publishing.settled(), this.finished]);
  }

  /** The machine is at its end: nobody rolls anything back any more, so what was committed is made visible, and the rest goes. */
  async finish(output: unknown): Promise<void> {
    try {
      this.#publishing.begin(true);
      await this.#publishing.settled();
      const unpublished = await this.#publishing.abandon();
      await this.#write.durable();
      this.#parts.claims?.release(this.#parts.run);
      this.#ended({ status: 'done', output, ...(unpublished.length > 0 && { unpublished }) });
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

/** The failure that a decision answered. */
function failureBy({ failed, refusals }: Decision, key: string | null): Failure {
  if (failed !== null) return { in: failed, key: key === null ? null : parseKey(key) };
  const several = refusals.some((refusal) => 'why' in refusal && refusal.why === 'fits_several');
  return { in: null, key: null, why: several ? 'fits_several' : 'fits_nobody' };
}
