/**
 * The events of a run on their way to its actors: they wait while a plan is carried out or the run is parked, and those that a restore
 * took back are sent again where they meet what they met (semantics.md C1b, K3).
 */
import { regionName } from '../../model/region.ts';
import { HeardNow } from '../../projection/redelivery.ts';
import { isEqual } from '../../projection/set-aside/records.ts';
import type { ToRedeliver } from '../../projection/state-types.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Machines, Runtime } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import type { SentEvent, Timers } from './timers.ts';

/** An event that waits, and the child that it is news of, as it was then; null where it is news of none. */
interface Waiting {
  readonly ref: ActorHandle;
  readonly event: RuntimeEvent;
  readonly source: ActorHandle | null | undefined;
  /** Says if it is owed still when its turn comes: a restore since may have taken back what it tells of (C9). */
  readonly isOwed?: () => boolean;
  /** True where a step of the run had raised or sent it. */
  readonly isInner?: true;
  /** Where one machine sent it to another: as the journal has it. */
  readonly sent: SentEvent | null;
}

/** The surroundings of the deliveries of a run. */
interface DeliveryPort {
  readonly parts: Pick<RunParts, 'runState' | 'redeliver'>;
  readonly write: Writing;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly timers: Pick<Timers, 'sent' | 'isOnItsWay' | 'unheard'>;
  /** True while nothing may be sent again: a recovery is under way, work waits for its claim, or the run stops. */
  isBusy(): boolean;
}

/** The deliveries of one run. */
export class Deliveries {
  readonly #port: DeliveryPort;
  readonly #backlog: Waiting[] = [];
  #isHolding = false;
  /** The event of another machine that is being handed on. */
  #handedOn: SentEvent | null = null;
  /** True while events that are part of what is being carried out come past what holds the others back. */
  #letThrough = false;
  readonly #heard: HeardNow;

  constructor(port: DeliveryPort) {
    this.#port = port;
    this.#heard = new HeardNow(port.parts.runState.places);
  }

  /** True while events wait: a plan is being carried out, or the run is parked. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /**
   * True where an event has to wait; it is delivered once nothing holds it back.
   * @param sender tells the machine that sent it; null where none did. Nobody sends it again, so that it is journaled.
   */
  keeps(ref: ActorHandle, event: RuntimeEvent, sender: () => ActorHandle | null): boolean {
    if (!this.#isHolding || this.#letThrough) return false;
    const again = this.#handedOn;
    const isAgain = again?.event === event && this.#port.actors.at(again.to) === ref;
    const sent = isAgain ? again : this.#sentBy(sender(), ref, event);
    this.#backlog.push({ ref, event: sent?.event ?? event, source: this.#port.runtime.teller(ref, event), sent });
    return true;
  }

  #sentBy(sender: ActorHandle | null, ref: ActorHandle, event: RuntimeEvent): SentEvent | null {
    return sender === null ? null : this.#port.timers.sent(sender, ref, event);
  }

  /** Holds events back until `release`. */
  hold(): void {
    this.#isHolding = true;
  }

  /** Hands on the events that had to wait; those of actors that are no longer there are refused (K3). */
  release(): void {
    this.#isHolding = false;
    for (
      let next = this.#backlog.shift();
      next !== undefined;
      next = this.#isHolding ? undefined : this.#backlog.shift()
    ) {
      this.#handOn(next);
    }
  }

  #handOn({ ref, event, source, isOwed, isInner, sent }: Waiting): void {
    const { runtime, write, actors } = this.#port;
    if (isOwed?.() === false) return;
    if (isInner === true) runtime.machines?.raise(ref, event);
    else if (sent !== null) this.#handOnSent(sent);
    else if (source !== null && runtime.teller(ref, event) !== source)
      write.append([{ do: 'late', actor: actors.numberOf(ref) ?? 0, event: event.type }]);
    else runtime.deliver(ref, event);
  }

  /** Hands on what one machine sent another, unless the step that sent it was taken back, or a plan sends it. */
  #handOnSent(sent: SentEvent): void {
    const { runtime, actors, timers } = this.#port;
    const target = actors.at(sent.to);
    if (!timers.isOnItsWay(sent)) return;
    // It may have to wait once more.
    this.#handedOn = sent;
    if (target !== undefined) runtime.deliver(target, sent.event);
    this.#handedOn = null;
    if (!this.#backlog.some((waiting) => waiting.sent === sent)) timers.unheard(sent);
  }

  /** Has an actor receive an event that is owed to it, when its turn comes and while it still is. @param isInner as `Waiting` says. */
  owe(ref: ActorHandle, event: RuntimeEvent, isOwed: () => boolean, isInner = false): void {
    this.#backlog.push({ ref, event, source: null, isOwed, sent: null, ...(isInner && { isInner }) });
  }

  /** Has an actor take the eventless transitions of where it was put, before it hears of anything else. */
  settle(actor: number): void {
    const { actors, runtime } = this.#port;
    const ref = actors.at(actor);
    if (ref === undefined || runtime.machines === null) return;
    this.#backlog.unshift({ ref, event: { ...runtime.machines.settling }, source: null, sent: null });
  }

  /** Hands on what a claim has put first: the eventless moves of where it leads. */
  deliverOwn(): void {
    const { runtime } = this.#port;
    const own = this.#backlog.filter(({ event }) => event.type === runtime.machines?.settling.type);
    for (const one of own) this.#backlog.splice(this.#backlog.indexOf(one), 1);
    for (const { ref, event } of own) this.past(() => runtime.deliver(ref, event));
  }

  /** Runs what hands events on past what holds the others back. */
  past(run: () => void): void {
    const before = this.#letThrough;
    this.#letThrough = true;
    try {
      run();
    } finally {
      this.#letThrough = before;
    }
  }

  /** Sends the next event again that restores took back, where it meets what it met then (C1b). */
  offer(): void {
    const { parts, runtime, actors } = this.#port;
    const root = actors.at(0);
    const [back] = parts.runState.toRedeliver;
    if (!parts.redeliver || back === undefined || root === undefined || runtime.machines === null) return;
    if (this.#isHolding || this.#port.isBusy()) return;
    if (this.#meetsTheSame(back, root, runtime.machines)) runtime.machines.send(root, back.event as RuntimeEvent);
  }

  #meetsTheSame(
    { event, context, control, regions, heard }: ToRedeliver,
    ref: ActorHandle,
    machines: Machines,
  ): boolean {
    const { runState } = this.#port.parts;
    const root = runState.actor(0);
    if (!isEqual(control, root.value) || !isEqual(context, root.context)) return false;
    const takers = machines.takers(ref, event as RuntimeEvent).map((path) => regionName(0, path));
    if (takers.length === 0 || takers.some((region) => !regions.includes(region))) return false;
    return this.#heard.isSame(heard);
  }
}
