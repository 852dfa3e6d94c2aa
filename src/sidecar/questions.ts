/**
 * What a run asks of its fold when something has failed: by which rules, which checkpoints can be used, how far everyone is kept,
 * where a region resumes, which gates answer. It changes nothing.
 */
import type { BoundaryConfig, Skeleton } from '../boundaries/config.ts';
import { told } from '../effects/signals.ts';
import { type Place as Gate, regionName, split } from '../history/places.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Act, Counterparty, Decision, Policy, Rules } from '../model/decision.ts';
import type { Effect } from '../model/effect.ts';
import type { DecisionEntry } from '../model/entry.ts';
import type { Failure, Signal } from '../model/failure.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import type { Unavailable } from '../model/veto.ts';
import type { Facts } from '../predicates/predicate.ts';
import type { Watch } from '../xstate/watch.ts';
import { budgetKey, type Fold, ROOT } from './fold.ts';
import type { Replay } from './folded.ts';
import { isOutside } from './outside.ts';
import { bare, type Raised, type RunParts } from './parts.ts';
import { covers, type Placed } from './places.ts';
import { backOf, type Kept, type Resumes } from './plan.ts';
import type { MovedInput } from './report.ts';

/** The questions of one run. */
export class Questions {
  readonly #fold: Fold;
  readonly #config: BoundaryConfig;
  readonly #policy: Policy;
  #placed: readonly Placed[] = [];
  #watch: Watch | null = null;

  constructor({ fold, config, policy }: Pick<RunParts, 'fold' | 'config' | 'policy'>) {
    this.#fold = fold;
    this.#config = config;
    this.#policy = policy;
  }

  /** Takes the watch of the machine, and where its skeletons lie. */
  bind(watch: Watch, placed: readonly Placed[]): void {
    this.#watch = watch;
    this.#placed = placed;
  }

  /**
   * Another instance that has read a version of a key that others wrote, both kept, while the undone part was being made: had the
   * replay's write stood there, it would have read that. Null for none; who read before is none, nor who reads after.
   */
  readerOfKept(by: InstanceId, key: Key, { from, since }: Replay): InstanceId | null {
    const { versions, registry } = this.#fold.history;
    const own = registry.get(by);
    for (const read of versions.readsAt(key)) {
      if (read.by === own || read.at <= from || read.at > since || read.by.id.skeleton === ROOT) continue;
      for (const writer of registry.all()) {
        if (writer === own) continue;
        if (versions.writesOf(writer).some((write) => write.at < read.at && overlaps(write.key, key)))
          return read.by.id;
      }
    }
    return null;
  }

  rootOf(region: string): InstanceId {
    const [actor, path] = split(region);
    for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const id = { skeleton: ROOT, entity: regionName(actor, at), ordinal: 0 };
      if (this.#fold.history.registry.get(id) !== undefined || at === '') return id;
    }
  }

  effectOf(key: string, instance: InstanceId): Effect {
    const call = this.#fold.ledger.get(key);
    return {
      instance,
      id: key,
      ...(call !== undefined && { tool: call.intent.tool }),
      class: call?.intent.class ?? 'irreversible',
      status: call?.status ?? 'unknown',
      undo: call?.intent.undo ?? false,
      at: call?.at ?? this.#fold.history.head,
    };
  }

