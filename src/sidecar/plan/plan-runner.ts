/**
 * Carries plans out from their fence on: undo in the world, then in context and control, then go on (semantics.md R5).
 * Redo-only.
 */
import { Turns } from '../../clock/turns.ts';
import type { Decision } from '../../model/decision.ts';
import type { Effect } from '../../model/effect.ts';
import { instanceName } from '../../model/instance.ts';
import { isGone } from '../../projection/gone-calls.ts';
import { withdrawTakenBack } from '../calls/withdrawing.ts';
import type { RestoredParts } from '../failures/recovered-machine.ts';
import type { RecoveryParts } from '../failures/recovery-parts.ts';
import { isTakenBack } from '../failures/undone-work.ts';
import type { Raised } from '../parts.ts';
import type { Owed } from '../report.ts';

type Needs = Pick<
  RecoveryParts,
  'parts' | 'machine' | 'write' | 'calls' | 'approvals' | 'outbox' | 'open' | 'queue' | 'ending' | 'lifecycle'
>;

/** The plans of one run. */
export class PlanRunner {
  readonly #run: Needs;

  constructor(run: Needs) {
    this.#run = run;
  }

  /** Carries a fenced plan out. Resolves once it is durable, or stuck. */
  async carryOut(decision: Decision, parts: RestoredParts): Promise<void> {
    const { lifecycle } = this.#run;
    lifecycle.note({ isCarrying: true });
    try {
      await this.#carry(decision, parts);
    } finally {
      lifecycle.note({ isCarrying: false });
    }
  }

  /** Tries the plan again that could not be finished, if there is one. */
  goOnStuck(): Promise<void> {
    const { open, ending, queue } = this.#run;
    const { stuck } = open;
    if (stuck === null) return Promise.resolve();
    open.stuck = null;
    ending.goOn();
    return queue.beside(() => this.carryOut(stuck.decision, stuck.parts));
  }

  async #carry(decision: Decision, parts: RestoredParts): Promise<void> {
    const { machine, write, calls, approvals, outbox, open, queue, lifecycle } = this.#run;
    if (!(await this.undo(decision, parts))) return;
    if (lifecycle.leave.aborted) return;
    machine.restore(parts, true);
    withdrawTakenBack(this.#run.parts, calls.underWay, write);
    write.append([{ do: 'phase', phase: 'RESUMED' }]);
    lifecycle.note({ isCarrying: false });
    outbox.begin();
    approvals.wake();
    open.unask(this.#answeredBy(parts));
    queue.undone();
    machine.offer();
    await write.durable();
  }

  /** The questions that a restore has answered: what was undone has none any more. */
  #answeredBy({ kept }: RestoredParts): Raised[] {
    const moved = new Set(kept.map(([id]) => instanceName(id)));
    return this.#run.open.parked.filter((raised) => {
      if (raised.gone !== undefined) return !isGone(this.#run.parts.runState, raised.gone);
      if (raised.suspect === true) return isTakenBack(this.#run.parts.runState, raised);
      return (
        raised.call?.isDropped() === true || (raised.failure.in !== null && moved.has(instanceName(raised.failure.in)))
      );
    });
  }

  /** Undoes what a plan crosses, and removes what it takes back unseen (E4, E5). @returns true where all of it is undone. */
  async undo(decision: Decision, parts: RestoredParts): Promise<boolean> {
    const { calls, parts: run } = this.#run;
    const owed = await this.#undoIndependently(decision.undo);
    if (this.#run.lifecycle.isAborting) return false;
    if (owed.length > 0) {
      this.#standStuck(decision, parts, owed);
      return false;
    }
    await this.#run.lifecycle.past('carry');
    await calls.underWay.staged();
    const records = new Set(parts.aside.map(instanceName));
    for (const [id, at] of parts.kept) {
      if (records.has(instanceName(id))) continue;
      for (const call of run.runState.ledger.buffered(id)) if ((call.at ?? 0) > at) await calls.undoing.discard(call);
    }
    await this.#recordAhead(parts);
    return !this.#run.lifecycle.isAborting;
  }

  /** Makes the records of what is set aside, and gives others their turn meanwhile: the restore itself is one piece. */
  async #recordAhead({ aside }: RestoredParts): Promise<void> {
    const { parts, write, lifecycle } = this.#run;
    const turns = new Turns(parts);
    const records = parts.runState.recordAhead(aside);
    const begun = write.entries;
    while (turns.spend(() => records.next()).done !== true) {
      if (turns.isDue) await turns.next();
      // What has happened in a turn is in no record: then the restore makes them itself.
      if (write.entries !== begun || lifecycle.leave.aborted) return;
    }
  }

  /**
   * Undoes effects, newest first. A failed undo holds back the effects that are not independent of it, and no others.
   * @returns the undos still owed.
   */
  async #undoIndependently(effects: readonly Effect[]): Promise<Owed[]> {
    const { calls } = this.#run;
    const owed: Owed[] = [];
    for (const effect of effects) {
      // An abort takes the place of the plan: it undoes in its own order (AB1).
      if (this.#run.lifecycle.isAborting) return owed;
      const before = owed.find((other) => !calls.undoing.mayUndoBeside(effect, other.effect));
      const error =
        before === undefined ? await calls.undoing.undo(effect) : `it waits for the undo of ${before.effect.tool}`;
      if (error !== null) owed.push({ effect, error });
    }
    return owed;
  }

  /** Nothing is restored until every undo that is owed was made, or a person has made it (E5). */
  #standStuck(decision: Decision, parts: RestoredParts, owed: readonly Owed[]): void {
    const { write, open, ending } = this.#run;
    open.stuck = { decision, parts };
    for (const { effect, error } of [...owed].reverse())
      write.append([{ do: 'phase', phase: 'STUCK', effect: effect.id ?? '', error }]);
    const { effect, error } = owed[0] as Owed;
    ending.standStill({ status: 'stuck', decision, effect, error, owed });
  }
}
