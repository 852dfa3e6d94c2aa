/**
 * The state of a run as its journal tells it: one fold of the entries, the same at writing and at reading back after a
 * crash (architecture.md). It is composed of projections; each folds its own entries. It does no IO.
 */
import { holdsUnder } from '../boundaries/certificate.ts';
import type { Budgets } from '../effects/budgets.ts';
import type { ApprovalRequests } from '../effects/gates.ts';
import type { Ledger } from '../effects/ledger.ts';
import type { History } from '../history/history.ts';
import type { Pieces } from '../history/pieces.ts';
import { Places } from '../history/places.ts';
import type { ValueCodec } from '../journal/value-codec.ts';
import type { PublishEntry } from '../model/call-entries.ts';
import type { ChoiceEntry } from '../model/choice-entries.ts';
import type { DecisionEntry, Digests, Entry, LeftRelease, Thrown, TraceContext } from '../model/entry.ts';
import type { HistoryEvent } from '../model/event.ts';
import type { InstanceId } from '../model/instance.ts';
import type { Region } from '../model/region.ts';
import type { Renames } from '../model/renames.ts';
import { Aborted } from './aborted.ts';
import { Actors } from './actors.ts';
import { Attempt } from './attempt.ts';
import { Pages } from './base/pages.ts';
import { Calls } from './calls.ts';
import { Choices } from './choices.ts';
import { Commits } from './commits.ts';
import { Discards } from './discards.ts';
import { Events } from './events.ts';
import type { ExternalVersions } from './external-versions.ts';
import { Judgments } from './judgments.ts';
import { LiveInstances } from './live-instances.ts';
import type { Looks } from './looks.ts';
import { Mandates } from './mandates.ts';
import { Obligations } from './obligations.ts';
import type { Occurrences } from './occurrences.ts';
import { OpenDecisions } from './open-decisions.ts';
import type { Positions } from './positions.ts';
import { Received } from './received.ts';
import { Redaction } from './redaction.ts';
import { HeardThen, Redelivery } from './redelivery.ts';
import { Restores } from './restores.ts';
import type { Kept } from './rollback.ts';
import { Sandboxes } from './sandboxes.ts';
import type { WorkRecord } from './set-aside/records.ts';
import { SetAside } from './set-aside/set-aside.ts';
import type { ActorState, Live, Pending, RecordedStep, ToRedeliver } from './state-types.ts';
import { boundaryAt, originOf } from './step-numbers.ts';
import { type Projections, Steps } from './steps.ts';
import { Timers } from './timers.ts';
import { Turns } from './turns.ts';

/** The entries with which a restore begins. They take nothing back yet. */
const FENCES: ReadonlySet<Entry['do']> = new Set(['decision', 'phase'] as const);

type Folds = { readonly [K in Entry['do']]: (entry: Extract<Entry, { do: K }>, context: unknown) => void };

