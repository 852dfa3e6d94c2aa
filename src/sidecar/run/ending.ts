/**
 * The beginning and the end of a run: a first macrostep that threw is begun again, and the end of the machine waits while anything is to be decided
 * or an effect stands that no work has claimed (semantics.md C9).
 */
import { errorMessage } from '../../effects/signals.ts';
import type { EndEntry } from '../../model/message-entries.ts';
import { keysLeft } from '../../projection/left-calls.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Runtime, Watcher } from '../../runtime/runtime.ts';
import type { Attempting } from '../attempts/attempting.ts';
import type { LeftActs } from '../calls/left-acts.ts';
import type { Sandboxes } from '../calls/sandboxes.ts';
import type { Announcing } from '../commits/announcing.ts';
import type { Outbox } from '../commits/outbox.ts';
import type { Recovering } from '../failures/recovering.ts';
import { takeGone } from '../failures/taking-gone.ts';
import type { RunParts } from '../parts.ts';
import { sandboxFailed } from '../queries/refused-questions.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import type { Choosing } from './choosing.ts';
import type { Deliveries } from './deliveries.ts';
import type { Owing } from './owing.ts';

/** The surroundings of the end of a run. */
interface EndingPort {
  readonly runState: RunState;
  readonly parts: RunParts;
  readonly calls: { readonly sandboxes: Pick<Sandboxes, 'atEnd'> };
  readonly write: Pick<Writing, 'append' | 'durable' | 'together'>;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly deliveries: Deliveries;
  readonly outbox: Outbox;
  readonly announcing: Announcing;
  readonly owing: Pick<Owing, 'clear'>;
  readonly recovering: Recovering;
  readonly left: LeftActs;
  readonly input: unknown;
  readonly choosing: Pick<Choosing, 'isOwed'>;
  readonly attempting: Pick<Attempting, 'atEnd' | 'goesOn'>;
  /** True where a message was left that nothing has looked at. */
  hasMail(): boolean;
  /** The messages that the run has looked at, and the events among them that no state has taken. */
  unheard(): Pick<EndEntry, 'heard' | 'untaken'>;
  /** Reads the messages. @returns true where one is a complaint without an answer: its answer tries the end again. */
  isAccused(): boolean;
}

/** The end of a turn: what tells the step, and what comes once it is durable. */
type Rest = Parameters<Watcher['endsTurn']>;

/** The beginning and the end of one run. */
export class RunEnd {
  readonly #port: EndingPort;
  /** The output of a machine that has come to its end, while something is still to be decided about that (C9). */
  #end: { readonly output: unknown; readonly rest: Rest | null } | null = null;
  #isTrying = false;
  /** True where the end is to be tried once more, after the try that is under way. */
  #isOwed = false;
  /** The error of the first macrostep; null where it went well. */
  #unbegun: { readonly error: unknown } | null = null;

  constructor(port: EndingPort) {
    this.#port = port;
  }

  /** The root has come to its end. @returns true where that has to wait. */
  holds(output: unknown): boolean {
    const { runState, recovering, outbox, announcing, parts } = this.#port;
    const { records, ledger, ended } = runState;
    if (ended !== null) return false;
    if (runState.asked.cancelled !== null) return true;
    const isLeft =
      parts.kin.isForked ||
      records.size > 0 ||
      ledger.displaced().length > 0 ||
      recovering.openCalls().length > 0 ||
      outbox.mayRefuse ||
      !runState.obligations.isEmpty ||
      announcing.isOwed ||
      runState.sandboxes.all.size > 0;
    this.#comesTo({ output, rest: null });
    // A run that is taken up at its end first goes on with what its last process has left.
    const mayEnd = parts.lifecycle.may('end') && parts.lifecycle.may('answer');
    if (
      mayEnd &&
      !isLeft &&
      !recovering.discarding.isOwed &&
      !this.#port.choosing.isOwed &&
      !this.#isAddressed() &&
      !recovering.isGone
    ) {
      this.over(output);
      this.#comesTo(null);
      return false;
    }
    queueMicrotask(() => void this.try());
    return true;
  }

  /** A thread has come to the end of a turn: what is decided about the end of a run is decided about it (RC2). */
  endsTurn(...rest: Rest): void {
    const { asked, ended } = this.#port.runState;
    if (ended !== null || asked.cancelled !== null) return;
    this.#comesTo({ output: undefined, rest });
    queueMicrotask(() => void this.try());
  }

