import type { Reply } from '../effects/guard.ts';
import type { LedgerCall } from '../effects/ledger.ts';
import { told, toolSignal } from '../effects/signals.ts';
import { regionName } from '../history/places.ts';
import { encode } from '../journal/codec.ts';
import type { Row } from '../journal/journal.ts';
import type { Decision } from '../model/decision.ts';
import { type Effect, isOpen } from '../model/effect.ts';
import type { Entry } from '../model/entry.ts';
import type { Failure, Signal } from '../model/failure.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { parseKey } from '../model/key.ts';
import { controlOf } from '../recovery/control.ts';
import { decide } from '../recovery/decide.ts';
import type { Event, Ref, Snapshot } from '../xstate/actor.ts';
import { type ActorPlan, RESTORE } from '../xstate/restore.ts';
import { regionOfTimer } from '../xstate/timers.ts';
import type { Call, Place, Seen, Watch, Watcher } from '../xstate/watch.ts';
import { Authority } from './authority.ts';
import { Calls } from './calls.ts';
import { budgetKey, type Fold, ROOT } from './fold.ts';
import { type Lost, lostText } from './layout.ts';
import { Lift } from './lift.ts';
import { bare, type Held, type Raised, type RunParts } from './parts.ts';
import type { Placed } from './places.ts';
import { type Kept, keptByRerun, planPass, planRestore } from './plan.ts';
import { Publishing } from './publishing.ts';
import { Questions } from './questions.ts';
import type { Ending, MovedInput } from './report.ts';
import { Verifier } from './verify.ts';

/** Entries that others may belong to, which follow at once. */
const LEADS_ON: ReadonlySet<Entry['do']> = new Set(['begin', 'step', 'timer', 'finding'] as const);

/** A run. */
export class Run implements Watcher {
  readonly parts: RunParts;
  readonly #refs = new Map<number, Ref>();
  readonly #numbers = new WeakMap<object, number>();
  readonly #backlog: { ref: Ref; event: Event; source: unknown }[] = [];
  readonly #verifier: Verifier | null;
  readonly #calls: Calls;
  readonly #authority: Authority;
  readonly #publishing: Publishing;
  readonly #questions: Questions;
  #watch: Watch | null = null;
  #lift: Lift | null = null;
  #placed: readonly Placed[] = [];
  #rows: Row[] = [];
  /** Whether the end of what is happening is awaited, to write it. */
  #awaited = false;
  #depth = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  /** When counterparties are asked again. */
  #later: NodeJS.Timeout | undefined;
  /** Whether events wait: a plan is being carried out, or the run is parked. */
  #holding = false;
  #stopping = false;
  /** Whether an undo failed: nothing is decided before that plan is finished, which another decision would displace (E5, R5). */
  #stuck = false;
  #broken: unknown = null;
  #ended: (ending: Ending) => void = () => {};
  #failed: (error: unknown) => void = () => {};
  /** The questions that the run is parked on. */
  #parked: readonly Raised[] = [];
  /** How the run ended or came to stand still, for the first time since it was last set going. */
  finished: Promise<Ending> = this.#newEnding();

  constructor(parts: RunParts) {
    this.parts = parts;
    this.#authority = new Authority(parts, this, () => void this.askAgain());
    this.#calls = new Calls(parts, this, this.#authority);
    this.#publishing = new Publishing(parts, this.#publisher());
    this.#questions = new Questions(parts);
    this.#verifier = parts.verify ? new Verifier() : null;
    for (const { number, memory } of parts.fold.actors) this.#verifier?.reset(number, memory);
  }

