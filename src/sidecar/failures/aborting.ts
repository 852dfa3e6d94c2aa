/**
 * The undoing of a run that a person ends with its undos (semantics.md AB1–AB8). Calls that happened are undone one by
 * one in reverse dependency order; calls that cannot be undone are named. A call whose outcome is unknown, or whose
 * undo is owed, holds back the calls that it rests on and no others.
 */
import type { LedgerCall } from '../../effects/ledger-call.ts';
import type { Effect } from '../../model/effect.ts';
import { holdersOf, isUnresolved, nextToUndo } from '../../recovery/undo-order.ts';
import { type AbortedAct, abortedActs, byBranch, relationOf, whyNotUndone } from '../aborting/acts.ts';
import type { OpenCalls } from './open-calls.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'write' | 'calls' | 'queries'>;

/** The calls that are undone, where that is not a whole run. */
interface Scope {
  of(call: LedgerCall): boolean;
  /** True for a call that is owed where it cannot be undone; false where it stands then. */
  isOwed(call: LedgerCall): boolean;
}

/** The undoing of one run, or of the branches of it that were not chosen. */
export class Aborting {
  readonly #run: Needs;
  readonly #openCalls: OpenCalls;
  readonly #scope: Scope | null;
  #relation: ReturnType<typeof relationOf> | null = null;
  /** The errors of the undos that have failed since they were last asked for. */
  readonly #failed = new Map<string, string>();

  constructor(run: Needs, openCalls: OpenCalls, scope: Scope | null = null) {
    this.#run = run;
    this.#openCalls = openCalls;
    this.#scope = scope;
  }

  get #acts(): AbortedAct[] {
    const { parts, queries } = this.#run;
    const scope = this.#scope;
    if (scope !== null) return abortedActs(parts.runState, byBranch(parts), new Set(this.#failed.keys()), scope.of);
    this.#relation ??= relationOf(parts, queries.hasMachines);
    return abortedActs(parts.runState, this.#relation, new Set(this.#failed.keys()));
  }

  /** True where nothing is unknown, and nothing owed (AB8). */
  get isOver(): boolean {
    return !this.#acts.some(isUnresolved);
  }

  /** Finds out what is unknown, and undoes what may go. @param isOff true where the process does not go on with it. */
  async undo(isOff: () => boolean): Promise<void> {
    this.#failed.clear();
    for (const { is, key } of this.#acts) if (is === 'unknown') await this.#openCalls.findOut(key);
    for (let next = this.#next; next !== null && !isOff(); next = this.#next) await this.#undoOne(next);
  }

  /** The next call to undo: an undo that has begun is finished first (AB2). */
  get #next(): AbortedAct | null {
    const acts = this.#acts;
    const begun = acts.find(({ is, call }) => is === 'due' && call.undoing);
    return begun ?? (nextToUndo(acts) as AbortedAct | null);
  }

  async #undoOne({ key, call, on }: AbortedAct): Promise<void> {
    const { calls, write, parts } = this.#run;
    const effect = this.#effectOf(call);
    const why = call.undoing ? null : (whyNotUndone(parts, call) ?? (await calls.undoing.moved(effect)));
    if (why !== null) {
      if (!this.#isDue(key)) return;
      if (this.#scope?.isOwed(call) === true) await this.#owe(key, why);
      else write.append([{ do: 'stands', key, why, ...(on.size > 0 && { on: [...on] }) }]);
      return;
    }
    const error = await calls.undoing.undo(effect, this.#scope === null);
    if (error === null || !this.#isDue(key) || parts.lifecycle.leave.aborted) return;
    if (this.#scope !== null && parts.lifecycle.isAborting) return;
    if (this.#scope?.isOwed(call) === false) write.append([{ do: 'stands', key, why: error }]);
    else await this.#owe(key, error);
  }

  async #owe(key: string, error: string): Promise<void> {
    this.#failed.set(key, error);
    this.#run.write.append([{ do: 'phase', phase: 'STUCK', effect: key, error }]);
    await this.#run.write.durable();
  }

  #effectOf({ key, intent, undo }: LedgerCall): Effect {
    return { ...this.#run.queries.effectOf(key, intent.instance), undo };
  }

  #isDue(key: string): boolean {
    const call = this.#run.parts.runState.ledger.get(key);
    return call?.status === 'confirmed' && !call.stands;
  }

  /** Has the run wait for who can say what is unknown, or undo what is owed. @param again goes on with the abort. */
  park(again: () => void): void {
    const acts = this.#acts;
    const unknown = acts.filter(({ is }) => is === 'unknown').map(({ call }) => call);
    const owed = acts.filter(({ is }) => is === 'owed').reverse();
    const held = acts.filter(({ is }) => is === 'due').reverse();
    this.#openCalls.parkAbort(
      {
        isOfRun: this.#scope === null,
        unknown,
        failed: owed.map(({ key, call }) => ({ effect: this.#effectOf(call), error: this.#failed.get(key) ?? '' })),
        held: held.map((act) => ({ effect: this.#effectOf(act.call), error: heldText(acts, act) })),
      },
      again,
    );
  }

  /** Takes a person's word that a call stands whose undo is owed (AB4). @returns the entry, or why it is refused. */
  stand(call: LedgerCall, by: string, why: string | null): string | null {
    const act = this.#acts.find(({ key }) => key === call.key);
    if (act === undefined || act.is === 'over') return 'is not owed: nothing of it is to be undone';
    if (act.is === 'unknown') return 'is not known to have happened: say confirmed or failed first';
    if (!this.#run.parts.runState.aborted.owed.has(call.key)) return 'is not owed: its undo has not failed';
    const said = why === null ? 'a person says so' : `a person says so: ${why}`;
    this.#run.write.append([
      { do: 'stands', key: call.key, why: said, ...(act.on.size > 0 && { on: [...act.on] }), by },
    ]);
    this.#failed.delete(call.key);
    return null;
  }
}

/** Says what a call waits for that is still to be undone. */
function heldText(acts: readonly AbortedAct[], { key }: AbortedAct): string {
  const holders = holdersOf(acts, key) as AbortedAct[];
  const tools = [...new Set(holders.map(({ call }) => call.intent.tool))];
  return `it waits for ${tools.join(' and ')}, which ${tools.length === 1 ? 'rests' : 'rest'} on it`;
}
