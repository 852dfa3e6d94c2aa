/**
 * One run of a machine under the sidecar: what the machine does is lifted, written and folded in; what fails goes to its recoveries, and
 * what those decide comes back as a restore, in place (semantics.md §10, §11).
 */
import type { Reply } from '../effects/guard.ts';
import { toolSignal } from '../effects/signals.ts';
import { regionName } from '../history/places.ts';
import { encode } from '../journal/codec.ts';
import type { Entry } from '../model/entry.ts';
import type { Failure } from '../model/failure.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { parseKey } from '../model/key.ts';
import type { Event, Ref, Snapshot } from '../xstate/actor.ts';
import { type ActorPlan, RESTORE } from '../xstate/restore.ts';
import { regionOfTimer } from '../xstate/timers.ts';
import type { Call, Place, Seen, Watch, Watcher } from '../xstate/watch.ts';
import { Authority } from './authority.ts';
import { Calls } from './calls.ts';
import { type Fold, ROOT } from './fold.ts';
import { Lift } from './lift.ts';
import { bare, type Held, type RunParts, type Suspect } from './parts.ts';
import type { Placed } from './places.ts';
import { type Kept, planPass, planRestore } from './plan.ts';
import { Publishing } from './publishing.ts';
import { Questions } from './questions.ts';
import { Recovering } from './recovering.ts';
import { Verifier } from './verify.ts';
import { Writing } from './writing.ts';

/** A run. */
export class Run implements Watcher {
  readonly parts: RunParts;
  readonly #refs = new Map<number, Ref>();
  readonly #numbers = new WeakMap<object, number>();
  readonly #backlog: { ref: Ref; event: Event; source: unknown }[] = [];
  readonly #verifier: Verifier | null;
  readonly #write: Writing;
  readonly #calls: Calls;
  readonly #authority: Authority;
  readonly #publishing: Publishing;
  readonly #questions: Questions;
  /** What was asked, decided and waited for. */
  readonly recovering: Recovering;
  #watch: Watch | null = null;
  #lift: Lift | null = null;
  #placed: readonly Placed[] = [];
  /** Whether events wait: a plan is being carried out, or the run is parked. */
  #holding = false;
  #stopping = false;

