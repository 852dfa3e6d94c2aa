/**
 * The calls that each call of a run rests on (semantics.md AB3): the calls whose answers have come, through any steps,
 * to data that its tool is declared to read, and the calls that touch the same object. If the history has no step that
 * began a call, all earlier work counts, except work that the call's unit is independent of.
 */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { LedgerCall } from '../effects/ledger-call.ts';
import { readsOf, writesOf } from '../effects/touched.ts';
import type { Access } from '../history/key-tree.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import { isExternal } from '../model/external-keys.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import type { RunState } from '../projection/run-state.ts';
import { areIndependent } from '../recovery/dependence.ts';

/** A call with its arguments. */
export interface ArguedCall {
  readonly call: LedgerCall;
  readonly args: unknown;
  /** The tool of the config that says what it touches. */
  readonly touches: string;
}

/** The steps of a call: the step that began it, and the step that received its answer. */
interface StepsOf {
  readonly began: PlacedStep | null;
  readonly heard: PlacedStep | null;
}

/** A read of a step, and the step that wrote what it reads. */
interface Edge {
  readonly read: Access;
  readonly writer: number;
}

/**
 * The keys of the earlier calls that each call rests on.
 * @param calls in the order of their intents.
 * @param isByStep true for a machine, whose steps begin calls and hear their answers; false where one piece of code does both.
 */
export function restsOn(
  runState: RunState,
  config: BoundaryConfig,
  calls: readonly ArguedCall[],
  isByStep: boolean,
): ReadonlyMap<string, ReadonlySet<string>> {
  const relation = new Relation(runState, config, calls, isByStep);
  const found = new Map<string, Set<string>>();
  calls.forEach((one, index) => {
    const on = new Set<string>();
    for (const earlier of calls.slice(0, index)) {
      if (!relation.rests(one, earlier)) continue;
      on.add(earlier.call.key);
      for (const further of found.get(earlier.call.key) ?? []) on.add(further);
    }
    found.set(one.call.key, on);
  });
  return found;
}

class Relation {
  readonly #runState: RunState;
  readonly #config: BoundaryConfig;
  readonly #isByStep: boolean;
  readonly #steps = new Map<string, StepsOf>();
  /** The reads of each step, by its number. */
  readonly #reads = new Map<number, Edge[]>();
  /** The numbers of the steps that come to what a call reads, by its key; null where the history does not tell. */
  readonly #sources = new Map<string, ReadonlySet<number> | null>();

  constructor(runState: RunState, config: BoundaryConfig, calls: readonly ArguedCall[], isByStep: boolean) {
    this.#runState = runState;
    this.#config = config;
    this.#isByStep = isByStep;
    if (!isByStep) return;
    for (const { call } of calls) this.#steps.set(call.key, this.#stepsOf(call));
    for (const record of runState.history.registry.all())
      for (const write of runState.history.versions.writesOf(record)) this.#follow(write);
  }

