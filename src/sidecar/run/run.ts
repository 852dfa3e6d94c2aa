/**
 * One run under the sidecar, put together from its parts. The runtime's steps are recorded and folded in; failures go
 * to the recoveries, and their decisions come back as a restore, in place (semantics.md §10, §11).
 */
import { Turns } from '../../clock/turns.ts';
import type { SentEvent } from '../../effects/messages/sent-events.ts';
import type { Decision } from '../../model/decision.ts';
import type { DismissalReason } from '../../model/entry.ts';
import { eventType } from '../../model/reply-event.ts';
import { turnIn } from '../../model/turn-event.ts';
import { isForgedMove } from '../../projection/forged-move.ts';
import type { RunState } from '../../projection/run-state.ts';
import { CLAIMED, type WorkRecord } from '../../projection/set-aside/records.ts';
import { placedIn } from '../../recording/entry-states.ts';
import { Macrosteps } from '../../recording/macrosteps.ts';
import { StepRecorder } from '../../recording/record-step.ts';
import { Verifier } from '../../recording/verify.ts';
import type { ActorHandle, Microstep, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Armed, Call, Crash, Origin, Runtime, Watcher } from '../../runtime/runtime.ts';
import { Approvals } from '../approvals/approvals.ts';
import { Attempting } from '../attempts/attempting.ts';
import { Calls } from '../calls/calls.ts';
import { LeftActs } from '../calls/left-acts.ts';
import { Announcing } from '../commits/announcing.ts';
import { Judging } from '../commits/judging.ts';
import type { Outbox } from '../commits/outbox.ts';
import type { RestoredParts } from '../failures/recovered-machine.ts';
import { Recovering } from '../failures/recovering.ts';
import type { RunStatus } from '../lifecycle/status.ts';
import { Mandates } from '../mandates/mandates.ts';
import type { RunParts } from '../parts.ts';
import { RecoveryQueries } from '../queries/recovery-queries.ts';
import { Reuse } from '../reuse.ts';
import { Writing } from '../writing.ts';
import { Actors } from './actors.ts';
import { Calling } from './calling.ts';
import { Choosing } from './choosing.ts';
import { Claiming } from './claiming.ts';
import { Complaints } from './complaints.ts';
import { Deliveries } from './deliveries.ts';
import { RunEnd } from './ending.ts';
import { Heard } from './heard.ts';
import { Messages } from './messages.ts';
import { Owing } from './owing.ts';
import { Pauses } from './pauses.ts';
import { outboxOf, papersOf, readsIn } from './ports.ts';
import { Restoring } from './restoring.ts';
import { Steps } from './steps.ts';
import { Timers } from './timers.ts';

/** A run. */
export class Run implements Watcher {
  readonly parts: RunParts;
  readonly runtime: Runtime;
  readonly write: Writing;
  readonly calls: Calls;
  readonly approvals: Approvals;
  readonly complaints: Complaints;
  readonly queries: RecoveryQueries;
  readonly end: RunEnd;
  /** The failures that were raised, decided and waited for. */
  readonly recovering: Recovering;
  readonly #actors = new Actors();
  readonly #turns: Turns;
  readonly #outbox: Outbox;
  readonly reuse: Reuse;
  readonly #deliveries: Deliveries;
  readonly #timers: Timers;
  readonly #steps: Steps;
  readonly #calling: Calling;
  readonly #restoring: Restoring;
  readonly #claiming: Claiming;
  readonly left: LeftActs;
  readonly choosing: Choosing;
  readonly attempting: Attempting;
  readonly announcing: Announcing;
  readonly owing: Owing;
  readonly heard: Heard;
  readonly pauses: Pauses;
  readonly mandates: Mandates;
  readonly judging: Judging;
  /** True while the machine of a run that is taken up was not started yet, and claims wait for that. */
  #wakes = false;

