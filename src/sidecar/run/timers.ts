/** The delayed events of a run: journaled when they are armed or taken back, and kept in mind where the step that they caused failed. */
import { isEqual } from '../../projection/set-aside/records.ts';
import type { Timer } from '../../projection/state-types.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Armed } from '../../runtime/runtime.ts';
import type { RunParts, Writer } from '../parts.ts';
import type { Actors } from './actors.ts';

/** The surroundings of the timers of a run. */
interface TimersPort {
  readonly parts: RunParts;
  readonly write: Writer;
  readonly actors: Actors;
  isStopping(): boolean;
}

/** The timers of one run. */
export class Timers {
  readonly #port: TimersPort;
  /** Timers that have fired, and whose events caused steps that failed. */
  readonly #lost = new Set<Timer>();

  constructor(port: TimersPort) {
    this.#port = port;
  }

  /** An actor has scheduled a delayed event. */
  armed(ref: ActorHandle, { id, region, event, delay, due }: Armed): void {
    const actor = this.#numberOf(ref);
    if (actor === undefined) return;
    const over = due ?? this.#port.parts.now() + delay;
    this.#port.write.append([{ do: 'timer', actor, id, region, event, delay, due: over }]);
  }

  /** An actor has taken a delayed event back. */
  disarmed(ref: ActorHandle, id: string): void {
    const actor = this.#numberOf(ref);
    if (actor === undefined || !this.#port.parts.runState.timers.isArmed(actor, id)) return;
    this.#port.write.append([{ do: 'timer', actor, id, region: '', event: { type: '' }, delay: null }]);
  }

  /** The number of an actor whose timers are journaled: none are while the run stops. */
  #numberOf(ref: ActorHandle): number | undefined {
    return this.#port.isStopping() ? undefined : this.#port.actors.numberOf(ref);
  }

  /** The step of an event has failed. A timer may fire a moment before the wall clock says that it is due: it is armed again. */
  failed(actor: number, event: RuntimeEvent): void {
    const fired = this.#port.parts.runState.timers.armed(actor).find((timer) => isEqual(timer.event, event));
    if (fired !== undefined) this.#lost.add(fired);
  }

  /** True where a timer of an actor has. */
  hasLost(actor: number): boolean {
    return [...this.#lost].some((timer) => timer.actor === actor && !timer.armed.gone);
  }

  /** True where a timer has fired and its step failed: only a plan arms it again. */
  isLost(timer: Timer): boolean {
    return this.#lost.has(timer);
  }

  /** A plan was carried out: what was lost is armed again. */
  restored(): void {
    this.#lost.clear();
  }
}
