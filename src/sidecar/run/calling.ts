/**
 * The calls of tools as the machine makes them: the answer to each, and the consequences of a failed call (semantics.md
 * E2, E3, C5a, F2).
 */
import { withComputed } from '../../boundaries/computed.ts';
import type { MovedAnswer, Reply } from '../../effects/guarded-call.ts';
import type { LedgerCall } from '../../effects/ledger-call.ts';
import { isOpen } from '../../model/effect.ts';
import type { Failure } from '../../model/failure.ts';
import { type InstanceId, ROOT } from '../../model/instance.ts';
import { type Region, regionName } from '../../model/region.ts';
import type { Veto } from '../../model/veto.ts';
import type { Placed } from '../../recording/entry-states.ts';
import type { StepRecorder } from '../../recording/record-step.ts';
import { reason } from '../../recovery/explain.ts';
import type { Call } from '../../runtime/runtime.ts';
import { epochOf } from '../approvals/refusals.ts';
import { askedLater } from '../calls/asked-later.ts';
import type { Calls } from '../calls/calls.ts';
import type { Recovering } from '../failures/recovering.ts';
import { takeGone } from '../failures/taking-gone.ts';
import type { Held, Raised, RunParts, RunWriter } from '../parts.ts';
import { complaintAboutMoved } from '../queries/moved-answers.ts';
import type { RecoveryQueries } from '../queries/recovery-queries.ts';
import { diverged, keyExpired, readMoved, sandboxFailed, unwritten } from '../queries/refused-questions.ts';
import type { Actors } from './actors.ts';
import type { Choosing } from './choosing.ts';

/** A reply that is no answer. */
type Failed = Exclude<Reply, { is: 'done' | 'dropped' | 'again' }>;

/** The surroundings of the calls of a run. */
interface CallingPort {
  readonly parts: RunParts;
  readonly write: RunWriter;
  readonly placed: readonly Placed[];
  readonly actors: Actors;
  readonly recorder: StepRecorder;
  readonly queries: RecoveryQueries;
  readonly calls: Calls;
  readonly recovering: Recovering;
  readonly choosing: Choosing;
}

/** The calls that the actors of one run make. */
export class Calling {
  readonly #port: CallingPort;

  constructor(port: CallingPort) {
    this.#port = port;
  }

  /** The epoch of the work in a state of the root. */
  epochIn(path: string): number {
    const { parts, queries } = this.#port;
    return epochOf(parts.runState, queries.whoseCall(regionName(0, path)).instance);
  }