  /** @param execute makes what executes the run: it tells the run, once it is asked to make the root. */
  constructor(parts: RunParts, execute: (watcher: Watcher) => Runtime, input: unknown) {
    this.#turns = new Turns(parts);
    const runtime = execute(this);
    const write = new Writing(parts);
    const actors = this.#actors;
    const placed = placedIn(parts.config.skeletons.values(), (path) => runtime.placeAt(path));
    const verifier = parts.verify ? new Verifier() : null;
    const recorder = new StepRecorder(parts, placed, verifier);
    const queries = new RecoveryQueries(parts, placed, runtime);
    const approvals = new Approvals(parts, write, () => this.heard);
    this.attempting = new Attempting({ parts, write, run: this });
    this.mandates = new Mandates({ parts, write, run: this });
    this.reuse = this.#reuseOf(parts);
    const { attempting, mandates, reuse } = this;
    const toolNamed = (name: string) => runtime.toolNamed(name);
    const calls = new Calls(parts, write, approvals, { toolNamed, attempting, mandates });
    const outbox = outboxOf(parts, { write, calls, runtime, mandates }, () => this.recovering);
    const helpers = { write, calls, queries, approvals, outbox, ...papersOf(parts, runtime) };
    const recovering = new Recovering(parts, this, helpers);
    this.judging = new Judging({ parts, write, calls, approvals, run: this });
    const { runState } = parts;
    const macrosteps = new Macrosteps(runState.places);
    const finds = this.finds.bind(this);
    const timers = new Timers({ parts, write, actors, macrosteps });
    const deliveries = new Deliveries({ parts, placed, write, runtime, actors, timers, finds });
    const events = new Messages({ parts, write, runtime, actors, deliveries });
    const left = new LeftActs(parts, write);
    const shared = { parts, runState, placed, write, runtime, actors, recorder, queries, reuse, outbox, calls };
    const choosing = new Choosing({ parts, write, runtime, actors, deliveries, recovering, approvals, finds });
    this.announcing = new Announcing(parts, write, choosing.branches);
    this.owing = new Owing({ parts, write, runtime, actors, deliveries, events, recovering });
    const { judging, announcing, owing } = this;
    const beside = { attempting, announcing, owing, judging, choosing, verifier, now: parts.now };
    const common = { ...shared, ...beside, left, deliveries, macrosteps, timers, recovering };
    const unheard = () => unheardOf(runState, approvals.looked, events.waiting);
    const mail = { hasMail: () => approvals.hasMail, isAccused: () => this.#isAccused(), unheard };
    this.end = new RunEnd({ ...common, ...mail, input });
    const restoring = new Restoring({ ...common, look: () => this.#look(), finds });
    const steps = new Steps({ ...common, over: (output) => this.end.over(output) });
    this.parts = parts;
    this.runtime = runtime;
    this.approvals = approvals;
    this.queries = queries;
    this.complaints = new Complaints(parts, write, queries);
    this.pauses = new Pauses({ ...common, run: this });
    const answers = { events, unheard, answered: () => void this.end.try(), look: () => approvals.poll() };
    this.heard = new Heard({ ...common, ...answers, run: this });
    this.left = left;
    this.choosing = choosing;
    this.recovering = recovering;
    this.write = write;
    this.calls = calls;
    this.#outbox = outbox;
    this.#deliveries = deliveries;
    this.#timers = timers;
    this.#steps = steps;
    this.#calling = new Calling(common);
    this.#restoring = restoring;
    this.#claiming = new Claiming({ ...common, restoring, steps });
    this.#listens();
    restoring.verifyAgain();
  }

  /** Has the parts of the run go on with what others have made known. */
  #listens(): void {
    const { lifecycle } = this.parts;
    this.write.onOutcome((keys) => {
      this.approvals.wake();
      this.recovering.settled(keys);
      this.left.settled(keys);
      this.choosing.begin();
      this.owing.begin();
    });
    lifecycle.whenever('rest', () => this.calls.sandboxes.rest());
    this.calls.sandboxes.whenLost(() => {
      if (this.runState.asked.cancelled === null) this.recovering.raiseGone();
    });
    this.calls.reconciling.whenReturned(() => void this.recovering.askAgain());
    for (const question of ['answer', 'deliver'] as const) lifecycle.whenever(question, () => this.#goOn());
    lifecycle.whenever('leave', () => this.heard.offer());
    // Answers, events and calls wait for claims.
    lifecycle.whenever('claim', () => this.reuse.begin());
  }

  #reuseOf(parts: RunParts): Reuse {
    const { runState, lifecycle } = parts;
    return new Reuse(runState, {
      lifecycle,
      turns: this.#turns,
      claim: (live, record) => this.#claiming.claim(live.id, record),
      dismiss: (record, why) => this.dismiss(record, why),
      settled: () => this.settled(),
      readsOf: readsIn(parts),
      seen: (context) => this.runtime.seen(context),
      asks: () => this.runtime.enterable?.asks ?? null,
    });
  }

  get root(): ActorHandle | undefined {
    return this.actorAt(0);
  }

  get runState(): RunState {
    return this.parts.runState;
  }

  /** The word for the run: how it has ended, or how it stands. */
  get status(): Exclude<RunStatus, 'over'> | 'done' | 'cancelled' | 'compensated' {
    const { status } = this.parts.lifecycle;
    if (status !== 'over') return status;
    const { ended } = this.runState;
    return ended === 'cancelled' || ended === 'compensated' ? ended : 'done';
  }

  /** Waits until the calls that are under way have answered; the machine hears of it when the run is taken up. */
  async drain(longest: number): Promise<void> {
    this.parts.lifecycle.drains();
    await this.calls.underWay.drain(longest);
  }

  steps(ref: ActorHandle, seen: readonly Microstep[]): void {
    this.#steps.take(ref, seen);
    this.choosing.begin();
    // Where the machine stands, it says behind its step.
    if (this.owing.isWaiting) queueMicrotask(() => this.owing.begin());
    if (this.heard.hasEvents) queueMicrotask(() => this.heard.offer());
  }

  crashed(ref: ActorHandle, crash: Crash): Promise<void> {
    return this.#steps.crashed(ref, crash);
  }

  stops(ref: ActorHandle, event: RuntimeEvent, from?: Origin): boolean {
    return (
      this.write.broken !== null ||
      this.#isForged(ref, event, from) ||
      this.choosing.stops(ref, event, from) ||
      this.#deliveries.keeps(ref, event, from)
    );
  }

  /** True for an event from outside that only the sidecar sends; a finding says so (OB6, CO11). */
  #isForged(ref: ActorHandle, event: RuntimeEvent, from?: Origin): boolean {
    if (from?.isOutside() !== true || this.#actors.numberOf(ref) !== 0) return false;
    const isDue = this.owing.isForged(event);
    if (!isDue && !isForgedMove(this.runState.received, event)) return false;
    if (isDue) this.finds('due_refused', `${event.type} was sent from outside: only the sidecar says what is due`);
    else this.finds('moved_refused', `${event.type} was sent from outside: only the sidecar says that a run was moved`);
    return true;
  }

  call(call: Call): Promise<unknown> {
    return this.#calling.call(call);
  }

  holdsEnd(output: unknown): boolean {
    return this.end.holds(output);
  }

  endsTurn(...turn: Parameters<Watcher['endsTurn']>): void {
    this.end.endsTurn(...turn);
  }

  toComeAgain(type: string): readonly RuntimeEvent[] {
    // The answer to a question comes again where an act on it says another one: then it has a place.
    const all = this.runState.toRedeliver.filter(({ event, place }) => turnIn(event) !== null || place !== undefined);
    return all.map(({ event }) => event as RuntimeEvent).filter((event) => event.type === type);
  }

  awaitsInput(): void {
    queueMicrotask(() => this.heard.offer());
  }

  turnNamed(id: string): ReturnType<Watcher['turnNamed']> {
    const back = this.runState.toRedeliver.map(({ event }) => event as RuntimeEvent).find((event) => event.id === id);
    const ended = this.runState.turns.named(id);
    return back === undefined ? ended : { nth: Number(back.turn), is: String(back.is) };
  }

  failedToBegin(error: unknown): void {
    this.end.failedToBegin(error);
  }

  started(): void {
    this.write.started();
  }

  /** The machine of a run that is taken up takes events: what a claim does to it counts for the next one (C5). */
  woken(): void {
    this.#wakes = false;
    this.begun();
    this.reuse.begin();
  }

  stopping(): void {
    this.parts.lifecycle.leaves();
    this.approvals.stop();
    this.choosing.stop();
    this.attempting.stop();
    this.owing.stop();
    this.recovering.stop();
    this.write.now();
  }

  adopted(ref: ActorHandle, number: number): void {
    this.#steps.adopted(ref, number);
  }

  armed(ref: ActorHandle, timer: Armed): void {
    this.#timers.armed(ref, timer);
  }

  disarmed(ref: ActorHandle, id: string): void {
    this.#timers.disarmed(ref, id);
  }

  epochIn(path: string): number {
    return this.#calling.epochIn(path);
  }

  isUnasked(ref: ActorHandle): boolean {
    const number = this.#actors.numberOf(ref);
    if (number === undefined || this.mayStand(ref)) return false;
    return eventType(this.runState.actor(number).event) === CLAIMED;
  }

  mayStand(ref: ActorHandle): boolean {
    const number = this.#actors.numberOf(ref);
    const call = number === undefined ? undefined : this.runState.ledger.ofActor(number);
    return call !== undefined && call.status !== 'failed' && call.status !== 'compensated';
  }

  finds(code: string, text: string): void {
    const finding = { do: 'finding', code, instance: null, text } as const;
    this.write.append([finding]);
    this.parts.onFinding(finding);
  }

  /**
   * Reads the messages of the run, if its journal can be read; a failed journal reports its failure at the next write.
   */
  #look(): void {
    try {
      this.approvals.poll();
    } catch {
      // The next look may find it well.
    }
  }

  /** Reads the messages of the run. @returns true where one is a complaint that has no answer yet. */
  #isAccused(): boolean {
    try {
      this.approvals.poll();
    } catch {
      // A journal that has failed says so where it is written, and ends no run.
      return true;
    }
    return this.heard.hasComplaints;
  }

