/**
 * Discards units that control left by a `discard:` edge (semantics.md PA11). One entry takes their work out of the
 * past. Then the sidecar finds out the outcomes of their open calls, undoes their effects, newest first, and names the
 * effects that cannot be undone. If the process dies meanwhile, the next process does the rest.
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { crossing, type Effect, isOpen } from '../../model/effect.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import type { LeftUnit } from '../../projection/discards.ts';
import { discardStep, readersOf } from '../../recording/discard-step.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'machine' | 'write' | 'calls' | 'queries' | 'queue' | 'lifecycle'>;

/** The discards of one run. */
export class Discarding {
  readonly #run: Needs;
  readonly #openCalls: OpenCalls;
  #last: Promise<void> = Promise.resolve();

  constructor(run: Needs, openCalls: OpenCalls) {
    this.#run = run;
    this.#openCalls = openCalls;
  }

  /** True if a unit is to be discarded, or an act of a discarded unit is unknown or not yet undone. */
  get isOwed(): boolean {
    return this.#owed().length > 0;
  }

  /**
   * Discards the due units after the recoveries in the queue. Until then no call leaves: it might rest on a discarded
   * unit (LC5).
   */
  begin(): void {
    if (!this.isOwed) return;
    const ends = this.#run.lifecycle.begins('suspects');
    void this.#run.queue
      .add(
        () => this.finish().finally(ends),
        (error) => this.#run.write.break(error),
      )
      .catch(() => {});
  }

  /** Goes on with a discard that waited for the outcomes of these calls. */
  settled(keys: readonly string[]): void {
    const { ledger } = this.#run.parts.runState;
    const isDue = (key: string) => {
      const call = ledger.get(key);
      return call?.discarded === true && !call.undoing && call.status === 'confirmed' && !call.stands;
    };
    if (keys.some(isDue)) this.begin();
  }

  /** Discards the units that are due and ready by now, after the discards under way. */
  finish(): Promise<void> {
    this.#last = this.#last.catch(() => {}).then(() => this.#finish());
    return this.#last;
  }

  async #finish(): Promise<void> {
    for (const unit of this.#owed()) await this.#discard(unit);
  }

  #owed(): LeftUnit[] {
    const units = [...this.#run.parts.runState.discards.all.values()];
    return units.filter(({ instance, is }) => is === 'due' || (is === 'discarded' && this.#isUnsettled(instance)));
  }

  #isUnsettled(instance: InstanceId): boolean {
    return this.#callsOf(instance).some((call) => isOpen(call.status) || isToUndo(call));
  }

  #callsOf(instance: InstanceId): LedgerCall[] {
    return this.#run.parts.runState.ledger.discardedOf(instance);
  }

  async #discard(unit: LeftUnit): Promise<void> {
    const { lifecycle } = this.#run;
    if (unit.is === 'due') {
      // Decided commits become visible first; a run that a person ends discards nothing any more (F3).
      await lifecycle.past('decide');
      if (lifecycle.isLeft || lifecycle.answer('plan').is === 'no' || !this.#takeOut(unit.instance)) return;
    }
    await this.#removeStaged(unit.instance);
    for (const { key, status } of this.#callsOf(unit.instance)) if (isOpen(status)) await this.#openCalls.findOut(key);
    await this.#undo(unit.instance);
    await this.#run.write.durable();
  }

  /**
   * Takes a unit's work out of the past, in one entry.
   * @returns false if other work relies on its answers: then nothing moves.
   */
  #takeOut(instance: InstanceId): boolean {
    const { parts, write, machine } = this.#run;
    // A restore may have taken the step back that left the unit.
    if (parts.runState.discards.all.get(instanceName(instance))?.is !== 'due') return false;
    const readers = readersOf(parts.runState, instance);
    if (readers.length > 0) {
      const text = `${instanceName(instance)} is not discarded: ${readers.join(', ')} rests on what it wrote. Find that wrong instead.`;
      write.append([{ do: 'discarded', instance, refused: text }]);
      const finding = { do: 'finding', code: 'discard_refused', instance, text } as const;
      write.append([finding]);
      parts.onFinding(finding);
      return false;
    }
    const step = discardStep(parts.runState, parts.config, instance);
    write.append([{ do: 'discarded', instance }, ...(step === null ? [] : [step])]);
    if (step !== null) machine.putContext(step.actor);
    return true;
  }

  /** Removes what calls of the unit have staged: their entry says that they never leave (E4). */
  async #removeStaged(instance: InstanceId): Promise<void> {
    const { calls } = this.#run;
    for (const call of this.#callsOf(instance))
      if (call.staged && call.status === 'failed') await calls.undoing.discard(call);
  }

  /** Undoes what a discarded unit did, newest first, once nothing of it is unknown; what cannot be undone is named. */
  async #undo(instance: InstanceId): Promise<void> {
    const { calls, queries, write } = this.#run;
    const made = this.#callsOf(instance);
    if (made.some(({ status, intent }) => isOpen(status) && intent.class !== 'idempotent')) return;
    const standing: Effect[] = [];
    for (const call of made.filter(isToUndo).reverse()) {
      const effect = { ...queries.effectOf(call.key, instance), undo: call.undo };
      const before = standing.find((other) => !calls.undoing.mayUndoBeside(effect, other));
      const why = before === undefined ? await this.#undoOne(effect) : `it waits for the undo of ${before.tool}`;
      if (this.#run.lifecycle.leave.aborted) return;
      if (why === null) continue;
      standing.push(effect);
      write.append([{ do: 'stands', key: call.key, why }]);
    }
  }

  /** Undoes an effect. @returns why it stands, or null. */
  async #undoOne(effect: Effect): Promise<string | null> {
    const { calls } = this.#run;
    if (effect.class === 'idempotent' || crossing(effect) !== 'undo')
      return `it is ${effect.class}, and nothing undoes it`;
    return (await calls.undoing.moved(effect)) ?? (await calls.undoing.undo(effect));
  }
}

/** True for an act of discarded work that happened, unless a person has decided that it stands. */
function isToUndo({ status, stands }: LedgerCall): boolean {
  return status === 'confirmed' && !stands;
}
