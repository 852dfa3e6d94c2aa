/**
 * A run as its journal tells it: one fold of the entries, the same whether they are being written or read back after a crash
 * (architecture.md). The history that decisions read, the places of control, the ledger, the memories and what is under way
 * are parts of it. It does no IO.
 */
import { Budgets } from '../effects/budgets.ts';
import { Gates } from '../effects/gates.ts';
import { Ledger, type LedgerCall, statusOf } from '../effects/ledger.ts';
import { History } from '../history/history.ts';
import { fold } from '../history/memory.ts';
import { Places, type Region, regionName, split } from '../history/places.ts';
import { encode } from '../journal/codec.ts';
import { isOpen } from '../model/effect.ts';
import type {
  ControlEntry,
  DecisionEntry,
  Digests,
  Entry,
  IntentEntry,
  OutcomeEntry,
  PublishEntry,
  Started,
  StepEntry,
} from '../model/entry.ts';
import type { HistoryEvent } from '../model/event.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { Cut } from './cut.ts';
import { changeOf } from './edits.ts';
import type { FoldedActor, FoldedStep, Live, Pending, Replay, Timer } from './folded.ts';

/** How many steps of an actor at most have to be folded to make a memory again. */
const BASE_EVERY = 64;
const NOTHING: readonly never[] = [];

/** The state of a run. */
export class Fold {
  readonly history = new History();
  readonly places = new Places();
  readonly ledger = new Ledger();
  /** What was asked of people, and what they said. */
  readonly asked = new Gates();
  readonly budgets = new Budgets();
  /** The commits whose calls are not all visible yet (E4), in their order. */
  publications: PublishEntry[] = [];
  readonly steps: FoldedStep[] = [];
  readonly actors: FoldedActor[] = [];
  readonly live = new Map<string, Live>();
  readonly timers: Timer[] = [];
  /** Instances kept at their entry that control has left. */
  readonly dormant = new Set<string>();
  /** Instances whose gate will answer when control comes past it (R3), with the number of the last event before that. */
  readonly gates = new Map<string, number>();
  /** How often each budget was charged (R6), and the run. */
  readonly spent = new Map<string, number>();
  readonly epochs = new Map<string, number>();
  /** The replays that are under way, by the name of their instance (R1). */
  readonly replays = new Map<string, Replay>();
  /** The events from outside that restores took back and that have not come again, in order. */
  takenBack: unknown[] = [];
  recoveries = 0;
  agent: string | null = null;
  digests: Digests | null = null;
  /** The number of the last event under other digests than the present ones. */
  staleUpTo = 0;
  pending: Pending | null = null;
  ended: 'done' | 'stopped' | null = null;
  time = 0;

  readonly #onEvent: (event: HistoryEvent, number: number) => void;

  /** `onEvent` is told of every event of the history with its number, for whoever writes a trace. */
  constructor(onEvent: (event: HistoryEvent, number: number) => void = () => {}) {
    this.#onEvent = onEvent;
  }

