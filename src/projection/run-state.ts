/**
 * A run as its journal tells it: one fold of the entries, the same whether they are being written or read back after a crash
 * (architecture.md). The history that decisions read, the places of control, the ledger, the memories and what is under way
 * are parts of it. It does no IO.
 */

import { Budgets } from '../effects/budgets.ts';
import { ApprovalRequests } from '../effects/gates.ts';
import { keyFormOf } from '../effects/keys.ts';
import { Ledger, type LedgerCall, statusOf } from '../effects/ledger.ts';
import { fold } from '../history/context.ts';
import { extentOf } from '../history/extent.ts';
import { History } from '../history/history.ts';
import { type Place, type PlacedStep, Places } from '../history/places.ts';
import { encode } from '../journal/codec.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { Decision } from '../model/decision.ts';
import { isOpen } from '../model/effect.ts';
import type {
  ControlEntry,
  DecisionEntry,
  Digests,
  Entry,
  HistoryValue,
  IntentEntry,
  OutcomeEntry,
  PublishEntry,
  Started,
  StepEntry,
} from '../model/entry.ts';
import type { HistoryEvent } from '../model/event.ts';
import { isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { type Key, overlaps, parseKey } from '../model/key.ts';
import type { RedactionRules } from '../model/redaction.ts';
import { type Region, regionName, split } from '../model/region.ts';
import { answeringChild, endedChild, isDelay } from '../model/reply-event.ts';
import { changeOf } from './edits.ts';
import { ExternalVersions } from './external-versions.ts';
import { Occurrences } from './occurrences.ts';
import { Positions } from './positions.ts';
import { recordOf, type WorkRecord } from './records.ts';
import { Redaction } from './redaction.ts';
import { contextBefore, type Kept, eventsToRedeliver as redeliveredBy, rollBack, undoneSteps } from './rollback.ts';
import type { ActorState, Live, Pending, RecordedStep, Timer, ToRedeliver } from './state-types.ts';
import { Translating, type Translation } from './translate.ts';

/** How many steps of an actor at most have to be folded to make a memory again. */
const BASE_EVERY = 64;
const NOTHING: readonly never[] = [];
const UNCHANGED: HistoryValue = {};

/** The state of a run. */
export class RunState {
  readonly history = new History();
  readonly places = new Places<RecordedStep>();
  readonly ledger = new Ledger();
  /** What was asked of people, and what they said. */
  readonly asked = new ApprovalRequests();
  readonly budgets = new Budgets();
  /** The commits whose calls are not all visible yet (E4), in their order. */
  publications: PublishEntry[] = [];
  /** The reads and writes of things that staging areas hold. */
  readonly positions = new Positions(this.ledger);
  readonly actors: ActorState[] = [];
  readonly live = new Map<string, Live>();
  timers: Timer[] = [];
  /** The work that was set aside and is not claimed, by the name of its instance (C3). */
  readonly records = new Map<string, WorkRecord>();
  /** The occurrences of every skeleton and entity: which were used, and which may be taken up again (K2, C5). */
  readonly occurrences = new Occurrences();
  /** The versions of keys outside of the memory. */
  readonly versions = new ExternalVersions();
  /** How often each budget was charged (R6), and the run. */
  readonly spent = new Map<string, number>();
  readonly epochs = new Map<string, number>();
  /** The events from outside that restores took back and that have not come again, in order. */
  toRedeliver: ToRedeliver[] = [];
  recoveries = 0;
  agent: string | null = null;
  digests: Digests | null = null;
  /** The codecs of values that have no form of their own. */
  readonly codecs: readonly ValueCodec[];
  /** What people are not shown of it. */
  readonly redaction = new Redaction();
  /** Under which the digests of arguments are made; null in a run of an earlier version. */
  secret: string | null = null;
  /** The number of the last event under other digests than the present ones. */
  staleUpTo = 0;
  /** The decisions that the run waits on, by what failed: each stands until that is decided anew, or undone. */
  readonly open = new Map<string, DecisionEntry>();
  pending: Pending | null = null;
  ended: 'done' | 'stopped' | null = null;
  time = 0;

  readonly #onEvent: (event: HistoryEvent, number: number) => void;

  readonly #onUndo: (id: InstanceId, after: number) => void;

  /**
   * @param onEvent is told of every event of the history with its number, for whoever writes a trace.
   * @param onUndo is told of every instance whose events after a number are undone.
   * @param codecs are those of the caller's, where the run goes on.
   */
  constructor(
    onEvent: (event: HistoryEvent, number: number) => void = () => {},
    onUndo: (id: InstanceId, after: number) => void = () => {},
    codecs: readonly ValueCodec[] = [],
  ) {
    this.codecs = codecs;
    this.#onEvent = onEvent;
    this.#onUndo = onUndo;
  }

  #undo(id: InstanceId, after: number): void {
    const record = this.history.registry.get(id);
    const writes = record === undefined ? [] : this.history.versions.writesBetween(record, after, this.history.head);
    this.occurrences.unwrote(
      id,
      writes.map(({ key }) => key),
    );
    this.history.undo(id, after);
    this.#onUndo(id, after);
  }

  get steps(): readonly RecordedStep[] {
    return this.places.steps;
  }

  #happen(event: HistoryEvent, origin?: number): number {
    const number = this.history.apply(event);
    if (event.do === 'write' && isExternal(event.key))
      this.versions.wrote(event.key, number, instanceName(event.in), origin ?? number);
    this.#onEvent(event, number);
    return number;
  }

  /** Folds an entry in. `memory` is its actor's context where the machine is at hand; else it is folded from the edits. */
  apply(entry: Entry, time: number, context?: unknown): void {
    this.#apply(entry, time, context);
    if (this.redaction.isActive)
      this.redaction.take(entry, { actors: this.actors, toolOf: (key) => this.ledger.get(key)?.intent.tool });
  }

  /** Takes rules of a later config in, and learns what they are about of what there is already. */
  #redact(rules: RedactionRules | undefined): void {
    if (rules === undefined) return;
    const run = { actors: this.actors, toolOf: (key: string) => this.ledger.get(key)?.intent.tool };
    this.redaction.add(rules);
    for (const { started, context } of this.actors) this.redaction.context(started?.id ?? null, context);
    for (const { key, intent, status, output } of this.ledger.all()) {
      this.redaction.take(intent, run);
      this.redaction.take({ do: 'outcome', key, status, output }, run);
    }
  }

  #apply(entry: Entry, time: number, context?: unknown): void {
    this.time = time;
    switch (entry.do) {
      case 'begin':
        this.agent = entry.agent;
        this.digests = entry.digests;
        this.secret = entry.secret ?? null;
        this.ledger.form = keyFormOf(entry.format, this.secret);
        this.redaction.add(entry.redact);
        this.#actor(null, null, null, null, null);
        break;
      case 'config':
        this.digests = entry.digests;
        this.#redact(entry.redact);
        this.staleUpTo = this.history.head;
        break;
      case 'step':
        this.#step(entry, context);
        break;
      case 'intent':
        this.#intent(entry);
        break;
      case 'outcome':
        if (entry.status === 'confirmed') this.#told(entry.key);
        this.#outcome(entry);
        break;
      case 'timer':
        this.#timer(entry);
        break;
      case 'decision':
        this.#decision(entry);
        break;
      case 'phase':
        this.#phase(entry);
        break;
      case 'restored':
        this.#restored(entry);
        if (this.pending !== null) this.pending.phase = 'RESTORED';
        break;
      case 'claimed':
        this.#claimed(entry.instance);
        break;
      case 'dismissed':
        this.#dismissed(entry.instance);
        // Calls that change nothing are not in the ledger: it may have been the answer of one of those.
        for (const key of entry.wrong ?? []) this.ledger.distrust(key, false);
        break;
      case 'passed':
        for (const control of entry.controls) this.#putWhole(control);
        break;
      case 'finding':
        this.#finding(entry);
        break;
      case 'end':
        this.ended = entry.status;
        break;
      case 'leave':
        this.asked.use(entry.gate);
        this.#told(entry.key);
        this.#outcome({ do: 'outcome', key: entry.key, status: 'intended' });
        break;
      case 'demoted':
        this.#demote(entry.key);
        break;
      case 'asked': {
        const call = this.ledger.get(entry.key);
        if (call !== undefined) call.asked = { tries: entry.tries, next: entry.next };
        break;
      }
      case 'gate':
        this.asked.ask(entry, time);
        break;
      case 'answer':
        this.asked.answer(entry);
        break;
      case 'publish':
        this.#answeredBy(entry);
        this.publications.push(entry);
        for (const key of entry.keys) this.#outcome({ do: 'outcome', key, status: 'intended' });
        break;
      case 'withdrawn':
        this.#withdrawn(entry.id);
        break;
      case 'retracted':
        this.#retracted(entry.questions);
        break;
      case 'position':
        this.positions.read(entry, this.actor(entry.actor).by);
        break;
      case 'spend':
        this.budgets.apply(entry);
        break;
      case 'late':
        break;
    }
  }

  /** The actor with a number. */
  actor(number: number): ActorState {
    return this.actors[number] as ActorState;
  }

  /** The live instance that a state belongs to: the one of the innermost region that covers it. */
  ownerOf(
    region: Region,
    placed: readonly {
      readonly skeleton: { readonly name: string; readonly states: readonly string[] };
      readonly prefix: string;
    }[],
  ): Live | undefined {
    const [actor, path] = split(region);
    let owner: Live | undefined;
    for (const live of this.live.values()) {
      const of = placed.find(({ skeleton }) => skeleton.name === live.id.skeleton);
      if (of === undefined || split(live.region)[0] !== actor) continue;
      const full = `${of.prefix}${path}`;
      if (!of.skeleton.states.some((state) => full === state || full.startsWith(`${state}.`))) continue;
      if (owner === undefined || this.places.within(live.region, owner.region)) owner = live;
    }
    return owner;
  }

  /** The number under which a write happened first: claims give it others (C6, C12). */
  originOf(at: number): number {
    const step = this.places.steps[this.places.stepAt(at)];
    if (step === undefined || step.origins === null || step.entry === null) return at;
    let number = step.act;
    for (const [index, mark] of step.entry.marks.entries()) {
      if (mark.do !== 'enter') number += 1;
      if (number === at && mark.do !== 'enter') return step.origins[index] ?? at;
    }
    return at;
  }

  /** The region without numbers of actors: the ids of invokes and the paths of states from the root (C5). */
  structureOf(region: Region): string {
    const [number, path] = split(region);
    const { parent, started, region: around } = this.actor(number);
    if (parent === null || started === null) return path;
    return `${this.structureOf(around ?? regionName(parent, ''))}/${started.at ?? ''}#${started.id}:${path}`;
  }

  #actor(
    parent: number | null,
    started: Started | null,
    event: unknown,
    region: Region | null,
    by: PlacedStep | null,
  ): void {
    const number = this.actors.length;
    this.actors.push({
      sinceBase: 0,
      number,
      parent,
      started,
      by,
      event,
      last: undefined,
      region,
      context: undefined,
      value: '',
      remembered: {},
      begun: false,
      ended: null,
    });
    this.places.actors.push({ parent, at: region === null ? '' : split(region)[1], started: by });
  }

  /** Folds a step in. `around` has what its own words do not say: where it is a record's, done again. */
  #step(entry: StepEntry, context: unknown, around: Partial<Translation> = {}): RecordedStep {
    const actor = this.actor(entry.actor);
    let entered: readonly string[] = NOTHING;
    for (const mark of entry.marks) {
      if (mark.do !== 'enter') continue;
      this.#happen(mark);
      entered = [...entered, instanceName(mark.in)];
      if (mark.in.skeleton !== ROOT) this.occurrences.used(mark.in);
    }
    const act = this.history.head;
    const certified = this.#marks(entry, around.origins ?? null);
    const before = actor.remembered;
    actor.context = context === undefined ? fold(actor.context, entry.edits.map(changeOf)) : context;
    actor.value = entry.value;
    actor.last = entry.event;
    if (entry.remembered !== null) actor.remembered = entry.remembered;
    const base = entry.regions.length > 0 || certified.length > 0 || actor.sinceBase >= BASE_EVERY;
    actor.sinceBase = base ? 0 : actor.sinceBase + 1;
    const step: RecordedStep = {
      nth: this.places.next,
      act,
      to: this.history.head,
      actor: entry.actor,
      // The first step of all is the run's beginning, with its input: no line reaches below it, and nobody can undo it.
      parties:
        this.places.next === 0
          ? NOTHING
          : entry.parties.map(({ instance, region }) => ({ name: instanceName(instance), region })),
      ...this.#controlOf(entry, actor),
      entered,
      leads: [],
      ties: around.ties ?? this.#tiesOf(entry),
      spawns: entry.started.some(({ at }) => at === null),
      gone: false,
      value: entry.value,
      remembered: actor.remembered,
      recalled: entry.remembered === null ? UNCHANGED : changed(before, entry.remembered),
      edits: entry.edits,
      certified,
      context: base ? { is: actor.context } : null,
      outside: entry.outside ? entry.event : null,
      time: this.time,
      entry,
      firstStarted: this.actors.length,
      closes: [],
      origins: around.origins ?? null,
    };
    actor.begun = true;
    this.places.add(step);
    let enters = 0;
    for (const mark of entry.marks) {
      if (mark.do !== 'enter') continue;
      const region = entry.regions[enters] as Region;
      enters += 1;
      const root = mark.in.skeleton === ROOT;
      this.places.enter(mark.in, region, root, step);
      if (!root) this.enliven(mark.in, region);
    }
    for (const mark of entry.marks) if (mark.do === 'boundary') this.#certifies(mark.in, step);
    if (entry.outside && this.toRedeliver.length > 0) this.#takeAgain(entry.event);
    this.#fired(entry, step);
    this.#answered(entry);
    for (const number of entry.ended) this.#end(number, step);
    for (const started of entry.started) {
      const region = started.at === null ? regionName(entry.actor, '') : regionName(entry.actor, started.at);
      this.#actor(entry.actor, started, entry.event, region, step);
    }
    for (const { instance, gate } of entry.closed) this.#close(instance, gate, step);
    return step;
  }

  /** The regions whose control a step wrote, and those that it only read (C1). */
  #controlOf(entry: StepEntry, actor: ActorState): Pick<RecordedStep, 'moves' | 'looks'> {
    const { moves: moved, looks: looked } = entry;
    const isPlain =
      actor.begun &&
      (looked === undefined || looked.length === 0) &&
      endedChild((entry.event as { type?: unknown }).type) === null;
    if (isPlain && moved !== undefined)
      return { moves: moved.map((path) => regionName(entry.actor, path)), looks: NOTHING };
    const own = (path: string) => regionName(entry.actor, path);
    const moves = new Set(entry.moves === undefined ? entry.parties.map(({ region }) => region) : entry.moves.map(own));
    const looks = new Set((entry.looks ?? []).map(own));
    // The first step of a child machine is its start: an act apart from the move that entered its state.
    if (!actor.begun && actor.region !== null) moves.add(this.#regionAround(actor.region));
    const heard = this.#childHeard(entry);
    if (heard !== null) for (const region of this.places.regionsOf(heard)) moves.add(region);
    for (const region of moves) looks.delete(region);
    return { moves: [...moves], looks: [...looks] };
  }

  /** The nearest region that has control of its own, at or around a state of an actor. */
  #regionAround(state: Region): Region {
    const [actor, path] = split(state);
    const known = this.places.regionsOf(actor);
    let best = regionName(actor, '');
    for (const region of known) {
      const [, at] = split(region);
      const isAround = path === at || path.startsWith(`${at}.`);
      if (isAround && at.length > split(best)[1].length) best = region;
    }
    return best;
  }

  /** The child machine whose end a step hears. */
  #childHeard({ actor, event }: StepEntry): number | null {
    const id = endedChild((event as { type?: unknown }).type);
    if (id === null) return null;
    const child = this.actors.findLast(({ parent, started }) => parent === actor && started?.id === id);
    return child?.started?.kind === 'machine' ? child.number : null;
  }

  #tiesOf({ ties = [] }: StepEntry): PlacedStep[] {
    return ties.flatMap(([actor, back]) => {
      let left = back;
      for (let index = this.steps.length - 1; index >= 0; index -= 1) {
        const step = this.steps[index] as RecordedStep;
        if (step.actor !== actor) continue;
        left -= 1;
        if (left === 0) return [step];
      }
      return [];
    });
  }

  #takeAgain(event: unknown): void {
    const text = textOf(event, this.codecs);
    const index = this.toRedeliver.findIndex((back) => textOf(back.event, this.codecs) === text);
    if (index !== -1) this.toRedeliver.splice(index, 1);
  }

  /** Folds what a step's instances did besides entering; says which boundaries it certified. */
  #marks(entry: StepEntry, origins: Translation['origins'] | null): RecordedStep['certified'] {
    let boundary = 0;
    let certified: { name: string; id: string }[] | null = null;
    for (const [index, mark] of entry.marks.entries()) {
      if (mark.do === 'enter') continue;
      this.#happen(mark, origins?.[index]);
      if (mark.do !== 'boundary') continue;
      const id = entry.boundaries[boundary] ?? '';
      boundary += 1;
      if (mark.in.skeleton === ROOT) continue;
      const name = instanceName(mark.in);
      certified ??= [];
      certified.push({ name, id });
      this.live.get(name)?.certified.add(id);
    }
    return certified ?? NOTHING;
  }

  #certifies(id: InstanceId, step: RecordedStep): void {
    const live = this.live.get(instanceName(id));
    for (const { name, id: boundary } of step.certified) if (name === instanceName(id)) live?.certified.add(boundary);
  }

  /** A call whose answer a machine has heard answers no other. */
  #answered({ actor, event }: StepEntry): void {
    const id = answeringChild((event as { type?: unknown }).type);
    const child =
      id === null ? undefined : this.actors.findLast((other) => other.parent === actor && other.started?.id === id);
    const call = child === undefined ? undefined : this.ledger.ofActor(child.number);
    if (call !== undefined) call.isAnswered = true;
  }

  /** A person has said whether a call is the same act as an earlier one: that one answers no other any more. */
  #told(key: string): void {
    const like = this.ledger.get(this.asked.of(key)?.like ?? '');
    if (like !== undefined) like.isAnswered = true;
  }

  /** A delayed event that is heard is over. */
  #fired({ actor, event }: StepEntry, step: RecordedStep): void {
    const { type } = event as { type?: unknown };
    if (!isDelay(type)) return;
    for (const timer of this.timers) if (timer.actor === actor && timer.id === type) timer.gone ??= step;
  }

  /** Has an instance live in a region. */
  enliven(id: InstanceId, region: Region): void {
    this.live.set(instanceName(id), { id, region, certified: new Set(), told: new Set(), stray: null });
  }

  #close(id: InstanceId, certified: boolean, step: RecordedStep): void {
    const name = instanceName(id);
    this.live.delete(name);
    const place = this.places.of(name);
    if (place === undefined) return;
    place.closed = step;
    place.certified = certified;
    step.closes.push(name);
  }

  #end(number: number, step: RecordedStep): void {
    const actor = this.actor(number);
    if (actor.ended !== null) return;
    actor.ended = step;
    if (actor.started?.kind !== 'promise') {
      for (const child of this.actors) if (child.parent === number) this.#end(child.number, step);
      for (const { id, region } of [...this.live.values()])
        if (split(region)[0] === number) this.#close(id, false, step);
    }
    for (const timer of this.timers) if (timer.actor === number) timer.gone ??= step;
  }

  #intent(entry: IntentEntry): void {
    const { instance, key, tool, undo } = entry;
    const known = this.ledger.get(key);
    const status = statusOf(entry, known);
    const at = this.#happen({ do: 'effect', in: instance, id: key, tool, class: entry.class, status, undo });
    this.ledger.intend(entry, known?.at ?? at, this.time);
  }

  #outcome(entry: OutcomeEntry): void {
    const call = this.ledger.settle(entry);
    if (call === undefined) return;
    if (entry.status === 'confirmed') this.positions.wrote(call);
    // What a commit has decided leaves again, and spends what it was admitted for.
    const leavesAgain = this.publications.some(({ keys }) => keys.includes(entry.key));
    if (entry.status === 'failed' && !leavesAgain) this.budgets.release(entry.key);
    if (!isOpen(entry.status)) {
      this.asked.void((gate) => gate.key === entry.key && gate.status === 'pending');
      this.#dropVisible();
    }
    if (call.at !== null) this.#news(call, null);
    else {
      this.history.effects.newsAside(entry.key, { status: entry.status });
      // A record whose effect does not stand any more has nothing to be claimed for (C9).
      if (entry.status === 'compensated' || entry.status === 'failed') this.#dismissRecordsOf(entry.key);
    }
  }

  #withdrawn(id: string): void {
    const keys = this.publications.find((entry) => entry.id === id)?.keys ?? [];
    this.publications = this.publications.filter((entry) => entry.id !== id);
    for (const key of keys) {
      const call = this.ledger.hold(key);
      if (call !== undefined) this.#news(call, null);
    }
  }

  /** Complaints that another one takes the place of: what they asked is asked no more (C12). */
  #retracted(questions: readonly string[]): void {
    const pending = this.pending;
    const isRetracted =
      pending !== null && questions.includes(questionOf({ ...pending.entry, failed: pending.entry.decision.failed }));
    for (const question of questions) this.open.delete(question);
    if (!isRetracted) return;
    const entry = [...this.open.values()].at(-1);
    this.pending = entry === undefined ? null : { entry, phase: 'DECIDED', stuck: new Map() };
  }

  /** A commit that was refused before and is made now leaves nothing to decide about it. */
  #answeredBy({ id }: PublishEntry): void {
    for (const [asked, { commit }] of this.open) if (commit === id) this.open.delete(asked);
    if (this.pending?.entry.commit !== id) return;
    const entry = [...this.open.values()].at(-1);
    this.pending = entry === undefined ? null : { entry, phase: 'DECIDED', stuck: new Map() };
  }

  #dismissRecordsOf(key: string): void {
    for (const record of [...this.records.values()])
      if (record.items.some((item) => item.is === 'call' && item.call.key === key)) this.#dismissed(record.id);
  }

  /** Whether a call that was published is there to be seen, or is given up, or was taken back. */
  #isVisible(key: string): boolean {
    const call = this.ledger.get(key);
    return call === undefined || call.at === null || call.status === 'confirmed' || call.status === 'compensated';
  }

  #demote(key: string): void {
    const call = this.ledger.get(key);
    if (call === undefined) return;
    call.undo = false;
    if (call.at !== null) this.#news(call, false);
    else this.history.effects.newsAside(key, { undo: false });
  }

  #news({ key, status, intent: { instance, tool, class: kind } }: LedgerCall, undo: boolean | null): void {
    this.#happen({ do: 'effect', in: instance, id: key, tool, class: kind, status, undo });
  }

  #phase({ phase, effect, error }: Extract<Entry, { do: 'phase' }>): void {
    const undone = phase === 'COMPENSATING' ? this.ledger.get(effect ?? '') : undefined;
    if (undone !== undefined) undone.undoing = true;
    if (phase === 'RESUMED') {
      const entry = [...this.open.values()].at(-1);
      this.pending = entry === undefined ? null : { entry, phase: 'DECIDED', stuck: new Map() };
    }
    const { pending } = this;
    if (pending === null) return;
    if (phase === 'FENCED') {
      pending.phase = 'FENCED';
      // A rerun moves everybody (K3).
      if (pending.entry.decision.verdict === 'rerun') for (const { id } of this.places.all()) this.#raiseEpoch(id);
    }
    if (phase === 'STUCK') pending.stuck.set(effect ?? '', error ?? '');
    else pending.stuck.delete(effect ?? '');
  }

  #raiseEpoch(id: InstanceId): void {
    const name = instanceName(id);
    this.epochs.set(name, (this.epochs.get(name) ?? 0) + 1);
  }

  #timer({ actor, id, region, event, delay, due }: Extract<Entry, { do: 'timer' }>): void {
    const step = this.#moverOf(actor, regionName(actor, region));
    for (const timer of this.timers)
      if (timer.actor === actor && timer.id === id) timer.gone ??= this.#moverOf(actor, timer.region);
    if (delay === null) return;
    this.timers.push({
      actor,
      id,
      region: regionName(actor, region),
      event,
      // A journal of an earlier version says when it was armed by the time of its row.
      due: due ?? this.time + delay,
      delay,
      armed: step,
      gone: null,
    });
  }

  /** The step that last moved a region: the one that armed its timers, or took them back. */
  #moverOf(actor: number, region: Region): PlacedStep {
    const own = this.places.lastMover(region, (step) => step.actor === actor);
    return own ?? this.steps.findLast((step) => step.actor === actor) ?? (this.steps[0] as RecordedStep);
  }

  #decision(entry: DecisionEntry): void {
    const { decision, checkpoint, signal } = entry;
    this.pending = { entry, phase: 'DECIDED', stuck: new Map() };
    const asked = questionOf({ ...entry, failed: decision.failed });
    this.open.delete(asked);
    if (decision.verdict === 'escalate' || decision.verdict === 'rerun') this.open.set(asked, entry);
    if (decision.verdict === 'escalate' || decision.verdict === 'rerun') return;
    this.recoveries += 1;
    if (decision.failed !== null) {
      const key = budgetKey(
        decision.failed,
        checkpoint === null ? 'call' : this.boundaryAt(decision.failed, checkpoint.at),
        signal,
      );
      this.spent.set(key, (this.spent.get(key) ?? 0) + 1);
    }
    for (const { instance } of decision.line?.moves ?? []) this.#raiseEpoch(instance);
  }

  /** The id of the boundary that a checkpoint of an instance is; `entry` for its entry. */
  boundaryAt(id: InstanceId, at: number): string {
    const name = instanceName(id);
    const step = this.steps[this.places.stepAt(at)];
    return step?.certified.find((boundary) => boundary.name === name)?.id ?? 'entry';
  }

  #finding({ code, instance, text, boundary }: Extract<Entry, { do: 'finding' }>): void {
    const live = instance === null ? undefined : this.live.get(instanceName(instance));
    if (boundary !== undefined) live?.told.add(boundary);
    if (live !== undefined && (code === 'write_outside_outputs' || code === 'no_codec')) live.stray ??= text;
  }

  /** Puts the control of an actor where a restore has it, in a region that resumes elsewhere than its own past says. */
  #put(actor: number, region: Region, party: InstanceId | null): void {
    const { value, remembered, context } = this.actor(actor);
    const step: RecordedStep = {
      nth: this.places.next,
      act: this.history.head,
      to: this.history.head,
      actor,
      parties: party === null ? NOTHING : [{ name: instanceName(party), region }],
      moves: [region],
      looks: NOTHING,
      entered: NOTHING,
      leads: [],
      ties: NOTHING,
      spawns: false,
      gone: false,
      value,
      remembered,
      recalled: {},
      edits: NOTHING,
      certified: NOTHING,
      context: { is: context },
      outside: null,
      time: this.time,
      entry: null,
      firstStarted: this.actors.length,
      closes: [],
      origins: null,
    };
    this.places.add(step);
  }

  /** Control in every region of an actor, as journals have it that were written before control was a key. */
  #putWhole({ actor: number, value, remembered }: ControlEntry): void {
    Object.assign(this.actor(number), { value, remembered, ended: null });
    for (const region of this.places.regionsOf(number)) this.#put(number, region, null);
  }

  #restored(entry: Extract<Entry, { do: 'restored' }>): void {
    const { kept, controls, aside = [], wrong = [], sure = [], resumed = [] } = entry;
    const undone = undoneSteps(this.places, kept);
    const asides = this.#recordsOf(aside);
    const { steps, keys, members } = contentsOf(asides.values());
    this.toRedeliver.unshift(...redeliveredBy(this, undone, steps));
    for (const [id, at] of kept) {
      const record = this.history.registry.get(id);
      if (record === undefined) continue;
      const name = instanceName(id);
      if (at === 0 && id.skeleton !== ROOT)
        this.occurrences.free(id, this.structureOf(this.places.of(name)?.region ?? '0:'));
      const calls = this.ledger.between(name, at, this.history.head).filter(({ key }) => keys.has(key));
      this.#undo(id, at);
      for (const call of this.ledger.displace(id, at, keys)) this.budgets.release(call.key);
      for (const call of calls) {
        call.promise = { by: this.pending?.entry.decision.failed ?? null };
        this.#stands(call);
      }
      this.versions.forget(name, at);
    }
    this.#void(new Set(kept.map(([id]) => instanceName(id)).filter((name) => !members.has(name))));
    for (const [asked, question] of this.open) if (this.#isAnswered(question, kept)) this.open.delete(asked);
    for (const [name, record] of asides) this.records.set(name, record);
    for (const key of wrong) this.ledger.distrust(key, sure === true || sure.includes(key));
    for (const [id, at] of kept) if (at === 0) this.#forget(instanceName(id));
    rollBack(this, undone);
    for (const [id, at] of kept) if (at > 0) this.#keepAt(id);
    if ('gates' in entry) for (const control of controls) this.#putWhole(control);
    for (const { actor, value, remembered } of controls) Object.assign(this.actor(actor), { value, remembered });
    for (const { region, by } of resumed) this.#put(split(region)[0], region, by);
  }

  /**
   * Whether a restore answers an open question: what it is about is undone. What was complained about and still stands is not
   * (C12).
   */
  #isAnswered({ decision, suspect, key }: DecisionEntry, kept: readonly Kept[]): boolean {
    const { failed } = decision;
    const at = failed === null ? undefined : kept.find(([id]) => instanceName(id) === instanceName(failed))?.[1];
    const record = failed === null ? undefined : this.history.registry.get(failed);
    if (at === undefined || record === undefined || suspect !== true) return at !== undefined;
    if (key === null) return at <= (record.checkpoints[0]?.at ?? 0);
    return !this.history.versions.writesOf(record).some((write) => overlaps(write.key, parseKey(key)));
  }

  /** An instance that is kept in part is as it was at its position: what was certified since is not. */
  #keepAt(id: InstanceId): void {
    const live = this.live.get(instanceName(id));
    if (live === undefined) return;
    live.certified.clear();
    live.told.clear();
    live.stray = null;
  }

  /** The records of the instances that are set aside by themselves, while everything still stands. */
  #recordsOf(aside: readonly InstanceId[]): Map<string, WorkRecord> {
    const records = new Map<string, WorkRecord>();
    const account = this.pending?.entry.decision.failed ?? null;
    const run = {
      steps: this.steps,
      places: this.places,
      timers: this.timers,
      account,
      calls: (name: string, after: number, upTo: number) => this.ledger.between(name, after, upTo),
      structureOf: (region: Region) => this.structureOf(region),
      contextBefore: (actor: number, step: RecordedStep) => contextBefore(this.places, actor, step),
      stepsOf: (actor: number, from: RecordedStep, upTo: RecordedStep) =>
        this.places.between(from.nth - 1, upTo.nth).filter((step) => step.actor === actor),
      nextOf: (step: RecordedStep) => {
        return this.places.between(step.nth, Number.POSITIVE_INFINITY).find(({ actor }) => actor === step.actor);
      },
      versionOf: (key: Key, before: number, but: ReadonlySet<string>) => this.versions.newest(key, before, but),
      enteredAt: (name: string) => this.history.registry.named(name)?.checkpoints[0]?.at ?? 0,
    };
    for (const id of aside) {
      const name = instanceName(id);
      const place = this.places.of(name);
      const record = place === undefined ? null : recordOf(run, place, extentOf(this.places, place));
      if (record !== null) records.set(name, record);
    }
    return records;
  }

  /** A call of work that was set aside stands in the world, with no place in the history. */
  #stands({ key, intent, status, undo }: LedgerCall): void {
    const { instance, tool, class: kind } = intent;
    this.history.effects.setAside({ instance, id: key, tool, class: kind, status, undo, at: this.history.head });
  }

  /** The replay takes a record over: all that it did is done again, now, with numbers of its own (C5). */
  #claimed(id: InstanceId): void {
    const name = instanceName(id);
    const record = this.records.get(name);
    const place = this.places.of(name);
    if (record === undefined || place === undefined) return;
    this.records.delete(name);
    const entered = this.history.registry.get(id)?.checkpoints[0]?.at ?? 0;
    const replaced = this.#restart(id, entered, place);
    for (const { key } of record.first) this.#happen({ do: 'read', in: id, key });
    const translation = new Translating(record, place, this);
    let first: RecordedStep | null = null;
    for (const item of record.items) {
      if (item.is === 'call') {
        this.#again(item.call, translation.instance(item.call.intent.instance));
        continue;
      }
      const { entry, around } = translation.of(item.step);
      const step = this.#step(entry, undefined, around);
      translation.done(item.step, step);
      if (first !== null) continue;
      first = step;
      for (const number of replaced.actors) if (!translation.knows(number)) this.#end(number, step);
      for (const timer of replaced.timers) timer.gone ??= step;
    }
  }

  /**
   * What an instance has done since it was entered gives way to its record, and so does what its entry has started: it never was.
   * @returns the actors and timers that the entry has started.
   */
  #restart(
    id: InstanceId,
    entered: number,
    place: Place,
  ): { readonly actors: readonly number[]; readonly timers: readonly Timer[] } {
    const inside = (region: Region) => this.places.within(region, place.region);
    const from = (place.entered as RecordedStep).firstStarted;
    const actors = this.actors.filter(({ number, region, ended, started }) => {
      return (
        number >= from && ended === null && started !== null && started.at !== null && region !== null && inside(region)
      );
    });
    const numbers = new Set(actors.map(({ number }) => number));
    const kept: Kept[] = [[id, entered]];
    for (const other of this.places.all()) if (numbers.has(split(other.region)[0])) kept.push([other.id, 0]);
    const undone = undoneSteps(this.places, kept);
    for (const [who, at] of kept) {
      if (at === 0 && who.skeleton !== ROOT)
        this.occurrences.free(who, this.structureOf(this.places.of(instanceName(who))?.region ?? '0:'));
      if (this.history.registry.get(who) !== undefined) this.#undo(who, at);
      for (const call of this.ledger.displace(who, at)) this.budgets.release(call.key);
      this.versions.forget(instanceName(who), at);
      if (at === 0) this.#forget(instanceName(who));
    }
    if (undone.size > 0) rollBack(this, undone);
    const timers = this.timers.filter(
      ({ armed, gone, region }) => armed === place.entered && gone === null && inside(region),
    );
    return { actors: [...numbers].filter((number) => this.actor(number).by === place.entered), timers };
  }

  #again({ key, status, undo, intent }: LedgerCall, instance: InstanceId): void {
    const { tool, class: kind } = intent;
    const at = this.#happen({ do: 'effect', in: instance, id: key, tool, class: kind, status, undo });
    this.ledger.claim(key, at, instance);
  }

  /** A record is given up: whoever comes there does the work again, its calls answered by their keys (C7). */
  #dismissed(id: InstanceId): void {
    const record = this.records.get(instanceName(id));
    if (record === undefined) return;
    this.records.delete(instanceName(id));
    for (const item of record.items) {
      if (item.is === 'call') this.ledger.dismiss(item.call.key);
      else if (item.step.outside !== null) this.toRedeliver.push(lost(item.step));
    }
  }

  /**
   * What was granted to an instance that goes back is void in the same commit (R4), and so is a commit whose calls it takes
   * back.
   */
  #void(moved: ReadonlySet<string>): void {
    this.asked.void(({ key }) => {
      const call = this.ledger.get(key);
      return call === undefined || call.at === null || moved.has(instanceName(call.intent.instance));
    });
    this.#dropVisible();
  }

  /** A commit all of whose calls are visible, given up or taken back is over, and so is what was asked about it. */
  #dropVisible(): void {
    const isOver = ({ keys }: PublishEntry) => keys.every((key) => this.#isVisible(key));
    const over = this.publications.filter(isOver);
    if (over.length === 0) return;
    this.publications = this.publications.filter((entry) => !over.includes(entry));
    for (const entry of over) this.#answeredBy(entry);
  }

  /** The events from outside that a restore to these positions would take back, in order. */
  takenBackBy(kept: readonly Kept[], aside: readonly InstanceId[] = []): unknown[] {
    const { steps } = contentsOf(this.#recordsOf(aside).values());
    return redeliveredBy(this, undoneSteps(this.places, kept), steps).map(({ event }) => event);
  }

  #forget(name: string): void {
    this.places.forget(name);
    this.live.delete(name);
  }
}