/** The state of a run. */
export class RunState {
  agent: string | null = null;
  digests: Digests | null = null;
  trace: TraceContext | null = null;
  /** The number of the last event under other digests than the present ones. */
  staleUpTo = 0;
  /** The first step that today's machine must take the same way: another machine took the steps before it (CO6). */
  comparedFrom = 0;
  /** The maps with which the run was moved to other releases, in order (CO5). */
  readonly renamed: Renames[] = [];
  /** The earlier releases of the run, in the order in which it left them. */
  readonly before: LeftRelease[] = [];
  ended: Extract<Entry, { do: 'end' }>['status'] | null = null;
  /** The turns of a thread that have ended (RC2). */
  readonly turns = new Turns();
  /** The failed branches of alternatives, and the choices among them (AL5). */
  readonly choices = new Choices();
  readonly attempt = new Attempt();
  /** The commits that the program has yet to be told of (SP3). */
  readonly commits = new Commits();
  /** The questions to judges, and their verdicts (JU1). */
  readonly judgments = new Judgments();
  /** The sandboxes that the tools of the run work in (SB1). */
  readonly sandboxes = new Sandboxes();
  /** The obligations that calls of the run have taken on (OB1). */
  readonly obligations = new Obligations();
  readonly mandates = new Mandates();
  /** The codecs of values that have no form of their own. */
  readonly codecs: readonly ValueCodec[];
  /** The values that are hidden from people. */
  readonly redaction = new Redaction();
  /** Control as a key: the steps that are retained, and where the instances live. */
  readonly places = new Places<RecordedStep>();
  readonly history: History;
  readonly pages: Pages;
  readonly ledger: Ledger;
  /** The units that were left by an edge which discards them (PA11). */
  readonly discards: Discards;
  /** The abort of the run: what is owed, and what stands (AB4, AB7). */
  readonly aborted = new Aborted();
  readonly asked: ApprovalRequests;
  readonly budgets: Budgets;
  readonly positions: Positions;
  readonly actors: readonly ActorState[];
  readonly family: Pick<Actors, 'concerned' | 'childrenOf' | 'endedBy' | 'structureOf'>;
  readonly timers: Omit<Timers, 'take' | 'heard' | 'ended' | 'rollBack' | 'giveUp'>;
  /** The live instances, by their names. */
  readonly live: ReadonlyMap<string, Live>;
  /** The work that was set aside and is not claimed, by the name of its instance (C3). */
  readonly records: ReadonlyMap<string, WorkRecord>;
  /** The occurrences of every skeleton and entity: which were used, and which may be taken up again (K2, C5). */
  readonly occurrences: Occurrences;
  readonly versions: ExternalVersions;
  /** The number of times that each budget was charged (R6). */
  readonly spent: ReadonlyMap<string, number>;
  /** The count of restores of each instance, by its name. */
  readonly epochs: ReadonlyMap<string, number>;
  /** The decisions that the run is parked on, by the failed work, until that work is decided anew or undone. */
  readonly open: ReadonlyMap<string, DecisionEntry>;
  /** The events from outside that restores took back and that have not come again, in order. */
  readonly toRedeliver: readonly ToRedeliver[];
  /** The events from outside that the run could not take when they came, in order; without those taken back since. */
  readonly held: readonly ToRedeliver[];
  readonly #run: Projections;
  readonly #steps: Steps;
  readonly #setAside: SetAside;
  readonly #restores: Restores;
  readonly #folds: Folds;
  /** The entries so far that have changed what a restore reads. */
  #changes = 0;

  /**
   * @param onEvent called with every event of the history and its number, for the writer of a trace.
   * @param onUndo called with every instance whose events after a number are undone.
   * @param codecs the caller's codecs, if the run goes on.
   */
  constructor(
    onEvent: (event: HistoryEvent, number: number) => void = () => {},
    onUndo: (id: InstanceId, after: number) => void = () => {},
    codecs: readonly ValueCodec[] = [],
  ) {
    const { places } = this;
    const [actors, instances, timers] = [new Actors(places), new LiveInstances(places), new Timers(places)];
    const events = new Events(onEvent, onUndo);
    const decisions = new OpenDecisions(places);
    const discards = new Discards();
    const calls = new Calls(events, decisions);
    this.codecs = codecs;
    const messages = { redelivery: new Redelivery(codecs), received: new Received(), turns: this.turns };
    this.#run = { discards, events, places, decisions, actors, timers, instances, calls, ...messages };
    this.#steps = new Steps(this.#run);
    this.#setAside = new SetAside(this.#run, this.#steps, () => this.#changes);
    this.#restores = new Restores(this.#run, this.#steps, this.#setAside);
    this.history = events.history;
    this.pages = new Pages(places, events.history);
    this.ledger = calls.ledger;
    this.discards = discards;
    this.asked = calls.asked;
    this.budgets = calls.budgets;
    this.positions = calls.positions;
    this.actors = actors.all;
    this.family = actors;
    this.timers = timers;
    this.live = instances.all;
    this.records = this.#setAside.records;
    this.occurrences = events.occurrences;
    this.versions = events.versions;
    this.spent = decisions.spent;
    this.epochs = decisions.epochs;
    this.open = decisions.open;
    this.toRedeliver = this.#run.redelivery.all;
    this.held = this.#run.redelivery.held;
    this.#folds = { ...this.#foldsOfRun(), ...this.#foldsOfAttempts(), ...this.#foldsOfCalls() };
  }

  /** The secret under which the digests of arguments are made; empty before the run has begun. */
  get secret(): string {
    return this.ledger.secret;
  }

  get parts(): Projections {
    return this.#run;
  }