  #comesTo(end: { readonly output: unknown; readonly rest: Rest | null } | null): void {
    this.#end = end;
    this.#port.parts.lifecycle.note({ isAtEnd: end !== null });
  }

  /** Journals the end, and tells who waits for it. */
  over(output: unknown): void {
    const { left, runState, write } = this.#port;
    left.atEnd();
    const standing = keysLeft(runState);
    write.append([{ do: 'end', status: 'done', ...(standing.length > 0 && { standing }), ...this.#port.unheard() }]);
    void this.#port.recovering.finish(output);
  }

  /** Ends a run whose end had to wait, once nothing is to be decided and nothing stands in the world that no work has claimed (C9). */
  async try(): Promise<void> {
    this.#isOwed = true;
    if (this.#isTrying) return;
    this.#isTrying = true;
    try {
      while (this.#isOwed) {
        this.#isOwed = false;
        await this.#try();
      }
    } finally {
      this.#isTrying = false;
    }
  }

  async #try(): Promise<void> {
    const { outbox, recovering, runtime, actors, deliveries, parts, runState } = this.#port;
    // A person may end the run while something of its end is waited for: then it ends by that word.
    const mayEnd = () => this.#end !== null && runState.asked.cancelled === null && parts.lifecycle.may('end');
    if (this.#end === null) return;
    this.#port.attempting.atEnd(this.#end.output);
    await parts.lifecycle.past('end');
    if (!mayEnd()) return;
    // What is refused now can still be done again; after the end it cannot (E4). The end of the machine is the end of all waiting.
    outbox.begin(true);
    // What is held back leaves under another mandate, and the end is tried again then (MD5).
    if (outbox.isHeld(true)) return;
    if (parts.kin.isForked) await takeGone(this.#port);
    await parts.lifecycle.past('end');
    if (!mayEnd() || recovering.raiseGone()) return;
    const again = () => void this.try();
    if (!(await recovering.clearUnclaimed(again))) return;
    if (!(await recovering.clearOpen(again))) return;
    await recovering.discarding.finish();
    if (recovering.losers.isOwed) {
      recovering.losers.begin();
      await parts.lifecycle.past('end');
    }
    const left = this.#end?.rest == null ? [] : await this.#neverLeft();
    if (this.#end?.rest === null && !(await this.#leavesNothing(again))) return;
    const end = this.#end;
    if (end === null || !mayEnd() || this.#port.choosing.isOwed || recovering.raiseGone()) return;
    // A complaint that came before the end is answered first (C12).
    if (this.#port.isAccused() || !mayEnd()) return;
    // What keeps an obligation may have been taken back while the program was told.
    if (end.rest === null && !this.#port.owing.clear(again)) return;
    if (end.rest !== null) {
      this.#comesTo(null);
      this.#rests(end.rest, left);
      return;
    }
    this.over(end.output);
    this.#comesTo(null);
    const root = actors.at(0);
    if (root !== undefined) deliveries.past(() => runtime.end(root, end.output));
  }

  /** Settles what only the end of a run asks about: a turn may end while something is owed, since a later turn may keep it. @returns false where the run goes on. */
  async #leavesNothing(again: () => void): Promise<boolean> {
    const { owing, announcing } = this.#port;
    if (!owing.clear(again)) return false;
    if (this.#end?.rest === null) await announcing.atEnd();
    return this.#end?.rest !== null || this.#leavesSandboxes(again);
  }

  /** Leaves the sandboxes of the run to a sweep. @returns false where a sandbox is gone, or its provider cannot say: then the run does not end. */
  async #leavesSandboxes(again: () => void): Promise<boolean> {
    const { parts, calls, recovering } = this.#port;
    const not = await calls.sandboxes.atEnd();
    if (not === null || not === 'lost') return not === null;
    if (parts.lifecycle.leave.aborted) return false;
    const decision = sandboxFailed(parts, null, { sandbox: not.name, why: not.why });
    const failure = { in: null, key: null, why: 'fits_nobody' } as const;
    recovering.park(
      { signal: 'TOOL_EXCEPTION', error: new Error(not.why), actor: 0, failure, call: null, again },
      decision,
    );
    return false;
  }

  /** Removes what was held back and can leave no more: the units of the turn are over (RC5). @returns the keys of it. */
  async #neverLeft(): Promise<readonly string[]> {
    const { runState, outbox } = this.#port;
    const left = runState.ledger.buffered().map(({ key }) => key);
    if (left.length > 0) await outbox.abandon();
    return left;
  }

  /** Ends a turn: the rest of its steps and its end are one commit. */
  #rests([rest, then]: Rest, left: readonly string[]): void {
    const { write, deliveries } = this.#port;
    write.together(() => deliveries.past(() => write.append([{ do: 'turn', ...rest(), left }])));
    // If the journal refuses, everyone who waits for the run receives that error.
    void write.durable().then(then, () => {});
  }

  /** True where the journal has a message that nothing has looked at; a journal that has failed says so elsewhere. */
  #isAddressed(): boolean {
    try {
      return this.#port.hasMail();
    } catch {
      return false;
    }
  }

  /** The machine goes on: it was put elsewhere. */
  undone(): void {
    this.#port.attempting.goesOn();
    this.#comesTo(null);
  }

  /** The first macrostep of the root threw. */
  failedToBegin(error: unknown): void {
    this.#unbegun = { error };
  }

  /** Says that the first macrostep threw, once a recovery can hear it. */
  tellUnbegun(): void {
    if (this.#unbegun === null) return;
    const { error } = this.#unbegun;
    const { recovering, parts } = this.#port;
    const { version } = parts;
    const failure = { in: null, key: null, why: 'fits_nobody' } as const;
    const thrown = { on: errorMessage(error), ...(version !== null && { version }) };
    const retry = () => void this.beginAgain();
    void recovering.raise({ signal: 'CHAIN_EXCEPTION', error, actor: 0, failure, call: null, thrown, retry });
  }

  /** Begins a run again whose first macrostep threw. @returns true where there was one. */
  beginAgain(): boolean {
    if (this.#unbegun === null) return false;
    this.#unbegun = null;
    const { runtime, actors, deliveries, input } = this.#port;
    const root = actors.at(0);
    if (root !== undefined) deliveries.past(() => runtime.machines?.begin(root, input));
    this.tellUnbegun();
    return true;
  }
}
