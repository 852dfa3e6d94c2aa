/**
 * Events that other processes leave for a run: each is sent once, in the commit with the steps that it causes, or
 * refused with the reason. An event waits while a plan is carried out or the run is parked, and an event that names a
 * state also waits until the root is there.
 */

import { argsDigest } from '../../effects/digest.ts';
import { endingText } from '../../effects/messages/cancels.ts';
import type { SentEvent } from '../../effects/messages/sent-events.ts';
import type { Sent } from '../../model/message-entries.ts';
import type { StateValue } from '../../model/step-entry.ts';
import { stateText } from '../../reports/timeline.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Machines, Receiver, Runtime } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import type { Deliveries } from './deliveries.ts';
import { digestsOf, movedSince, movedText } from './shown.ts';
import { WaitingRoom } from './waiting-room.ts';

/** The type of the event that brings the input of a turn. */
const TURN = 'turn';
const NO_TURN = `the run receives turns, as {"type":"${TURN}","input":…}, in no state and with nothing that was seen`;

/** The surroundings of the messages of a run. */
interface MessagesPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly deliveries: Deliveries;
}

interface Waiting {
  /** The number of the message; null where the program sends it. */
  readonly post: number | null;
  readonly sent: SentEvent;
  /** Its id and what its sender was shown, as the journal has them. */
  readonly said: Sent;
  /** Its number among the held events, and its event as that is by now; left out where the journal does not have it. */
  readonly held?: { readonly number: number; readonly event: unknown };
}

/** The messages of one run that bring events. */
export class Messages {
  readonly #port: MessagesPort;
  readonly #waiting: Waiting[] = [];
  readonly #room = new WaitingRoom();
  #isSending = false;

  constructor(port: MessagesPort) {
    this.#port = port;
  }

  /** The number of events that wait to be sent, and that the journal does not have. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** True where an event waits to be sent. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0 || this.#heldTurn() !== undefined;
  }

  /** Takes a message in, unless its event was sent before. */
  take(post: number | null, sent: SentEvent): void {
    const { runState } = this.#port.parts;
    if (post !== null && (runState.asked.sent.has(post) || this.#waiting.some((one) => one.post === post))) return;
    const said = this.saidIn(sent);
    const twice = this.#refusalOf(said);
    if (twice !== null) {
      this.#refuse({ post, sent, said: {} }, twice);
      return;
    }
    // An event that names another state waits here for as long as that takes.
    const full = sent.at === null ? null : this.#room.refusalOf(sent.event, this.#waitingForStates());
    if (full !== null) {
      this.#refuse({ post, sent, said }, full);
      return;
    }
    this.#waiting.push({ post, sent, said });
    if (this.#port.parts.lifecycle.isAwake && this.#port.deliveries.isHolding) this.hold();
  }

  /** The words of a sender as the journal has them. */
  saidIn({ id, event, seen, instead }: SentEvent): Sent {
    const { runState } = this.#port.parts;
    const named = id === undefined ? {} : { id, digest: argsDigest(event, runState.secret, runState.codecs) };
    const shown = seen !== undefined && { seen: digestsOf(seen, runState) };
    return { ...named, ...shown, ...(instead !== undefined && { instead }) };
  }

  /** The event that has an id already; undefined where none has. */
  known(id: string): { readonly digest?: string } | undefined {
    return this.#port.parts.runState.received.get(id) ?? this.#waiting.find(({ said }) => said.id === id)?.said;
  }

  /** Says why an event is refused whose id is taken: it is that event once more, or another one (CH2). Null where it is not. */
  #refusalOf({ id, digest }: Sent): string | null {
    const known = id === undefined ? undefined : this.known(id);
    if (known === undefined) return null;
    return known.digest === digest ? `it was sent before, as ${id}` : `message_differs: another event has the id ${id}`;
  }

  #refuse({ post, sent: { event, by }, said, held }: Waiting, refused: string): void {
    const { write } = this.#port;
    const back = held === undefined ? {} : { held: held.number };
    write.append([{ do: 'message', post, ...said, ...back, event: event.type, by, refused }]);
    void write.durable().catch(() => {});
  }

  #waitingForStates(): readonly object[] {
    return this.#waiting.flatMap(({ sent: { at, event } }) => (at === null ? [] : [event]));
  }

  /** Holds what has come and names no state: the state of the run is what its senders were shown (CH3). */
  hold(): void {
    const { deliveries, runtime, parts } = this.#port;
    if (runtime.machines === null || parts.lifecycle.answer('deliver').is === 'no') return;
    for (const one of this.#waiting.filter(({ sent: { at } }) => at === null)) {
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      const full = deliveries.fullFor(one.sent.event);
      if (full !== null) this.#refuse(one, full);
      else deliveries.holdEvent(one.sent.event as RuntimeEvent, { post: one.post, by: one.sent.by, ...one.said });
    }
  }

