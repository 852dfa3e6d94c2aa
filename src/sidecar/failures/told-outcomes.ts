/**
 * Takes a person's word about the outcome of a call, unless the journal or the counterparty knows better (semantics.md
 * E2).
 */

import { rulesOf } from '../../boundaries/version-rules.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { isSame } from '../../journal/value-codec.ts';
import { isOpen } from '../../model/effect.ts';
import type { SettledEntry } from '../../model/message-entries.ts';
import type { RunState } from '../../projection/run-state.ts';
import { billed } from '../calls/billing.ts';
import { SidecarError } from '../sidecar-error.ts';
import type { Aborting } from './aborting.ts';
import type { RecoveryParts } from './recovery-parts.ts';

type Needs = Pick<RecoveryParts, 'parts' | 'write' | 'calls' | 'approvals' | 'queue' | 'open'>;

/** The outcomes of one run's calls that people tell. */
export class ToldOutcomes {
  readonly #run: Needs;

  readonly #aborting: () => Aborting;

  constructor(run: Needs, aborting: () => Aborting) {
    this.#run = run;
    this.#aborting = aborting;
  }

  get #runState(): RunState {
    return this.#run.parts.runState;
  }

  /**
   * Settles a call as a person says. Its counterparty is asked first, and what that knows counts; of an undo by hand it may not know. Where the
   * run relies on a call that was undone by hand, it goes back to before it (E8).
   * @param heard makes the entry of the message that tells it, which is written with the outcome.
   * @throws SidecarError `bad_settlement` where the journal or the counterparty knows better, the call is under way and no person was asked,
   * or none was made; `run_finished` for an undo by hand where the run has ended with that call.
   */
  async settle(
    key: string,
    status: 'confirmed' | 'failed' | 'compensated',
    output?: unknown,
    heard?: () => SettledEntry,
  ): Promise<void> {
    const { write, calls, approvals, queue } = this.#run;
    const named = this.#runState.ledger.named(key);
    if (named === undefined) throw new SidecarError('bad_settlement', `no call has the key ${key}`);
    this.#refuseUnderWay(named);
    const wasOpen = isOpen(named.status);
    if (status !== 'compensated') await calls.reconciling.askNow(named.key);
    const call = this.#runState.ledger.get(named.key) as LedgerCall;
    const why = this.#contradicts(call, status, output);
    if (why !== null) {
      // What waits for that outcome has its answer, if not the one that was given.
      if (wasOpen && !isOpen(call.status)) await queue.askAgain();
      throw new SidecarError('bad_settlement', `${call.intent.tool} (${call.key}) ${why}`);
    }
    // The journal has it so already: a word that is given twice is one, and what did not happen needs no undo.
    if (call.status === status || (status === 'compensated' && call.status === 'failed')) {
      if (heard !== undefined) write.append([heard()]);
      return queue.askAgain();
    }
    if (status === 'compensated' && call.at !== null && this.#runState.ended !== null)
      throw new SidecarError(
        'run_finished',
        `the run has ended with ${call.intent.tool} (${call.key}): nothing is redone`,
      );
    const answer = output ?? this.#earlier(call.key)?.output;
    const outcome = {
      do: 'outcome',
      key: call.key,
      status,
      ...(status === 'confirmed' && { output: answer }),
    } as const;
    write.append([...billed(this.#run.parts, [outcome]), ...(heard === undefined ? [] : [heard()])]);
    approvals.wake();
    await write.durable();
    await queue.askAgain();
  }

  /**
   * Takes a person's word that a call stands whose undo an abort owes (AB4).
   * @throws SidecarError `bad_settlement` where no undo of it is owed.
   */
  async stand(key: string, by: string, why: string | null, heard?: () => SettledEntry): Promise<void> {
    const { write, queue } = this.#run;
    const call = this.#runState.ledger.named(key);
    if (call === undefined) throw new SidecarError('bad_settlement', `no call has the key ${key}`);
    const refused = this.#aborting().stand(call, by, why);
    if (refused !== null)
      throw new SidecarError('bad_settlement', `${call.intent.tool} (${call.key}) cannot be said to stand: ${refused}`);
    if (heard !== undefined) write.append([heard()]);
    await write.durable();
    await queue.askAgain();
  }

  /**
   * Takes the answer of a call whose act a person has made by hand (PE5). The call itself never leaves any more: it waits for an approval, it failed and the
   * run is parked on it, or its outcome is unknown; then its counterparty is asked first.
   * @param heard makes the entry of the word, which is written with the outcome.
   * @throws SidecarError `not_suppliable`; `bad_settlement` where no call has the key, or the tool gives no such output.
   */
  async supply(key: string, output: unknown, heard: () => SettledEntry): Promise<void> {
    const { parts, write, calls, approvals, queue } = this.#run;
    const named = this.#runState.ledger.named(key);
    if (named === undefined) throw new SidecarError('bad_settlement', `no call has the key ${key}`);
    await parts.lifecycle.past('leaveApproved');
    this.#refuseSupply(named.key);
    if (named.status === 'unknown' || named.status === 'intended') {
      const waits = named.status;
      await calls.reconciling.askNow(named.key);
      if (named.status !== waits) await queue.askAgain();
      await parts.lifecycle.past('leaveApproved');
      this.#refuseSupply(named.key);
    }
    const { tool } = named.intent;
    const refused = rulesOf(parts.config, parts.versions, named)?.refuses(output) ?? null;
    if (refused !== null)
      throw new SidecarError('bad_settlement', `${tool} (${named.key}) cannot have answered that: ${refused}`);
    write.append([heard(), { do: 'outcome', key: named.key, status: 'confirmed', output }]);
    approvals.wake();
    await write.durable();
    await queue.askAgain();
  }

  /** @throws SidecarError `not_suppliable` where no person can hand over the answer of a call. */
  #refuseSupply(key: string): void {
    const call = this.#runState.ledger.get(key) as LedgerCall;
    const why = this.#isOver ? 'a person has ended the run' : (this.#whyNoAct(call) ?? this.#whyNotBare(call));
    if (why === null) return;
    throw new SidecarError('not_suppliable', `${call.intent.tool} (${key}) cannot be made by hand: ${why}`);
  }

  get #isOver(): boolean {
    const { lifecycle, runState } = this.#run.parts;
    return lifecycle.leave.aborted || lifecycle.answer('approve').is === 'no' || runState.ended !== null;
  }

  /** Says why an act of a call would be none of the run, or not the run's to take back; null where it would be. */
  #whyNoAct({ repeats, discarded, at, intent }: LedgerCall): string | null {
    if (repeats !== null) return 'it repeats an act that was made before';
    if (discarded || at === null) return 'its work was taken back';
    if (intent.sandbox !== undefined) return `it works in the sandbox ${intent.sandbox}`;
    if (intent.held === 'buffer') return 'it is held back until its commit';
    if (this.#runState.choices.branchOf(this.#runState.actors, intent.actor) !== undefined)
      return 'it is a call of a branch';
    return this.#runState.actor(intent.actor).ended === null ? null : 'the machine does not wait for it any more';
  }

  /** Says why a call may itself have happened, or may come to; null where nothing of it stands, and nothing of it is under way. */
  #whyNotBare({ key, status, intent }: LedgerCall): string | null {
    const { calls, open } = this.#run;
    switch (status) {
      case 'buffered':
        return intent.held === 'gate' ? null : 'it is held back until its commit';
      case 'unknown':
        return null;
      case 'intended': {
        const request = this.#runState.asked.of(key);
        const isAsked = request?.asks === 'outcome' && request.status === 'pending';
        return isAsked && !calls.underWay.has(key) ? null : 'it is under way';
      }
      case 'failed':
        return open.parked.some(({ call }) => call?.key === key) ? null : 'the run is not parked on it';
      default:
        return `it is ${status} as the journal has it`;
    }
  }

  #refuseUnderWay({ key, status, intent }: LedgerCall): void {
    const request = this.#runState.asked.of(key);
    const isAsked = request?.asks === 'outcome' && request.status === 'pending';
    if (status !== 'intended' || !this.#run.calls.underWay.has(key) || isAsked) return;
    const why =
      'is under way, and its own answer will tell: wait for it, or close the run and settle it in the next process';
    throw new SidecarError('bad_settlement', `${intent.tool} (${key}) ${why}`);
  }

  /** Says why the journal does not take the word: it knows better, or it is no answer of its tool. Null where it does take it. */
  #contradicts(call: LedgerCall, as: LedgerCall['status'], output: unknown): string | null {
    const { key, status, output: known } = call;
    const isKnown = status === as && (as !== 'confirmed' || output === undefined || isSame(known, output));
    const isUndoneByHand = as === 'compensated' && (status === 'confirmed' || status === 'failed');
    if (as === 'confirmed' && output === undefined && this.#earlier(key) !== undefined) return null;
    if (!isKnown && !isOpen(status) && !isUndoneByHand) return `is ${status} as the journal has it, and not ${as}`;
    const { config, versions } = this.#run.parts;
    const refused = as === 'confirmed' && !isKnown ? rulesOf(config, versions, call)?.refuses(output) : null;
    return refused == null ? null : `cannot have answered that: ${refused}`;
  }

  /** The earlier call that one which waits for a person may be the same act as (E3). */
  #earlier(key: string): LedgerCall | undefined {
    const { asked, ledger } = this.#runState;
    const request = asked.of(key);
    return request?.status === 'pending' && request.like !== undefined ? ledger.get(request.like) : undefined;
  }
}
