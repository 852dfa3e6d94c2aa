/**
 * A microstep as an entry of the journal: the instances that it enters and leaves, their reads and writes, and their
 * boundaries that certify (semantics.md §2-§5). Reads the fold and the reviewed config; changes neither.
 */
import { withComputed } from '../boundaries/computed.ts';
import type { BoundaryConfig } from '../boundaries/config.ts';
import { commits } from '../model/checkpoint.ts';
import type { Entry } from '../model/entry.ts';
import type { HistoryEvent } from '../model/event.ts';
import { hasVersion, isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { split } from '../model/region.ts';
import { type Closed, RESTART, type Started, type StepEntry } from '../model/step-entry.ts';
import type { Facts } from '../predicates/predicate.ts';
import type { RunState } from '../projection/run-state.ts';
import type { DecisionPolicy } from '../recovery/decision-policy.ts';
import { bare, type Child, type Microstep } from '../runtime/microstep.ts';
import { Accesses } from './accesses.ts';
import { type Certified, Certifying } from './certifying.ts';
import { computedIn, tellReplaced } from './computed-arguments.ts';
import { Entering } from './entering.ts';
import type { Placed } from './entry-states.ts';
import { StepEvidence } from './evidence.ts';
import type { Encoding, RecorderPort } from './planned.ts';
import { isPlannable, Plans } from './plans.ts';
import { separated } from './separate.ts';
import { StepView } from './step-view.ts';
import type { Verifier } from './verify.ts';

/** A microstep as entries, and the entered instances that have no earlier occurrence (C8). */
export interface StepEntries {
  readonly entries: Entry[];
  readonly fresh: readonly InstanceId[];
}

const NOBODY: readonly InstanceId[] = [];

/** Records the microsteps of one run as entries. */
export class StepRecorder {
  readonly #config: BoundaryConfig;
  readonly #runState: RunState;
  readonly #placed: readonly Placed[];
  readonly #decisionPolicy: DecisionPolicy;
  readonly #verifier: Verifier | null;
  readonly #encoder: Encoding;

  readonly #plans: Plans;

  /** `verifier` holds the changes against the memories, where that is wanted (§3). */
  constructor(port: RecorderPort, placed: readonly Placed[], verifier: Verifier | null) {
    const { config, runState, decisionPolicy, encoder } = port;
    this.#plans = new Plans(port);
    this.#config = config;
    this.#encoder = encoder;
    this.#runState = runState;
    this.#decisionPolicy = decisionPolicy;
    this.#placed = placed;
    this.#verifier = verifier;
  }

  /**
   * The entries of a microstep: the step itself, then what a person should know of it.
   * @param actor the number of the actor that took it.
   * @param told the microstep as the runtime tells it.
   * @param endedBy the numbers of the actors that were there before and are not after it.
   * @param ties the steps that raised or sent its event, as (actor, how many of its steps ago).
   * @param sources the sources that it heard and told, by their numbers (CH8).
   */
  step(
    actor: number,
    told: Microstep,
    endedBy: readonly number[],
    ties: NonNullable<StepEntry['ties']> = [],
    sources: Pick<StepEntry, 'source' | 'tells'> = {},
  ): StepEntries {
    const { seen, replaced } = computedIn(this.#config, told);
    const mayPlan = this.#verifier === null && endedBy.length === 0 && ties.length === 0 && isPlannable(seen);
    const plan = mayPlan ? this.#plans.of(actor, seen) : null;
    const planned = plan?.entry(seen) ?? null;
    if (planned !== null) return { entries: [planned], fresh: NOBODY };
    const view = new StepView(
      { config: this.#config, runState: this.#runState, placed: this.#placed },
      actor,
      seen,
      endedBy,
    );
    const entering = new Entering(view);
    const accesses = new Accesses(view, entering);
    const evidence = new StepEvidence(view, entering, accesses, { verifier: this.#verifier, encoder: this.#encoder });
    const asking = { decisionPolicy: this.#decisionPolicy, heard: plan?.heard ?? null };
    const certifying = new Certifying(view, entering, asking, evidence);
    const boundaries = certifying.boundaries();
    if (mayPlan) this.#plans.learn(view, { entering, accesses, certifying, boundaries });
    const { event, value, remembered, done } = seen;
    const { looks } = seen;
    const step: StepEntry = {
      do: 'step',
      actor,
      event,
      outside: seen.outside,
      value,
      remembered,
      done,
      parties: entering.parties,
      edits: accesses.edits,
      started: seen.started.map(startedOf),
      marks: [
        ...entering.enters,
        ...accesses.made,
        ...accesses.pending,
        ...boundaries.map(({ mark }) => mark),
        ...accesses.begun,
      ],
      regions: entering.regions,
      moves: seen.moves,
      boundaries: boundaries.map(({ id }) => id),
      closed: this.#closed(entering.leaving, boundaries, certifying),
      ended: endedBy,
      ...sources,
    };
    const hasMore = looks.length > 0 || ties.length > 0;
    const entry = hasMore ? { ...step, ...(looks.length > 0 && { looks }), ...(ties.length > 0 && { ties }) } : step;
    tellReplaced(view, entering, replaced);
    this.#verifier?.advance(actor, accesses.edits);
    const steps = seen.parts.length < 2 ? [entry] : this.#separated(entry, seen.parts);
    return { entries: [...steps, ...view.findings], fresh: entering.fresh };
  }

  #separated(entry: StepEntry, parts: Microstep['parts']): StepEntry[] {
    return separated(entry, parts, {
      before: this.#runState.actor(entry.actor).value,
      regionOf: (name) => this.#runState.places.of(name)?.region,
      regionOfActor: (number) => this.#runState.actor(number).region,
    });
  }

  /** A required input that nothing retained has written; null if the instance has all its required inputs (F1). */
  lacks(id: InstanceId): string | null {
    const place = this.#runState.places.of(instanceName(id));
    if (place === undefined) return null;
    const { context } = this.#runState.actor(split(place.region)[0]);
    const facts: Facts = { state: '', action: '', args: {}, entity: id.entity, memory: context, event: {} };
    const required = this.#config.skeletons.get(id.skeleton)?.required ?? [];
    return required.map((template) => template.fill(facts)).find((key) => !hasVersion(context, key))?.text ?? null;
  }

  /**
   * The calls that a restore starts again read, and may write, once more: a step of the machine that takes it nowhere.
   * @param made the numbers and inputs of the actors that were made anew.
   */
  restarts(actor: number, made: readonly (readonly [number, unknown])[]): StepEntry[] {
    const runState = this.#runState;
    const { value } = runState.actor(actor);
    return made.flatMap(([number, given]): StepEntry[] => {
      const { started, region } = runState.actor(number);
      const input = withComputed(this.#config, started?.kind === 'promise' ? started.src : null, given);
      const owner = region === null ? undefined : runState.ownerOf(region, this.#placed);
      const tool = started?.src === null || started === null ? undefined : this.#config.tools.get(started.src);
      if (owner === undefined || started === null || started.kind === 'machine') return [];
      const facts: Facts = {
        state: '',
        action: started.src ?? '',
        args: input,
        entity: owner.id.entity,
        memory: runState.actor(actor).context,
        event: {},
      };
      const skeleton = this.#config.skeletons.get(owner.id.skeleton);
      const reads = (tool?.reads ?? skeleton?.inputs ?? []).flatMap((template) => template.fillAll(facts));
      const writes = (tool?.writes ?? []).flatMap((template) => template.fillAll(facts)).filter(isExternal);
      const marks: HistoryEvent[] = [
        ...reads.map((key): HistoryEvent => ({ do: 'read', in: owner.id, key })),
        ...writes.map((key): HistoryEvent => ({ do: 'write', in: owner.id, key, mode: 'append' })),
      ];
      if (marks.length === 0) return [];
      return [
        {
          do: 'step',
          actor,
          event: { type: RESTART },
          outside: false,
          value,
          remembered: null,
          done: false,
          parties: [{ instance: owner.id, region: owner.region }],
          edits: [],
          started: [],
          marks,
          regions: [],
          moves: [],
          looks: [split(region as string)[1]],
          boundaries: [],
          closed: [],
          ended: [],
        },
      ];
    });
  }

  #closed(leaving: ReadonlySet<string>, boundaries: readonly Certified[], certifying: Certifying): Closed[] {
    const certified = new Set(boundaries.flatMap(({ mark }) => (commits(mark.kind) ? [instanceName(mark.in)] : [])));
    return [...leaving].flatMap((name) => {
      const live = this.#runState.live.get(name);
      if (live === undefined) return [];
      const discard = certifying.discardOf(live, boundaries);
      return [{ instance: live.id, ...(discard === null ? { gate: certified.has(name) } : { gate: false, discard }) }];
    });
  }
}

function startedOf({ id, src, place, kind, input, systemId }: Child): Started {
  const at = place === null ? null : bare(place);
  return { id, src, at, kind, input, ...(systemId !== undefined && { systemId }) };
}
