/**
 * Events that other processes leave for a run: each is sent once, in the commit with the steps that it causes, or refused with the reason. One
 * waits while a plan is carried out or the run is parked, and one that names a state until the root is there.
 */
import type { SentEvent } from '../../effects/messages/sent-events.ts';
import type { StateValue } from '../../model/step-entry.ts';
import { stateText } from '../../reports/timeline.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Machines, Runtime } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import type { Deliveries } from './deliveries.ts';

/** The surroundings of the messages of a run. */
interface MessagesPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly deliveries: Deliveries;
  isStopping(): boolean;
}

interface Waiting {
  readonly post: number;
  readonly sent: SentEvent;
}

/** The messages of one run that bring events. */
export class Messages {
  readonly #port: MessagesPort;
  readonly #waiting: Waiting[] = [];
  #isAwake = false;
  #isSending = false;

  constructor(port: MessagesPort) {
    this.#port = port;
  }

  /** The number of events that wait to be sent. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes a message in, unless its event was sent before. */
  take(post: number, sent: SentEvent): void {
    if (this.#port.parts.runState.asked.sent.has(post)) return;
    this.#waiting.push({ post, sent });
    if (this.#isAwake && this.#port.deliveries.isHolding) this.hold();
  }

  /** Holds what has come and names no state: the state of the run is what its senders were shown (CH3). */
  hold(): void {
    const { deliveries, runtime, parts } = this.#port;
    if (runtime.machines === null || parts.runState.ended !== null || parts.runState.asked.cancelled !== null) return;
    for (const one of this.#waiting.filter(({ sent: { at } }) => at === null)) {
      this.#waiting.splice(this.#waiting.indexOf(one), 1);
      deliveries.holdEvent(one.sent.event as RuntimeEvent, { post: one.post, by: one.sent.by });
    }
  }

  /** The root takes events: it was started. */
  begin(): void {
    this.#isAwake = true;
    this.offer();
  }

  /** Sends what can be sent now, in the order of the messages. */
  offer(): void {
    const { runtime, actors } = this.#port;
    const root = actors.at(0);
    if (!this.#isAwake || this.#isSending || root === undefined || runtime.machines === null) return;
    this.#isSending = true;
    try {
      for (let next = this.#due(); next !== undefined; next = this.#due()) {
        this.#waiting.splice(this.#waiting.indexOf(next), 1);
        this.#send(next, root, runtime.machines);
      }
    } finally {
      this.#isSending = false;
    }
  }

  /** The first that can be sent now: one that names another state lets those behind it pass. */
  #due(): Waiting | undefined {
    const { runState } = this.#port.parts;
    if (runState.asked.cancelled !== null && runState.ended === null) return this.#waiting[0];
    if (this.#port.deliveries.isHolding) this.hold();
    if (this.#port.deliveries.isHolding || this.#port.isStopping() || runState.ended !== null) return undefined;
    return this.#waiting.find(({ sent: { at } }) => at === null || isAt(runState.actor(0).value, at.split('.')));
  }

  #send({ post, sent: { event, by } }: Waiting, root: ActorHandle, machines: Machines): void {
    const { write, parts } = this.#port;
    const isOver = parts.runState.asked.cancelled !== null;
    const isTaken = !isOver && machines.takers(root, event as RuntimeEvent).length > 0;
    const state = `the machine takes no ${event.type} in ${stateText(parts.runState.actor(0).value)}`;
    const refused = isTaken ? null : isOver ? 'the run was cancelled' : state;
    write.together(() => {
      write.append([{ do: 'message', post, event: event.type, by, refused }]);
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
