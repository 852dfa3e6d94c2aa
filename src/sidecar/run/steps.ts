/**
 * The steps of the machine: recorded, written and folded in, with their consequences (semantics.md §2-§5, C1a, C5, C8).
 */
import { argsDigest } from '../../effects/digest.ts';
import { errorMessage, toolSignal } from '../../effects/signals.ts';
import type { Entry, Thrown } from '../../model/entry.ts';
import type { Failure } from '../../model/failure.ts';
import { type InstanceId, instanceName } from '../../model/instance.ts';
import { regionName } from '../../model/region.ts';
import { namedMarks, type StepEntry } from '../../model/step-entry.ts';
import { openJudgments } from '../../projection/open-judgments.ts';
import type { RunState } from '../../projection/run-state.ts';
import type { Placed } from '../../recording/entry-states.ts';
import type { Macrosteps } from '../../recording/macrosteps.ts';
import type { StepRecorder } from '../../recording/record-step.ts';
import { type ActorHandle, bare, type Microstep, type RuntimeEvent } from '../../runtime/microstep.ts';
import type { Crash, Runtime } from '../../runtime/runtime.ts';
import type { Calls } from '../calls/calls.ts';
import type { LeftActs } from '../calls/left-acts.ts';
import type { Announcing } from '../commits/announcing.ts';
import { judgingBy } from '../commits/judged-work.ts';
import type { Judging } from '../commits/judging.ts';
import type { Outbox } from '../commits/outbox.ts';
import { committedBy } from '../commits/speaking.ts';
import type { Recovering } from '../failures/recovering.ts';
import type { Raised, RunParts } from '../parts.ts';
import type { Reuse } from '../reuse.ts';
import type { Writing } from '../writing.ts';
import type { Actors } from './actors.ts';
import type { Choosing } from './choosing.ts';
import type { Deliveries } from './deliveries.ts';
import type { Timers } from './timers.ts';

/** The surroundings of the steps of a run. */
interface StepsPort {
  readonly parts: RunParts;
  readonly placed: readonly Placed[];
  readonly write: Writing;
  readonly runtime: Runtime;
  readonly actors: Actors;
  readonly recorder: StepRecorder;
  readonly reuse: Reuse;
  readonly outbox: Outbox;
  readonly announcing: Announcing;
  readonly deliveries: Deliveries;
  readonly timers: Timers;
  readonly macrosteps: Macrosteps;
  readonly recovering: Recovering;
  readonly left: LeftActs;
  readonly choosing: Pick<Choosing, 'branches' | 'ended' | 'fail'>;
  readonly judging: Pick<Judging, 'begin'>;
  readonly calls: Calls;
  /** The machine was over before the run watched it. */
  over(output: unknown): void;
}

/** The steps of one run. */
export class Steps {
  readonly #port: StepsPort;
  constructor(port: StepsPort) {
    this.#port = port;
  }

  /** Takes the microsteps that one event caused. */
  take(ref: ActorHandle, seen: readonly Microstep[]): void {
    const { actors, write, parts, deliveries, macrosteps, timers } = this.#port;
    const number = actors.numberOf(ref);
    if (number === undefined) return;
    const { sender = null } = seen[0] ?? {};
    const fired = seen[0] === undefined ? null : timers.firedBy(seen[0]);
    const isOwn = sender === null || fired?.source === ref;
    macrosteps.begin(number, isOwn ? undefined : actors.numberOf(sender), timers.armerOf(fired));
    write.together(() => {
      for (const step of seen) this.#take(ref, number, step);
    });
    if (number === 0 && parts.runState.toRedeliver.length > 0) queueMicrotask(() => deliveries.offer());
    if (deliveries.chunks.isWaiting) queueMicrotask(() => deliveries.chunks.offer());
  }

  #take(ref: ActorHandle, number: number, seen: Microstep): void {
    const { parts, actors, recorder, write, macrosteps, timers } = this.#port;
    const { runState } = parts;
    const { next } = runState.places;
    const ended = this.#ended(ref, number, seen);
    const { entries, fresh } = parts.encoder.grouped(() => {
      const recorded = recorder.step(number, seen, ended, macrosteps.tiesOf(number, seen), this.#sourcesOf(seen));
      const last = recorded.entries.findLastIndex((entry) => entry.do === 'step');
      write.append(recorded.entries, seen.context, last);
      return recorded;
    });
    macrosteps.took(number, seen, next);
    timers.heard(timers.firedBy(seen));
    const first = runState.actors.length - seen.started.length;
    const ids = entries.flatMap((entry) => (entry.do === 'step' ? entry.started.map(({ id }) => id) : []));
    for (const child of seen.started) this.adopted(child.ref, first + ids.indexOf(child.id));
    for (const each of ended) if (runState.actor(each).started?.kind === 'promise') actors.letGo(each);
    if (ended.length > 0) this.#port.choosing.ended(ended);
    for (const entry of entries) {
      this.enters(entry, fresh, number);
      if (entry.do === 'step' && entry.closed.length > 0) this.#port.left.closed(entry);
    }
    if (entries.some((entry) => entry.do === 'step' && entry.closed.some(({ discard }) => discard !== undefined)))
      this.#port.recovering.discarding.begin();
    this.#promise(entries);
    // What was promised is made durable at once; the calls that rely on it await it (§5).
    if (entries.some((entry) => entry.do === 'step' && entry.boundaries.some((id) => id !== ''))) {
      this.#speak(entries);
      this.#judge(entries);
      void write
        .durable()
        .then(() => this.release())
        .catch(() => {});
      this.#port.outbox.begin();
      this.#port.announcing.begin();
    }
    for (const entry of entries) {
      if (entry.do === 'finding') this.#found(entry, number, seen.started.some(isCall));
    }
    // A machine that ends in its very first macrostep is over before anybody watches it.
    if (number === 0 && seen.before === null && seen.done) this.#port.over(seen.output);
  }