  /** True where a call rests on an earlier one. */
  rests(one: ArguedCall, earlier: ArguedCall): boolean {
    // Of what a restore has taken back, the history does not tell any more what it rested on.
    if (one.call.at === null || this.#meet(one, earlier)) return true;
    const sources = this.#isByStep ? this.#sourcesOf(one) : null;
    if (sources === null) return this.#isOfDependentWork(one.call.intent.instance, earlier.call.intent.instance);
    // Who has read an answer that a restore took back was taken back as well; one that no step has heard was read nowhere.
    if (earlier.call.at === null || this.#isUnheard(earlier.call)) return false;
    const { heard } = this.#steps.get(earlier.call.key) as StepsOf;
    if (heard !== null) return sources.has(heard.nth);
    return this.#isOfDependentWork(one.call.intent.instance, earlier.call.intent.instance);
  }

  #isUnheard({ isAnswered, intent }: LedgerCall): boolean {
    return !isAnswered && this.#runState.actor(intent.actor).by !== null;
  }

  #isOfDependentWork(one: InstanceId, earlier: InstanceId): boolean {
    return !areIndependent(this.#runState.history, one, earlier);
  }

  /** True where one of two calls changes what the other touches outside, or both are of one tool and one entity. */
  #meet(one: ArguedCall, other: ArguedCall): boolean {
    const [own, others] = [this.#touching(one), this.#touching(other)];
    if (one.call.tool === other.call.tool && own.entity === others.entity) return true;
    const outside = (keys: readonly Key[]) => keys.filter((key) => isExternal(key) || key.segments.length === 0);
    const [ownWrites, otherWrites] = [outside(writesOf(this.#config, own)), outside(writesOf(this.#config, others))];
    const meets = (keys: readonly Key[], written: readonly Key[]) =>
      keys.some((key) => written.some((each) => overlaps(key, each)));
    return (
      meets(ownWrites, otherWrites) ||
      meets(outside(readsOf(this.#config, own)), otherWrites) ||
      meets(outside(readsOf(this.#config, others)), ownWrites)
    );
  }

  #touching({ call: { intent }, args, touches }: ArguedCall) {
    return { tool: touches, args, entity: intent.instance.entity };
  }

  #stepsOf({ at, intent, isAnswered }: LedgerCall): StepsOf {
    const { by, ended } = this.#runState.actor(intent.actor);
    const isThere = at !== null && by !== null && !by.gone && by.act < at;
    if (!isThere) return { began: null, heard: null };
    return { began: by, heard: isAnswered && ended !== null && !ended.gone ? ended : null };
  }

  /** Notes the reads that depend on a write. */
  #follow(write: Access): void {
    const { places, history } = this.#runState;
    const writer = places.stepAt(write.at);
    if (writer === undefined) return;
    for (const { reads, from, until } of history.versions.readsOf(write))
      for (let index = from; index < until; index += 1) {
        const read = reads.at(index);
        const step = read === undefined ? undefined : places.stepAt(read.at);
        if (read === undefined || step === undefined) continue;
        const edges = this.#reads.get(step.nth) ?? [];
        edges.push({ read, writer: writer.nth });
        this.#reads.set(step.nth, edges);
      }
  }

  /** The steps that led to the data that a call was declared to read when it began. */
  #sourcesOf(one: ArguedCall): ReadonlySet<number> | null {
    const { key } = one.call;
    const known = this.#sources.get(key);
    if (known !== undefined) return known;
    const sources = this.#findSources(one);
    this.#sources.set(key, sources);
    return sources;
  }

  #findSources(one: ArguedCall): ReadonlySet<number> | null {
    const { began } = this.#steps.get(one.call.key) as StepsOf;
    if (began === null) return null;
    const { instance, actor } = one.call.intent;
    const declared = readsOf(this.#config, this.#touching(one)).map((key) => this.#inMemoryOf(actor, key));
    const own = instanceName(instance);
    const isDeclared = ({ read }: Edge) =>
      instanceName(read.by.id) === own && declared.some((key) => overlaps(key, read.key));
    const found = new Set<number>();
    const waiting = (this.#reads.get(began.nth) ?? []).filter(isDeclared).map(({ writer }) => writer);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (found.has(next)) continue;
      found.add(next);
      for (const { writer } of this.#reads.get(next) ?? []) waiting.push(writer);
    }
    return found;
  }

  /** A declared key as a key of the machine that makes a call: of one that is invoked, keys without a scheme are its own memory's. */
  #inMemoryOf(actor: number, key: Key): Key {
    const { parent } = this.#runState.actor(actor);
    if (parent === null || parent === 0 || key.segments.length === 0 || isExternal(key)) return key;
    const segments = ['actor:', String(this.#runState.actor(parent).started?.id ?? ''), ...key.segments];
    return { text: `actor:${segments.slice(1).join('/')}`, segments, pattern: key.pattern };
  }
}
