/**
 * Calls whose outcome is not known: makes it known where it stands in the way, and parks the run where it cannot be
 * (semantics.md E2, C11).
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { type Decision, escalated } from '../../model/decision.ts';
import { isOpen } from '../../model/effect.ts';
import type { InstanceId } from '../../model/instance.ts';
import type { RunState } from '../../projection/run-state.ts';
import { withdraw } from '../calls/withdrawing.ts';
import type { Raised } from '../parts.ts';
import { abortWaits } from '../queries/refused-questions.ts';
import type { Owed } from '../report.ts';
import type { Parking } from './parking.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'write' | 'calls' | 'queries' | 'open' | 'queue' | 'lifecycle'>;

/**
 * The calls left over by an abort: calls with an unknown outcome, calls whose undo has failed, and calls that wait for
 * one of these.
 */
export interface LeftOfAbort {
  /** False for the calls of branches that were not chosen: the run goes on behind them. */
  readonly isOfRun: boolean;
  readonly unknown: readonly LedgerCall[];
  readonly failed: readonly Owed[];
  readonly held: readonly Owed[];
}

/** The open calls of one run. */
export class OpenCalls {
  readonly #run: Needs;
  readonly #parking: Parking;
  /** The calls whose outcome the run is parked on, and whose late reply sets it going again. */
  readonly #awaited = new Set<string>();

  constructor(run: Needs, parking: Parking) {
    this.#run = run;
    this.#parking = parking;
  }

  get #runState(): RunState {
    return this.#run.parts.runState;
  }

  #isOpen(key: string): boolean {
    return isOpen(this.#runState.ledger.get(key)?.status ?? 'failed');
  }

  /** The calls with an unknown outcome, without the calls that a commit makes visible. */
  all(): LedgerCall[] {
    const outbox = new Set(this.#runState.publications.flatMap(({ keys }) => keys));
    return this.#runState.ledger.open().filter(({ key }) => !outbox.has(key));
  }

  /** Asks the counterparties of all open calls, once at least. */
  async reconcile(): Promise<void> {
    for (const { key } of this.all()) await this.#run.calls.reconciling.reconcile(key, true);
    this.#parking.askLater();
  }

  /**
   * Makes known what became of calls that stand in the way because that is not known: one that is about to leave is withdrawn, one under way is
   * aborted and waited for, then its counterparty is asked; of the failed call it was asked before.
   * @param before the calls that were asked about for this failure already.
   * @param isAct true for an act on an event: its refusal moves nothing (ST7), so a call under way goes on if only its own answer can tell.
   * @returns true where any of them is known now: then the answer that counts is still to come (R5).
   */
  async askAbout({ refusals }: Decision, failed: string | null, before: Set<string>, isAct = false): Promise<boolean> {
    const { calls, lifecycle } = this.#run;
    const standing = refusals.flatMap((refusal) => ('adds' in refusal ? refusal.adds : []));
    const keys = standing.flatMap((reason) =>
      'effect' in reason && reason.effect.id !== null ? [reason.effect.id] : [],
    );
    const asked = [...new Set(keys)].filter((key) => key !== failed && !before.has(key) && this.#isOpen(key));
    for (const key of asked) {
      before.add(key);
      if (withdraw(key, this.#run.parts, calls.underWay, this.#run.write)) continue;
      if (calls.underWay.has(key)) {
        if (isAct && !calls.reconciling.canAsk(key)) continue;
        lifecycle.note({ isUnsure: true });
        await calls.underWay.abort(key);
      }
      if (this.#isOpen(key) && (await calls.reconciling.reconcile(key)) !== null) this.#parking.askLater();
    }
    return asked.some((key) => !this.#isOpen(key));
  }

  /** Aborts and waits for a call that is under way, then asks its counterparty, whatever it was asked before. */
  async findOut(key: string): Promise<void> {
    const { parts, calls, write } = this.#run;
    if (withdraw(key, parts, calls.underWay, write)) return;
    if (calls.underWay.has(key)) await calls.underWay.abort(key);
    if (this.#isOpen(key)) await calls.reconciling.reconcile(key, true);
  }

  /**
   * Finds out what became of the calls that no actor waits for any more, before a run ends: those under way are waited for, then their
   * counterparties are asked. Where that does not tell, the run is parked on the first of them.
   * @returns true where all of them are known.
   */
  async clear(again: () => void): Promise<boolean> {
    for (const { key } of this.all()) await this.findOut(key);
    const [first] = this.all();
    if (first !== undefined) this.#parkOn(first, new Error(first.error ?? 'it is unknown what became of it'), again);
    return first === undefined;
  }

  /** Parks the run on a call of a commit that cannot be made visible. Resolves once it is to be tried again. */
  parkCommit(call: LedgerCall, error: unknown): Promise<void> {
    return new Promise((again) => this.#parkOn(call, error, again));
  }

  /** A call has come back after all: a run that waited for its outcome alone goes on. */
  heard(): void {
    const known = [...this.#awaited].filter((key) => !this.#isOpen(key));
    for (const key of known) this.#awaited.delete(key);
    const { open, queue, lifecycle } = this.#run;
    if (known.length > 0 && open.parked.length > 0 && !lifecycle.leave.aborted)
      queueMicrotask(() => void queue.askAgain());
  }

  /** Parks an aborted run on the calls of which it is not known what became, and on the undos that are owed (AB4, AB8). */
  parkAbort({ isOfRun, unknown, failed, held }: LeftOfAbort, again: () => void): void {
    const { parts, queries, lifecycle } = this.#run;
    if (lifecycle.leave.aborted) return;
    for (const { key } of unknown) this.#awaited.add(key);
    const effects = unknown.map(({ key, intent }) => queries.effectOf(key, intent.instance));
    const decision = abortWaits(parts, effects, { failed, held });
    const [first] = [...failed.map(({ error }) => error), ...unknown.map(({ error }) => error)];
    const raised: Raised = {
      signal: 'TOOL_EXCEPTION',
      error: new Error(first ?? 'it is unknown what became of it'),
      actor: 0,
      failure: { in: decision.failed as InstanceId, key: null },
      call: null,
      again,
    };
    this.#parking.parkAbort(raised, queries.withWhomToAsk(decision), { failed, held, isOfRun });
  }

  #parkOn({ key, intent }: LedgerCall, error: unknown, again: () => void): void {
    this.#awaited.add(key);
    const { parts, queries } = this.#run;
    const { instance } = intent;
    const effect = queries.effectOf(key, instance);
    const candidate = this.#runState.history.registry.get(instance)?.committed ?? { kind: 'commit', at: 0 };
    const decision = escalated(
      { failed: instance, at: this.#runState.history.head, policy: parts.decisionPolicy.policy },
      [{ candidate, adds: [{ code: 'effect_outcome_unknown', effect }] }],
      [{ act: 'settle_outcome', effect }],
    );
    this.#parking.askLater();
    const failure = { in: instance, key: null };
    const commit = this.#runState.publications.find(({ keys }) => keys.includes(key))?.id;
    const of = commit === undefined ? {} : { commit };
    const raised: Raised = { signal: 'TOOL_EXCEPTION', error, actor: 0, failure, call: null, again, ...of };
    this.#parking.park(raised, queries.withWhomToAsk(decision));
  }
}