  readonly actorAt = (number: number): ActorHandle | undefined => this.#actors.at(number);

  restore(restored: RestoredParts, inPlace: boolean): void {
    this.end.undone();
    this.#restoring.restore(restored, inPlace);
  }

  putContext(actor: number): void {
    this.#restoring.putContext(actor);
  }

  /** Has every machine of a run that is taken up go on from where it stands. */
  settleAll(): void {
    this.left.takenUp();
    this.#restoring.settleAll();
    if (!this.reuse.isPending) return;
    this.#wakes = true;
    const root = this.#actors.at(0);
    if (root !== undefined) this.runtime.wake(root);
  }

  dismiss(record: WorkRecord, why: DismissalReason, wrong: readonly string[] = []): void {
    this.#claiming.dismiss(record, why, wrong);
  }

  refuseComplaints(): Promise<void> {
    return this.heard.refuseComplaints();
  }

  beginAgain(): boolean {
    return this.end.beginAgain();
  }

  /** @see Deliveries.hasUnheard */
  get hasUnheard(): boolean {
    return this.#deliveries.hasUnheard;
  }

  /** Sends the next event again that restores took back, where it meets what it met then (C1b). */
  offer(): void {
    this.#deliveries.offer();
  }

  holdTurns(post: number | null): void {
    // What was left before the program's own word is before it.
    if (post === null && this.runtime.receives !== null) this.#look();
    this.heard.holdTurns(post);
  }