  /** Has the journal have the turns that were left before an act: the act finds them where they wait (RC12). @param post the number of its message; null for the program's own. */
  holdTurns(post: number | null): void {
    const { receives } = this.#port.runtime;
    const isBefore = (one: Waiting) => post === null || one.post === null || one.post < post;
    if (receives === null || this.#port.parts.lifecycle.answer('deliver').is === 'no') return;
    for (const one of this.#waiting.filter(isBefore)) {
      const { event, by } = one.sent;
      const { input } = event as { readonly input?: unknown };
      if (this.#refusalOfTurn(one, receives) !== null) continue;
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      const waits = receives.waits(input, one.said.id);
      const full = this.#port.deliveries.fullFor(waits);
      if (full !== null) this.#refuse(one, full);
      else this.#port.deliveries.holdTurn(waits, { post: one.post, by, ...one.said });
    }
  }

  /** The first turn that the run holds. */
  #heldTurn(): Waiting | undefined {
    const { runtime, parts, deliveries } = this.#port;
    const first = runtime.receives === null ? undefined : parts.runState.held[0];
    if (first === undefined || first.held === null) return undefined;
    const { name, event, held } = first;
    const { input } = event as { readonly input?: unknown };
    const sent = { event: { type: TURN, input }, at: null, by: held.by };
    return { post: held.post, sent, said: deliveries.saidOf(name), held: { number: held.number, event } };
  }

  /** Sends what can be sent now, in the order of the messages. */
  offer(): void {
    const { runtime, actors } = this.#port;
    const root = actors.at(0);
    const { machines, receives } = runtime;
    const isNone = root === undefined || (machines === null && receives === null);
    if (!this.#port.parts.lifecycle.isAwake || this.#isSending || isNone) return;
    this.#isSending = true;
    try {
      for (let next = this.#due(); next !== undefined; next = this.#due()) {
        if (receives !== null && !this.#handsIn(next, receives)) return;
        if (next.held !== undefined) continue;
        this.#waiting.splice(this.#waiting.indexOf(next), 1);
        if (machines !== null) this.#send(next, root, machines);
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** The first that can be sent now: one that names another state lets those behind it pass. */
  #due(): Waiting | undefined {
    const { runState } = this.#port.parts;
    const may = this.#port.parts.lifecycle.answer('deliver');
    if (may.is === 'no' && (may.code === 'run_cancelled' || may.code === 'aborting')) return this.#waiting[0];
    if (this.#port.deliveries.isHolding) this.hold();
    if (this.#port.deliveries.isHolding) return undefined;
    // Turns come in the order of their messages.
    if (this.#port.runtime.receives !== null) return this.#heldTurn() ?? this.#waiting[0];
    return this.#waiting.find(({ sent: { at } }) => at === null || isAt(runState.actor(0).value, at.split('.')));
  }

  /** Hands in the input of a turn, or refuses what is none (RC6). @returns false where it waits: a turn is open, or something holds it back. */
  #handsIn(one: Waiting, program: Receiver): boolean {
    const { asked } = this.#port.parts.runState;
    const { event, by } = one.sent;
    const { input } = event as { readonly input?: unknown };
    const isOver = this.#port.parts.lifecycle.answer('deliver').is === 'no';
    const refused = isOver ? endingText(asked.cancelled ?? {}) : this.#refusalOfTurn(one, program);
    if (refused !== null) {
      this.#refuse(one, refused);
      return true;
    }
    const { write } = this.#port;
    const held = one.held === undefined ? {} : { held: one.held.number };
    const taken = { do: 'message', post: one.post, ...one.said, ...held, event: TURN, by, refused: null } as const;
    const is = (one.held?.event as { readonly is?: string } | undefined)?.is;
    let isTaken = false;
    // While an act or a complaint is answered, it is in question what the turn would come behind.
    if (program.isReady && this.#port.parts.lifecycle.may('leave'))
      write.together(() => {
        isTaken = program.receive(input, one.said.id, () => write.append([taken]), is);
      }, false);
    if (isTaken) void write.durable().catch(() => {});
    return isTaken;
  }

  /** The reason why a message is no turn that can be the next one; null where it is. */
  #refusalOfTurn({ sent: { event, at }, said }: Waiting, program: Receiver): string | null {
    if (event.type !== TURN || at !== null || said.seen !== undefined) return NO_TURN;
    return program.refusalOf((event as { readonly input?: unknown }).input, said.id);
  }

  #send(one: Waiting, root: ActorHandle, machines: Machines): void {
    const { write, parts } = this.#port;
    const { post, said } = one;
    const { event, by } = one.sent;
    const isOver = parts.lifecycle.answer('deliver').is === 'no';
    const moved = isOver ? null : movedSince(said.seen, parts.runState.actor(0).context, parts.runState);
    if (moved !== null) {
      this.#refuse(one, movedText(moved));
      return;
    }
    const isTaken = !isOver && machines.takers(root, event as RuntimeEvent).length > 0;
    const state = `the machine takes no ${event.type} in ${stateText(parts.runState.actor(0).value)}`;
    const refused = isTaken ? null : isOver ? endingText(parts.runState.asked.cancelled ?? {}) : state;
    write.together(() => {
      write.append([{ do: 'message', post, ...said, event: event.type, by, refused }]);
      if (isTaken) machines.send(root, event as RuntimeEvent);
    }, false);
    void write.durable().catch(() => {});
  }
}

/** True where a machine stands in a state, by the path of the state. */
function isAt(value: StateValue, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (typeof value === 'string') return value === first && rest.length === 0;
  const below = Object.hasOwn(value, first) ? value[first] : undefined;
  return below !== undefined && isAt(below, rest);
}
