/**
 * The events of a run on their way to its actors. They wait while a plan is carried out or the run is parked. Events
 * that a restore took back are sent again into the same situation (semantics.md C1b, K3).
 */
import { instanceName } from '../../model/instance.ts';
import type { HeldEntry, Sent } from '../../model/message-entries.ts';
import { DUE_EVENT } from '../../model/obligation-entries.ts';
import { type Region, regionName } from '../../model/region.ts';
import { meets } from '../../projection/meets.ts';
import { HeardNow } from '../../projection/redelivery.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { ToRedeliver } from '../../projection/state-types.ts';
import type { Placed } from '../../recording/entry-states.ts';
import { RESTART } from '../../recording/record-step.ts';
import { owedActs } from '../../reports/obligations.ts';
import { stateText } from '../../reports/timeline.ts';
import type { ActorHandle, RuntimeEvent } from '../../runtime/microstep.ts';
import type { Machines, Origin, Runtime } from '../../runtime/runtime.ts';
import type { RunParts } from '../parts.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import { type Chunk, Chunks } from './chunks.ts';
import { keysOf, movedSince, movedText } from './shown.ts';
import type { SentEvent, Timers } from './timers.ts';
import { WaitingRoom } from './waiting-room.ts';

/** A waiting event, and the child at the time that it is news of; null if it is news of no child. */
interface Waiting {
  readonly ref: ActorHandle;
  readonly event: RuntimeEvent;
  readonly source: ActorHandle | null | undefined;
  /** Says if it is owed still when its turn comes: a restore since may have taken back what it tells of (C9). */
  readonly isOwed?: () => boolean;
  /** True where a step of the run had raised or sent it. */
  readonly isInner?: true;
  /** The number of an event from outside that the run holds: the journal has it. */
  readonly held?: number;
  /** Where one machine sent it to another: as the journal has it. */
  readonly sent: SentEvent | null;
  /** Present where a source sent it (CH8). */
  readonly chunk?: Chunk;
}

/** The surroundings of the deliveries of a run. */
interface DeliveryPort {
  readonly parts: Pick<RunParts, 'runState' | 'redeliver' | 'config' | 'lifecycle'>;
  readonly placed: readonly Placed[];
  readonly write: Writing;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly timers: Pick<Timers, 'sent' | 'isOnItsWay' | 'unheard'>;
  /** Tells a finding. */
  finds(code: string, text: string): void;
}

/** The deliveries of one run. */
export class Deliveries {
  readonly #port: DeliveryPort;
  readonly #backlog: Waiting[] = [];
  /** The event of another machine that is being handed on. */
  #handedOn: SentEvent | null = null;
  /** True while what had to wait is handed on, one after the other. */
  #isHandingOn = false;
  /** True while events that are part of what is being carried out come past what holds the others back. */
  #letThrough = false;
  readonly #heard: HeardNow;
  readonly chunks: Chunks;
  readonly #room = new WaitingRoom();

  constructor(port: DeliveryPort) {
    this.#port = port;
    this.#heard = new HeardNow(port.parts.runState.places);
    const { parts, runtime, actors, finds } = port;
    const { runState } = parts;
    const isHeld = () => this.#isHolding;
    this.chunks = new Chunks({ runState, runtime, actors, finds, isHeld });
    // The turns of a program wait for its rest.
    if (runtime.machines === null) return;
    for (const { held } of port.parts.runState.held) if (held !== null) this.#keep(held.number);
  }

  /** True while events from outside wait. */
  get isHolding(): boolean {
    const { lifecycle } = this.#port.parts;
    return !lifecycle.may('deliver') || this.#isHolding;
  }

  /** True where the run has an answer that its program has not heard: a process that takes the run up goes on with it. */
  get hasUnheard(): boolean {
    return this.#backlog.some(({ held }) => held === undefined);
  }