  receive(post: number | null, sent: SentEvent): void {
    this.heard.receive(post, sent);
  }

  /** The root was started: it takes events, unless the claims of what was set aside come first. */
  begun(): void {
    if (this.#wakes) return;
    this.parts.lifecycle.note({ machine: 'awake' });
    // What is sent again is judged where these lead.
    this.#deliveries.release(true);
  }

  /** A recovery is over: what it held back goes on. */
  settled(): void {
    const { lifecycle } = this.parts;
    if (lifecycle.waits('ask')) return;
    if (this.runState.asked.cancelled !== null) this.heard.cancelOn();
    else if (this.reuse.isPending) this.reuse.begin();
    else {
      this.offer();
      this.choosing.begin();
      this.attempting.begin();
      this.#outbox.begin();
      this.announcing.begin();
      this.owing.begin();
      this.judging.begin();
      void this.end.try();
    }
  }

  /** Hands on what has waited. */
  #goOn(): void {
    this.#deliveries.release();
    this.settled();
  }

  /** Something of the run waits for another mandate. */
  lacksMandate(decision: Decision): void {
    this.recovering.tellParked(decision);
  }

  /** The run has a mandate again: what has waited for it goes on. */
  mandated(): void {
    this.recovering.mandated();
    this.owing.begin();
    if (this.root !== undefined) this.settled();
  }

  /** Appends an entry that may hold calls back; in the same commit asks a person about owed obligations (OB7). */
  besideOwed(append: () => void): void {
    this.owing.beside(append);
  }

  /** Releases what a boundary releases, behind its verdict. */
  released(): void {
    void this.#steps.release();
  }

  /** The run goes on where a pause had stood it still: what is in question comes first. */
  unpaused(): void {
    // One that is being taken up goes on by itself once its machine is there.
    if (this.root === undefined) return;
    this.recovering.unpaused();
    this.settled();
  }
}

/** The messages that a run has looked at, and the events among them that no state has taken. */
function unheardOf({ toRedeliver, held }: RunState, heard: number, waiting: number) {
  const untaken = toRedeliver.length + held.length + waiting;
  return { heard, ...(untaken > 0 && { untaken }) };
}
