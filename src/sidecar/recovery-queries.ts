/**
 * What a run asks of its fold when something has failed: by which rules, which checkpoints can be used, how far everyone is kept,
 * where a region resumes, whether control can follow. It changes nothing.
 */
import type { BoundaryConfig, Skeleton } from '../boundaries/config.ts';
import { errorMessage } from '../effects/signals.ts';
import type { PlacedStep } from '../history/places.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Act, Aside, Counterparty, Decision, Policy, Rules } from '../model/decision.ts';
import type { Effect } from '../model/effect.ts';
import type { DecisionEntry, StateValue } from '../model/entry.ts';
import { isExternal } from '../model/external-keys.ts';
import type { Failure, Signal } from '../model/failure.ts';
import { type InstanceId, instanceName, ROOT } from '../model/instance.ts';
import { overlaps, parseKey } from '../model/key.ts';
import { regionName, split } from '../model/region.ts';
import { answeringChild } from '../model/reply-event.ts';
import type { Unavailable } from '../model/veto.ts';
import type { Facts } from '../predicates/predicate.ts';
import { partOf } from '../projection/records.ts';
import { type Kept, undoneSteps } from '../projection/rollback.ts';
import { budgetKey, type RunState } from '../projection/run-state.ts';
import type { RecordedStep } from '../projection/state-types.ts';
import { covers, type Placed } from '../recording/entry-states.ts';
import type { Cut } from '../recovery/cut.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { bare, type Raised, type RunParts, type Suspect } from './parts.ts';
import { controlAfter, type Resume } from './plan.ts';
import type { MovedInput } from './report.ts';

/** Recorded answers that were found wrong. */
interface WrongAnswers {
  readonly keys: readonly string[];
  /** Whether it is known that it was that answer, and not another of the same work. */
  readonly isSure: boolean;
}

/** The questions of one run. */
export class RecoveryQueries {
  readonly #runState: RunState;
  readonly #config: BoundaryConfig;
  readonly #policy: Policy;
  readonly #placed: readonly Placed[];
  readonly #runtime: Pick<Runtime, 'valueWithin'>;

  /** @param placed where the skeletons of the config lie in the machine. */
  constructor(
    { runState, config, policy }: Pick<RunParts, 'runState' | 'config' | 'policy'>,
    placed: readonly Placed[],
    runtime: Pick<Runtime, 'valueWithin'>,
  ) {
    this.#runState = runState;
    this.#config = config;
    this.#policy = policy;
    this.#placed = placed;
    this.#runtime = runtime;
  }

  rootOf(region: string): InstanceId {
    const [actor, path] = split(region);
    for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const id = { skeleton: ROOT, entity: regionName(actor, at), ordinal: 0 };
      if (this.#runState.history.registry.get(id) !== undefined || at === '') return id;
    }
  }

  /**
   * The name that an instance has in keys of calls: its own, or for the root of a machine that was invoked where that was, since a replay
   * invokes another one, with another number (E3).
   */
  keyedAs(id: InstanceId): InstanceId {
    const [actor, path] = split(id.skeleton === ROOT ? id.entity : regionName(0, ''));
    return actor === 0 ? id : { ...id, entity: `${this.#placeOf(actor)}:${path}` };
  }