  /** True while events of the machine's own wait, or others that came before them. */
  get #isHolding(): boolean {
    return !this.#port.parts.lifecycle.may('answer') || (this.#backlog.length > 0 && !this.#isHandingOn);
  }

  /**
   * True where an event has to wait; it is delivered once nothing holds it back. An event from outside, or from another machine, is journaled: its
   * sender does not send it again.
   */
  keeps(ref: ActorHandle, event: RuntimeEvent, from?: Origin): boolean {
    // What comes to a run that has ended finds its machine at its end.
    if (this.#letThrough || this.#port.parts.runState.ended !== null) return false;
    const isOutside = from?.isOutside() === true && this.#port.actors.numberOf(ref) === 0;
    if (!(isOutside ? this.isHolding : this.#isHolding)) return this.chunks.keeps(ref, event, from);
    if (isOutside) {
      const full = this.fullFor(event);
      if (full === null) this.holdEvent(event, { post: null, by: null });
      else this.#refuseUnnamed(event, full);
      return true;
    }
    const chunk = this.chunks.of(ref, event, from);
    const again = this.#handedOn;
    const isAgain = again?.event === event && this.#port.actors.at(again.to) === ref;
    const sent = isAgain ? again : this.#sentBy(from?.sender() ?? null, ref, event);
    const source = this.#port.runtime.teller(ref, event);
    this.#backlog.push({ ref, event: sent?.event ?? event, source, sent, ...(chunk !== null && { chunk }) });
    return true;
  }

  #sentBy(sender: ActorHandle | null, ref: ActorHandle, event: RuntimeEvent): SentEvent | null {
    return sender === null ? null : this.#port.timers.sent(sender, ref, event);
  }

  /** The reason why an event may not join the held events (CH6); null if it may. */
  fullFor(event: object): string | null {
    const waiting = this.#port.parts.runState.held.map((one) => one.event as object);
    return this.#room.refusalOf(event, waiting);
  }

  /** Refuses an event that has neither a number nor an id: its sender asked for no outcome, so a finding says it. */
  #refuseUnnamed({ type }: RuntimeEvent, refused: string): void {
    const { write, finds } = this.#port;
    write.append([{ do: 'message', post: null, event: type, by: null, refused }]);
    finds('inbox_full', `${type} was refused: ${refused}`);
  }

  /** Holds an event from outside: the next process has it, too, and its sender may be told so once that is durable (CH6). */
  holdEvent(event: RuntimeEvent, from: Sent & Pick<HeldEntry, 'post' | 'by'>): void {
    const { parts, runtime, actors, placed, write } = this.#port;
    const root = actors.at(0);
    const regions = root === undefined ? [] : (runtime.machines?.takers(root, event) ?? []);
    const takers = regions.map((path) => {
      const region = regionName(0, path);
      const owner = parts.runState.ownerOf(region, placed)?.id;
      return [region, owner === undefined ? null : instanceName(owner)] as const;
    });
    const number = parts.runState.heldCount;
    write.append([{ do: 'held', ...from, event, takers }]);
    void write.durable().catch(() => {});
    this.#keep(number);
  }

  /** Holds the turn of a program: it waits for the run to rest. */
  holdTurn(event: RuntimeEvent, from: Sent & Pick<HeldEntry, 'post' | 'by'>): void {
    this.#port.write.append([{ do: 'held', ...from, event, takers: [] }]);
  }

  #keep(number: number): void {
    const { actors } = this.#port;
    const none = { source: null, sent: null, event: { type: '' } };
    this.#backlog.push({ ref: actors.at(0) as ActorHandle, ...none, held: number });
  }

  /**
   * Hands on the events that had to wait; those of actors that are no longer there are refused (K3).
   * @param isStarting true while the machine is being started. It takes what it is sent once its start is over: an event that is judged by where the
   * machine stands waits for that.
   */
  release(isStarting = false): void {
    if (this.#isHandingOn) return;
    this.#isHandingOn = true;
    try {
      while (this.#backlog.length > 0 && this.#port.parts.lifecycle.may('answer')) {
        if (isStarting && this.#isJudgedNext) return void queueMicrotask(() => this.release());
        if (!this.#offersInPlace()) this.#handOn(this.#backlog.shift() as Waiting);
      }
    } finally {
      this.#isHandingOn = false;
    }
  }

  #handOn({ ref, event, source, isOwed, isInner, sent, held, chunk }: Waiting): void {
    const { runtime, write, actors, parts } = this.#port;
    if (isOwed?.() === false) return;
    if (chunk !== undefined && (source === null || this.chunks.holdsBack(chunk))) {
      this.chunks.handOn(chunk);
      return;
    }
    if (held !== undefined) {
      // What a restore or a retry has taken back came before it.
      for (let left = Number.POSITIVE_INFINITY; parts.runState.toRedeliver.length < left; this.offer())
        left = parts.runState.toRedeliver.length;
      const waiting = parts.runState.held.find((one) => one.held?.number === held);
      if (waiting !== undefined) this.#handOnHeld(waiting);
      return;
    }
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

  /** Has an actor receive an event again whose step threw, before all that wait, if it still stands where it stood (TH1). */
  again(ref: ActorHandle, event: RuntimeEvent, isOwed: () => boolean): void {
    const source = this.#port.runtime.teller(ref, event);
    this.#backlog.unshift({ ref, event, source, isOwed, sent: null });
  }

  /** Has an actor take the eventless transitions of where it was put, before it hears of anything else. */
  settle(actor: number): void {
    const { actors, runtime } = this.#port;
    const ref = actors.at(actor);
    if (ref === undefined || runtime.machines === null) return;
    this.#backlog.unshift({ ref, event: { ...runtime.machines.settling }, source: null, sent: null });
  }

  /** Puts what a restore has taken back before all that waits, but for the eventless moves of where it led, and drops what is void (CH8). */
  takeBack(back: (later: readonly Chunk[]) => Chunk[]): void {
    const { settling } = this.#port.runtime.machines ?? {};
    const waits = this.#backlog.splice(0);
    const moves = waits.filter(({ event }) => event.type === settling?.type);
    const others = waits.filter(({ chunk, event }) => event.type !== settling?.type && chunk === undefined);
    const chunks = back(waits.flatMap(({ chunk }) => chunk ?? []));
    const none = { sent: null };
    const again = chunks.map((chunk): Waiting => {
      const { ref, event } = chunk;
      return { ref, event, source: this.#port.runtime.teller(ref, event), chunk, ...none };
    });
    this.#backlog.push(...moves, ...again, ...others);
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

  /** Sends an event that the run has held, or refuses it where the machine takes none such. */
  #handOnHeld({ event, held, name }: ToRedeliver): void {
    const { runtime, write, actors, parts } = this.#port;
    const root = actors.at(0);
    if (root === undefined || runtime.machines === null || held === null) return;
    const { machines } = runtime;
    const { number, post, by } = held;
    const { value, context } = parts.runState.actor(0);
    const said = this.saidOf(name);
    const moved = movedSince(said.seen, context, parts.runState);
    const isTaken = moved === null && machines.takers(root, event as RuntimeEvent).length > 0;
    const none = moved === null ? `the machine takes no ${typeOf(event)} in ${stateText(value)}` : movedText(moved);
    const refused = isTaken ? null : none;
    write.together(() => {
      write.append([{ do: 'message', post, ...said, held: number, event: typeOf(event), by, refused }]);
      if (isTaken) machines.send(root, event as RuntimeEvent);
    }, false);
    void write.durable().catch(() => {});
  }

  /** The words of the sender of an event, as the journal has them. */
  saidOf(name: string | null): Sent {
    const { id, digest, seen } = (name === null ? undefined : this.#port.parts.runState.received.get(name)) ?? {};
    return { ...(id !== undefined && { id }), ...(digest !== undefined && { digest }), ...(seen && { seen }) };
  }

  /** Refuses an event that was taken back whose sender was shown what is not so any more (CH5). @returns true where it was refused. */
  #isMoved({ name, held, event }: ToRedeliver): boolean {
    const { parts, write } = this.#port;
    const { runState } = parts;
    const said = this.saidOf(name);
    const moved = movedSince(said.seen, runState.actor(0).context, runState);
    const known = name === null ? undefined : runState.received.get(name);
    if (moved === null || known === undefined) return false;
    const { post, by } = known;
    const back = held === null ? {} : { held: held.number };
    write.append([{ do: 'message', post, ...said, ...back, event: typeOf(event), by, refused: movedText(moved) }]);
    void write.durable().catch(() => {});
    return true;
  }

  /**
   * Sends the next event that restores took back, if it meets the same situation again: after the events that its
   * regions wait for (C1b, CH10).
   */
  offer(): void {
    const { parts, runtime, actors } = this.#port;
    const root = actors.at(0);
    const { toRedeliver } = parts.runState;
    if (toRedeliver.length === 0 || root === undefined || runtime.machines === null) return;
    if (this.isHolding) return;
    if (this.#offerSteered(root, runtime.machines) || !parts.redeliver) return;
    const waiting = new Set<Region>();
    for (const back of [...toRedeliver]) {
      if (this.#isMoved(back)) continue;
      const isBehind = back.regions.some((region) => waiting.has(region));
      if (!isBehind && this.#meetsTheSame(back, root, runtime.machines)) {
        if (back.held === null) runtime.machines.send(root, back.event as RuntimeEvent);
        else this.#handOnHeld(back);
        return;
      }
      for (const region of back.regions) waiting.add(region);
    }
  }

  /** Hands on an event that an act has put in its place, or whose sender has said that it still holds (ST2, ST3). @returns true where there was one. */
  #offerSteered(root: ActorHandle, machines: Machines): boolean {
    const { toRedeliver } = this.#port.parts.runState;
    const isTaken = ({ event }: ToRedeliver) => machines.takers(root, event as RuntimeEvent).length > 0;
    const placed = toRedeliver.find((back) => this.#isInPlace(back));
    for (const back of [...toRedeliver])
      if (isDue(back) && !isOwed(back, this.#port.parts.runState)) this.#refuse(back, 'it is owed no more');
    const next = placed ?? toRedeliver.find((back) => (back.confirmed === true || isDue(back)) && isTaken(back));
    if (next === undefined) return false;
    if (!isTaken(next)) this.#refuseInPlace(next);
    else if (next.held === null) machines.send(root, next.event as RuntimeEvent);
    else this.#handOnHeld(next);
    return true;
  }

  /** True where what is handed on next is judged by where the machine stands. */
  get #isJudgedNext(): boolean {
    const [{ event, held } = { event: { type: '' }, held: undefined }] = this.#backlog;
    if (event.type === this.#port.runtime.machines?.settling.type) return false;
    return held !== undefined || this.#port.parts.runState.toRedeliver.some((back) => this.#isInPlace(back));
  }

  /** Hands an event on that has its place here, before anything else but the eventless moves of where a restore led. @returns true where there is one. */
  #offersInPlace(): boolean {
    const { parts, runtime } = this.#port;
    const isNext = parts.runState.toRedeliver.some((back) => this.#isInPlace(back));
    // A resting program asks for its next event by itself.
    if (runtime.machines === null) return false;
    if (!isNext || this.#backlog[0]?.event.type === runtime.machines?.settling.type || this.isHolding) return false;
    this.offer();
    return true;
  }

  /** True for an event that an act has put where the run stands: nothing has happened there since. */
  #isInPlace({ place }: ToRedeliver): boolean {
    if (place === undefined) return false;
    const since = this.#port.parts.runState.places.between(place - 1, Number.POSITIVE_INFINITY);
    return since.every(({ entry }) => entry === null || typeOf(entry.event) === RESTART);
  }

  /** An event says now what no state takes in its place: nothing comes of it. */
  #refuseInPlace(back: ToRedeliver): void {
    const { value } = this.#port.parts.runState.actor(0);
    this.#refuse(back, `the machine takes no ${typeOf(back.event)} in ${stateText(value)}`);
  }

  #refuse({ event, name }: ToRedeliver, refused: string): void {
    const { parts, write } = this.#port;
    const { post = null, by = null } = parts.runState.received.get(name ?? '') ?? {};
    const id = name === null || name.startsWith('#') ? {} : { id: name };
    write.append([{ do: 'message', post, ...id, event: typeOf(event), by, refused }]);
    void write.durable().catch(() => {});
  }

  #meetsTheSame(back: ToRedeliver, ref: ActorHandle, machines: Machines): boolean {
    const { runState, config } = this.#port.parts;
    const { context, value: control } = runState.actor(0);
    const event = back.event as RuntimeEvent;
    const { seen } = this.saidOf(back.name);
    const reads = seen === undefined ? (config.events.get(event.type)?.reads ?? null) : keysOf(seen);
    const heard = this.#heard;
    return meets(reads, back, {
      context,
      control,
      get takers() {
        return machines.takers(ref, event).map((path) => regionName(0, path));
      },
      get hasHeardTheSame() {
        return heard.isSame(back.heard);
      },
    });
  }
}

/** True for the event that says an obligation is due: it comes again as long as that is so (OB6). */
function isDue({ event }: ToRedeliver): boolean {
  return typeOf(event) === DUE_EVENT;
}

function isOwed({ event }: ToRedeliver, runState: RunState): boolean {
  const { obligation } = event as { readonly obligation?: unknown };
  return owedActs(runState).some(({ name }) => name === obligation);
}

function typeOf(event: unknown): string {
  return String((event as { readonly type?: unknown }).type);
}
