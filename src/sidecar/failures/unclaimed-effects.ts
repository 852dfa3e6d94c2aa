/**
 * Effects that stand in the world and that no replay has claimed: undone if that is allowed, else a person decides
 * (semantics.md C7-C9).
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { crossing, type Effect, isOpen } from '../../model/effect.ts';
import type { InstanceId } from '../../model/instance.ts';
import { isAllowed } from '../../recovery/joint.ts';
import type { OpenCalls } from './open-calls.ts';
import type { Parking } from './parking.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'machine' | 'calls' | 'queries' | 'queue'>;

/** The unclaimed effects of one run. */
export class UnclaimedEffects {
  readonly #run: Needs;
  readonly #parking: Parking;
  readonly #openCalls: OpenCalls;

  constructor(run: Needs, parking: Parking, openCalls: OpenCalls) {
    this.#run = run;
    this.#parking = parking;
    this.#openCalls = openCalls;
  }

  /** Parks a run that would do something anew while an effect of the same stands that no replay has claimed (C8). */
  park(kept: readonly LedgerCall[], actor: number, instance: InstanceId, again: () => void = () => {}): void {
    const effects = kept.map(({ key, intent }) => this.#run.queries.effectOf(key, intent.instance));
    const error = new Error(`${kept.map(({ key }) => key).join(', ')} stands, and no replay has taken it over`);
    this.#parking.parkOver(
      { signal: 'CONTRACT_VIOLATION', error, actor, failure: { in: instance, key: null }, call: null, again },
      effects,
    );
  }

  /**
   * Undoes a call whose replay asks for other arguments, if class and promises allow (C7). A call with an unknown
   * outcome may not have happened, so its counterparty is asked first (E3).
   * @returns true if nothing of the call stands.
   */
  async undoDiverged({ key, at }: LedgerCall): Promise<boolean> {
    const { calls, parts, queries } = this.#run;
    const { ledger } = parts.runState;
    if (at === null && isOpen(ledger.get(key)?.status ?? 'failed')) await this.#openCalls.findOut(key);
    const recorded = ledger.get(key);
    if (recorded === undefined || recorded.status === 'failed') return true;
    const effect = queries.effectOf(key, recorded.intent.instance);
    if (recorded.at !== null || crossing({ ...effect, undo: recorded.undo }) !== 'undo' || !this.#mayUndo(recorded))
      return false;
    if ((await calls.undoing.moved(effect)) !== null) return false;
    if ((await calls.undoing.undo(effect)) !== null) return false;
    this.#run.queue.undone();
    return true;
  }

  /**
   * Looks for what stands in the world and no replay has claimed, before a run ends (C9): it is undone where class and promises allow;
   * otherwise the run is parked, naming it.
   * @returns true where nothing is left.
   */
  async clear(again: () => void): Promise<boolean> {
    const { parts, calls, machine } = this.#run;
    const { runState } = parts;
    for (const { key, status } of runState.ledger.displaced()) if (isOpen(status)) await this.#openCalls.findOut(key);
    const standing = this.#standing();
    const blocked: LedgerCall[] = [];
    for (const [index, [call, effect]] of standing.entries()) {
      const later = standing.slice(index + 1).map(([, other]) => other);
      const isUndoable =
        crossing(effect) === 'undo' &&
        this.#mayUndo(call) &&
        (await calls.undoing.moved(effect, later.reverse())) === null;
      if (!isUndoable) blocked.push(call);
    }
    if (blocked.length > 0) {
      const [{ intent }] = blocked as [LedgerCall];
      this.park(blocked, 0, intent.instance, again);
      return false;
    }
    for (const [call, effect] of standing.reverse()) {
      if ((await calls.undoing.undo(effect)) === null) continue;
      this.park([call], 0, call.intent.instance, again);
      return false;
    }
    for (const record of [...runState.records.values()]) machine.dismiss(record, 'unclaimed');
    return true;
  }

  #standing(): [LedgerCall, Effect][] {
    const { parts, queries } = this.#run;
    const standing = parts.runState.ledger.displaced().filter(({ status }) => status === 'confirmed' || isOpen(status));
    return standing.map((call) => [call, { ...queries.effectOf(call.key, call.intent.instance), undo: call.undo }]);
  }

  /** True where the undo of a kept effect crosses no promise, or one that the reviewed policy lets be crossed. */
  #mayUndo({ promise, intent }: LedgerCall): boolean {
    if (promise === null) return true;
    const { by } = promise;
    const rules = this.#run.queries.rules(
      by === null ? { in: null, key: null, why: 'fits_nobody' } : { in: by, key: null },
    );
    return isAllowed(rules, intent.instance);
  }
}