  /** Where a machine is invoked: by whom, as what, and as the how manieth there. */
  #placeOf(actor: number): string {
    const { actors, places } = this.#runState;
    const { parent, region, started } = this.#runState.actor(actor);
    if (parent === null || region === null || started === null) return '';
    const owner = this.#runState.ownerOf(region, this.#placed)?.id;
    const since = owner === undefined ? 0 : (places.of(instanceName(owner))?.entered.nth ?? 0);
    const nth = actors.filter((other) => {
      const isSame = other.parent === parent && other.started?.id === started.id && other.number < actor;
      return isSame && other.by !== null && !other.by.gone && other.by.nth >= since;
    }).length;
    const by = owner === undefined ? `${this.#placeOf(parent)}:${split(region)[1]}` : instanceName(owner);
    return `${by}/${started.id}/${nth}`;
  }

  effectOf(key: string, instance: InstanceId): Effect {
    const call = this.#runState.ledger.get(key);
    return {
      instance,
      id: key,
      ...(call !== undefined && { tool: call.intent.tool }),
      class: call?.intent.class ?? 'irreversible',
      status: call?.status ?? 'unknown',
      undo: call?.intent.undo ?? false,
      at: call?.at ?? this.#runState.history.head,
    };
  }

  /**
   * The calls of an instance after a position whose recorded answers were found wrong: those that wrote the suspect key, or any where no
   * key says which (C10).
   */
  wrongAnswers(id: InstanceId, suspect: string | null, after: number): WrongAnswers {
    const { ledger, history } = this.#runState;
    const name = instanceName(id);
    // Without a key it is about what it did before it was last taken back, too, and that its replay has not come to again.
    const lost = suspect === null ? this.lost(id).filter(({ intent }) => intent.class === 'idempotent') : [];
    const placed = ledger.between(name, after, history.head).filter(({ status }) => status === 'confirmed');
    const own = [...placed, ...lost];
    const wrote = suspect === null ? null : this.#callsThatWrote(id, suspect);
    const keys = own.map(({ key }) => key).filter((key) => wrote === null || wrote.has(key));
    return { keys, isSure: wrote?.size === 1 };
  }

  /**
   * The calls of work that is undone, that stand in the world and whose answers its replay would be served; without an ordinal,
   * of any.
   */
  lost({ skeleton, entity, ordinal }: Pick<InstanceId, 'skeleton' | 'entity'> & { ordinal?: number | undefined }) {
    return this.#runState.ledger.displaced().filter(({ status, wrong, intent: { instance } }) => {
      const isMeant = instance.skeleton === skeleton && instance.entity === entity;
      return isMeant && status === 'confirmed' && wrong === null && (ordinal ?? instance.ordinal) === instance.ordinal;
    });
  }

  /** The keys of the calls whose answers wrote a suspect key; null where one of its writes was no such answer. */
  #callsThatWrote(id: InstanceId, suspect: string): ReadonlySet<string> | null {
    const { history, places, ledger, actors } = this.#runState;
    const record = history.registry.get(id);
    const key = parseKey(suspect);
    const writes =
      record === undefined ? [] : history.versions.writesOf(record).filter((each) => overlaps(each.key, key));
    const calls = writes.map((write) => {
      const step = places.steps[places.stepAt(write.at)] as RecordedStep | undefined;
      const child = answeringChild((step?.entry?.event as { type?: unknown } | undefined)?.type);
      const actor = actors.findLast(
        (other) => other.parent === step?.actor && other.started?.id === child && other.ended === step,
      );
      return actor === undefined ? undefined : ledger.ofActor(actor.number)?.key;
    });
    return calls.includes(undefined) ? null : new Set(calls as string[]);
  }

  rules({ in: failed }: Failure): Rules {
    const joint = failed === null ? [] : (this.#config.skeletons.get(failed.skeleton)?.rollback.joint ?? []);
    return { policy: this.#policy, joint };
  }

  unavailable(failure: Failure, checkpoint: Checkpoint, signal: Signal): Unavailable | null {
    const runState = this.#runState;
    if (checkpoint.at <= runState.staleUpTo) return { code: 'checkpoint_stale', changed: 'config' };
    if (runState.recoveries >= this.#config.tries)
      return { code: 'recovery_budget_spent', of: 'run', spent: runState.recoveries };
    if (failure.in === null) return null;
    const tries = this.#config.skeletons.get(failure.in.skeleton)?.rollback.tries ?? this.#config.tries;
    const spent =
      runState.spent.get(budgetKey(failure.in, runState.boundaryAt(failure.in, checkpoint.at), signal)) ?? 0;
    return spent >= tries ? { code: 'recovery_budget_spent', of: 'boundary', spent } : null;
  }

  /** How far the line keeps everyone; under `dart`, which restores a whole snapshot, nobody beyond the candidate. */
  keptBy(decision: Extract<Decision, { verdict: 'restore' | 'restore_joint' }>): Kept[] {
    const moves = decision.line.moves.map(({ instance, keep }) => [instance, keep === 'none' ? 0 : keep.at] as const);
    const kept = keptOf(moves, decision.aside ?? []);
    if (decision.policy !== 'dart') return kept;
    const { places, history } = this.#runState;
    const failed = instanceName(decision.failed);
    const own = kept[0]?.[1] ?? 0;
    // The whole snapshot is that of the step at which the candidate stands.
    const isEntry = own === history.expect(decision.failed).checkpoints[0]?.at;
    const step = isEntry ? places.of(failed)?.entered : places.steps[places.stepAt(own)];
    const limit = step?.to ?? own;
    return [...history.registry.all()].map((record): Kept => {
      if (instanceName(record.id) === failed) return [record.id, own];
      return [record.id, (record.checkpoints[0]?.at ?? 0) > limit ? 0 : limit];
    });
  }

  /** The decision, with whom to ask where somebody has to: only the config knows. */
  withWhomToAsk(decision: Decision): Decision {
    if (!('unblock' in decision)) return decision;
    const acts = decision.unblock.acts.map((act): Act => {
      return act.act === 'settle_outcome' ? { ...act, ask: this.#counterparty(act.effect) } : act;
    });
    return { ...decision, unblock: { ...decision.unblock, acts } };
  }

  #counterparty({ id, tool: name, instance }: Effect): Counterparty {
    const tool = name === undefined ? undefined : this.#config.tools.get(name);
    const call = id === null ? undefined : this.#runState.ledger.get(id);
    const args = call === undefined ? {} : this.#runState.actor(call.intent.actor).started?.input;
    const facts: Facts = { state: '', action: name ?? '', args, entity: instance.entity, memory: {}, event: {} };
    const writes = (tool?.writes ?? []).flatMap((template) => template.fillAll(facts)).filter(isExternal);
    return { reconciler: tool?.reconcile ?? null, writes: writes.map(({ text }) => text) };
  }

  movedInputs(kept: readonly Kept[]): MovedInput[] {
    const { versions, registry } = this.#runState.history;
    const limits = new Map(kept.map(([id, at]) => [instanceName(id), at]));
    const moved = new Map<string, MovedInput>();
    for (const [id, at] of kept) {
      const record = registry.get(id);
      if (record === undefined || id.skeleton === ROOT) continue;
      for (const read of versions.readsBy(record)) {
        if (read.at <= at) continue;
        for (const other of registry.all()) {
          if (other === record) continue;
          const limit = limits.get(instanceName(other.id)) ?? Number.POSITIVE_INFINITY;
          const write = versions
            .writesOf(other)
            .find((each) => each.at > read.at && each.at <= limit && overlaps(each.key, read.key));
          if (write !== undefined)
            moved.set(`${instanceName(id)} ${read.key.text}`, { instance: id, key: read.key.text, by: other.id });
        }
      }
    }
    return [...moved.values()];
  }

  decisionEntry(
    { signal, error, actor, call, failure, suspect, complaint, commit }: Raised,
    decision: Decision,
  ): DecisionEntry {
    const own =
      decision.failed === null
        ? undefined
        : decision.line?.moves.find(
            (move) => instanceName(move.instance) === instanceName(decision.failed as InstanceId),
          );
    return {
      do: 'decision',
      signal,
      error: errorMessage(error),
      actor,
      call: call?.actor ?? null,
      key: failure.key?.text ?? null,
      decision,
      checkpoint: own === undefined || own.keep === 'none' ? null : own.keep,
      ...(suspect === true && { suspect }),
      ...(complaint !== undefined && { complaint: named(complaint) }),
      ...(commit !== undefined && { commit }),
    };
  }

  /** Where a checkpoint's own state is no place to go on from, the config names one (§4, Separable). */
  resumes(kept: readonly Kept[]): Resume[] {
    const undone = undoneSteps(this.#runState.places, kept);
    return kept.flatMap(([id, at]): Resume[] => {
      const skeleton = this.#config.skeletons.get(id.skeleton);
      const place = this.#runState.places.of(instanceName(id));
      if (skeleton === undefined || skeleton.rollback.resume === null || at === 0 || place === undefined) return [];
      // Work that is over, and whose end stands, goes on nowhere.
      if (place.closed !== null && !undone.has(place.closed)) return [];
      const stands = controlAfter(this.#runState, undone, split(place.region)[0]);
      const value = stands === undefined ? null : this.#resumeValue(skeleton, stands, place.region);
      return value === null ? [] : [{ region: place.region, by: id, value: value as StateValue }];
    });
  }

  /** Who would stand where the machine does not: every live instance's region has to be active (postconditions of a plan). */
  escapes({ moves, aside }: Pick<Cut, 'moves' | 'aside'>): { readonly instance: InstanceId; readonly step: number }[] {
    const kept = keptOf(
      [...moves].map(([{ id }, { keep }]) => [id, keep?.at ?? 0] as const),
      aside,
    );
    const { places, history } = this.#runState;
    const undone = undoneSteps(places, kept);
    const resumes = this.resumes(kept);
    const limits = new Map(kept.map(([id, at]) => [instanceName(id), at]));
    const concerned = new Set([...limits.keys(), ...this.#runState.live.keys()]);
    for (const step of [...undone] as RecordedStep[]) for (const name of step.closes) concerned.add(name);
    const controls = new Map<number, StateValue | null>();
    return [...concerned].flatMap((name) => {
      const place = places.of(name);
      const isClosed = place?.closed != null && !undone.has(place.closed);
      if (place === undefined || place.root || isClosed || undone.has(place.entered) || limits.get(name) === 0)
        return [];
      const [actor, path] = split(place.region);
      if (!controls.has(actor)) controls.set(actor, this.#standsAfter(undone, actor));
      const control = controls.get(actor) ?? null;
      const resume = resumes.find(({ region, by }) => region === place.region && instanceName(by) === name);
      const skeleton = this.#config.skeletons.get(place.id.skeleton);
      if (resume !== undefined || skeleton === undefined) return [];
      const prefix = this.#placed.find((placed) => placed.skeleton === skeleton)?.prefix ?? '';
      const active = control === null ? [] : statesOf(partOf(control, path), path);
      if (active.some((state) => covers(skeleton.states, `${prefix}${state}`))) return [];
      return [{ instance: place.id, step: history.registry.get(place.id)?.checkpoints[0]?.at ?? 0 }];
    });
  }

  /** The control of an actor after a restore; null where it is not there then. */
  #standsAfter(undone: ReadonlySet<PlacedStep>, actor: number): StateValue | null {
    const { by, ended, parent } = this.#runState.actor(actor);
    if (by !== null && undone.has(by)) return null;
    if (ended !== null && !undone.has(ended)) return null;
    if (parent !== null && this.#standsAfter(undone, parent) === null) return null;
    return controlAfter(this.#runState, undone, actor) ?? null;
  }

  #resumeValue(skeleton: Skeleton, value: unknown, region: string): unknown {
    const [, path] = split(region);
    let at = value;
    for (const key of path === '' ? [] : path.split('.'))
      at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined;
    const states = statesOf(at, path);
    const prefix = this.#placed.find((placed) => placed.skeleton === skeleton)?.prefix ?? '';
    if (states.some((state) => covers(skeleton.states, `${prefix}${state}`))) return null;
    const resume = bare(skeleton.rollback.resume as string);
    const inner = path === '' ? resume : resume.slice(path.length + 1);
    return this.#runtime.valueWithin(prefix, path, inner) ?? null;
  }
}

/** How far everyone is kept by a line: what it sets aside is not kept at all. */
function keptOf(moves: readonly Kept[], aside: readonly Aside[]): Kept[] {
  return [...moves, ...aside.map(({ instance }): Kept => [instance, 0])];
}

/** The paths of the states of a state value, from a region's path on. */
function statesOf(value: unknown, path: string): string[] {
  const under = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (typeof value === 'string') return [under(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [under(key), ...statesOf(inner, under(key))]);
}

/** What a caller named, and nothing else that the object may have. */
function named({ skeleton, entity, ordinal }: Suspect): Suspect {
  return { skeleton, entity, ...(ordinal !== undefined && { ordinal }) };
}
