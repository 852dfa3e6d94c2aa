/**
 * Answers complaints about work that is set aside, or undone already: the effects of its calls are undone, with no new
 * cut (semantics.md C10, C12).
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { crossing } from '../../model/effect.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { WorkRecord } from '../../projection/set-aside/records.ts';
import type { Raised } from '../parts.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import type { Decisions } from './decisions.ts';
import type { Parking } from './parking.ts';
import type { RecoveryParts } from './recovery-parts.ts';
import type { WrongAnswers } from './wrong-answers.ts';

type Needs = Pick<RecoveryParts, 'machine' | 'write' | 'calls' | 'queries' | 'lifecycle' | 'queue'>;

/** Takes back, in the world, what was found wrong. */
export class TakingBack {
  readonly #run: Needs;
  readonly #decisions: Decisions;
  readonly #parking: Parking;
  readonly #answers: WrongAnswers;

  constructor(run: Needs, decisions: Decisions, parking: Parking, answers: WrongAnswers) {
    this.#run = run;
    this.#decisions = decisions;
    this.#parking = parking;
    this.#answers = answers;
  }

  /** Gives the record of work up that was found wrong, and undoes what that did where it can be undone. */
  async giveUp(raised: Raised, record: WorkRecord): Promise<void> {
    const name = instanceName(raised.failure.in as InstanceId);
    const own = callsOf(record, name);
    if (!(await this.#takeBack(raised, own))) return;
    const wrong = own.filter(({ status }) => status === 'confirmed').map(({ key }) => key);
    this.#run.machine.dismiss(record, 'found_wrong', wrong);
    this.#run.queue.undone();
  }

  /** Takes back the standing calls of undone work before its replay comes to them. */
  async takeBackStanding(raised: Raised): Promise<void> {
    const lost = this.#answers.standing(raised);
    if (lost.length === 0 || !(await this.#takeBack(raised, lost))) return;
    const wrong = lost.filter(({ status }) => status === 'confirmed').map(({ key }) => key);
    const instance = raised.failure.in as InstanceId;
    this.#run.write.append([{ do: 'dismissed', instance, why: 'undone_before', ...(wrong.length > 0 && { wrong }) }]);
    this.#run.queue.undone();
  }

  /** Takes back what a live instance did that its replay has not come to (C10). @returns false where the run is parked over it. */
  async takeBackUnreached(raised: Raised): Promise<boolean> {
    const unreached = this.#answers.unreached(raised);
    return unreached.length === 0 || this.#takeBack(raised, unreached);
  }

  /**
   * Undoes the confirmed calls of work found wrong; parks the run if one cannot be undone. @returns true if all are
   * undone.
   */
  async #takeBack(raised: Raised, calls: readonly LedgerCall[]): Promise<boolean> {
    const { queries } = this.#run;
    const { effects, undone, blocked } = crossedBy(queries, calls);
    if (blocked.length > 0 || (await this.#decisions.demote(undone))) {
      this.#parking.parkOver(raised, blocked.length > 0 ? blocked : effects);
      return false;
    }
    this.#run.lifecycle.note({ isUnsure: true });
    for (const effect of undone.reverse()) {
      if ((await this.#run.calls.undoing.undo(effect)) === null) continue;
      // It stands, and is what a person has to look at: nothing is done again over it (E5).
      if (!this.#run.lifecycle.leave.aborted)
        this.#parking.parkOver(raised, [queries.effectOf(effect.id as string, effect.instance)]);
      return false;
    }
    return true;
  }
}

/** The confirmed calls of an instance that a record holds. */
export function callsOf(record: WorkRecord, name: string): LedgerCall[] {
  const calls = record.items.flatMap((item) => (item.is === 'call' ? [item.call] : []));
  return calls.filter(({ intent, status }) => instanceName(intent.instance) === name && status === 'confirmed');
}

/** Calls that were found wrong as effects: those that can be undone, and those that cannot be. */
export function crossedBy(queries: RecoveryQueries, calls: readonly LedgerCall[]) {
  const effects = calls.map(({ key, intent }) => queries.effectOf(key, intent.instance));
  const undone = effects.filter((effect) => crossing(effect) === 'undo');
  const blocked = effects.filter((effect) => crossing(effect) !== 'cross' && crossing(effect) !== 'undo');
  return { effects, undone, blocked };
}