  /** Makes a call, again and again where that is decided. @returns its output; never settles where its actor was stopped. */
  async call(asked: Call): Promise<unknown> {
    const { actors, parts, recorder, calls, choosing } = this.#port;
    const call = { ...asked, input: withComputed(parts.config, asked.tool, asked.input) };
    const number = actors.numberOf(call.ref) as number;
    const actor = parts.runState.actor(number);
    const region = actor.region ?? regionName(0, '');
    const whose = this.#whose(number, region);
    const { instance } = whose;
    const lacks = () => recorder.lacks(instance);
    const ends = parts.activity.begin();
    try {
      for (let tries = 0; ; ) {
        const goesOn = parts.activity.wait();
        // What was set aside is claimed or given up before anything new leaves (C5a), and what a commit has promised is there (E4).
        await parts.lifecycle.past('call');
        goesOn();
        if (this.#isOver(call) || choosing.branches.isOut(number)) return never();
        const reply = await this.#asked(call, number, whose, lacks);
        if (reply.is === 'done') return reply.output;
        if (reply.is === 'dropped' || this.#isOver(call)) return never();
        if (reply.is === 'again') continue;
        if (reply.is === 'failed' && (await calls.again(call, reply, tries))) {
          tries += 1;
          continue;
        }
        const held = await this.#heard(call, number, instance, reply);
        if (held.next === 'answer') return held.output;
        if (held.next === 'wait') return never();
      }
    } finally {
      ends();
    }
  }

  /** The unit of a call: a call that was made is its unit's for good, whatever unit a config has around its state by now (CO10). */
  #whose(number: number, region: Region): ReturnType<RecoveryQueries['whoseCall']> {
    const { parts, queries } = this.#port;
    const { ledger, staleUpTo } = parts.runState;
    const made = ledger.ofActor(number);
    const isOlder = made !== undefined && (made.at ?? 0) <= staleUpTo;
    return { ...queries.whoseCall(region), ...(isOlder && { instance: made.intent.instance }) };
  }

  /** Makes a call once. Of one that failed nothing more is asked or decided while the run is paused (LC10). */
  async #asked(...asked: Parameters<Calls['ask']>): Promise<Reply> {
    const { lifecycle, activity, kin } = this.#port.parts;
    if (kin.isForked) {
      await takeGone(this.#port);
      await activity.waitFor(lifecycle.past('call'));
      if (this.#isOver(asked[0])) return { is: 'dropped' };
    }
    const reply = await this.#port.calls.ask(...asked);
    if (reply.is !== 'done' && lifecycle.waits('ask')) await activity.waitFor(lifecycle.past('ask'));
    if (reply.is === 'failed') await this.#settles(asked[0], asked[1], reply);
    return reply;
  }

  /** True where no call is made or answered any more: the process takes leave of the run, a person has ended it, or its actor was stopped. */
  #isOver({ signal }: Call): boolean {
    const { lifecycle } = this.#port.parts;
    return lifecycle.leave.aborted || lifecycle.answer('call').is === 'no' || signal.aborted;
  }

  /** Answers a call that failed: a machine that handles the error hears of it, unless the call has happened after all (E2, F2). */
  async #heard(call: Call, number: number, instance: InstanceId, reply: Failed): Promise<Held> {
    const { calls } = this.#port;
    if (call.signal.aborted) return { next: 'wait' };
    if (reply.is !== 'failed' || reply.held === true || !calls.isMachines(call, reply))
      return this.#failsBranch(call, number, reply) ?? this.#hold(call, number, instance, reply);
    const known = await calls.outcome(reply.key);
    if (call.signal.aborted) return { next: 'wait' };
    if (known?.status === 'confirmed') return { next: 'answer', output: known.output };
    // The run has aborted it for a decision that leaves it where it is: that is no error of the machine's (ST7, C11).
    const isOwn = reply.key !== null && calls.underWay.wasAborted(reply.key);
    if (isOwn && known?.status === 'failed') return { next: 'again' };
    throw reply.error;
  }

  /** Waits while a counterparty has yet to say what became of a branch's call: no branch is given up, or gives up itself, before (AL10). */
  async #settles(call: Call, number: number, reply: Extract<Failed, { is: 'failed' }>): Promise<void> {
    const { choosing, calls, parts, write } = this.#port;
    if (reply.key === null || choosing.branches.of(number) === null) return;
    while (!this.#isOver(call)) {
      await parts.lifecycle.past('ask');
      const next = await calls.reconcile(reply.key);
      if (next === null || this.#isOver(call)) return;
      await parts.activity.waitFor(askedLater(next, parts, write, call.signal));
    }
  }