  rules({ in: failed }: Failure): Rules {
    const joint = failed === null ? [] : (this.#config.skeletons.get(failed.skeleton)?.rollback.joint ?? []);
    return { policy: this.#policy, joint };
  }

  unavailable(failure: Failure, checkpoint: Checkpoint, signal: Signal): Unavailable | null {
    const fold = this.#fold;
    if (checkpoint.at <= fold.staleUpTo) return { code: 'checkpoint_stale', changed: 'config' };
    if (fold.recoveries >= this.#config.tries)
      return { code: 'recovery_budget_spent', of: 'run', spent: fold.recoveries };
    if (failure.in === null) return null;
    const tries = this.#config.skeletons.get(failure.in.skeleton)?.rollback.tries ?? this.#config.tries;
    const spent = fold.spent.get(budgetKey(failure.in, fold.boundaryAt(failure.in, checkpoint.at), signal)) ?? 0;
    return spent >= tries ? { code: 'recovery_budget_spent', of: 'boundary', spent } : null;
  }

  /** How far the line keeps everyone; under `dart`, which restores a whole snapshot, nobody beyond the candidate. */
  keptBy(decision: Extract<Decision, { verdict: 'restore' | 'restore_joint' }>): Kept[] {
    const kept = decision.line.moves.map(({ instance, keep }): Kept => [instance, keep === 'none' ? 0 : keep.at]);
    if (decision.policy !== 'dart') return kept;
    const { places, history } = this.#fold;
    const failed = instanceName(decision.failed);
    const own = kept[0]?.[1] ?? 0;
    // The whole snapshot is that of the step at which the candidate stands.
    const entered = places.of(failed)?.entered ?? 0;
    const step = own === history.expect(decision.failed).checkpoints[0]?.at ? entered : places.stepAt(own);
    const limit = places.steps[step]?.to ?? own;
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
    const call = id === null ? undefined : this.#fold.ledger.get(id);
    const args = call === undefined ? {} : this.#fold.actor(call.intent.actor).started?.input;
    const facts: Facts = { state: '', action: name ?? '', args, entity: instance.entity, memory: {}, event: {} };
    const writes = (tool?.writes ?? []).flatMap((template) => template.fillAll(facts)).filter(isOutside);
    return { reconciler: tool?.reconcile ?? null, writes: writes.map(({ text }) => text) };
  }

  movedInputs(kept: readonly Kept[]): MovedInput[] {
    const { versions, registry } = this.#fold.history;
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

  decisionEntry({ signal, error, actor, call, failure }: Raised, decision: Decision): DecisionEntry {
    const own =
      decision.failed === null
        ? undefined
        : decision.line?.moves.find(
            (move) => instanceName(move.instance) === instanceName(decision.failed as InstanceId),
          );
    return {
      do: 'decision',
      signal,
      error: told(error),
      actor,
      call: call?.actor ?? null,
      key: failure.key?.text ?? null,
      decision,
      checkpoint: own === undefined || own.keep === 'none' ? null : own.keep,
    };
  }

  /** Where a checkpoint's own state is no place to go on from, the config names one (§4, Separable). */
  resumes(kept: readonly Kept[]): Resumes {
    const resumes = new Map<string, never>();
    const started = new Set(kept.flatMap(([id, at]) => (at === 0 ? [] : [instanceName(id)])));
    for (const [region, { step, by }] of backOf(this.#fold, kept)) {
      const skeleton = this.#config.skeletons.get(by.skeleton);
      if (skeleton === undefined || skeleton.rollback.resume === null || !started.has(instanceName(by))) continue;
      const stands = this.#fold.steps[step];
      if (stands === undefined || this.#fold.places.of(instanceName(by))?.region !== region) continue;
      const value = this.#resumeValue(skeleton, stands.value, region);
      if (value !== null) resumes.set(region, value as never);
    }
    return resumes;
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
    return this.#watch?.valueWithin(prefix, path, inner) ?? null;
  }

  /** The gate that answers for an instance that has just begun, and those that control comes past behind it. */
  gatesFor({ skeleton, entity, ordinal }: InstanceId): Gate[] {
    const fold = this.#fold;
    const region = fold.places.of(instanceName({ skeleton, entity, ordinal }))?.region;
    const open = [...fold.gates].flatMap(([name, since]): Gate[] => {
      const gate = fold.places.of(name);
      if (gate === undefined || gate.closed === null || gate.region !== region) return [];
      return this.#readsTheSame(gate.id, since) ? [gate] : [];
    });
    const gates: Gate[] = [];
    let next = open.find(({ id }) => id.skeleton === skeleton && id.entity === entity);
    while (next !== undefined) {
      const { closed } = next;
      gates.push(next);
      next = open.find((gate) => !gates.includes(gate) && gate.entered === closed);
    }
    return gates;
  }

  /** Whether nothing that an instance read has been written since. */
  #readsTheSame(id: InstanceId, since: number): boolean {
    const { registry, versions, head } = this.#fold.history;
    const record = registry.get(id);
    if (record === undefined) return false;
    const reads = versions.readsBy(record);
    return ![...registry.all()].some((other) =>
      versions.writesBetween(other, since, head).some((write) => reads.some((read) => overlaps(read.key, write.key))),
    );
  }
}

/** The paths of the states of a state value, from a region's path on. */
function statesOf(value: unknown, path: string): string[] {
  const under = (key: string) => (path === '' ? key : `${path}.${key}`);
  if (typeof value === 'string') return [under(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [under(key), ...statesOf(inner, under(key))]);
}