  /** Takes the watch and the places of the machine's states, before the actor is made. */
  bind(watch: Watch): void {
    this.#watch = watch;
    const places = watch.places();
    this.#placed = [...this.parts.config.skeletons.values()].flatMap((skeleton) => {
      const regions = skeleton.states.flatMap((state) => places.get(state)?.region ?? []);
      if (regions.length === 0) return [];
      const first = skeleton.states.find((state) => places.has(state)) as string;
      return [{ skeleton, region: regions.reduce(commonRegion), prefix: first.slice(0, first.lastIndexOf('/') + 1) }];
    });
    this.#lift = new Lift(this.parts.config, this.parts.fold, this.#placed, this.#verifier);
    this.#questions.bind(watch, this.#placed);
  }

  get fold(): Fold {
    return this.parts.fold;
  }

  get status(): 'running' | 'recovering' | 'parked' | 'done' {
    if (this.fold.ended === 'done') return 'done';
    if (this.#parked.length > 0) return 'parked';
    return this.#waiting > 0 ? 'recovering' : 'running';
  }

  // What the machine does.

  begun(ref: Ref, seen: readonly Seen[]): void {
    this.steps(ref, seen);
  }

  steps(ref: Ref, seen: readonly Seen[]): void {
    const number = this.#numbers.get(ref);
    if (number === undefined) return;
    this.#together(() => {
      this.#passGates(seen.flatMap((step) => this.#step(ref, number, step)));
    });
    if (number === 0 && this.fold.takenBack.length > 0) queueMicrotask(() => this.offer());
  }

  #step(ref: Ref, number: number, seen: Seen): readonly Entry[] {
    const { fold } = this;
    const ended = new Set(seen.gone.flatMap((gone) => this.#numbers.get(gone) ?? []));
    const heard = this.#heardFrom(ref, seen.event);
    if (heard !== null) ended.add(heard);
    const entries = (this.#lift as Lift).step(number, seen, [...ended]);
    this.#append(entries, seen.memory);
    const first = fold.actors.length - seen.started.length;
    for (const [index, child] of seen.started.entries()) this.adopted(child.ref, first + index);
    this.#sealed(entries[0] as Entry);
    // What was promised is made durable at once; whoever relies on it awaits it (§5).
    if (entries[0]?.do === 'step' && entries[0].boundaries.some((id) => id !== '')) {
      void this.durable().catch(() => {});
      this.#publishing.begin();
    }
    for (const entry of entries) {
      if (entry.do === 'finding') this.#found(entry, number, seen.started.some(isCall));
    }
    if (number === 0 && seen.snapshot.status === 'done') {
      this.#append([{ do: 'end', status: 'done' }]);
      void this.finish(seen.snapshot.output);
    }
    return entries;
  }

  adopted(ref: Ref, number: number): void {
    this.#refs.set(number, ref);
    this.#numbers.set(ref, number);
    this.#watch?.begin(ref);
  }

  stopping(): void {
    this.#stopping = true;
    this.#authority.stop();
    this.#publishing.stop();
    clearTimeout(this.#later);
    if (this.#depth === 0) this.#write();
  }

  crashed(ref: Ref, event: Event, error: unknown, places: readonly Place[]): void {
    const actor = this.#numbers.get(ref) ?? 0;
    const heard = this.#heardFrom(ref, event);
    const region = heard === null ? null : this.fold.actor(heard).region;
    const regions = region === null ? places.map((place) => regionName(actor, bare(place.path))) : [region];
    const owners = new Map<string, InstanceId>();
    for (const at of regions) {
      const owner = this.fold.ownerOf(at, this.#placed);
      if (owner !== undefined) owners.set(instanceName(owner.id), owner.id);
    }
    const signal = event.type.startsWith('xstate.error.') ? toolSignal(error) : 'CHAIN_EXCEPTION';
    void this.#raise({ signal, error, actor, failure: failureOf([...owners.values()]), call: null });
  }

  stops(ref: Ref, event: Event, snapshot: Snapshot): boolean {
    if (this.#broken !== null) return true;
    if (!this.#holding) return false;
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
      void this.#raise({ signal: 'CONTRACT_VIOLATION', error: new Error(finding.text), actor, failure, call: null });
    }
    // A call of the step raises it itself, before it leaves.
    if (finding.code !== 'missing_input' || finding.instance === null || calls) return;
    const failure = { in: finding.instance, key: null };
    void this.#raise({ signal: 'MISSING_INPUT', error: new Error(finding.text), actor, failure, call: null });
  }

  /** A replay may rewrite a kept version that a kept instance has read only where the undone part wrote it too (R1). */
  #sealed(entry: Entry): void {
    if (entry.do !== 'step' || this.fold.replays.size === 0) return;
    for (const mark of entry.marks) {
      if (mark.do !== 'write' || mark.mode === 'append') continue;
      const replay = this.fold.replays.get(instanceName(mark.in));
      if (replay === undefined || covered(mark.key.text, replay.wrote)) continue;
      const reader = this.#questions.readerOfKept(mark.in, mark.key, replay);
      if (reader === null) continue;
      const [writer, other] = [instanceName(mark.in), instanceName(reader)];
      const text = `the replay of ${writer} writes ${mark.key.text}, which ${other} has read and the undone work had not written`;
      const failure = { in: mark.in, key: null };
      void this.#raise({
        signal: 'CONTRACT_VIOLATION',
        error: new Error(text),
        actor: entry.actor,
        failure,
        call: null,
      });
      return;
    }
  }

  // Timers.

  /** A delayed event was scheduled by an actor, or taken back (`event` null). */
  timer(ref: Ref, id: string, event: Event | null, delay: number): void {
    const actor = this.#numbers.get(ref);
    if (actor === undefined || this.#stopping) return;
    if (event === null) {
      if (!this.fold.timers.some((timer) => timer.actor === actor && timer.id === id && timer.gone === null)) return;
      this.#append([{ do: 'timer', actor, id, region: '', event: { type: '' }, delay: null }]);
      return;
    }
    const { logic } = ref as unknown as { logic: Parameters<typeof regionOfTimer>[0] };
    this.#append([{ do: 'timer', actor, id, region: regionOfTimer(logic, event.type), event, delay }]);
  }

  // Tools.

  async call(call: Call): Promise<unknown> {
    const number = this.#numbers.get(call.ref) as number;
    const actor = this.fold.actor(number);
    const region = actor.region ?? regionName(0, '');
    const instance = this.fold.ownerOf(region, this.#placed)?.id ?? this.#questions.rootOf(region);
    const lacks = () => (this.#lift as Lift).lacks(instance);
    for (;;) {
      // What a commit has promised is there before anybody goes on from it (E4).
      await this.#publishing.settled();
      const reply = await this.#calls.ask(call, number, instance, lacks);
      if (reply.is === 'done') return reply.output;
      if (reply.is === 'dropped' || this.#stopping || call.signal.aborted) return never(call.signal);
      if (reply.is === 'failed' && this.#calls.isMachines(call, reply)) throw reply.error;
      const held = await this.#hold(call, number, instance, reply);
      if (held.next === 'answer') return held.output;
      if (held.next === 'wait') return never(call.signal);
    }
  }

  async #hold(
    call: Call,
    number: number,
    instance: InstanceId,
    reply: Exclude<Reply, { is: 'done' | 'dropped' }>,
  ): Promise<Held> {
    const actor = this.fold.actor(number).parent ?? 0;
    const failure: Failure =
      instance.skeleton === ROOT ? { in: null, key: null, why: 'fits_nobody' } : { in: instance, key: null };
    if (reply.is === 'diverged') {
      const { recorded, digest } = reply;
      const effect = this.#questions.effectOf(recorded.key, instance);
      this.#park(
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
          at: this.fold.history.head,
          policy: this.parts.policy,
          refusals: [
            {
              code: 'effect_diverged',
              candidate: null,
              effect,
              recorded: recorded.intent.digest,
              asked: digest,
              recordedArgs: argsText(recorded.intent.args),
              askedArgs: argsText(call.input),
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
      const held = { actor: number, key, tool: call.tool, args: call.input, answer };
      void this.#raise({ signal, error, actor, failure, call: held });
    });
  }

  // Failures.

  /** A failure that somebody outside has seen: the instance, and the key that was found wrong, if one was. */
  fail(signal: Signal, failure: Failure, error: unknown): Promise<void> {
    return this.#raise({ signal, error, actor: 0, failure, call: null });
  }

  /** Asks the questions again that the run is parked on. */
  async askAgain(): Promise<void> {
    const parked = this.#parked;
    if (parked.length === 0) return;
    this.#unpark();
    await Promise.all(parked.map((raised) => (raised.again === undefined ? this.#raise(raised) : raised.again())));
    if (parked.some(({ again }) => again !== undefined) && this.#parked.length === 0 && this.#waiting === 0)
      this.release();
  }

  /** Starts the run over, when that is what was advised: everything undone, the keys unchanged (§8.4). */
  async rerun(): Promise<void> {
    const pending = this.fold.pending?.entry;
    if (this.#parked.length === 0 || pending?.decision.verdict !== 'rerun') return;
    const { decision } = pending;
    this.#unpark();
    this.#append([{ do: 'phase', phase: 'FENCED' }]);
    await this.#carryOut(decision, keptByRerun(this.fold));
  }

  #unpark(): void {
    this.#parked = [];
    this.finished = this.#newEnding();
  }

  #newEnding(): Promise<Ending> {
    const ending = new Promise<Ending>((resolve, reject) => {
      this.#ended = resolve;
      this.#failed = reject;
    });
    ending.catch(() => {});
    return ending;
  }

  /** Recoveries are made one after the other. */
  #raise(raised: Raised): Promise<void> {
    this.#waiting += 1;
    const next = this.#queue.then(async () => {
      const held = await this.#recover(raised);
      if (held.next !== 'wait') raised.call?.answer(held);
    });
    this.#queue = next
      .catch((error) => this.#break(error))
      .finally(() => {
        this.#waiting -= 1;
      });
    return next.catch(() => {});
  }

  async #recover(raised: Raised): Promise<Held> {
    if (this.#stopping || this.#broken !== null || this.#stuck) return { next: 'wait' };
    const settled = await this.#settle(raised);
    if (settled !== null) return settled;
    if (this.#stopping) return { next: 'wait' };
    let decision = this.#decide(raised);
    // Nothing is awaited between the answer that counts and its entry (R5).
    while (decision.undo.length > 0) {
      const demoted = await this.#demote(decision.undo);
      if (this.#stopping) return { next: 'wait' };
      if (!demoted && decision.at === this.fold.history.head) break;
      decision = this.#decide(raised);
    }
    if (decision.verdict !== 'restore' && decision.verdict !== 'restore_joint') {
      this.#park(raised, this.#questions.withWhomToAsk(decision));
      return { next: 'wait' };
    }
    const kept = this.#questions.keptBy(decision);
    const moved = this.#questions.movedInputs(kept);
    this.#holding = true;
    this.#append([this.#questions.decisionEntry(raised, decision), { do: 'phase', phase: 'FENCED' }]);
    this.#tell(raised, decision, moved, this.fold.takenBackBy(kept));
    await this.#carryOut(decision, kept);
    return { next: 'wait' };
  }

  #decide({ signal, failure }: Raised): Decision {
    return decide(this.fold.history, failure, this.#questions.rules(failure), {
      control: this.parts.policy === 'dart' ? null : controlOf(this.fold.history, this.fold.places),
      unavailable: (checkpoint) => this.#questions.unavailable(failure, checkpoint, signal),
    });
  }

  /** Asks the world whether what would be undone still can be: what cannot blocks from now on (§6). */
  async #demote(undo: readonly Effect[]): Promise<boolean> {
    let demoted = false;
    for (const effect of undo) {
      const why = await this.#calls.moved(effect);
      if (why === null || effect.id === null) continue;
      this.#append([{ do: 'demoted', key: effect.id, why }]);
      demoted = true;
    }
    return demoted;
  }

  #tell(
    { signal, error }: Raised,
    decision: Decision,
    movedInputs: readonly MovedInput[] = [],
    takenBack: readonly unknown[] = [],
  ): void {
    try {
      this.parts.onDecision({ decision, signal, error: told(error), movedInputs, takenBack });
    } catch (thrown) {
      // A listener that throws is no reason to leave a recovery half done.
      queueMicrotask(() => {
        throw thrown;
      });
    }
  }

  #park(raised: Raised, decision: Decision): void {
    this.#holding = true;
    this.#parked = [...this.#parked, raised];
    this.#append([this.#questions.decisionEntry(raised, decision)]);
    this.#tell(raised, decision);
    this.#askPeople(decision);
    const [ended, failed] = [this.#ended, this.#failed];
    void this.durable().then(() => ended({ status: 'parked', decision }), failed);
  }

  /** Whatever nobody could tell is asked of a person, by a gate that outlives this process (E2). */
  #askPeople(decision: Decision): void {
    const acts = 'unblock' in decision ? decision.unblock.acts : [];
    for (const act of acts) {
      if (act.act === 'settle_outcome' && act.effect.id !== null && isOpen(act.effect.status))
        this.#authority.askOutcome(act.effect.id);
    }
  }

  /** Asks the counterparties of open calls again when they are due, and the parked questions once one is known. */
  #askLater(): void {
    const open = this.fold.ledger.open().filter(({ asked }) => asked.next !== null);
    const due = Math.min(...open.map(({ asked }) => asked.next as number));
    clearTimeout(this.#later);
    if (!Number.isFinite(due) || this.#stopping) return;
    const wait = Math.min(Math.max(0, due - this.parts.now()), 2 ** 31 - 1);
    this.#later = setTimeout(() => void this.#askedLater(open.map(({ key }) => key)), wait).unref();
  }

  async #askedLater(keys: readonly string[]): Promise<void> {
    if (this.#stopping) return;
    const before = this.fold.ledger.open().length;
    for (const key of keys) await this.#calls.reconcile(key);
    if (this.fold.ledger.open().length < before) await this.askAgain();
    this.#askLater();
  }

  // Settling.

  /** The outcome of a held call, if the ledger or the counterparty knows it (§8.0); null where the line has to be asked. */
  async #settle(raised: Raised): Promise<Held | null> {
    const { call, failure, signal } = raised;
    if (call === null || call.key === null) return null;
    if ((await this.#calls.reconcile(call.key)) !== null) this.#askLater();
    const known = this.fold.ledger.get(call.key);
    if (known === undefined || isOpen(known.status) || this.fold.actor(call.actor).ended !== null) return null;
    if (known.status !== 'confirmed' && known.status !== 'failed') return null;
    const failed = failure.in ?? known.intent.instance;
    const tries = this.parts.config.skeletons.get(failed.skeleton)?.rollback.tries ?? this.parts.config.tries;
    const spent = this.fold.spent.get(budgetKey(failed, 'call', signal)) ?? 0;
    if (known.status === 'failed' && (spent >= tries || this.fold.recoveries >= this.parts.config.tries)) return null;
    const effect = this.#questions.effectOf(call.key, known.intent.instance);
    const decision: Decision = {
      verdict: 'settle',
      failed,
      at: this.fold.history.head,
      policy: this.parts.policy,
      refusals: [],
      undo: [],
      line: null,
      effect,
    };
    this.#append([this.#questions.decisionEntry(raised, decision), { do: 'phase', phase: 'RESUMED' }]);
    this.#tell(raised, decision);
    if (this.#parked.length === 0) this.release();
    return known.status === 'confirmed' ? { next: 'answer', output: known.output } : { next: 'again' };
  }

  /** Asks the counterparties of all calls whose outcome is open, once at least (E2). */
  async reconcile(): Promise<void> {
    const publishing = new Set(this.fold.publications.flatMap(({ keys }) => keys));
    for (const { key } of this.fold.ledger.open()) if (!publishing.has(key)) await this.#calls.reconcile(key, true);
    this.#askLater();
  }

  get authority(): Authority {
    return this.#authority;
  }

  // Committing.

  #publisher() {
    return {
      append: (entries: readonly Entry[]) => this.#append(entries),
      durable: () => this.durable(),
      toolOf: (name: string) => this.#watch?.toolNamed(name),
      reconcile: (key: string) => this.#calls.reconcile(key),
      discard: (call: LedgerCall) => this.#calls.discard(call),
      park: (call: LedgerCall, error: unknown) => this.#parkCommit(call, error),
    };
  }

  /** A commit cannot be made visible: the run waits until somebody acts, and then it is tried again. */
  #parkCommit({ key, intent }: LedgerCall, error: unknown): Promise<void> {
    const { instance } = intent;
    const effect = this.#questions.effectOf(key, instance);
    const candidate = this.fold.history.registry.get(instance)?.committed ?? { kind: 'commit', at: 0 };
    const decision: Decision = {
      verdict: 'escalate',
      failed: instance,
      at: this.fold.history.head,
      policy: this.parts.policy,
      refusals: [{ candidate, adds: [{ code: 'effect_outcome_unknown', effect }] }],
      undo: [],
      line: null,
      unblock: { leadsTo: 'ask_again', acts: [{ act: 'settle_outcome', effect }] },
    };
    this.#askLater();
    return new Promise((again) => {
      const failure = { in: instance, key: null };
      const raised: Raised = { signal: 'TOOL_EXCEPTION', error, actor: 0, failure, call: null, again };
      this.#park(raised, this.#questions.withWhomToAsk(decision));
    });
  }

  /** What was decided is made visible, or goes on to be, before anything else (E4). */
  async goOnPublishing(): Promise<void> {
    const { pending, publications } = this.fold;
    const parked = pending?.entry.decision.refusals.flatMap((refusal) =>
      'adds' in refusal ? refusal.adds.flatMap((reason) => ('effect' in reason ? [reason.effect.id] : [])) : [],
    );
    // A question about a commit is asked anew by the commit itself, if it still has to be.
    if (publications.some(({ keys }) => keys.some((key) => parked?.includes(key))))
      this.#append([{ do: 'phase', phase: 'RESUMED' }]);
    this.#publishing.goOn();
    this.#publishing.begin();
    await Promise.race([this.#publishing.settled(), this.finished]);
  }

  /** The machine is at its end: nobody rolls anything back any more, so what was committed is made visible, and the rest goes. */
  async finish(output: unknown): Promise<void> {
    try {
      this.#publishing.begin(true);
      await this.#publishing.settled();
      const unpublished = await this.#publishing.abandon();
      await this.durable();
      this.#ended({ status: 'done', output, ...(unpublished.length > 0 && { unpublished }) });
    } catch (error) {
      this.#failed(error);
    }
  }

  /** A person says what became of a call (E2). */
  async settleEffect(key: string, status: 'confirmed' | 'failed' | 'compensated', output?: unknown): Promise<void> {
    const call = this.fold.ledger.get(key);
    if (call === undefined) throw new Error(`no call has the key ${key}`);
    this.#append([{ do: 'outcome', key, status, ...(status === 'confirmed' && { output }) }]);
    await this.durable();
    await this.askAgain();
  }

  // Carrying out.

  /** From FENCED on: undo in the world, then in memory and control, then go on (R5). Redo-only. */
  async #carryOut(decision: Decision, kept: readonly Kept[]): Promise<void> {
    this.#holding = true;
    const stuck = await this.#undoAll(decision, kept);
    if (stuck !== null) return;
    if (this.#stopping) return;
    this.restore(kept, true);
    this.#append([{ do: 'phase', phase: 'RESUMED' }]);
    this.#publishing.begin();
    this.#authority.wake();
    // What was undone has no question any more; what else waits for a person is asked again.
    const moved = new Set(kept.map(([id]) => instanceName(id)));
    this.#parked = this.#parked.filter(({ failure }) => failure.in === null || !moved.has(instanceName(failure.in)));
    if (this.#parked.length === 0) this.release();
    else void this.askAgain();
    this.offer();
    await this.durable();
  }

  /** Undoes what a plan crosses, and removes what it takes back unseen (E4, E5). @returns what went wrong, or null. */
  async #undoAll(decision: Decision, kept: readonly Kept[]): Promise<string | null> {
    for (const effect of decision.undo) {
      const error = await this.#calls.undo(effect);
      if (error === null) continue;
      this.#holding = true;
      this.#stuck = true;
      await this.durable();
      this.#ended({ status: 'stuck', decision, effect, error });
      return error;
    }
    for (const [id, at] of kept) {
      for (const call of this.fold.ledger.buffered(id)) if ((call.at ?? 0) > at) await this.#calls.discard(call);
    }
    return null;
  }

  /** What is left of a decision that a crash interrupted: its undos, and the fold's part of the restore. */
  async finishPlan(): Promise<'restored' | 'nothing' | 'stuck'> {
    const { pending } = this.fold;
    if (pending === null) return 'nothing';
    const { decision } = pending.entry;
    if (decision.verdict === 'settle' || decision.verdict === 'escalate') return 'nothing';
    if (decision.verdict === 'rerun' && pending.phase === 'DECIDED') return 'nothing';
    if (pending.phase !== 'RESTORED') {
      const admitted = decision.verdict === 'restore' || decision.verdict === 'restore_joint';
      const kept = admitted ? this.#questions.keptBy(decision) : keptByRerun(this.fold);
      if ((await this.#undoAll(decision, kept)) !== null) return 'stuck';
      this.restore(kept, false);
    }
    this.#append([{ do: 'phase', phase: 'RESUMED' }]);
    await this.durable();
    return 'restored';
  }

  /** Undoes memory and, with a machine at hand, control. */
  restore(kept: readonly Kept[], inPlace: boolean): void {
    const plan = planRestore(this.fold, kept, this.#questions.resumes(kept));
    this.#append([{ do: 'restored', kept: plan.kept, gates: plan.gates, controls: plan.controls }]);
    for (const { number, memory } of this.fold.actors) this.#verifier?.reset(number, memory);
    if (!inPlace) return;
    for (const { actor, plan: rewind } of plan.rewinds) {
      const made = rewind();
      this.#refs.get(actor)?.send({ type: RESTORE, plan: made });
      this.settleIn(actor);
      this.#append(
        (this.#lift as Lift).restarts(
          actor,
          made.make.map(({ number }) => [number, inputOf(this.#refs.get(number))]),
        ),
      );
    }
  }

  /** Has an actor take the eventless transitions of where it was put, before it hears of anything else. */
  settleIn(actor: number): void {
    const ref = this.#refs.get(actor);
    // xstate's own first event is the one that selects nothing else.
    if (ref !== undefined) this.#backlog.unshift({ ref, event: { type: 'xstate.init' }, source: null });
  }

  /** Sends again what restores took back, one event at a time and only where the machine can take it. */
  offer(): void {
    const root = this.#refs.get(0);
    const [event] = this.fold.takenBack as Event[];
    if (!this.parts.redeliver || event === undefined || root === undefined || this.#holding || this.#stopping) return;
    const snapshot = root.getSnapshot() as Snapshot;
    if (snapshot.status === 'active' && snapshot.can(event)) root.send(event);
  }

  /** Hands on the events that had to wait; those of actors that are no longer there are refused (K3). */
  #deliver(): void {
    for (const { ref, event, source } of this.#backlog.splice(0)) {
      const children = (ref.getSnapshot() as { children?: Record<string, unknown> }).children;
      if (source !== null && children?.[String(event.actorId)] !== source) {
        this.#append([{ do: 'late', actor: this.#numbers.get(ref) ?? 0, event: event.type }]);
      } else (ref as unknown as { _send(event: Event): void })._send(event);
    }
  }

  /** Control came past the gate of an instance that is kept: it goes on behind it (R3). One commit with the step that came there. */
  #passGates(entries: readonly Entry[]): void {
    if (this.fold.gates.size === 0) return;
    const marks = entries.flatMap((entry) => (entry.do === 'step' ? entry.marks : []));
    for (const mark of marks) {
      if (mark.do !== 'enter' || !this.fold.live.has(instanceName(mark.in))) continue;
      const gates = this.#questions.gatesFor(mark.in);
      if (gates.length === 0) continue;
      // The occurrence that has just begun never was: the kept one answers for it.
      this.#append([{ do: 'restored', kept: [[mark.in, 0]], gates: [], controls: [] }]);
      for (const gate of gates) {
        const { control, plan } = planPass(this.fold, gate);
        this.#append([{ do: 'passed', instance: gate.id, controls: [control] }]);
        if (gate === gates.at(-1)) this.#goOn(control.actor, plan);
      }
    }
  }

  #goOn(actor: number, plan: () => ActorPlan): void {
    this.#holding = true;
    queueMicrotask(() => {
      this.#refs.get(actor)?.send({ type: RESTORE, plan: plan() });
      this.settleIn(actor);
      this.#holding = this.#parked.length > 0;
      if (!this.#holding) this.#deliver();
    });
  }

  // Writing.

  /** Resolves once everything so far is durable. */
  async durable(): Promise<number> {
    try {
      // In the middle of what is happening, the rest of it belongs to what is asked for.
      if (this.#depth > 0) await null;
      this.#write();
      return await this.parts.journal.flush();
    } catch (error) {
      this.#break(error);
      throw error;
    }
  }

  /** Parks a run again that was parked when its process ended; a call that was held then raises its failure itself. */
  parkAgain(): boolean {
    const { pending } = this.fold;
    if (pending === null || pending.entry.call !== null) return false;
    const { decision, signal, error, actor, key } = pending.entry;
    if (decision.verdict !== 'escalate' && decision.verdict !== 'rerun') return false;
    this.#holding = true;
    this.#parked = [{ signal, error: new Error(error), actor, failure: failureBy(decision, key), call: null }];
    this.#ended({ status: 'parked', decision });
    return true;
  }

  /** Holds events back until `release`. */
  holdAll(): void {
    this.#holding = true;
  }

  release(): void {
    this.#holding = false;
    this.#deliver();
  }

  /** What is written in one piece (J3): what `run` appends, and where it `goesOn`, all until the event that it belongs to is over. */
  #together(run: () => void, goesOn = true): void {
    this.#depth += 1;
    try {
      run();
    } finally {
      this.#depth -= 1;
      if (this.#depth === 0 && !goesOn) this.#write();
      else if (!this.#awaited) {
        this.#awaited = true;
        queueMicrotask(() => {
          this.#awaited = false;
          this.#write();
        });
      }
    }
  }

  /** Writes entries down and folds them in; `memory` is the context of the step's actor. */
  append(entries: readonly Entry[], memory?: unknown): void {
    this.#append(entries, memory);
  }

  #append(entries: readonly Entry[], memory?: unknown): void {
    if (this.#broken !== null) return;
    // A step leads to others, of parents and children, and to timers; whatever is more than that stands for itself.
    const goesOn = entries.every((entry) => LEADS_ON.has(entry.do));
    if (!goesOn && this.#depth === 0) this.#write();
    this.#together(() => {
      for (const entry of entries) {
        const lost: Lost[] = [];
        for (const row of this.parts.layout.rows(entry, (what) => lost.push(what))) this.#rows.push(row);
        this.fold.apply(entry, this.parts.now(), entry.do === 'step' ? memory : undefined);
        for (const what of lost) this.#tellLost(entry, what);
      }
    }, goesOn);
  }

  #tellLost(entry: Entry, what: Lost): void {
    const parties = entry.do === 'step' ? entry.parties.map(({ instance }) => instance) : [null];
    for (const instance of parties) {
      const finding = { do: 'finding', code: 'no_codec', instance, text: lostText(what) } as const;
      this.#append([finding]);
      this.parts.onFinding(finding);
    }
  }

  #write(): void {
    const rows = this.#rows;
    if (rows.length === 0 || this.#broken !== null) return;
    this.#rows = [];
    try {
      this.parts.journal.append(rows);
    } catch (error) {
      this.#break(error);
    }
  }

  /** The journal does not take any more: nothing leaves, nothing goes on. */
  #break(error: unknown): void {
    this.#broken ??= error;
    this.#failed(error);
  }
}

/** The failure that a decision answered. */
function failureBy({ failed, refusals }: Decision, key: string | null): Failure {
  if (failed !== null) return { in: failed, key: key === null ? null : parseKey(key) };
  const several = refusals.some((refusal) => 'why' in refusal && refusal.why === 'fits_several');
  return { in: null, key: null, why: several ? 'fits_several' : 'fits_nobody' };
}

/** The longest text of arguments that a decision shows. */
const LONGEST_ARGS = 4_000;

/** Arguments as they are shown. */
function argsText(args: unknown): string {
  const encoded = encode(args);
  const text = 'text' in encoded ? encoded.text : `(no text: ${encoded.reason} at ${encoded.path.join('.')})`;
  return text.length > LONGEST_ARGS ? `${text.slice(0, LONGEST_ARGS).toWellFormed()}...` : text;
}

/** Whether a key is one of the keys, or lies below one. */
function covered(text: string, keys: ReadonlySet<string>): boolean {
  for (const key of keys) if (text === key || text.startsWith(`${key}/`)) return true;
  return false;
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

function isCall({ kind, src }: Seen['started'][number]): boolean {
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