  /** A branch fails with its call, unless the call has happened after all (AL10); null for any other call. */
  #failsBranch(call: Call, number: number, reply: Failed): Promise<Held> | null {
    const { choosing, calls } = this.#port;
    if (reply.is !== 'failed' || choosing.branches.of(number) === null) return null;
    const { key, error } = reply;
    return calls.outcome(key).then((known): Held => {
      // Whether the outcome of an earlier call answers this one is for the guard to say (E3).
      if (reply.held === true && known !== undefined && !isOpen(known.status)) return { next: 'again' };
      if (known?.status === 'confirmed') return { next: 'answer', output: known.output };
      if (!call.signal.aborted) choosing.fail(number, error);
      return { next: 'wait' };
    });
  }

  async #hold(call: Call, number: number, instance: InstanceId, reply: Failed): Promise<Held> {
    const { recovering, parts } = this.#port;
    const actor = parts.runState.actor(number).parent ?? 0;
    if (reply.is === 'unclaimed') {
      const { kept } = reply;
      // A replay may have taken it over since.
      if (!parts.runState.ledger.kept.isKept(kept)) return { next: 'again' };
      if (kept.intent.tool !== call.tool && (await this.#givesWay(kept))) return { next: 'again' };
      return this.#waiting((again) =>
        recovering.parkUnclaimed([kept], actor, instance, () => again({ next: 'again' })),
      );
    }
    const failure = failureIn(instance);
    if (reply.is === 'unready') {
      const decision = sandboxFailed(parts, instance, reply);
      const error = new Error(reason(decision.refusals[0] as Veto));
      const raised = { signal: 'TOOL_EXCEPTION', error, actor, failure, call: null } as const;
      return this.#waiting((go) => recovering.park({ ...raised, again: () => go({ next: 'again' }) }, decision));
    }
    if (reply.is === 'moved') return this.#moved(call, reply.moved, actor);
    if (reply.is === 'expired') return this.#expired(reply.recorded, instance, { actor, failure });
    if (reply.is === 'diverged') {
      if (await recovering.undoDiverged(reply.recorded)) return { next: 'again' };
      const error = new Error(`${reply.recorded.key} is asked for with other arguments`);
      recovering.park(
        { signal: 'CONTRACT_VIOLATION', error, actor, failure, call: null },
        diverged(this.#port, call, instance, reply),
      );
      return { next: 'wait' };
    }
    if (reply.is === 'unwritten') {
      const decision = unwritten(this.#port, call, instance, reply);
      const error = new TypeError(reason(decision.refusals[0] as Veto));
      const raised = { signal: 'CONTRACT_VIOLATION', error, actor, failure, call: null } as const;
      return this.#waiting((go) => recovering.park({ ...raised, again: () => go({ next: 'again' }) }, decision));
    }
    const { signal, error, key } = reply;
    return this.#waiting((answer) => {
      const held = {
        actor: number,
        key,
        tool: call.tool,
        args: call.input,
        isHeld: reply.held === true,
        isDropped: () => call.signal.aborted,
        answer,
      };
      void recovering.raise({ signal, error, actor, failure, call: held });
    });
  }

  /** The run finds an answer wrong before the act (RV3), or has a person asked; the call then looks again. */
  async #moved({ tool }: Call, moved: MovedAnswer, actor: number): Promise<Held> {
    const { recovering, parts } = this.#port;
    const raised = complaintAboutMoved(parts.runState, moved, tool, actor);
    if (moved.else === 'park') {
      const decision = readMoved(this.#port, moved, tool);
      const question = { ...raised, suspect: undefined } as unknown as Raised;
      return this.#waiting((go) => recovering.park({ ...question, again: () => go({ next: 'again' }) }, decision));
    }
    const goesOn = parts.activity.wait();
    await recovering.raise(raised);
    goesOn();
    return { next: 'again' };
  }

  /** A call whose key its counterparty may have forgotten: its counterparty is asked, then a person (E3). */
  async #expired(recorded: LedgerCall, instance: InstanceId, of: Pick<Raised, 'actor' | 'failure'>): Promise<Held> {
    const { recovering, calls } = this.#port;
    if (isOpen(recorded.status)) {
      await calls.reconcile(recorded.key);
      if (!isOpen(recorded.status)) return { next: 'again' };
    }
    const decision = keyExpired(this.#port, recorded, instance);
    const error = new Error(reason(decision.refusals[0] as Veto));
    const raised = { signal: 'CONTRACT_VIOLATION', error, ...of, call: null } as const;
    return this.#waiting((go) => recovering.park({ ...raised, again: () => go({ next: 'again' }) }, decision));
  }

  /** Has a call wait for what a question is answered with: the same question, asked again, answers the same call. */
  #waiting(ask: (answer: (next: Held) => void) => void): Promise<Held> {
    const goesOn = this.#port.parts.activity.wait();
    return new Promise((resolve) =>
      ask((next) => {
        goesOn();
        resolve(next);
      }),
    );
  }

  /** True where a kept call of another tool, which the code of a node has not made again, does not stand any more: it was claimed meanwhile, or is undone. */
  async #givesWay(kept: LedgerCall): Promise<boolean> {
    // Calls that the node makes beside this one come in the same turn.
    await new Promise((resolve) => setImmediate(resolve));
    const { recovering, parts } = this.#port;
    return !parts.runState.ledger.kept.isKept(kept) || recovering.undoDiverged(kept);
  }
}

function failureIn(instance: InstanceId): Failure {
  return instance.skeleton === ROOT ? { in: null, key: null, why: 'fits_nobody' } : { in: instance, key: null };
}

/** A promise that is never settled: its actor was stopped. */
function never(): Promise<never> {
  return new Promise(() => {});
}