  constructor(parts: RunParts) {
    this.parts = parts;
    const write = new Writing(parts);
    this.#write = write;
    this.#authority = new Authority(parts, write, () => void this.recovering.askAgain());
    this.#calls = new Calls(parts, write, this.#authority);
    this.#publishing = new Publishing(parts, {
      append: (entries) => write.append(entries),
      durable: () => write.durable(),
      toolOf: (name) => this.#watch?.toolNamed(name),
      reconcile: (key) => this.#calls.reconcile(key),
      discard: (call) => this.#calls.discard(call),
      park: (call, error) => this.recovering.parkCommit(call, error),
    });
    this.#questions = new Questions(parts);
    this.recovering = new Recovering(parts, this, {
      write,
      calls: this.#calls,
      questions: this.#questions,
      authority: this.#authority,
      publishing: this.#publishing,
    });
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
    this.#lift = new Lift(this.parts, this.#placed, this.#verifier);
    this.#questions.bind(watch, this.#placed);
  }

  get fold(): Fold {
    return this.parts.fold;
  }

  get status(): 'running' | 'recovering' | 'parked' | 'done' {
    return this.fold.ended === 'done' ? 'done' : this.recovering.status;
  }

  /** The failure that somebody outside tells of; without an ordinal, that of the only occurrence (§8.1). */
  suspected({ skeleton, entity, ordinal }: Suspect, key: string | undefined): Failure {
    const suspect = key === undefined ? null : parseKey(key);
    if (ordinal !== undefined) return { in: { skeleton, entity, ordinal }, key: suspect };
    const named = [...this.fold.history.registry.all()].map(({ id }) => id);
    const meant = namedBy(named, skeleton, entity);
    const [one = { skeleton, entity, ordinal: 0 }, other] = meant;
    const only = other === undefined ? one : this.parts.judges.meant(meant);
    return only === null ? { in: null, key: null, why: 'fits_several' } : { in: only, key: suspect };
  }

  /** Claims again what the calls of this run have touched. @returns why it does not get that, or null. */
  claimAgain(): Promise<string | null> {
    return this.#calls.claimAgain();
  }

  get authority(): Authority {
    return this.#authority;
  }

  append(entries: readonly Entry[]): void {
    this.#write.append(entries);
  }

  durable(): Promise<number> {
    return this.#write.durable();
  }

  // What the machine does.

  begun(ref: Ref, seen: readonly Seen[]): void {
    this.steps(ref, seen);
  }

  steps(ref: Ref, seen: readonly Seen[]): void {
    const number = this.#numbers.get(ref);
    if (number === undefined) return;
    this.#write.together(() => {
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
    this.#write.append(entries, seen.memory);
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
      this.#write.append([{ do: 'end', status: 'done' }]);
      void this.recovering.finish(seen.snapshot.output);
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
    this.#calls.stop();
    this.#publishing.stop();
    this.recovering.stop();
    this.#write.now();
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
    void this.recovering.raise({ signal, error, actor, failure: failureOf([...owners.values()]), call: null });
  }

  stops(ref: Ref, event: Event, snapshot: Snapshot): boolean {
    if (this.#write.broken !== null) return true;
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
      void this.recovering.raise({
        signal: 'CONTRACT_VIOLATION',
        error: new Error(finding.text),
        actor,
        failure,
        call: null,
      });
    }
    // A call of the step raises it itself, before it leaves.
    if (finding.code !== 'missing_input' || finding.instance === null || calls) return;
    const failure = { in: finding.instance, key: null };
    void this.recovering.raise({ signal: 'MISSING_INPUT', error: new Error(finding.text), actor, failure, call: null });
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
      void this.recovering.raise({
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
      this.#write.append([{ do: 'timer', actor, id, region: '', event: { type: '' }, delay: null }]);
      return;
    }
    const { logic } = ref as unknown as { logic: Parameters<typeof regionOfTimer>[0] };
    this.#write.append([{ do: 'timer', actor, id, region: regionOfTimer(logic, event.type), event, delay }]);
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
      void this.recovering.raise({ signal, error, actor, failure, call: held });
    });
  }

  // Restoring.

  /** Undoes memory and, with a machine at hand, control. */
  restore(kept: readonly Kept[], inPlace: boolean): void {
    const plan = planRestore(this.fold, kept, this.#questions.resumes(kept));
    this.#write.append([{ do: 'restored', kept: plan.kept, gates: plan.gates, controls: plan.controls }]);
    for (const { number, memory } of this.fold.actors) this.#verifier?.reset(number, memory);
    if (!inPlace) return;
    for (const { actor, plan: rewind } of plan.rewinds) {
      const made = rewind();
      this.#refs.get(actor)?.send({ type: RESTORE, plan: made });
      this.settleIn(actor);
      this.#write.append(
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
        this.#write.append([{ do: 'late', actor: this.#numbers.get(ref) ?? 0, event: event.type }]);
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
      this.#write.append([{ do: 'restored', kept: [[mark.in, 0]], gates: [], controls: [] }]);
      for (const gate of gates) {
        const { control, plan } = planPass(this.fold, gate);
        this.#write.append([{ do: 'passed', instance: gate.id, controls: [control] }]);
        if (gate === gates.at(-1)) this.#goOn(control.actor, plan);
      }
    }
  }

  #goOn(actor: number, plan: () => ActorPlan): void {
    this.#holding = true;
    queueMicrotask(() => {
      this.#refs.get(actor)?.send({ type: RESTORE, plan: plan() });
      this.settleIn(actor);
      this.#holding = this.recovering.isParked;
      if (!this.#holding) this.#deliver();
    });
  }

  /** Holds events back until `release`. */
  hold(): void {
    this.#holding = true;
  }

  release(): void {
    this.#holding = false;
    this.#deliver();
  }
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