  /** Notes what certified boundaries promise not to touch any more (ER9). */
  #promise(entries: readonly Entry[]): void {
    const { parts, write } = this.#port;
    const { skeletons } = parts.config;
    const marks = entries.flatMap((entry) => (entry.do === 'step' ? namedMarks(entry) : []));
    for (const { mark, boundary } of marks) {
      if (mark.do !== 'boundary' || boundary === undefined || boundary === '') continue;
      const said = skeletons.get(mark.in.skeleton)?.boundaries.find(({ id }) => id === boundary)?.release ?? [];
      const at = parts.runState.history.registry.get(mark.in)?.committed?.at;
      if (said.length === 0 || at === undefined) continue;
      const facts = { state: '', action: '', args: {}, entity: mark.in.entity, memory: {}, event: {} };
      const keys = said.flatMap((template) => template.fillAll(facts).map(({ text }) => text));
      write.append([{ do: 'promised', instance: mark.in, boundary, at, keys }]);
    }
  }

  /** Has commits say what they say (SP1). */
  #speak(entries: readonly Entry[]): void {
    const { parts, write } = this.#port;
    const said = entries.flatMap((entry) => (entry.do === 'step' ? committedBy(parts, entry) : []));
    if (said.length > 0) write.append(said);
    for (const each of said) if (each.do === 'finding') parts.onFinding(each);
  }

  /** Has the boundaries with a judge wait for its verdict (JU1). */
  #judge(entries: readonly Entry[]): void {
    const { parts, write, judging } = this.#port;
    const asked = entries.flatMap((entry) => (entry.do === 'step' ? judgingBy(parts, entry) : []));
    if (asked.length === 0) return;
    write.append(asked);
    queueMicrotask(() => judging.begin());
  }

  /** What no state to come can touch is released once a boundary is durable, and judged (ER1, JU1). */
  async release(): Promise<void> {
    const { parts, actors, runtime, calls, write } = this.#port;
    if (openJudgments(parts.runState).length > 0) return;
    const root = actors.at(0);
    const isFinal = parts.config.release === 'final';
    if (parts.claims === null || root === undefined) return;
    if (!isFinal && parts.runState.ledger.promised.size === 0) return;
    try {
      await calls.release(isFinal ? (runtime.machines?.toolsAhead(root) ?? null) : null);
    } catch (error) {
      write.break(error);
    }
  }

  /** The sources that a step heard and told, by their numbers. */
  #sourcesOf({ source, tells = [] }: Microstep): Pick<StepEntry, 'source' | 'tells'> {
    const { actors, parts } = this.#port;
    const isSource = (number: number) => parts.runState.actor(number).started?.kind === 'other';
    const isLive = (number: number) => parts.runState.actor(number).ended === null;
    const addressed = [...new Set(tells.flatMap((ref) => actors.numberOf(ref) ?? []))].filter(isSource).filter(isLive);
    const [from] =
      source === undefined ? [] : [actors.numberOf(source) ?? -1].filter((number) => number > 0 && isSource(number));
    return { ...(from !== undefined && { source: from }), ...(addressed.length > 0 && { tells: addressed }) };
  }

  /** The numbers of the actors that were there before a step and are not after it. */
  #ended(ref: ActorHandle, number: number, { gone, done, event }: Microstep): number[] {
    const { actors, parts } = this.#port;
    const ended = new Set(gone.flatMap((each) => actors.numberOf(each) ?? []));
    if (done) for (const child of parts.runState.family.childrenOf(number)) ended.add(child.number);
    const heard = this.#heardFrom(ref, event);
    if (heard !== null) ended.add(heard);
    return [...ended];
  }

  /** Takes an actor in under its number, and has its first steps told. */
  adopted(ref: ActorHandle, number: number): void {
    this.#port.actors.take(ref, number);
    this.#port.runtime.announce(ref);
  }

  /** Looks after the instances that a step has entered: work that was set aside is claimed or given up, and nothing is begun anew beside what stands unclaimed (C5, C8). */
  enters(entry: Entry, fresh: readonly InstanceId[], actor: number): void {
    if (entry.do !== 'step') return;
    const { reuse, recovering, parts } = this.#port;
    const names = entry.marks.flatMap((mark) => (mark.do === 'enter' ? [instanceName(mark.in)] : []));
    if (names.length > 0 && reuse.entered(names)) {
      reuse.begin();
    }
    for (const { skeleton, entity, ordinal } of fresh) {
      const { kept: standing } = parts.runState.ledger;
      const kept = standing.keptOf({ skeleton, entity }).find(({ intent }) => intent.instance.ordinal !== ordinal);
      if (kept !== undefined) recovering.parkUnclaimed([kept], actor, { skeleton, entity, ordinal });
    }
  }

  /** A step failed: its machine stays as it was, and whose work it was has failed. */
  crashed(ref: ActorHandle, crash: Crash): Promise<void> {
    const { actors, parts, placed, timers, recovering } = this.#port;
    const { event, error, places, ofChild } = crash;
    const actor = actors.numberOf(ref) ?? 0;
    const heard = this.#heardFrom(ref, event);
    const region = heard === null ? null : parts.runState.actor(heard).region;
    const regions = region === null ? places.map((place) => regionName(actor, bare(place))) : [region];
    const owners = new Map<string, InstanceId>();
    for (const at of regions) {
      const owner = parts.runState.ownerOf(at, placed);
      if (owner !== undefined) owners.set(instanceName(owner.id), owner.id);
    }
    timers.failed(actor, event);
    if (this.#port.choosing.branches.of(actor) !== null) {
      this.#port.choosing.fail(actor, error);
      return Promise.resolve();
    }
    const signal = ofChild ? toolSignal(error) : 'CHAIN_EXCEPTION';
    const failure = failureOf([...owners.values()]);
    if (crash.isRefused === true) {
      const refused = errorMessage(error);
      return recovering.raise({ signal: 'CONTRACT_VIOLATION', error, actor, failure, call: null, refused });
    }
    const again = ofChild ? {} : this.#again(ref, actor, crash);
    // The event is gone with the step that failed on it; unless it is sent again, it comes back with the restore.
    return recovering.raise({ signal, error, actor, failure, call: null, ...again });
  }

  /** The means to have the step taken again that threw, in this process and in another one (TH1, TH6). */
  #again(ref: ActorHandle, actor: number, crash: Crash): Pick<Raised, 'thrown' | 'retry'> {
    const { parts, deliveries, runtime } = this.#port;
    const { event, from, places, limit } = crash;
    const { runState, redeliver, version } = parts;
    const isHeld = from === 'outside' && actor === 0 && redeliver;
    const held = { event, regions: places.map(({ region }) => regionName(0, region)) };
    const thrown: Thrown = {
      on: thrownOn(runState, actor, crash),
      ...(version !== null && { version }),
      ...(limit !== undefined && { limit }),
      ...(isHeld ? held : from !== undefined && { lost: true as const }),
    };
    if (runtime.machines === null) return { thrown };
    const { last } = runState.actor(actor);
    return { thrown, retry: () => deliveries.again(ref, event, () => runState.actor(actor).last === last) };
  }

  /** The number of the actor that an event is news from. */
  #heardFrom(ref: ActorHandle, event: RuntimeEvent): number | null {
    const child = this.#port.runtime.teller(ref, event);
    return child == null ? null : (this.#port.actors.numberOf(child) ?? null);
  }

  #found(finding: Extract<Entry, { do: 'finding' }>, actor: number, calls: boolean): void {
    const { parts, recovering } = this.#port;
    parts.onFinding(finding);
    const { code, instance, text } = finding;
    if (instance === null) return;
    const isBroken = code === 'invariant_broken';
    // A call of the step raises it itself, before it leaves.
    if (!isBroken && (code !== 'missing_input' || calls)) return;
    const raised = { error: new Error(text), actor, failure: { in: instance, key: null }, call: null };
    void recovering.raise(
      isBroken ? { signal: 'CONTRACT_VIOLATION', ...raised, suspect: true } : { signal: 'MISSING_INPUT', ...raised },
    );
  }
}

function failureOf(owners: readonly InstanceId[]): Failure {
  const [one, other] = owners;
  if (one === undefined) return { in: null, key: null, why: 'fits_nobody' };
  return other === undefined ? { in: one, key: null } : { in: null, key: null, why: 'fits_several' };
}

/** The digest of what a step met that threw. */
function thrownOn({ secret, codecs, actors }: RunState, actor: number, { event, error, places }: Crash): string {
  const met = [event, places.map(({ path }) => path), actors[actor]?.context, errorMessage(error)];
  return argsDigest(met, secret, codecs);
}

function isCall({ kind, src }: Microstep['started'][number]): boolean {
  return kind === 'promise' && src !== null;
}