  #happen(event: HistoryEvent): number {
    const number = this.history.apply(event);
    this.#onEvent(event, number);
    return number;
  }

  /** Folds an entry in. `memory` is its actor's context where the machine is at hand; else it is folded from the edits. */
  apply(entry: Entry, time: number, memory?: unknown): void {
    this.time = time;
    switch (entry.do) {
      case 'begin':
        this.agent = entry.agent;
        this.digests = entry.digests;
        this.#actor(null, null, null, null);
        break;
      case 'config':
        this.digests = entry.digests;
        this.staleUpTo = this.history.head;
        break;
      case 'step':
        this.#step(entry, memory);
        break;
      case 'intent':
        this.#intent(entry);
        break;
      case 'outcome':
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
        this.#restored(entry.kept, entry.controls);
        for (const id of entry.gates) this.gates.set(instanceName(id), this.history.head);
        if (this.pending !== null) this.pending.phase = 'RESTORED';
        break;
      case 'passed':
        this.#passed(entry.instance, entry.controls);
        break;
      case 'finding':
        this.#finding(entry);
        break;
      case 'end':
        this.ended = entry.status;
        break;
      case 'leave':
        this.asked.use(entry.gate);
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
        this.publications.push(entry);
        for (const key of entry.keys) this.#outcome({ do: 'outcome', key, status: 'intended' });
        break;
      case 'spend':
        this.budgets.apply(entry);
        break;
      case 'late':
        break;
    }
  }

  /** The actor with a number. */
  actor(number: number): FoldedActor {
    return this.actors[number] as FoldedActor;
  }

  /** The newest retained step at or before an index that had a part in a region: whose control it shows. */
  controlOf(region: Region, upTo: number): FoldedStep | undefined {
    const [actor] = split(region);
    for (let index = Math.min(upTo, this.steps.length - 1); index >= 0; index -= 1) {
      const step = this.steps[index] as FoldedStep;
      if (step.actor !== actor) continue;
      const { parties } = this.places.steps[index] as Places['steps'][number];
      if (step.put || parties.some((party) => this.places.within(region, party.region))) return step;
    }
    return undefined;
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

  /** The ordinal of the next occurrence of a skeleton and entity (K2): the smallest that no retained one has. */
  nextOrdinal(skeleton: string, entity: string): number {
    let ordinal = 0;
    while (this.history.registry.get({ skeleton, entity, ordinal }) !== undefined) ordinal += 1;
    return ordinal;
  }

  #actor(parent: number | null, started: Started | null, event: unknown, region: Region | null): void {
    const number = this.actors.length;
    this.actors.push({
      sinceBase: 0,
      number,
      parent,
      started,
      event,
      last: undefined,
      region,
      memory: undefined,
      value: '',
      remembered: {},
      ended: null,
    });
    this.places.actors.push({
      parent,
      at: region === null ? '' : split(region)[1],
      started: parent === null ? -1 : this.steps.length - 1,
      alive: true,
    });
  }

  #step(entry: StepEntry, memory: unknown): void {
    const actor = this.actor(entry.actor);
    const regions = entry.regions.values();
    for (const mark of entry.marks) {
      if (mark.do !== 'enter') continue;
      this.#happen(mark);
      const region = regions.next().value as Region;
      const root = mark.in.skeleton === ROOT;
      this.places.enter(mark.in, region, root);
      if (!root) this.enliven(mark.in, region);
    }
    const act = this.history.head;
    const certified = this.#marks(entry);
    for (const id of entry.again) {
      const name = instanceName(id);
      this.dormant.delete(name);
      const place = this.places.of(name);
      if (place === undefined) continue;
      this.places.enter(id, place.region, place.root);
      this.enliven(id, place.region);
    }
    actor.memory = memory === undefined ? fold(actor.memory, entry.edits.map(changeOf)) : memory;
    actor.value = entry.value;
    actor.last = entry.event;
    if (entry.remembered !== null) actor.remembered = entry.remembered;
    const base = entry.regions.length > 0 || certified.length > 0 || actor.sinceBase >= BASE_EVERY;
    actor.sinceBase = base ? 0 : actor.sinceBase + 1;
    this.steps.push({
      actor: entry.actor,
      put: this.steps.length === 0,
      value: entry.value,
      remembered: actor.remembered,
      edits: entry.edits,
      certified,
      memory: base ? { is: actor.memory } : null,
      outside: entry.outside ? entry.event : null,
      time: this.time,
    });
    // The first step of all is the run's beginning, with its input: no line reaches below it, and nobody can undo it.
    const takers = this.places.steps.length === 0 ? NOTHING : entry.parties;
    const parties = takers.map(({ instance, region }) => ({ name: instanceName(instance), region }));
    this.places.steps.push({ act, to: this.history.head, actor: entry.actor, parties });
    if (entry.outside && this.takenBack.length > 0) this.#takeAgain(entry.event);
    const index = this.steps.length - 1;
    for (const number of entry.ended) this.#end(number, index);
    for (const started of entry.started) {
      const region = started.at === null ? regionName(entry.actor, '') : regionName(entry.actor, started.at);
      this.#actor(entry.actor, started, entry.event, region);
    }
    for (const { instance, gate } of entry.closed) this.#close(instance, gate, index);
  }

  #takeAgain(event: unknown): void {
    const text = textOf(event);
    const index = this.takenBack.findIndex((back) => textOf(back) === text);
    if (index !== -1) this.takenBack.splice(index, 1);
  }

  /** Folds what a step's instances did besides entering; says which boundaries it certified. */
  #marks(entry: StepEntry): FoldedStep['certified'] {
    let boundary = 0;
    let certified: { name: string; id: string }[] | null = null;
    for (const mark of entry.marks) {
      if (mark.do === 'enter') continue;
      this.#happen(mark);
      if (mark.do !== 'boundary') continue;
      const id = entry.boundaries[boundary] ?? '';
      boundary += 1;
      if (mark.in.skeleton === ROOT) continue;
      const name = instanceName(mark.in);
      certified ??= [];
      certified.push({ name, id });
      this.live.get(name)?.certified.add(id);
      if (mark.kind !== 'outcome') this.replays.delete(name);
    }
    return certified ?? NOTHING;
  }

  /** Has an instance live in a region. */
  enliven(id: InstanceId, region: Region): void {
    this.live.set(instanceName(id), { id, region, certified: new Set(), stray: null });
  }

  #close(id: InstanceId, gate: boolean, index: number): void {
    const name = instanceName(id);
    this.live.delete(name);
    const place = this.places.of(name);
    if (place === undefined) return;
    place.closed = index;
    place.gate = gate;
  }

  #end(number: number, index: number): void {
    const actor = this.actor(number);
    if (actor.ended !== null) return;
    actor.ended = index;
    const placed = this.places.actors[number];
    if (placed !== undefined) placed.alive = false;
    for (const child of this.actors) if (child.parent === number) this.#end(child.number, index);
    for (const timer of this.timers) if (timer.actor === number) timer.gone ??= index;
    for (const { id, region } of [...this.live.values()])
      if (split(region)[0] === number) this.#close(id, false, index);
  }

  #intent(entry: IntentEntry): void {
    const { instance, key, tool, undo } = entry;
    const known = this.ledger.get(key);
    const status = statusOf(entry, known);
    const at = this.#happen({ do: 'effect', in: instance, id: key, tool, class: entry.class, status, undo });
    this.ledger.intend(entry, known?.at ?? at);
  }

  #outcome(entry: OutcomeEntry): void {
    const call = this.ledger.settle(entry);
    if (call === undefined) return;
    // What a commit has decided leaves again, and spends what it was admitted for.
    const leavesAgain = this.publications.some(({ keys }) => keys.includes(entry.key));
    if (entry.status === 'failed' && !leavesAgain) this.budgets.release(entry.key);
    if (!isOpen(entry.status)) {
      this.asked.void((gate) => gate.key === entry.key && gate.status === 'pending');
      this.publications = this.publications.filter(({ keys }) => keys.some((key) => !this.#isVisible(key)));
    }
    if (call.at !== null) this.#news(call, null);
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
  }

  #news({ key, status, intent: { instance, tool, class: kind } }: LedgerCall, undo: boolean | null): void {
    this.#happen({ do: 'effect', in: instance, id: key, tool, class: kind, status, undo });
  }

  #phase({ phase, effect, error }: Extract<Entry, { do: 'phase' }>): void {
    if (phase === 'RESUMED') this.pending = null;
    const { pending } = this;
    if (pending === null) return;
    if (phase === 'FENCED') {
      pending.phase = 'FENCED';
      // A rerun moves everybody (K3).
      if (pending.entry.decision.verdict === 'rerun') for (const { id } of this.places.all()) this.#raiseEpoch(id);
    }
    pending.stuck = phase === 'STUCK' ? { effect: effect ?? '', error: error ?? '' } : null;
  }

  #raiseEpoch(id: InstanceId): void {
    const name = instanceName(id);
    this.epochs.set(name, (this.epochs.get(name) ?? 0) + 1);
  }

  #timer({ actor, id, region, event, delay }: Extract<Entry, { do: 'timer' }>): void {
    const index = this.steps.length - 1;
    for (const timer of this.timers) if (timer.actor === actor && timer.id === id) timer.gone ??= index;
    if (delay === null) return;
    this.timers.push({
      actor,
      id,
      region: regionName(actor, region),
      event,
      due: this.time + delay,
      armed: index,
      gone: null,
    });
  }

  #decision(entry: DecisionEntry): void {
    const { decision, checkpoint, signal } = entry;
    this.pending = { entry, phase: 'DECIDED', stuck: null };
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

  #finding({ code, instance, text }: Extract<Entry, { do: 'finding' }>): void {
    const live = instance === null ? undefined : this.live.get(instanceName(instance));
    if (live !== undefined && (code === 'write_outside_outputs' || code === 'no_codec')) live.stray ??= text;
  }

  #put({ actor: number, value, remembered }: ControlEntry): void {
    const actor = this.actor(number);
    Object.assign(actor, { value, remembered, ended: null });
    const placed = this.places.actors[number];
    if (placed !== undefined) placed.alive = true;
    const act = this.history.head;
    const { memory } = actor;
    actor.sinceBase = 0;
    this.steps.push({
      actor: number,
      put: true,
      value,
      remembered,
      edits: NOTHING,
      certified: NOTHING,
      memory: { is: memory },
      outside: null,
      time: this.time,
    });
    this.places.steps.push({ act, to: act, actor: number, parties: [] });
  }

  /** Control is behind the gate of a kept instance, which counts as entered by the step that came there (R3). */
  #passed(id: InstanceId, controls: readonly ControlEntry[]): void {
    const name = instanceName(id);
    this.gates.delete(name);
    const place = this.places.of(name);
    const entered = this.steps.length - 1;
    // Behind another gate no step came there: it stays with the step of that one which entered it.
    if (place !== undefined && this.steps[entered]?.put === false) {
      for (const { number, region } of this.actors) {
        const isInside = region !== null && this.places.within(region, place.region);
        if (isInside && this.places.actors[number]?.started === entered) this.#end(number, entered + 1);
      }
      place.entered = entered;
    }
    for (const control of controls) this.#put(control);
  }

  #restored(kept: readonly (readonly [InstanceId, number])[], controls: readonly ControlEntry[]): void {
    const cut = new Cut(this, kept);
    for (const [id, at] of kept) {
      const record = this.history.registry.get(id);
      if (record === undefined) continue;
      const undone = this.history.versions.writesBetween(record, at, this.history.head).map((write) => write.key.text);
      const before = this.replays.get(instanceName(id));
      this.replays.set(instanceName(id), {
        wrote: new Set([...(before?.wrote ?? []), ...undone]),
        from: Math.min(before?.from ?? Number.POSITIVE_INFINITY, this.#endOfStep(id, at)),
        since: this.history.head,
      });
      this.history.undo(id, at);
      for (const call of this.ledger.displace(id, at)) this.budgets.release(call.key);
    }
    this.#void(new Set(kept.map(([id]) => instanceName(id))));
    cut.carryOut();
    for (const [id, at] of kept) if (at === 0) this.#forget(instanceName(id));
    for (const control of controls) this.#put(control);
  }

  /** What was granted to an instance that goes back is void in the same commit (R4), and so is a commit whose calls it takes back. */
  #void(moved: ReadonlySet<string>): void {
    this.asked.void(({ key }) => {
      const call = this.ledger.get(key);
      return call === undefined || call.at === null || moved.has(instanceName(call.intent.instance));
    });
    this.publications = this.publications.filter(({ keys }) => keys.some((key) => !this.#isVisible(key)));
  }

  /** The number of the last event of the step at which a position of an instance stands; for ⊥, of the step that entered it. */
  #endOfStep(id: InstanceId, at: number): number {
    const entered = this.places.of(instanceName(id))?.entered ?? 0;
    const isEntry = at === 0 || at === this.history.registry.get(id)?.checkpoints[0]?.at;
    return this.places.steps[isEntry ? entered : this.places.stepAt(at)]?.to ?? at;
  }

  /** The events from outside that a restore to these positions would take back, in order. */
  takenBackBy(kept: readonly (readonly [InstanceId, number])[]): unknown[] {
    return new Cut(this, kept).takesBack();
  }

  #forget(name: string): void {
    this.places.forget(name);
    this.live.delete(name);
    this.dormant.delete(name);
  }
}

function textOf(event: unknown): string {
  const encoded = encode(event);
  return 'text' in encoded ? encoded.text : `!${encoded.path.join('/')}`;
}

/** The skeleton that the glue between the skeletons goes by: no config can name one so. */
export const ROOT = '(root)';

/** What a budget is charged for (R6). */
export function budgetKey(id: InstanceId, boundary: string, signal: string): string {
  return JSON.stringify([id.skeleton, id.entity, boundary, signal]);
}