function textOf(event: unknown, codecs: readonly ValueCodec[]): string {
  const encoded = encode(event, { codecs });
  return 'text' in encoded ? encoded.text : `!${encoded.path.join('/')}`;
}

/** What records hold: their steps, the keys of their calls, and the names of their instances. */
function contentsOf(records: Iterable<WorkRecord>) {
  const steps = new Set<PlacedStep>();
  const keys = new Set<string>();
  const members = new Set<string>();
  for (const record of records) {
    for (const name of record.members) members.add(name);
    for (const item of record.items) {
      if (item.is === 'step') steps.add(item.step);
      else keys.add(item.call.key);
    }
  }
  return { steps, keys, members };
}

/** An event that a record had heard and that nobody hears now: its sender may say it again, and nothing else does. */
function lost({ outside }: RecordedStep): ToRedeliver {
  return { event: outside, context: NOTHING, control: '', regions: NOTHING, moved: NOTHING, heard: NOTHING };
}

/** What of a history value is another than before. */
function changed(before: HistoryValue, after: HistoryValue): HistoryValue {
  return Object.fromEntries(
    Object.entries(after).filter(([id, ids]) => JSON.stringify(before[id]) !== JSON.stringify(ids)),
  );
}

/**
 * Names a question that a run is parked on: what failed, by which key, in which call. One that fits nobody is named by who was
 * meant.
 */
export function questionOf({
  failed,
  key,
  call,
  complaint,
}: Pick<DecisionEntry, 'key' | 'call' | 'complaint'> & Pick<Decision, 'failed'>): string {
  if (failed !== null) return JSON.stringify([instanceName(failed), key, call]);
  return JSON.stringify([null, key, call, ...(complaint === undefined ? [] : [complaint.skeleton, complaint.entity])]);
}

/** What a budget is charged for (R6). */
export function budgetKey(id: InstanceId, boundary: string, signal: string): string {
  return JSON.stringify([id.skeleton, id.entity, boundary, signal]);
}
