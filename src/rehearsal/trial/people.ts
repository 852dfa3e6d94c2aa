/** The people around a rehearsed run: one sends the events of the path, one answers the approval requests. */
import { PROCESS } from '../../clock/clock.ts';
import type { GuardedRequest } from '../../effects/gates.ts';
import type { StateValue } from '../../model/step-entry.ts';
import type { Event, Snapshot } from '../../xstate/actor.ts';
import type { Sidecar } from '../../xstate/attach.ts';
import type { CallSite, RehearsedFault } from '../faults/fault.ts';
import type { Observation } from './observation.ts';
import { Steering } from './steering.ts';
import type { NamedPath } from './subject.ts';
import type { Transport } from './transport.ts';

const DAY = 86_400_000;

/** A question that waits for an answer. */
interface Question extends CallSite {
  readonly gate: string;
  /** The branch that is chosen, where one is asked for. */
  readonly branch?: string;
}

/** Sends events and answers questions, as the fault has it. */
export class People {
  /** The calls that waited for an approval. */
  readonly approvals: CallSite[] = [];
  /** True once the fault has happened. */
  fired = false;
  /** The acts on events; null where the fault is none. */
  readonly steering: Steering | null;
  readonly #fault: RehearsedFault | null;
  readonly #path: NamedPath;
  readonly #seen: Observation;
  readonly #transport: Transport;
  readonly #questions: Question[] = [];
  /** Events that restores have taken back, and how often each type was sent and came. */
  readonly #takenBack: Event[] = [];
  readonly #sends = new Map<string, number>();
  readonly #came = new Map<string, number>();
  #isLate = false;

  constructor(fault: RehearsedFault | null, path: NamedPath, seen: Observation, transport: Transport) {
    this.#fault = fault;
    this.#path = path;
    this.#seen = seen;
    this.#transport = transport;
    this.steering = fault?.kind === 'steer' ? new Steering(path, seen) : null;
  }

  /** A call waits for an approval. */
  asked({ gate, asks, tool, key, candidates = [] }: GuardedRequest): void {
    if (asks === 'outcome' || this.#questions.some((each) => each.gate === gate)) return;
    const before = this.#keys.get(key);
    const nth = before ?? this.approvals.filter((each) => each.tool === tool).length + 1;
    if (before === undefined) this.approvals.push({ tool, nth });
    this.#keys.set(key, nth);
    const branch = candidates.find(({ is }) => is === 'over')?.branch;
    this.#questions.push({ gate, tool, nth, ...(branch !== undefined && { branch }) });
  }

  readonly #keys = new Map<string, number>();

  /** A restore has taken events back. */
  takenBack(events: readonly unknown[]): void {
    this.#takenBack.push(...(events as readonly Event[]));
  }

  /** Notes an event that came to the machine from outside. */
  came({ type }: Event): void {
    this.#came.set(type, (this.#came.get(type) ?? 0) + 1);
  }

  /** Sends an event again that was taken back and that nothing has delivered since, where the machine waits for it. */
  sendAgain(sidecar: Sidecar | null): boolean {
    if (this.steering !== null) return false;
    if (sidecar?.status !== 'running') return false;
    const event = this.#takenBack.find(({ type }) => {
      const again = (this.#came.get(type) ?? 0) - (this.#sends.get(type) ?? 0);
      return this.#takenBack.filter((each) => each.type === type).length > again;
    });
    const hears = event === undefined ? null : this.#receiverAgain(sidecar, event);
    if (event === undefined || hears === null || !takes(hears, event, null)) return false;
    this.#takenBack.splice(this.#takenBack.indexOf(event), 1);
    this.#deliver(hears, event);
    return true;
  }

  /** Does the next thing that is to be done. @returns false where there is none. */
  look(sidecar: Sidecar): boolean {
    // No delay passes before a sender has said that an event still holds.
    return this.#answer(sidecar) || this.#send(sidecar) || this.steering?.confirms(sidecar) === true;
  }

  /** The events that were not sent. */
  unsent(): readonly string[] {
    return this.#path.events.slice(this.#seen.sent).map(({ send }) => send.type);
  }

  #answer(sidecar: Sidecar): boolean {
    const question = this.#questions.shift();
    if (question === undefined) return false;
    const { gate, tool, nth, branch } = question;
    const fault = this.#fault;
    const isIt = fault?.kind === 'approval' && fault.tool === tool && fault.nth === nth;
    if (isIt) this.fired = true;
    if (isIt && fault.answer === 'expired') return true;
    const verdict = isIt ? 'denied' : 'approved';
    this.#seen.tell(`${tool} is ${verdict}`);
    const chosen = branch !== undefined && verdict === 'approved' ? { with: branch } : {};
    void sidecar.answer(gate, verdict, { by: 'the rehearsal', ...chosen }).catch(() => {});
    return true;
  }

  #send(sidecar: Sidecar): boolean {
    const event = this.#path.events[this.#seen.sent];
    if (event === undefined || sidecar.status !== 'running') return false;
    const hears = receiverOf(sidecar, event.to);
    if (hears === null || !takes(hears, event.send, event.at)) return false;
    const how = this.#fault?.kind === 'event' && this.#fault.index === this.#seen.sent ? this.#fault.how : null;
    if (how === 'late' && !this.fired) {
      this.fired = true;
      this.#isLate = true;
      PROCESS.after(DAY, () => {
        this.#isLate = false;
      });
    }
    if (this.#isLate) return false;
    // What is wrong is found before the event is sent, and not while it is on its way.
    if (this.#transport.moment()) return true;
    this.#seen.send();
    if (this.steering !== null && event.to === null) {
      this.#seen.tell(`event ${event.send.type}`);
      this.steering.send(sidecar, this.#seen.sent - 1);
      return true;
    }
    if (how !== null) this.fired = true;
    if (how === 'missing') return true;
    for (let times = how === 'doubled' ? 2 : 1; times > 0; times -= 1) this.#deliver(hears, event.send);
    return true;
  }

  /** Who is sent an event again: whom the path sends it to. */
  #receiverAgain(sidecar: Sidecar, { type }: Event): Hearer | null {
    return receiverOf(sidecar, this.#path.events.find(({ send }) => send.type === type)?.to ?? null);
  }

  #deliver(hears: Hearer, event: Event): void {
    this.#seen.tell(`event ${event.type}`);
    this.#sends.set(event.type, (this.#sends.get(event.type) ?? 0) + 1);
    hears.send(event);
  }
}

/** A machine that events are sent to. */
interface Hearer {
  getSnapshot(): Snapshot | undefined;
  send(event: Event): void;
}

/** The machine of a run that an event is sent to; null where it is not there. */
function receiverOf({ actor }: Sidecar, to: string | null): Hearer | null {
  const root = actor as unknown as Hearer;
  return to === null ? root : (childNamed(root, to) ?? null);
}

/** The machine below another one that has an id, at any depth. */
function childNamed(hears: Hearer, id: string): Hearer | undefined {
  const children = Object.entries((hears.getSnapshot()?.children ?? {}) as Readonly<Record<string, Hearer>>);
  for (const [name, child] of children) if (name === id) return child;
  for (const [, child] of children) {
    const found = childNamed(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

function takes(hears: Hearer, event: Event, at: StateValue | null): boolean {
  const snapshot = hears.getSnapshot();
  if (snapshot?.status !== 'active' || typeof snapshot.can !== 'function' || !snapshot.can(event)) return false;
  return at === null || snapshot.matches(at as never);
}
