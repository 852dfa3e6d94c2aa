/**
 * The delayed events of a run: journaled when they are armed or cancelled, and remembered if the step that they caused
 * failed.
 */
import type { PlacedStep } from '../../history/step-lists.ts';
import { isDelay } from '../../model/reply-event.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { RecordedStep, Timer } from '../../projection/state-types.ts';
import type { Macrosteps } from '../../recording/macrosteps.ts';
import type { ActorHandle, Fired, Microstep, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Armed } from '../../runtime/runtime.ts';
import type { RunParts, Writer } from '../parts.ts';
import type { Actors } from './actors.ts';

/** The surroundings of the timers of a run. */
interface TimersPort {
  readonly parts: RunParts;
  readonly write: Writer;
  readonly actors: Actors;
  readonly macrosteps: Macrosteps;
}

/** An event that one machine sent another and that has to wait: a delayed one, which is due. */
export interface SentEvent {
  /** The object by which it is heard: a machine may send one object again and again. */
  readonly event: RuntimeEvent;
  readonly timer: Timer;
  /** The number of the actor that hears it. */
  readonly to: number;
}

/** The timers of one run. */
export class Timers {
  readonly #port: TimersPort;
  readonly #sent = new WeakMap<RuntimeEvent, SentEvent & { readonly fired: Fired }>();
  #hasSent = false;
  /** Timers that have fired, and whose events caused steps that failed. */
  readonly #lost = new Set<Timer>();

  constructor(port: TimersPort) {
    this.#port = port;
  }

  /** An actor has scheduled a delayed event. */
  armed(ref: ActorHandle, { id, region, event, delay, due, target }: Armed): void {
    const actor = this.#numberOf(ref);
    if (actor === undefined) return;
    const { parts, write, actors } = this.#port;
    const over = due ?? parts.now() + delay;
    const back = isDelay(event.type) ? undefined : this.#backOf(actor, id, event);
    const to = target === null ? undefined : actors.numberOf(target);
    const entry = { do: 'timer', actor, id, region, event, delay, due: over } as const;
    write.append([{ ...entry, ...(back !== undefined && { back }), ...(to !== undefined && { to }) }]);
  }

  /**
   * A machine has sent another one an event that has to wait: it is journaled, so that the next process sends it.
   * @returns null where either is no actor of the run.
   */
  sent(sender: ActorHandle, target: ActorHandle, event: RuntimeEvent): SentEvent | null {
    const known = this.#sent.get(event);
    const own = known !== undefined && this.isOnItsWay(known) ? { ...event } : event;
    const [actor, to] = [this.#numberOf(sender), this.#numberOf(target)];
    if (actor === undefined || to === undefined) return null;
    const { parts, write, macrosteps } = this.#port;
    const { timers } = parts.runState;
    const id = `belay.sent.${timers.parts.next}`;
    const back = this.#stepsSince(macrosteps.tellerOf(actor, event) ?? macrosteps.lastSender(actor));
    const entry = { do: 'timer', actor, id, region: '', event, delay: 0, due: parts.now(), back } as const;
    write.append([{ ...entry, ...(to !== actor && { to }) }]);
    const timer = timers.armedNow(actor, id);
    if (timer === undefined) return null;
    const sent = { event: own, timer, to, fired: { source: sender, id } };
    this.#sent.set(own, sent);
    this.#hasSent = true;
    return sent;
  }

  /** True while such an event waits as it was sent: no step has heard it, no restore has taken it back, and no plan has armed it again. */
  isOnItsWay({ timer }: SentEvent): boolean {
    return this.#port.parts.runState.timers.armedNow(timer.actor, timer.id) === timer;
  }

  /** Such an event was handed on, and where no state has heard it, it does not come again. */
  unheard(sent: SentEvent): void {
    const { actor, id } = sent.timer;
    if (this.isOnItsWay(sent))
      this.#port.write.append([{ do: 'timer', actor, id, region: '', event: { type: '' }, delay: null }]);
  }

  /** The delayed event that an object is: one that the runtime tells, or one that has waited. */
  firedBy({ event, fired }: Pick<Microstep, 'event' | 'fired'>): Fired | null {
    return fired ?? (this.#hasSent ? this.#sent.get(event)?.fired : null) ?? null;
  }

  /** The number of steps since an actor scheduled an event, now or before: a plan schedules it again, for the step that had. */
  #backOf(actor: number, id: string, event: RuntimeEvent): number {
    const { parts, macrosteps } = this.#port;
    return this.#stepsSince(macrosteps.tellerOf(actor, event) ?? parts.runState.timers.armedNow(actor, id)?.armed);
  }

  /** The number of steps of its actor since a step, itself included; 1 for the last: of a first macrostep, or behind a claim, it is not told which one did. */
  #stepsSince(step: PlacedStep | undefined): number {
    const [tie] = step === undefined ? [] : this.#port.macrosteps.ties([step as RecordedStep]);
    return tie?.[1] ?? 1;
  }

  /** The step that scheduled a delayed event that fires. */
  armerOf(fired: Fired | null): RecordedStep | undefined {
    const actor = fired === null ? undefined : this.#port.actors.numberOf(fired.source);
    if (fired === null || actor === undefined) return undefined;
    return this.#port.parts.runState.timers.armedNow(actor, fired.id)?.armed as RecordedStep | undefined;
  }

  /** The last step has heard a delayed event of no state. */
  heard(fired: Fired | null): void {
    const actor = fired === null ? undefined : this.#numberOf(fired.source);
    if (fired === null || actor === undefined) return;
    const { write, parts } = this.#port;
    const { id } = fired;
    if (!parts.runState.timers.isArmed(actor, id)) return;
    write.append([{ do: 'timer', actor, id, region: '', event: { type: '' }, delay: null, heard: true }]);
  }

  /** An actor has taken a delayed event back. */
  disarmed(ref: ActorHandle, id: string): void {
    const actor = this.#numberOf(ref);
    if (actor === undefined || !this.#port.parts.runState.timers.isArmed(actor, id)) return;
    this.#port.write.append([{ do: 'timer', actor, id, region: '', event: { type: '' }, delay: null }]);
  }

  /** The number of an actor whose timers are journaled: none are while the run stops. */
  #numberOf(ref: ActorHandle): number | undefined {
    return this.#port.parts.lifecycle.leave.aborted ? undefined : this.#port.actors.numberOf(ref);
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
