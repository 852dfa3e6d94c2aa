/**
 * One run of a machine under the sidecar: what the machine does is lifted, written and folded in; what fails goes to its recoveries, and
 * what those decide comes back as a restore, in place (semantics.md §10, §11).
 */
import type { Reply } from '../effects/guarded-call.ts';
import { toolSignal } from '../effects/signals.ts';
import { encode } from '../journal/codec.ts';
import type { DismissalReason, Entry } from '../model/entry.ts';
import type { Failure } from '../model/failure.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { type Key, overlaps, parseKey } from '../model/key.ts';
import { regionName, split } from '../model/region.ts';
import { CLAIMED, isEqual, type WorkRecord } from '../projection/records.ts';
import { heardIn } from '../projection/rollback.ts';
import type { RunState } from '../projection/run-state.ts';
import type { RecordedStep, Timer, ToRedeliver } from '../projection/state-types.ts';
import type { Placed } from '../recording/entry-states.ts';
import { StepRecorder } from '../recording/record-step.ts';
import { Verifier } from '../recording/verify.ts';
import type { Event, Ref, Snapshot } from '../xstate/actor.ts';
import { type ActorPlan, BEGIN, END, planOfTimer, RESTORE, WAKE } from '../xstate/restore.ts';
import { regionOfTimer, stateOfTimer } from '../xstate/timers.ts';
import type { Call, MachineWatch, Microstep, Place, Watcher } from '../xstate/watch.ts';
import { Approvals } from './approvals/approvals.ts';
import { Calls } from './calls/calls.ts';
import { Outbox } from './commits/outbox.ts';
import type { RestoredParts } from './failures/recovered-machine.ts';
import { Recovering } from './failures/recovering.ts';
import { bare, type Held, type Raised, type RunParts, type Suspect } from './parts.ts';
import { planRestore } from './plan/restore-plan.ts';
import { planClaim } from './plan/resume-plan.ts';
import { RecoveryQueries } from './queries/recovery-queries.ts';
import { Reuse } from './reuse.ts';
import { SidecarError } from './sidecar-error.ts';
import { Writing } from './writing.ts';

/** An instance, or all of its occurrences. */
type Unordered = Pick<InstanceId, 'skeleton' | 'entity'> & { readonly ordinal?: number | undefined };

/** A failure that a caller tells of, and the version that it is about. */
interface Suspicion {
  readonly failure: Failure;
  readonly about: NonNullable<Raised['about']>;
}

/** A reply that is no answer. */
type Failed = Exclude<Reply, { is: 'done' | 'dropped' }>;

/** A run. */
export class Run implements Watcher {
  readonly parts: RunParts;
  readonly #refs = new Map<number, Ref>();
  readonly #numbers = new WeakMap<object, number>();
  /** Events that wait. `completes` is the actor that hears of complete states of its own (C5a). */
  readonly #backlog: { ref: Ref; event: Event; source: unknown; completes?: number }[] = [];
  readonly #verifier: Verifier | null;
  readonly #write: Writing;
  readonly #calls: Calls;
  readonly #approvals: Approvals;
  readonly #outbox: Outbox;
  readonly #queries: RecoveryQueries;
  readonly #reuse: Reuse;
  /** How many steps the last macrostep of each machine had. */
  readonly #macrosteps = new Map<number, number>();
  /** The steps that raised the events which claims deliver. */
  readonly #raised = new WeakMap<object, RecordedStep>();
  /** What was asked, decided and waited for. */
  readonly recovering: Recovering;
  #watch: MachineWatch | null = null;
  #recorder: StepRecorder | null = null;
  #placed: readonly Placed[] = [];
  /** Whether events wait: a plan is being carried out, or the run is parked. */
  #holding = false;
  #stopping = false;
  /** Whether the machine of a run that is taken up was not started yet, and claims wait for that. */
  #asleep = false;
  /** Events that are part of what is being carried out come past what holds the others back. */
  #letThrough = false;
  /** Timers that have fired, and whose events caused steps that failed. */
  readonly #lost = new Set<Timer>();
  /** The output of a machine that has come to its end, while something is still to be decided about that (C9). */
  #end: { readonly output: unknown } | null = null;
  /** Why the first macrostep threw; null where it went well. */
  #unbegun: { readonly error: unknown } | null = null;
  readonly #input: unknown;

