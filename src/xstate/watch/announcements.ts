/**
 * The microsteps and events of an actor system, from xstate's announcements. An inspector would receive every event, at
 * a cost for each; this module takes only what it needs before that. A test pins the hook, as it is no public API.
 */
import type {
  AnyActorLogic,
  AnyActorRef,
  AnyEventObject,
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyTransitionDefinition,
  InspectionEvent,
} from 'xstate';
import { isInline, isRaising, isSending, isSnapshot, isXstates } from '../events.ts';
import { kindOf } from '../shape.ts';

/** The surroundings of an actor, as its logic is handed them. */
export type Scope = Parameters<AnyStateMachine['transition']>[2];

/** An action of xstate's own that sends an event: with a delay, or at once. */
interface Sent {
  readonly type: string;
  readonly params: { readonly event: AnyEventObject; readonly delay?: unknown; readonly to?: unknown };
}

/** A microstep as xstate announces it. */
export interface Micro {
  /** The actions of its own that raised and sent events; none that are known in the first macrostep of an actor. */
  readonly sent: readonly Sent[];
  readonly event: AnyEventObject;
  readonly snapshot: AnyMachineSnapshot;
  readonly transitions: readonly AnyTransitionDefinition[];
}

const NOTHING: readonly never[] = [];

/**
 * The microsteps of an actor while they are collected, and the events that the actor has sent since the last microstep.
 */
interface Collected {
  readonly micros: Micro[];
  sent: readonly Sent[];
}

/** Listens to the actor systems of one run. */
export class Announcements {
  readonly #systems = new WeakSet<object>();
  /**
   * The newest event from outside, which nearly every question is about, and the older events from outside whose steps
   * are not recorded yet.
   */
  #lastOutside: object | null = null;
  readonly #outside = new WeakSet<object>();
  #hasWaiting = false;
  readonly #inner = new WeakSet<object>();
  readonly #senders = new WeakMap<object, AnyActorRef>();
  readonly #collecting = new Map<unknown, Collected>();

  /** The microsteps that an actor takes while a function runs, with the function's result. */
  collect<T>(scope: Scope, run: () => T): [T, Micro[]] {
    this.listen(scope);
    const micros: Micro[] = [];
    this.#collecting.set(scope.self, { micros, sent: NOTHING });
    try {
      return [run(), micros];
    } finally {
      this.#collecting.delete(scope.self);
    }
  }

  /** Listens to an actor system: the first event that comes from outside is known as such. */
  listen({ system }: Scope): void {
    if (this.#systems.has(system)) return;
    this.#systems.add(system);
    const announcer = system as unknown as { _sendInspectionEvent(event: InspectionEvent): void };
    const announce = announcer._sendInspectionEvent;
    announcer._sendInspectionEvent = (event) => {
      if (event.type === '@xstate.event') {
        if (event.sourceRef === undefined) this.#cameFromOutside(event.event);
        // An end of an actor is kept with its step: it would hold the actor.
        else if (!isXstates(event.event.type) || isSnapshot(event.event.type))
          this.#senders.set(event.event, event.sourceRef as AnyActorRef);
      }
      if (event.type === '@xstate.action' && (isRaising(event.action.type) || isSending(event.action.type)))
        this.#act(event.actorRef, event.action as Sent);
      if (event.type === '@xstate.microstep') {
        const { actorRef, snapshot, _transitions: transitions } = event;
        const collected = this.#collecting.get(actorRef);
        if (collected !== undefined) {
          const { micros, sent } = collected;
          collected.sent = NOTHING;
          micros.push({ event: event.event, snapshot: snapshot as AnyMachineSnapshot, transitions, sent });
        }
      }
      announce(event);
    };
  }

  #act(actor: unknown, action: Sent): void {
    const collected = this.#collecting.get(actor);
    if (collected === undefined) return;
    if (collected.sent.length === 0) collected.sent = [action];
    else (collected.sent as Sent[]).push(action);
  }

  /** Notes that an event comes from inside the machine, though the run hands it in. */
  markInner(event: object): void {
    this.#inner.add(event);
  }

  #cameFromOutside(event: object): void {
    if (this.#lastOutside === event) return;
    if (this.#lastOutside !== null) {
      this.#outside.add(this.#lastOutside);
      this.#hasWaiting = true;
    }
    this.#lastOutside = event;
  }

  /** True for an event from outside the actor system, until a step takes it. */
  isOutside(event: AnyEventObject): boolean {
    const isKnown = this.#lastOutside === event || (this.#hasWaiting && this.#outside.has(event));
    return isKnown && !isXstates(event.type) && !this.#inner.has(event);
  }

  /** True, once, for an event that was sent from outside the actor system. */
  takeOutside(event: AnyEventObject): boolean {
    const isOutside = this.isOutside(event);
    if (this.#lastOutside === event) this.#lastOutside = null;
    if (this.#hasWaiting) this.#outside.delete(event);
    return isOutside;
  }

  /** True for an event that was sent from outside the actor system, until its step is told. */
  isFromOutside(event: AnyEventObject): boolean {
    const isKnown = this.#lastOutside === event || this.#outside.has(event);
    return isKnown && !isXstates(event.type) && !this.#inner.has(event);
  }

  /** The machine that sent an event, and is no part of xstate's own bookkeeping; null for any other event. */
  senderOf(event: AnyEventObject): AnyActorRef | null {
    const sender = this.#senders.get(event);
    return sender !== undefined && isMachine(sender) && !isXstates(event.type) ? sender : null;
  }

  /** The child that sent an event and is no machine; null for any other event. */
  sourceOf(event: AnyEventObject): AnyActorRef | null {
    const sender = this.#senders.get(event);
    return sender === undefined || isMachine(sender) ? null : sender;
  }
}

/** True for a machine that is watched: the root, and those that have a name. Another one is a source, as a callback is. */
export function isMachine(ref: AnyActorRef): boolean {
  const { logic, src, _parent } = ref as unknown as { logic: AnyActorLogic; src: unknown; _parent?: unknown };
  if (kindOf(logic) !== 'machine') return false;
  return _parent === undefined || (typeof src === 'string' && !isInline(src));
}