  /** Folds an entry in. @param context the actor's context; without a machine at hand, it is folded from the edits. */
  apply(entry: Entry, time: number, context?: unknown): void {
    this.#run.events.time = time;
    (this.#folds[entry.do] as (entry: Entry, context: unknown) => void)(entry, context);
    this.mandates.fold(entry, time);
    if (!FENCES.has(entry.do)) this.#changes += 1;
    if (this.redaction.isActive) this.redaction.take(entry, this.#redactable());
  }

  #foldsOfRun() {
    const { actors, decisions, calls, instances, received, timers } = this.#run;
    return {
      begin: (entry) => this.#begin(entry),
      config: (entry) => this.#reconfigure(entry),
      migrated: (entry) => this.#reconfigure(entry),
      forked: ({ of, at, classes = [], attempt }) => {
        this.attempt.fork(attempt);
        calls.ledger.fork(of, at, this.history.head);
        calls.asked.paused = null;
        this.choices.pause(false, this.#run.events.time);
        this.commits.fork();
        this.obligations.fork();
        for (const kept of classes) calls.keepAs(kept);
      },
      step: (entry, context) => {
        decisions.wentOn();
        this.attempt.passed('step');
        this.#steps.take(entry, context);
      },
      timer: (entry) => timers.take(entry),
      finding: (entry) => {
        instances.find(entry);
        if (entry.effect !== undefined) calls.ledger.name(entry.effect);
      },
      decision: (entry) => {
        if (entry.thrown !== undefined) received.threw();
        decisions.decide(entry);
        calls.outdate(entry.decision);
      },
      phase: (entry) => {
        calls.undoing(entry);
        this.aborted.phase(entry);
        decisions.phase(entry);
      },
      restored: (entry) => {
        // The first step changes, so the pages of bases about it are out of date.
        if (decisions.pending?.entry.steers?.begun !== undefined) this.pages.allIn();
        this.attempt.passed('restored');
        this.#restores.take(entry);
      },
      retracted: (entry) => decisions.retract(entry.questions),
      retried: (entry) => {
        calls.asked.heard(entry);
        this.#comesAgain(decisions.thrownIn(entry.questions));
        decisions.retract(entry.questions);
      },
      claimed: (entry) => this.#setAside.claim(entry.instance),
      dismissed: (entry) => {
        this.#setAside.dismiss(entry.instance);
        // Calls that change nothing are not in the ledger; a wrong answer may belong to such a call.
        for (const key of entry.wrong ?? []) calls.ledger.distrust(key, false);
      },
      position: (entry) => calls.positions.read(entry, actors.at(entry.actor).by),
      verified: (entry) => calls.looks.take(entry),
      end: (entry) => {
        this.ended = entry.status;
        calls.ledger.end();
      },
      discarded: ({ instance, refused }) => {
        this.discards.decided(instance, refused !== undefined);
        if (refused === undefined) calls.discard(instance);
      },
      stands: (entry) => {
        calls.ledger.stand(entry.key);
        this.aborted.stand(entry);
      },
      // Rows behind this entry tell the consequences of the end.
      turn: (entry) => this.turns.end(entry, this.history.head, this.places.next - 1),
      branch: (entry) => this.choices.fail(entry),
      idled: ({ since }) => this.choices.idle(since, this.#run.events.time),
      choice: (entry) => this.#choose(entry),
      late: () => {},
    } satisfies Partial<Folds>;
  }

  #choose(entry: ChoiceEntry): void {
    if (entry.gate !== undefined) this.asked.use(entry.gate);
    this.choices.choose(entry, this.history.head);
    this.#run.calls.abandon(({ intent }) => this.choices.hasLost(this.actors, intent.actor));
  }

  /** An abort takes the place of a restore that is under way (AB1). */
  #abort(): void {
    this.aborted.begin();
    this.#run.decisions.abort();
  }

  #foldsOfAttempts() {
    return {
      tried: (entry) => this.attempt.try(entry, this.#run.events.time),
      kept: (entry) => {
        this.asked.heard(entry);
        this.attempt.keep(entry);
      },
    } satisfies Partial<Folds>;
  }

  #foldsOfCalls() {
    const { actors, calls, events, places, received, redelivery } = this.#run;
    return {
      intent: (entry) => {
        this.attempt.passed('intent');
        calls.intend(entry);
        const call = this.obligations.isEmpty ? undefined : calls.ledger.get(entry.key);
        if (call !== undefined) this.obligations.intend(call);
      },
      obligation: (entry) => this.obligations.take(entry, events.time),
      outcome: (entry) => {
        this.aborted.settle(entry);
        if (entry.status === 'confirmed') calls.compared(entry.key);
        if (entry.status === 'failed') calls.looks.failed(entry.key);
        if (entry.status === 'confirmed' || entry.status === 'compensated') this.#inSandbox(entry.key, entry.status);
        if (calls.settle(entry)) this.#setAside.dismissWith(entry.key);
      },
      leave: (entry) => calls.opened(entry),
      mandate: (entry) => {
        if ('post' in entry) calls.asked.heard(entry);
      },
      demoted: (entry) => calls.demote(entry.key),
      released: ({ keys }) => calls.ledger.letGo(keys),
      promised: (entry) => calls.ledger.promise(entry),
      freed: ({ keys }) => calls.ledger.letGo(keys),
      reclaimed: ({ passed }) => calls.ledger.reclaim(passed),
      asked: (entry) => calls.reconciled(entry),
      voided: (entry) => calls.ledger.void(entry.key),
      overtaken: (entry) => calls.ledger.overtake(entry.upTo),
      given_back: (entry) => calls.ledger.giveBack(entry.keys, entry.by),
      returned: (entry) => calls.ledger.returned(entry.key),
      gate: (entry) => calls.asked.ask(entry, events.time),
      answer: (entry) => calls.asked.answer(entry),
      held: (entry) => {
        if (entry.post !== null) calls.asked.sent.add(entry.post);
        redelivery.hold(entry, actors.at(0), places.next, received.hold(entry));
      },
      message: (entry) => {
        calls.asked.heard(entry);
        redelivery.handedOn(entry);
        const name = received.told(entry);
        if (entry.refused !== null && entry.held === undefined && name !== null) redelivery.refuse(name);
      },
      complaint: (entry) => calls.asked.heard(entry, this.ended === 'done'),
      cancel: (entry) => {
        calls.asked.heard(entry);
        if (entry.refused === null) this.attempt.end();
        if (entry.undo === true && entry.refused === null) this.#abort();
      },
      pause: (entry) => {
        calls.asked.heard(entry);
        if (entry.refused === null) this.choices.pause(entry.paused, events.time);
      },
      settled: (entry) => {
        calls.asked.heard(entry);
        if (entry.status === 'supplied' && entry.refused === null) calls.supplied(entry);
      },
      steered: (entry) => {
        calls.asked.heard(entry);
        received.steered(entry);
        if (entry.refused === null) this.turns.retracted(redelivery.steer(entry));
      },
      publish: (entry) => calls.publish(entry),
      committed: (entry) => this.commits.take(entry),
      announced: ({ id }) => this.commits.announced(id),
      judging: (entry) => this.judgments.ask(entry),
      judged: (entry) => this.judgments.judge(entry),
      withdrawn: (entry) => calls.withdraw(entry.id),
      spend: (entry) => calls.budgets.apply(entry),
      sandbox: (entry) => this.sandboxes.take(entry, events.time),
    } satisfies Partial<Folds>;
  }

