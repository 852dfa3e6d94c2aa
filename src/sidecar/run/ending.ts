/**
 * The beginning and the end of a run: a first macrostep that threw is begun again, and the end of the machine waits while anything is to be decided
 * or an effect stands that no work has claimed (semantics.md C9).
 */
import { errorMessage } from '../../effects/signals.ts';
import type { EndEntry } from '../../model/message-entries.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Outbox } from '../commits/outbox.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { RunParts, Writer } from '../parts.ts';
import type { Actors } from './actors.ts';
import type { Deliveries } from './deliveries.ts';

/** The surroundings of the end of a run. */
interface EndingPort {
  readonly runState: RunState;
  readonly parts: Pick<RunParts, 'version' | 'pausing'>;
  readonly write: Writer;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly deliveries: Deliveries;
  readonly outbox: Outbox;
  readonly recovering: Recovering;
  readonly input: unknown;
  /** True while work that was set aside is claimed or given up. */
  isReusing(): boolean;
  isStopping(): boolean;
  /** True where a message was left that nothing has looked at. */
  hasMail(): boolean;
  /** The messages that the run has looked at, and the events among them that no state has taken. */
  unheard(): Pick<EndEntry, 'heard' | 'untaken'>;
  /** Reads the messages. @returns true where one is a complaint without an answer: its answer tries the end again. */
  isAccused(): boolean;
}

/** The beginning and the end of one run. */
export class RunEnd {
  readonly #port: EndingPort;
  /** The output of a machine that has come to its end, while something is still to be decided about that (C9). */
  #end: { readonly output: unknown } | null = null;
  /** The error of the first macrostep; null where it went well. */
  #unbegun: { readonly error: unknown } | null = null;

  constructor(port: EndingPort) {
    this.#port = port;
  }

  /** The way in which the run has ended; null while it goes on. */
  get status(): 'done' | 'cancelled' | null {
    const { ended } = this.#port.runState;
    return ended === 'stopped' ? 'done' : ended;
  }

  /** True while the end of the machine waits for what is to be decided, undone or made visible before. */
  get isHeld(): boolean {
    return this.#end !== null;
  }

  /** The root has come to its end. @returns true where that has to wait. */
  holds(output: unknown): boolean {
    const { runState, recovering, outbox, deliveries } = this.#port;
    const { records, ledger, ended } = runState;
    if (ended !== null) return false;
    if (runState.asked.cancelled !== null) return true;
    const isLeft =
      records.size > 0 || ledger.displaced().length > 0 || recovering.openCalls().length > 0 || outbox.mayRefuse;
    const isOpen = isLeft || recovering.isBusy || this.#port.isReusing() || this.#isAddressed() || recovering.isGone;
    const isPaused = this.#port.parts.pausing.isOn;
    // A run that is taken up at its end first goes on with what its last process has left.
    if (!isOpen && !isPaused && !deliveries.isHolding) {
      this.over(output);
      return false;
    }
    this.#end = { output };
    if (!deliveries.isHolding) queueMicrotask(() => void this.try());
    return true;
  }

  /** Journals the end, and tells who waits for it. */
  over(output: unknown): void {
    this.#port.write.append([{ do: 'end', status: 'done', ...this.#port.unheard() }]);
    void this.#port.recovering.finish(output);
  }

  /** Ends a run whose end had to wait, once nothing is to be decided and nothing stands in the world that no work has claimed (C9). */
  async try(): Promise<void> {
    const { outbox, recovering, runtime, actors, deliveries } = this.#port;
    if (!this.#mayEnd()) return;
    // What is refused now can still be done again; after the end it cannot (E4). The end of the machine is the end of all waiting.
    await outbox.settled();
    if (!this.#mayEnd()) return;
    outbox.begin(true);
    await outbox.settled();
    if (!this.#mayEnd()) return;
    if (recovering.raiseGone()) return;
    const again = () => void this.try();
    if (!(await recovering.clearUnclaimed(again))) return;
    if (!(await recovering.clearOpen(again))) return;
    const end = this.#end as { readonly output: unknown } | null;
    if (end === null || !this.#mayEnd() || recovering.raiseGone()) return;
    // A complaint that came before the end is answered first (C12).
    if (this.#port.isAccused() || !this.#mayEnd()) return;
    this.#end = null;
    this.over(end.output);
    const root = actors.at(0);
    if (root !== undefined) deliveries.past(() => runtime.end(root, end.output));
  }

  /** True where the journal has a message that nothing has looked at; a journal that has failed says so elsewhere. */
  #isAddressed(): boolean {
    try {
      return this.#port.hasMail();
    } catch {
      return false;
    }
  }

  #mayEnd(): boolean {
    const { recovering, runState, isReusing, isStopping, parts } = this.#port;
    return (
      this.#end !== null &&
      !parts.pausing.isOn &&
      runState.asked.cancelled === null &&
      !isReusing() &&
      !recovering.isBusy &&
      !isStopping()
    );
  }

  /** The machine goes on: it was put elsewhere. */
  undone(): void {
    this.#end = null;
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
