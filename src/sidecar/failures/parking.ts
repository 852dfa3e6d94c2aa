/** Parks a run on questions, until counterparties or people have answered them (semantics.md E2, §8.4). */
import { setAlarm } from '../../clock/alarm.ts';
import type { Alarm } from '../../clock/clock.ts';
import { errorMessage } from '../../effects/signals.ts';
import { type Decision, effectsIn } from '../../model/decision.ts';
import { type Effect, isOpen } from '../../model/effect.ts';
import type { Calls } from '../calls/calls.ts';
import type { Raised, RunParts } from '../parts.ts';
import { effectsStand } from '../queries/refused-questions.ts';
import type { Owed } from '../report.ts';
import type { Complaints } from './complaints.ts';
import type { Decisions } from './decisions.ts';
import type { OpenFailures } from './open-failures.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<
  RecoveryParts,
  'parts' | 'machine' | 'write' | 'calls' | 'queries' | 'approvals' | 'open' | 'queue' | 'ending' | 'lifecycle'
>;

/** The parking of one run. */
export class Parking {
  readonly #run: Needs;
  readonly #parts: RunParts;
  readonly #calls: Calls;
  readonly #open: OpenFailures;
  readonly #complaints: Complaints;
  readonly #decisions: Decisions;
  /** Set for the next time at which counterparties are asked again. */
  #later: Alarm | undefined;

  constructor(run: Needs, complaints: Complaints, decisions: Decisions) {
    this.#run = run;
    this.#parts = run.parts;
    this.#calls = run.calls;
    this.#open = run.open;
    this.#complaints = complaints;
    this.#decisions = decisions;
  }

  /** Asks no counterparty any more: the process takes leave of the run. */
  stop(): void {
    this.#later?.cancel();
  }

  /** Parks the run on a decision that restores nothing. */
  park(raised: Raised, decision: Decision): void {
    // What is left to ask is what the abort asks, and what a commit does (AB1).
    if (this.#run.lifecycle.isAborting && raised.commit === undefined) return;
    this.#ask(raised, decision);
    this.standStill(decision);
  }

  /** Parks an aborted run. An undo that is owed, a person makes, or says that its call stands (AB4). */
  parkAbort(
    raised: Raised,
    decision: Decision,
    {
      failed,
      held,
      isOfRun,
    }: { readonly failed: readonly Owed[]; readonly held: readonly Owed[]; readonly isOfRun: boolean },
  ): void {
    const [first] = failed;
    this.askLater();
    // What losers owe is journaled as owed, and asked by each process anew: no decision is made about it.
    if (isOfRun) this.#ask(raised, decision);
    else this.#askInMemory(raised, decision);
    this.#open.owed = failed;
    if (first === undefined) this.standStill(decision);
    else this.#run.ending.standStill({ status: 'stuck', decision, ...first, owed: [...failed, ...held] });
  }

  #ask(raised: Raised, decision: Decision): void {
    const { write, queries } = this.#run;
    this.#open.parked = [...this.#open.parked, raised];
    write.append([...this.#complaints.answered(raised), queries.decisionEntry(raised, decision)]);
    this.#decisions.tell(raised, decision);
    this.#askPeople(decision);
  }

  #askInMemory(raised: Raised, decision: Decision): void {
    this.#open.parked = [...this.#open.parked, raised];
    this.#decisions.tell(raised, decision);
    this.#askPeople(decision);
  }

  /** Keeps the run parked on a question that was asked again, and that has the answer that is journaled. */
  stay(raised: Raised, decision: Decision): void {
    this.#open.parked = [...this.#open.parked, raised];
    this.standStill(decision);
  }

  /** Parks the run on effects that stand and that a person has to undo by hand. */
  parkOver(raised: Raised, effects: readonly Effect[]): void {
    this.park(raised, effectsStand(this.#parts, raised.failure, effects));
  }

  /** Has the run wait for a person, once no counterparty is left to be asked (E2). */
  standStill(decision: Decision): void {
    this.#open.asking = null;
    if (this.#isAsking(decision)) {
      this.#open.asking = decision;
      this.askLater();
      return;
    }
    const { redaction } = this.#parts.runState;
    const over = new Set(this.#open.parked.map(({ error }) => redaction.text(errorMessage(error))));
    this.#run.ending.standStill({ status: 'parked', decision, over: [...over] });
  }

  /** Asks the counterparties of open calls again when they are due, and the parked questions once one is known. */
  askLater(): void {
    const { write, lifecycle } = this.#run;
    const open = this.#parts.runState.ledger.open().filter(({ asked }) => asked.next !== null);
    const due = Math.min(...open.map(({ asked }) => asked.next as number));
    this.#later?.cancel();
    if (!Number.isFinite(due) || lifecycle.leave.aborted || write.broken !== null) return;
    // A run that is still asking keeps its process alive; one that is parked keeps none.
    const ask = () => void this.#askedLater(open.map(({ key }) => key));
    this.#later = setAlarm(due, this.#parts.now, ask, this.#open.asking !== null && this.#parts.keepAlive);
  }

  async #askedLater(keys: readonly string[]): Promise<void> {
    await this.#run.lifecycle.past('ask');
    if (this.#run.lifecycle.leave.aborted) return;
    const { ledger } = this.#parts.runState;
    const before = ledger.open().length;
    for (const key of keys) await this.#calls.reconciling.reconcile(key);
    if (ledger.open().length < before) await this.#run.queue.askAgain();
    if (this.#open.asking !== null) this.standStill(this.#open.asking);
    if (this.#open.asking === null) this.askLater();
  }

  /** True where a counterparty will be asked again about a call that the decision stands on. */
  #isAsking({ refusals }: Decision): boolean {
    return effectsIn(refusals).some(({ id }) => {
      const call = id === null ? undefined : this.#parts.runState.ledger.get(id);
      if (call === undefined || !isOpen(call.status) || call.asked.next === null) return false;
      return this.#parts.config.tools.get(call.intent.tool)?.asking.patient === true;
    });
  }

  /** Asks a person about each call whose outcome no counterparty could tell, by a request that outlives this process (E2). */
  #askPeople(decision: Decision): void {
    const acts = 'unblock' in decision ? decision.unblock.acts : [];
    for (const act of acts) {
      if (act.act === 'settle_outcome' && act.effect.id !== null && isOpen(act.effect.status))
        this.#run.approvals.askOutcome(act.effect.id);
    }
  }
}