  constructor(parts: RunParts, input?: unknown) {
    this.#input = input;
    this.parts = parts;
    const write = new Writing(parts);
    this.#write = write;
    this.#approvals = new Approvals(parts, write, () => void this.recovering.askAgain());
    write.onOutcome(() => {
      this.#approvals.wake();
      this.recovering.heard();
    });
    this.#calls = new Calls(parts, write, this.#approvals, () => this.recovering.clear());
    this.#outbox = new Outbox(parts, {
      append: (entries) => write.append(entries),
      durable: () => write.durable(),
      toolOf: (name) => this.#watch?.toolNamed(name),
      reconcile: (key) => this.#calls.reconcile(key),
      discard: (call) => this.#calls.discard(call),
      park: (call, error) => this.recovering.parkCommit(call, error),
      refused: (raised) => this.recovering.refused(raised),
    });
    this.#queries = new RecoveryQueries(parts);
    this.recovering = new Recovering(parts, this, {
      write,
      calls: this.#calls,
      queries: this.#queries,
      approvals: this.#approvals,
      outbox: this.#outbox,
    });
    this.#reuse = new Reuse(parts.runState, {
      isBusy: () => this.#asleep || this.recovering.isBusy || this.#stopping || this.#write.broken !== null,
      claim: (live, record) => this.#claim(live.id, record),
      dismiss: (record, why) => this.dismiss(record, why),
      settled: () => this.#goOn(),
    });
    this.#verifier = parts.verify ? new Verifier() : null;
    for (const { number, context } of parts.runState.actors) this.#verifier?.reset(number, context);
  }

  /** Takes the watch and the places of the machine's states, before the actor is made. */
  bind(watch: MachineWatch): void {
    this.#watch = watch;
    const places = watch.places();
    this.#placed = [...this.parts.config.skeletons.values()].flatMap((skeleton) => {
      const regions = skeleton.states.flatMap((state) => places.get(state)?.region ?? []);
      if (regions.length === 0) return [];
      const first = skeleton.states.find((state) => places.has(state)) as string;
      return [{ skeleton, region: regions.reduce(commonRegion), prefix: first.slice(0, first.lastIndexOf('/') + 1) }];
    });
    this.#recorder = new StepRecorder(this.parts, this.#placed, this.#verifier);
    this.#queries.bind(watch, this.#placed);
  }

  get runState(): RunState {
    return this.parts.runState;
  }

  get status(): 'running' | 'recovering' | 'parked' | 'done' {
    return this.runState.ended === 'done' ? 'done' : this.recovering.status;
  }

  /**
   * The failure that a caller tells of, by the version that it means (C12); without an ordinal, that of the only occurrence (§8.1). Null
   * where that work is undone already.
   * @throws SidecarError `bad_failure` for a name that the config does not have, work that never was, a key that it never wrote.
   */
  suspected({ skeleton, entity, ordinal }: Suspect, key: string | undefined): Suspicion | null {
    const suspect = key === undefined ? null : parseKey(key);
    if (!this.parts.config.skeletons.has(skeleton)) {
      const names = [...this.parts.config.skeletons.keys()].join(', ');
      throw new SidecarError('bad_failure', `the config has no skeleton "${skeleton}": it has ${names}`);
    }
    const { registry } = this.runState.history;
    const known = [...registry.all()].map(({ id }) => id);
    const meant = namedBy([...known, ...this.#setAside()], skeleton, entity);
    const here = ordinal === undefined ? meant : meant.filter((id) => id.ordinal === ordinal);
    const [one, other] = here;
    if (one === undefined) {
      const { occurrences } = this.runState;
      if (!occurrences.wasUsed(skeleton, entity, ordinal))
        throw new SidecarError('bad_failure', `no ${skeleton} about "${entity}" was ever begun`);
      if (suspect !== null && !occurrences.hadWritten(skeleton, entity, ordinal, suspect))
        throw new SidecarError('bad_failure', `${skeleton} about "${entity}" never wrote ${suspect.text}`);
      return this.#undoneAlready({ skeleton, entity, ordinal });
    }
    const only = other === undefined ? one : this.parts.decisionPolicy.meant(here);
    if (only === null)
      return { failure: { in: null, key: null, why: 'fits_several' }, about: { write: null, head: 0, epoch: 0 } };
    return this.#accusation(only, suspect);
  }

  /** The position to which the plan that is under way takes back the work that a complaint is about; null where it does not. */
  #undoneTo(id: InstanceId, key: Key | null): number | null {
    const { pending, history } = this.runState;
    if (pending === null || pending.phase === 'RESTORED' || !('line' in pending.entry.decision)) return null;
    const { verdict, line } = pending.entry.decision;
    if (verdict !== 'restore' && verdict !== 'restore_joint') return null;
    const move = line?.moves.find(({ instance }) => instanceName(instance) === instanceName(id));
    if (move === undefined) return null;
    const kept = move.keep === 'none' ? 0 : move.keep.at;
    if (key === null) return kept === 0 || (move.keep !== 'none' && move.keep.kind === 'entry') ? kept : null;
    const record = history.registry.get(id);
    const write = record && history.versions.writesOf(record).find((each) => overlaps(each.key, key));
    return write === undefined || write.at > kept ? kept : null;
  }

  /**
   * A complaint about work that is undone: that is its answer already (C12). What that work was answered is not served again (C10): an
   * idempotent call is asked again, and any other that still stands has to be taken back first.
   * @param still the answers of what a plan that is under way is about to undo.
   */
  #undoneAlready(id: Unordered, still: readonly string[] = []): Suspicion | null {
    const lost = this.#queries.lost(id);
    const free = lost.filter(({ intent }) => intent.class === 'idempotent');
    const wrong = [...still, ...free.map(({ key }) => key)];
    const instance = { ...id, ordinal: id.ordinal ?? 0 };
    if (wrong.length > 0) this.#write.append([{ do: 'dismissed', instance, why: 'undone_before', wrong }]);
    const standing = lost.find((call) => !free.includes(call) && !still.includes(call.key));
    if (standing === undefined) return null;
    return { failure: { in: standing.intent.instance, key: null }, about: { write: null, head: 0, epoch: -1 } };
  }

  #setAside(): InstanceId[] {
    const { records, occurrences } = this.runState;
    return [...records.values()].flatMap(({ members }) => occurrences.named(members));
  }

  /** A key of an instance's: in a machine that is invoked, one without a scheme is of its own context. */
  #keyOf(id: InstanceId, key: Key): Key {
    const place = this.runState.places.of(instanceName(id));
    const { started } = this.runState.actor(place === undefined ? 0 : split(place.region)[0]);
    if (started === null || /^[a-z][a-z0-9+.-]*:$/.test(key.segments[0] ?? '')) return key;
    const segments = ['actor:', started.id, ...key.segments];
    return { text: `actor:${segments.slice(1).join('/')}`, segments, pattern: key.pattern };
  }

  #accusation(id: InstanceId, named: Key | null): Suspicion | null {
    const key = named === null ? null : this.#keyOf(id, named);
    const { history, epochs, occurrences } = this.runState;
    const record = history.registry.get(id);
    const epoch = epochs.get(instanceName(id)) ?? 0;
    const about = { write: null, head: history.head, epoch };
    const written = record === undefined ? [] : history.versions.writesOf(record);
    const write = key === null ? undefined : written.find((each) => overlaps(each.key, key));
    if (key !== null && write === undefined && !occurrences.hadWritten(id.skeleton, id.entity, id.ordinal, key))
      throw new SidecarError('bad_failure', `${instanceName(id)} never wrote ${key.text}`);
    // A plan that is under way takes it back already: that is the answer to this complaint, too.
    const undoneTo = this.#undoneTo(id, key);
    if (undoneTo !== null)
      return this.#undoneAlready(id, this.#queries.wrongAnswers(id, key?.text ?? null, undoneTo).keys);
    if (key === null || record === undefined) return { failure: { in: id, key }, about };
    if (write === undefined) return this.#undoneAlready(id);
    return { failure: { in: id, key }, about: { ...about, write: this.runState.originOf(write.at) } };
  }

  /** Claims again what the calls of this run have touched. @returns why it does not get that, or null. */
  claimAgain(): Promise<string | null> {
    return this.#calls.claimAgain();
  }

  get approvals(): Approvals {
    return this.#approvals;
  }

  append(entries: readonly Entry[]): void {
    this.#write.append(entries);
  }

  durable(): Promise<number> {
    return this.#write.durable();
  }

  // What the machine does.

  begun(ref: Ref, seen: readonly Microstep[]): void {
    this.steps(ref, seen);
  }

  steps(ref: Ref, seen: readonly Microstep[]): void {
    const number = this.#numbers.get(ref);
    if (number === undefined) return;
    this.#write.together(() => {
      for (const step of seen) this.#step(ref, number, step);
    });
    this.#macrosteps.set(number, seen.length);
    if (number === 0 && this.runState.toRedeliver.length > 0) queueMicrotask(() => this.offer());
  }

  #step(ref: Ref, number: number, seen: Microstep): void {
    const { runState } = this;
    const ended = new Set(seen.gone.flatMap((gone) => this.#numbers.get(gone) ?? []));
    if (seen.snapshot.status === 'done')
      for (const child of runState.actors) if (child.parent === number && child.ended === null) ended.add(child.number);
    const heard = this.#heardFrom(ref, seen.event);
    if (heard !== null) ended.add(heard);
    const { entries, fresh } = (this.#recorder as StepRecorder).step(number, seen, [...ended], this.#sentBy(seen));
    this.#write.append(
      entries,
      seen.context,
      entries.findLastIndex((entry) => entry.do === 'step'),
    );
    const first = runState.actors.length - seen.started.length;
    const ids = entries.flatMap((entry) => (entry.do === 'step' ? entry.started.map(({ id }) => id) : []));
    for (const child of seen.started) this.adopted(child.ref, first + ids.indexOf(child.id));
    for (const entry of entries) this.#enters(entry, fresh, number);
    // What was promised is made durable at once; whoever relies on it awaits it (§5).
    if (entries.some((entry) => entry.do === 'step' && entry.boundaries.some((id) => id !== ''))) {
      void this.durable().catch(() => {});
      this.#outbox.begin();
    }
    for (const entry of entries) {
      if (entry.do === 'finding') this.#found(entry, number, seen.started.some(isCall));
    }
    // A machine that ends in its very first macrostep is over before anybody watches it.
    if (number === 0 && seen.before === null && seen.snapshot.status === 'done') this.#over(seen.snapshot.output);
  }

  /** The steps of the machine that sent the event of a step: which of its last macrostep it was, nobody tells (C1a). */
  #sentBy({ sender, event }: Microstep): [number, number][] {
    const raisedBy = this.#raised.get(event);
    if (raisedBy !== undefined) {
      const since = this.runState.places.between(raisedBy.nth - 1, Number.POSITIVE_INFINITY);
      return [[raisedBy.actor, since.filter(({ actor }) => actor === raisedBy.actor).length]];
    }
    const number = sender === null ? undefined : this.#numbers.get(sender);
    if (number === undefined) return [];
    return Array.from({ length: this.#macrosteps.get(number) ?? 0 }, (_, index) => [number, index + 1]);
  }

  /**
   * Whom a step has entered: work that was set aside is looked at, and nothing is begun anew beside what stands unclaimed (C5,
   * C8).
   */
  #enters(entry: Entry, fresh: readonly InstanceId[], actor: number): void {
    if (entry.do !== 'step') return;
    const names = entry.marks.flatMap((mark) => (mark.do === 'enter' ? [instanceName(mark.in)] : []));
    if (names.length > 0 && this.#reuse.entered(names)) {
      this.#holding = true;
      this.#reuse.begin();
    }
    for (const { skeleton, entity, ordinal } of fresh) {
      const kept = this.runState.ledger.kept().find(({ intent: { instance } }) => {
        return instance.skeleton === skeleton && instance.entity === entity && instance.ordinal !== ordinal;
      });
      if (kept !== undefined) this.recovering.parkUnclaimed([kept], actor, { skeleton, entity, ordinal });
    }
  }

  holdsEnd(_: Ref, { output }: Snapshot): boolean {
    const { records, ledger, ended } = this.runState;
    if (ended !== null) return false;
    const isLeft =
      records.size > 0 ||
      ledger.displaced().length > 0 ||
      this.recovering.openCalls().length > 0 ||
      this.#outbox.mayRefuse;
    const isOpen = isLeft || this.recovering.isBusy || this.#reuse.isPending;
    // A run that is taken up at its end first goes on with what its last process has left.
    if (!isOpen && !this.#holding) {
      this.#over(output);
      return false;
    }
    this.#end = { output };
    if (!this.#holding) queueMicrotask(() => void this.#tryEnd());
    return true;
  }

  #over(output: unknown): void {
    this.#write.append([{ do: 'end', status: 'done' }]);
    void this.recovering.finish(output);
  }

  /** Ends a run whose end had to wait, once nothing is to be decided and nothing stands in the world that nobody claimed (C9). */
  async #tryEnd(): Promise<void> {
    if (!this.#mayEnd()) return;
    // What is refused now can still be done again; after the end it cannot (E4). The end of the machine is the end of all waiting.
    await this.#outbox.settled();
    if (!this.#mayEnd()) return;
    this.#outbox.begin(true);
    await this.#outbox.settled();
    if (!this.#mayEnd()) return;
    const again = () => void this.#tryEnd();
    if (!(await this.recovering.clearUnclaimed(again))) return;
    if (!(await this.recovering.clearOpen(again))) return;
    const end = this.#end as { readonly output: unknown } | null;
    if (end === null || !this.#mayEnd()) return;
    this.#end = null;
    this.#over(end.output);
    this.#pass(0, { type: END, output: end.output } as Event);
  }

  #mayEnd(): boolean {
    return this.#end !== null && !this.#reuse.isPending && !this.recovering.isBusy && !this.#stopping;
  }

  failedToBegin(error: unknown): void {
    this.#unbegun = { error };
  }

  /** Says that the first macrostep threw, once somebody can hear it. */
  tellUnbegun(): void {
    if (this.#unbegun === null) return;
    const { error } = this.#unbegun;
    const failure = { in: null, key: null, why: 'fits_nobody' } as const;
    void this.recovering.raise({ signal: 'CHAIN_EXCEPTION', error, actor: 0, failure, call: null });
  }

  /** Begins a run again whose first macrostep threw. @returns whether there was one. */
  beginAgain(): boolean {
    if (this.#unbegun === null) return false;
    this.#unbegun = null;
    this.#pass(0, { type: BEGIN, input: this.#input } as Event);
    this.tellUnbegun();
    return true;
  }

  adopted(ref: Ref, number: number): void {
    this.#refs.set(number, ref);
    this.#numbers.set(ref, number);
    this.#watch?.begin(ref);
  }

  stopping(): void {
    this.#stopping = true;
    this.#approvals.stop();
    this.#calls.stop();
    this.#outbox.stop();
    this.recovering.stop();
    this.#write.now();
  }

  crashed(ref: Ref, event: Event, error: unknown, places: readonly Place[]): void {
    const actor = this.#numbers.get(ref) ?? 0;
    const heard = this.#heardFrom(ref, event);
    const region = heard === null ? null : this.runState.actor(heard).region;
    const regions = region === null ? places.map((place) => regionName(actor, bare(place.path))) : [region];
    const owners = new Map<string, InstanceId>();
    for (const at of regions) {
      const owner = this.runState.ownerOf(at, this.#placed);
      if (owner !== undefined) owners.set(instanceName(owner.id), owner.id);
    }
    // A timer may fire a moment before the wall clock says that it is due. One that has not is armed again for what is left.
    const fired = this.runState.timers.find(
      (timer) => timer.actor === actor && timer.gone === null && isEqual(timer.event, event),
    );
    if (fired !== undefined) this.#lost.add(fired);
    const signal = event.type.startsWith('xstate.error.') ? toolSignal(error) : 'CHAIN_EXCEPTION';
    // The event is gone with the step that failed over it; one that nobody sends again comes back with what is restored.
    void this.recovering.raise({ signal, error, actor, failure: failureOf([...owners.values()]), call: null });
  }

  stops(ref: Ref, event: Event, snapshot: Snapshot): boolean {
    if (this.#write.broken !== null) return true;
    if (!this.#holding || this.#letThrough) return false;
    const source = /^xstate\.(?:done|error)\.actor\./.test(event.type)
      ? snapshot.children[String(event.actorId)]
      : null;
    this.#backlog.push({ ref, event, source });
    return true;
  }

  /** The number of the actor that an event is news from. */
  #heardFrom(ref: Ref, event: Event): number | null {
    if (!/^xstate\.(?:done|error)\.actor\./.test(event.type)) return null;
    const children = (ref.getSnapshot() as { children?: Record<string, Ref> }).children;
    const child = children?.[String(event.actorId)];
    return child === undefined ? null : (this.#numbers.get(child) ?? null);
  }

  #found(finding: Extract<Entry, { do: 'finding' }>, actor: number, calls: boolean): void {
    this.parts.onFinding(finding);
    if (finding.code === 'invariant_broken' && finding.instance !== null) {
      const failure = { in: finding.instance, key: null };
      void this.recovering.raise({
        signal: 'CONTRACT_VIOLATION',
        error: new Error(finding.text),
        actor,
        failure,
        call: null,
        suspect: true,
      });
    }
    // A call of the step raises it itself, before it leaves.
    if (finding.code !== 'missing_input' || finding.instance === null || calls) return;
    const failure = { in: finding.instance, key: null };
    void this.recovering.raise({ signal: 'MISSING_INPUT', error: new Error(finding.text), actor, failure, call: null });
  }

  // Timers.

  /** A delayed event was scheduled by an actor, or taken back (`event` null). */
  timer(ref: Ref, id: string, event: Event | null, delay: number): void {
    const actor = this.#numbers.get(ref);
    if (actor === undefined || this.#stopping) return;
    if (event === null) {
      if (!this.runState.timers.some((timer) => timer.actor === actor && timer.id === id && timer.gone === null))
        return;
      this.#write.append([{ do: 'timer', actor, id, region: '', event: { type: '' }, delay: null }]);
      return;
    }
    const { logic } = ref as unknown as { logic: Parameters<typeof regionOfTimer>[0] };
    const region = regionOfTimer(logic, event.type);
    const planned = planOfTimer(event);
    const due = planned?.due ?? this.parts.now() + delay;
    this.#write.append([{ do: 'timer', actor, id, region, event, delay: planned?.delay ?? delay, due }]);
  }

  // Tools.

  async call(call: Call): Promise<unknown> {
    const number = this.#numbers.get(call.ref) as number;
    const actor = this.runState.actor(number);
    const region = actor.region ?? regionName(0, '');
    const instance = this.runState.ownerOf(region, this.#placed)?.id ?? this.#queries.rootOf(region);
    const whose = { instance, keyedAs: this.#queries.keyedAs(instance) };
    const lacks = () => (this.#recorder as StepRecorder).lacks(instance);
    for (let tries = 0; ; ) {
      // What was set aside is claimed or given up before anything new leaves (C5a).
      await this.#reuse.settled();
      if (call.signal.aborted) return never(call.signal);
      // What a commit has promised is there before anybody goes on from it (E4).
      await this.#outbox.settled();
      const reply = await this.#calls.ask(call, number, whose, lacks);
      if (reply.is === 'done') return reply.output;
      if (reply.is === 'dropped' || this.#stopping || call.signal.aborted) return never(call.signal);
      if (reply.is === 'failed' && (await this.#calls.again(call, reply, tries))) {
        tries += 1;
        continue;
      }
      const held = await this.#heard(call, number, instance, reply);
      if (held.next === 'answer') return held.output;
      if (held.next === 'wait') return never(call.signal);
    }
  }

  /**
   * What comes of a call that failed: a machine that handles the error hears of it, unless the call has happened after all (E2,
   * F2).
   */
  async #heard(call: Call, number: number, instance: InstanceId, reply: Failed): Promise<Held> {
    if (call.signal.aborted) return { next: 'wait' };
    if (reply.is !== 'failed' || reply.held === true || !this.#calls.isMachines(call, reply))
      return this.#hold(call, number, instance, reply);
    const known = await this.#calls.outcome(reply.key);
    if (call.signal.aborted) return { next: 'wait' };
    if (known?.status === 'confirmed') return { next: 'answer', output: known.output };
    throw reply.error;
  }

  async #hold(call: Call, number: number, instance: InstanceId, reply: Failed): Promise<Held> {
    const actor = this.runState.actor(number).parent ?? 0;
    const failure: Failure =
      instance.skeleton === ROOT ? { in: null, key: null, why: 'fits_nobody' } : { in: instance, key: null };
    if (reply.is === 'unclaimed') {
      const { kept } = reply;
      // A replay may have taken it over since.
      if (!this.runState.ledger.kept().includes(kept)) return { next: 'again' };
      return new Promise((resolve) => {
        this.recovering.parkUnclaimed([kept], actor, instance, () => resolve({ next: 'again' }));
      });
    }
    if (reply.is === 'diverged' && (await this.recovering.undoDiverged(reply.recorded))) return { next: 'again' };
    if (reply.is === 'diverged') {
      const { recorded, digest } = reply;
      const effect = this.#queries.effectOf(recorded.key, instance);
      this.recovering.park(
        {
          signal: 'CONTRACT_VIOLATION',
          error: new Error(`${recorded.key} is asked for with other arguments`),
          actor,
          failure,
          call: null,
        },
        {
          verdict: 'escalate',
          failed: instance,
          at: this.runState.history.head,
          policy: this.parts.policy,
          refusals: [
            {
              code: 'effect_diverged',
              candidate: null,
              effect,
              recorded: recorded.intent.digest,
              asked: digest,
              recordedArgs: argsText(
                this.runState.redaction.args(call.tool, recorded.intent.args),
                this.runState.codecs,
              ),
              askedArgs: argsText(this.runState.redaction.args(call.tool, call.input), this.runState.codecs),
            },
          ],
          undo: [],
          line: null,
          unblock: { leadsTo: 'ask_again', acts: [{ act: 'undo_by_hand', effect }] },
        },
      );
      return { next: 'wait' };
    }
    const { signal, error, key } = reply;
    // Whoever waits for a person goes on waiting here: the same question, asked again, answers the same call.
    return new Promise((answer) => {
      const held = {
        actor: number,
        key,
        tool: call.tool,
        args: call.input,
        isHeld: reply.held === true,
        isDropped: () => call.signal.aborted,
        answer,
      };
      void this.recovering.raise({ signal, error, actor, failure, call: held });
    });
  }

  /** Waits until the calls that are under way have answered; the machine hears of it when the run is taken up. */
  async drain(longest: number): Promise<void> {
    this.hold();
    await this.#calls.drain(longest);
  }

  // Restoring.

  /** Undoes memory and, with a machine at hand, control. */
  restore({ kept, aside, wrong, sure }: RestoredParts, inPlace: boolean): void {
    const resumes = this.#queries.resumes(kept);
    const plan = planRestore(this.runState, kept, resumes, this.#surroundings());
    this.#end = null;
    this.#write.append([
      {
        do: 'restored',
        kept,
        ...(aside.length > 0 && { aside }),
        ...(wrong.length > 0 && { wrong }),
        ...(sure.length > 0 && { sure }),
        ...(resumes.length > 0 && { resumed: resumes.map(({ region, by }) => ({ region, by })) }),
        controls: plan.controls,
      },
    ]);
    for (const { number, context } of this.runState.actors) this.#verifier?.reset(number, context);
    this.#lost.clear();
    if (!inPlace) return;
    this.#owed(plan.rewinds.flatMap(({ actor, plan: rewind }) => this.#rewind(actor, rewind())));
  }

  /** Has every machine of a run that is taken up take the eventless moves of where it stands, and hear what is complete. */
  settleAll(): void {
    const running = this.runState.actors.filter(({ number, ended }) => ended === null && this.#refs.has(number));
    const machines = running.filter(({ started, begun }) => started === null || (started.kind === 'machine' && begun));
    for (const { number } of [...machines].reverse()) this.settleIn(number);
    this.#owed(machines.map(({ number }) => number));
    if (!this.#reuse.isPending) return;
    this.#asleep = true;
    (this.#refs.get(0) as unknown as { _send(event: Event): void } | undefined)?._send({ type: WAKE });
  }

  /** The machine of a run that is taken up takes events: what a claim does to it counts for the next one (C5). */
  woken(): void {
    this.#asleep = false;
    this.#reuse.begin();
  }

  #surroundings() {
    return {
      ownerOf: (region: string) =>
        instanceName(this.runState.ownerOf(region, this.#placed)?.id ?? this.#queries.rootOf(region)),
      stateOf: (actor: number, type: string) => {
        const logic = (this.#refs.get(actor) as { logic?: Parameters<typeof stateOfTimer>[0] } | undefined)?.logic;
        return logic === undefined ? null : stateOfTimer(logic, type);
      },
      isLost: (timer: Timer) => this.#lost.has(timer),
      isOver: (actor: number) =>
        (this.#refs.get(actor)?.getSnapshot() as { status?: unknown } | undefined)?.status === 'done',
      now: this.parts.now,
    };
  }

  /** @returns the numbers of the machines that were rewound or made where they stood. */
  #rewind(actor: number, plan: ActorPlan): number[] {
    this.#refs.get(actor)?.send({ type: RESTORE, plan });
    return this.#settleAll(actor, plan);
  }

  #settleAll(actor: number, plan: ActorPlan): number[] {
    this.settleIn(actor);
    const made = plan.make.map(({ number }) => [number, inputOf(this.#refs.get(number))] as const);
    this.#write.append((this.#recorder as StepRecorder).restarts(actor, made));
    return [
      actor,
      ...plan.make.flatMap((child) => (child.plan === null ? [] : this.#settleAll(child.number, child.plan))),
    ];
  }

  /** Has actors hear that states in them are complete, where the step that had heard it is undone (C5a). */
  #owed(actors: readonly number[]): void {
    for (const actor of actors) {
      const ref = this.#refs.get(actor);
      if (ref === undefined) continue;
      for (const event of this.#owedTo(actor, ref)) this.#backlog.push({ ref, event, source: null, completes: actor });
    }
  }

  #owedTo(actor: number, ref: Ref): Event[] {
    const { places, actors } = this.runState;
    const { value, context } = actors[actor] as (typeof actors)[number];
    const completions = (this.#watch as MachineWatch).completions(
      (this.#watch as MachineWatch).standing(ref, value as never, context),
    );
    return completions.flatMap(({ event, regions }) => {
      const since = Math.max(
        -1,
        ...regions.map((path) => places.lastMover(regionName(actor, path), (step) => step.actor === actor)?.nth ?? -1),
      );
      const isHeard = places
        .between(since - 1, Number.POSITIVE_INFINITY)
        .some(
          (step) => step.actor === actor && (step.entry?.event as { type?: unknown } | undefined)?.type === event.type,
        );
      return isHeard ? [] : [event];
    });
  }

  // Reuse.

  /** A record is taken over: its work is journaled as done again, and control goes on behind it (C5, C5a). */
  #claim(id: InstanceId, record: WorkRecord): void {
    const place = this.runState.places.of(instanceName(id));
    const actor = place === undefined ? 0 : split(place.region)[0];
    const ref = this.#refs.get(actor);
    if (place === undefined || ref === undefined) return;
    let plan: ActorPlan | null = null;
    let closed: RecordedStep | null = null;
    this.#write.together(() => {
      this.#write.append([{ do: 'claimed', instance: id }]);
      closed = (this.runState.places.of(instanceName(id))?.closed ?? null) as RecordedStep | null;
      for (const { number, context } of this.runState.actors) this.#verifier?.reset(number, context);
      const first = this.runState.actors.length;
      this.#arrive(actor, ref, record, split(place.region)[1]);
      const next = record.next.started.map((_, index) => first + index);
      plan = planClaim(this.runState, record, place.region, next, this.parts.now);
    });
    if (plan !== null) this.#rewind(actor, plan);
    this.#deliverOwn();
    for (const event of record.next.raised as Event[]) {
      const again = { ...event };
      if (closed !== null) this.#raised.set(again, closed);
      (this.#watch as MachineWatch).isInner(again);
      this.#pass(actor, again);
    }
    for (const event of this.#owedTo(actor, ref)) this.#pass(actor, event);
  }

  /** Journals where control comes behind a record: whom it enters there, and what it starts. */
  #arrive(actor: number, ref: Ref, record: WorkRecord, region: string): void {
    const watch = this.#watch as MachineWatch;
    const { value, context } = this.runState.actor(actor);
    const snapshot = watch.standing(ref, value as never, context);
    const event = { ...(record.next.event as Event), type: CLAIMED };
    const states = watch.places();
    const prefix = this.#placed.find(({ skeleton }) => skeleton.name === record.id.skeleton)?.prefix ?? '';
    const started = record.next.started.map((child) => ({
      ...child,
      ref,
      place: child.at === null ? null : (states.get(`${prefix}${child.at}`) ?? null),
      input: watch.inputOf(ref, child, context, record.next.event as Event),
    }));
    const after = watch.placesOf(snapshot);
    const seen: Microstep = {
      event,
      before: after,
      after,
      hears: false,
      sources: [watch.placeOf(ref, region)],
      contextBefore: context,
      context,
      snapshot,
      rememberedChanged: false,
      bare: true,
      started,
      outside: false,
      gone: [],
      looks: [],
      parts: [],
      raisedBack: [],
      sender: null,
      ...watch.arrival(snapshot, region),
    };
    const { entries, fresh } = (this.#recorder as StepRecorder).step(actor, seen, []);
    this.#write.append(entries);
    this.#enters(entries[0] as Entry, fresh, actor);
  }

  /** A record is given up (C7, C9, C12): its work is done again, or was in vain. */
  dismiss(record: WorkRecord, why: DismissalReason, wrong: readonly string[] = []): void {
    const staged = record.items.flatMap((item) =>
      item.is === 'call' && item.call.status === 'buffered' ? [item.call] : [],
    );
    this.#write.append([{ do: 'dismissed', instance: record.id, why, ...(wrong.length > 0 && { wrong }) }]);
    for (const call of staged) void this.#calls.discard(call);
  }

  /** Everything that waited for reuse goes on. */
  #goOn(): void {
    if (this.recovering.isBusy) return;
    this.#holding = false;
    this.#deliver();
    this.offer();
    void this.#tryEnd();
  }

  /** A recovery is over: what it held back goes on. */
  settled(): void {
    if (this.#reuse.isPending) this.#reuse.begin();
    else {
      this.offer();
      void this.#tryEnd();
    }
  }

  /** Hands an event to an actor past what holds the others back. */
  #pass(actor: number, event: Event): void {
    const ref = this.#refs.get(actor);
    const before = this.#letThrough;
    this.#letThrough = true;
    try {
      (ref as unknown as { _send(event: Event): void } | undefined)?._send(event);
    } finally {
      this.#letThrough = before;
    }
  }

  /** Hands on what a claim has put first: the eventless moves of where it leads. */
  #deliverOwn(): void {
    const own = this.#backlog.filter(({ event }) => event.type === 'xstate.init');
    for (const one of own) this.#backlog.splice(this.#backlog.indexOf(one), 1);
    for (const { ref, event } of own) this.#pass(this.#numbers.get(ref) ?? 0, event);
  }

  /** Has an actor take the eventless transitions of where it was put, before it hears of anything else. */
  settleIn(actor: number): void {
    const ref = this.#refs.get(actor);
    // xstate's own first event is the one that selects nothing else.
    if (ref !== undefined) this.#backlog.unshift({ ref, event: { type: 'xstate.init' }, source: null });
  }

  /** Sends the next event again that restores took back, where it meets what it met then (C1b). */
  offer(): void {
    const root = this.#refs.get(0);
    const [back] = this.runState.toRedeliver;
    if (!this.parts.redeliver || back === undefined || root === undefined) return;
    if (this.#holding || this.#stopping || this.#reuse.isPending || this.recovering.isBusy) return;
    const snapshot = root.getSnapshot() as Snapshot;
    if (snapshot.status === 'active' && this.#meetsTheSame(back, snapshot)) root.send(back.event as Event);
  }

  #meetsTheSame({ event, context, control, regions, heard }: ToRedeliver, snapshot: Snapshot): boolean {
    const root = this.runState.actor(0);
    if (!isEqual(control, root.value) || !isEqual(context, root.context)) return false;
    const takers = (this.#watch as MachineWatch).takers(snapshot, event as Event).map((path) => regionName(0, path));
    if (takers.length === 0 || takers.some((region) => !regions.includes(region))) return false;
    return isEqual(heardIn(this.runState.places, regions, Number.POSITIVE_INFINITY), heard);
  }

  /** Hands on the events that had to wait; those of actors that are no longer there are refused (K3). */
  #deliver(): void {
    for (
      let next = this.#backlog.shift();
      next !== undefined;
      next = this.#holding ? undefined : this.#backlog.shift()
    ) {
      const { ref, event, source, completes } = next;
      // A restore since may have taken back what was complete (C9).
      if (completes !== undefined && !this.#owedTo(completes, ref).some(({ type }) => type === event.type)) continue;
      const children = (ref.getSnapshot() as { children?: Record<string, unknown> }).children;
      if (source !== null && children?.[String(event.actorId)] !== source) {
        this.#write.append([{ do: 'late', actor: this.#numbers.get(ref) ?? 0, event: event.type }]);
      } else (ref as unknown as { _send(event: Event): void })._send(event);
    }
  }

  /** Holds events back until `release`. */
  hold(): void {
    this.#holding = true;
  }

  release(): void {
    if (this.#reuse.isPending) {
      this.#reuse.begin();
      return;
    }
    this.#holding = false;
    this.#deliver();
    void this.#tryEnd();
  }
}

/** The longest text of arguments that a decision shows. */
const LONGEST_ARGS = 4_000;

/** Arguments as they are shown. */
function argsText(args: unknown, codecs: RunState['codecs']): string {
  const encoded = encode(args, { codecs });
  const text = 'text' in encoded ? encoded.text : `(no text: ${encoded.reason} at ${encoded.path.join('.')})`;
  return text.length > LONGEST_ARGS ? `${text.slice(0, LONGEST_ARGS).toWellFormed()}...` : text;
}

function namedBy(all: readonly InstanceId[], skeleton: string, entity: string): readonly InstanceId[] {
  return all.filter((id) => id.skeleton === skeleton && id.entity === entity);
}

function failureOf(owners: readonly InstanceId[]): Failure {
  const [one, other] = owners;
  if (one === undefined) return { in: null, key: null, why: 'fits_nobody' };
  return other === undefined ? { in: one, key: null } : { in: null, key: null, why: 'fits_several' };
}

/** A promise that is never settled, unless its actor is stopped; then nobody waits for it. */
function never(_: AbortSignal): Promise<never> {
  return new Promise(() => {});
}

function isCall({ kind, src }: Microstep['started'][number]): boolean {
  return kind === 'promise' && src !== null;
}

function inputOf(ref: Ref | undefined): unknown {
  return (ref as { options?: { input?: unknown } } | undefined)?.options?.input;
}

function commonRegion(a: string, b: string): string {
  const [left, right] = [a.split('.'), b.split('.')];
  let shared = 0;
  while (shared < left.length && left[shared] === right[shared]) shared += 1;
  return a === b ? a : left.slice(0, shared).join('.');
}