  #begin({ agent, digests, redact, secret, trace }: Extract<Entry, { do: 'begin' }>): void {
    this.agent = agent;
    this.digests = digests;
    this.trace = trace ?? null;
    this.ledger.secret = secret;
    this.redaction.add(redact);
    this.#run.actors.begin();
  }

  #inSandbox(key: string, status: 'confirmed' | 'compensated'): void {
    const name = this.ledger.get(key)?.intent.sandbox;
    if (name !== undefined) this.sandboxes.settle(name, key, status);
  }

  /** Queues again the events from outside whose steps threw (TH6). */
  #comesAgain(steps: readonly Thrown[]): void {
    const { places, received, redelivery } = this.#run;
    const root = this.actors[0];
    const taken = steps.filter(({ event }) => event !== undefined);
    if (taken.length === 0 || root === undefined) return;
    const heard = new HeardThen(places, []);
    const met = { context: root.context, control: root.value, moved: [] };
    redelivery.add(
      taken.map(({ event, regions = [] }) => {
        const heardBefore = heard.before(regions, Number.POSITIVE_INFINITY);
        return { ...met, event, regions, heard: heardBefore, wrong: null, held: null, name: received.thrown };
      }),
    );
  }

  #reconfigure(entry: Extract<Entry, { do: 'config' | 'migrated' }>): void {
    const { digests, redact, classes = [], isReplaced = false } = entry;
    const renames = entry.do === 'migrated' ? (entry.renames ?? null) : null;
    if (renames !== null) {
      this.renamed.push(renames);
      this.ledger.names.rename(renames);
    }
    const { version, machine, config } = this.digests ?? digests;
    if (machine !== digests.machine || config !== digests.config)
      this.before.push({ machine, config, ...(renames !== null && { renames }) });
    const isFromHere = entry.do === 'migrated' && entry.isFromHere === true;
    if (isFromHere) this.comparedFrom = this.places.next;
    if (isReplaced || isFromHere || renames !== null || !this.#isCertifiedUnder(digests))
      this.staleUpTo = this.history.head;
    for (const kept of classes) this.#run.calls.keepAs(kept);
    if (digests.version !== version) this.#run.decisions.giveBack();
    this.digests = digests;
    if (redact !== undefined) this.redaction.adopt(redact, this.#redactable(), this.ledger.recorded());
  }

  /** True if the certificates so far hold under other digests too (CO1). */
  #isCertifiedUnder({ config, certificate: now }: Digests): boolean {
    const { config: before, certificate: then } = this.digests ?? { config };
    if (before === config) return true;
    return then !== undefined && now !== undefined && holdsUnder(then, now, (tool) => this.ledger.hasCalled(tool));
  }

  #redactable() {
    return { actors: this.actors, toolOf: (key: string) => this.ledger.get(key)?.intent.tool };
  }

  /** The commits whose calls are not all visible yet (E4), in their order. */
  get publications(): readonly PublishEntry[] {
    return this.#run.calls.publications;
  }

  /** The answers of tools whose reads are revalidated (RV1). */
  get looks(): Looks {
    return this.#run.calls.looks;
  }

  get recoveries(): number {
    return this.#run.decisions.recoveries;
  }

  /** True where a step has thrown on the same before, under this version of the code, and was done again (TH4). */
  hasThrownOn(digest: string): boolean {
    return this.#run.decisions.thrown.has(digest);
  }

  /** The versions of the code whose throws the run was parked on by a question (TH2). */
  threwUnder(question: string): ReadonlySet<string> {
    return this.#run.decisions.threwUnder(question);
  }

  get pending(): Pending | null {
    return this.#run.decisions.pending;
  }

  /** The events from outside that the run received, and the fate of each. */
  get received(): Received {
    return this.#run.received;
  }

  /** The number of events from outside that the run has held so far. */
  get heldCount(): number {
    return this.#run.redelivery.count;
  }

  /** The actor with a number. */
  actor(number: number): ActorState {
    return this.#run.actors.at(number);
  }

  /** The live instance that a state belongs to: the instance of the innermost region around the state. */
  ownerOf(region: Region, placed: Parameters<LiveInstances['ownerOf']>[1]): Live | undefined {
    return this.#run.instances.ownerOf(region, placed);
  }

  /** The number under which a write first happened: work that a replay takes over gets new numbers (C6, C12). */
  originOf(at: number): number {
    return originOf(this.places, at);
  }

  /** The id of the boundary that a checkpoint of an instance is; `entry` for its entry. */
  boundaryAt(id: InstanceId, at: number): string {
    return boundaryAt(this.places, id, at);
  }

  /** The steps that a restore to these positions would take out, in order, without the steps of set-aside work. */
  takenOutBy(kept: readonly Kept[], aside: readonly InstanceId[] = []): readonly RecordedStep[] {
    return this.#restores.takenOutBy(kept, aside);
  }

  /** Makes in advance, in pieces, the records of the work that the next restore sets aside. @returns their number. */
  recordAhead(aside: readonly InstanceId[]): Pieces<number> {
    return this.#setAside.recordAhead(aside);
  }

  /** Finds in advance the steps that stay with set-aside work, in pieces. */
  extentsAhead(aside: readonly InstanceId[]): Pieces<void> {
    return this.#setAside.extentsAhead(aside);
  }

  /** The events from outside that a restore to these positions would take back, in order. */
  takenBackBy(kept: readonly Kept[], aside: readonly InstanceId[] = []): unknown[] {
    return this.#restores.takenBackBy(kept, aside);
  }
}
