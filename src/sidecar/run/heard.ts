/** Dispatches the messages of an inbox that answer no request, each kind to the part of the run that acts on it. */
import type { SentEvent } from '../../effects/messages/sent-events.ts';
import type { EndEntry } from '../../model/message-entries.ts';
import type { ActorHandle } from '../../runtime/microstep.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import type { Hearers } from '../approvals/inbox.ts';
import type { Attempting } from '../attempts/attempting.ts';
import type { Calls } from '../calls/calls.ts';
import type { LeftActs } from '../calls/left-acts.ts';
import type { Judging } from '../commits/judging.ts';
import type { Outbox } from '../commits/outbox.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { Mandates } from '../mandates/mandates.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import { Cancelling } from './cancelling.ts';
import type { Choosing } from './choosing.ts';
import type { Complaints } from './complaints.ts';
import type { Messages } from './messages.ts';
import type { Owing } from './owing.ts';
import type { Pauses } from './pauses.ts';
import { SentComplaints } from './sent-complaints.ts';
import { SentOutcomes } from './sent-outcomes.ts';

/** The surroundings of what messages bring to a run. */
interface HeardPort {
  readonly parts: RunParts;
  readonly write: Writing;
  readonly runtime: Runtime;
  readonly calls: Calls;
  readonly outbox: Outbox;
  readonly recovering: Recovering;
  readonly owing: Pick<Owing, 'answer'>;
  readonly left: LeftActs;
  readonly attempting: Attempting;
  readonly choosing: Pick<Choosing, 'begin'>;
  readonly events: Messages;
  readonly run: {
    readonly pauses: Pauses;
    readonly mandates: Mandates;
    readonly judging: Pick<Judging, 'begin'>;
    readonly root: ActorHandle | undefined;
    readonly complaints: Complaints;
    settled(): void;
    /** The root was started. */
    begun(): void;
  };
  unheard(): Pick<EndEntry, 'heard' | 'untaken'>;
  /** Reads the messages that were left for the run. */
  look(): void;
  /** The complaints that were left are answered. */
  answered(): void;
}

/** The events, complaints and cancels that messages have brought to one run. */
export class Heard implements Hearers {
  readonly #port: HeardPort;
  readonly #complaints: SentComplaints;
  readonly #cancelling: Cancelling;
  readonly #outcomes: SentOutcomes;

  constructor(port: HeardPort) {
    const { run, runtime } = port;
    this.#port = port;
    const stopMachine = () => run.root !== undefined && runtime.stop(run.root);
    this.#complaints = new SentComplaints({ ...port, complaints: run.complaints });
    this.#outcomes = new SentOutcomes(port);
    this.#cancelling = new Cancelling({ ...port, stopMachine });
  }

  settled(): void {
    void this.#port.recovering.askAgain();
  }

  said(): void {
    this.#port.choosing.begin();
    this.#port.run.judging.begin();
  }

  event(...[post, sent]: Parameters<Hearers['event']>): void {
    this.#port.events.take(post, sent);
    queueMicrotask(() => this.#port.events.offer());
  }

  /** The event that has an id already; undefined where none has. */
  known(id: string): { readonly digest?: string } | undefined {
    return this.#port.events.known(id);
  }

  /** Sends an event, as soon as the machine can be sent it. @param post the number of its message; null for the program's own. */
  receive(post: number | null, sent: SentEvent): void {
    this.#port.events.take(post, sent);
    this.#port.events.offer();
  }

  /** Holds the events that came before the run was taken up, where something is to be answered first. */
  holdEvents(): void {
    const { open, pending } = this.#port.parts.runState;
    if (open.size > 0 || pending !== null) this.#port.events.hold();
  }

  complaint(...[post, sent]: Parameters<Hearers['complaint']>): void {
    this.#complaints.take(post, sent);
  }

  cancel(...[post, sent]: Parameters<Hearers['cancel']>): void {
    this.#cancelling.take(post, sent);
  }

  /** @see {@link Cancelling.say} */
  sayCancel(sent: Parameters<Cancelling['say']>[0]): Promise<void> {
    return this.#cancelling.say(sent);
  }

  pause(...[post, sent]: Parameters<Hearers['pause']>): void {
    this.#port.run.pauses.take(post, sent);
  }

  outcome(...[post, sent]: Parameters<Hearers['outcome']>): void {
    this.#outcomes.take(post, sent);
  }

  retry(...[post, sent]: Parameters<Hearers['retry']>): void {
    this.#port.recovering.retrying.take(post, sent);
  }

  steer(...[post, sent]: Parameters<Hearers['steer']>): void {
    this.#port.recovering.steering.take(post, sent);
  }

  mandate(...[post, sent]: Parameters<Hearers['mandate']>): void {
    this.#port.run.mandates.take(post, sent);
  }

  keep(...[post, sent]: Parameters<Hearers['keep']>): void {
    this.#port.attempting.take(post, sent);
  }

  /** Another attempt was kept: the run is aborted. */
  loses(sent: Parameters<Cancelling['take']>[1]): void {
    this.#cancelling.loses(sent);
  }

  /** Answers what has waited for the root, once it takes events; where the run has no machine, at once. */
  beginWith(root: ActorHandle): void {
    const begin = () => {
      this.#port.events.offer();
      this.#complaints.begin();
      this.#cancelling.begin();
      this.#port.recovering.retrying.begin();
      this.#port.recovering.steering.begin();
      this.#outcomes.begin();
      this.#port.attempting.begin();
    };
    const { machines } = this.#port.runtime;
    const begun = () => this.#port.run.begun();
    if (machines !== null)
      machines.onceTold(root, () => {
        begun();
        queueMicrotask(begin);
      });
    else
      queueMicrotask(() => {
        begun();
        begin();
      });
  }

  /** True while an event waits to be sent. */
  get hasEvents(): boolean {
    return this.#port.events.isWaiting;
  }

  /** True while a complaint has no answer: a run that is taken up goes on behind it. */
  get hasComplaints(): boolean {
    return this.#complaints.isWaiting;
  }

  /** The run has ended: reads its last messages, and refuses the complaints among them. */
  async refuseComplaints(): Promise<void> {
    await this.#port.parts.journal.catchUp();
    this.#port.look();
    await this.#complaints.refuseAll();
  }

  /** @see {@link Messages.holdTurns} */
  holdTurns(post: number | null): void {
    this.#port.events.holdTurns(post);
  }

  /** Sends the events that can be sent now. */
  offer(): void {
    this.#port.events.offer();
  }

  /** @see {@link Cancelling.end} */
  endCancelled(): Promise<boolean> {
    return this.#cancelling.end();
  }

  /** @see {@link Cancelling.goOn} */
  cancelOn(): void {
    this.#cancelling.goOn();
  }
}
