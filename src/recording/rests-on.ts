/**
 * The calls that each call of a run rests on (semantics.md AB3): the calls whose answers have come, through any steps,
 * to data that its tool is declared to read, and the calls that touch the same object. If the history has no step that
 * began a call, all earlier work counts, except work that the call's unit is independent of. Work from before a change
 * of the config has read what was recorded and what the config of now declares (CO9).
 */
import type { BoundaryConfig } from '../boundaries/config.ts';
import type { LedgerCall } from '../effects/ledger-call.ts';
import { readsOf, writesOf } from '../effects/touched.ts';
import type { Access } from '../history/key-tree.ts';
import type { PlacedStep } from '../history/step-lists.ts';
import { isExternal } from '../model/external-keys.ts';
import { instanceName } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import { answeredBy, readsOfCall, restartsOf } from '../projection/relied-reads.ts';
import type { RunState } from '../projection/run-state.ts';
import type { RecordedStep } from '../projection/state-types.ts';
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
  readonly writer: PlacedStep;
}

/** The keys outside that a call touches. */
interface Outside {
  readonly reads: readonly Key[];
  readonly writes: readonly Key[];
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
  readonly #outside = new Map<string, Outside>();

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
    if (sources === null) return this.#isOfDependentWork(one, earlier);
    // Who has read an answer that a restore took back was taken back as well; one that no step has heard was read nowhere.
    if (earlier.call.at === null) return this.#isOlder(one.call.at);
    if (this.#isUnheard(earlier.call)) return false;
    const { heard } = this.#steps.get(earlier.call.key) as StepsOf;
    if (heard !== null) return sources.has(heard.nth);
    return this.#isOfDependentWork(one, earlier);
  }

  /** True for what was recorded under a config that may have declared other reads. */
  #isOlder(at: number): boolean {
    return at <= this.#runState.staleUpTo;
  }

  #isUnheard({ isAnswered, intent }: LedgerCall): boolean {
    return !isAnswered && this.#runState.actor(intent.actor).by !== null;
  }

  #isOfDependentWork({ call: one }: ArguedCall, { call: earlier }: ArguedCall): boolean {
    // Which work between the two reads the earlier one by the config of now, no record tells.
    if (earlier.at === null || this.#isOlder(earlier.at)) return true;
    return !areIndependent(this.#runState.history, one.intent.instance, earlier.intent.instance);
  }

  /** True where one of two calls changes what the other touches outside, or both are of one tool and one entity. */
  #meet(one: ArguedCall, other: ArguedCall): boolean {
    const entityOf = ({ call }: ArguedCall) => call.intent.instance.entity;
    if (one.call.tool === other.call.tool && entityOf(one) === entityOf(other)) return true;
    const [own, others] = [this.#outsideOf(one), this.#outsideOf(other)];
    const meets = (keys: readonly Key[], written: readonly Key[]) =>
      keys.some((key) => written.some((each) => overlaps(key, each)));
    return meets(own.writes, others.writes) || meets(own.reads, others.writes) || meets(others.reads, own.writes);
  }

  /** The keys outside that a call touches: by the config of now, and by the record of a call from before a change. */
  #outsideOf(one: ArguedCall): Outside {
    const known = this.#outside.get(one.call.key);
    if (known !== undefined) return known;
    const outside = (keys: readonly Key[]) => keys.filter((key) => isExternal(key) || key.segments.length === 0);
    const touching = this.#touching(one);
    const { reads, writes } = this.#recorded(one.call);
    const found = {
      reads: outside([...readsOf(this.#config, touching), ...reads]),
      writes: outside([...writesOf(this.#config, touching), ...writes]),
    };
    this.#outside.set(one.call.key, found);
    return found;
  }

  /** The keys that a call from before a change was recorded to touch. */
  #recorded({ key, at, intent: { actor, instance } }: LedgerCall): Outside {
    const began = this.#steps.get(key)?.began ?? null;
    if (at === null || began === null || !this.#isOlder(at)) return { reads: [], writes: [] };
    const { history } = this.#runState;
    const record = history.registry.get(instance);
    const writes = record === undefined ? [] : history.versions.writesBetween(record, began.act, began.to);
    const reads = readsOfCall(this.#runState, began as RecordedStep, actor, instanceName(instance));
    return { reads: reads.map(({ key: read }) => read), writes: writes.map(({ key: written }) => written) };
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
        edges.push({ read, writer });
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
    const recorded = new Set(this.#recorded(one.call).reads.map(({ text }) => text));
    const isRead = ({ read }: Edge) =>
      instanceName(read.by.id) === own &&
      (recorded.has(read.key.text) || declared.some((key) => overlaps(key, read.key)));
    const found = new Set<number>();
    const reading = [began, ...restartsOf(this.#runState, began, actor)];
    const waiting = reading
      .flatMap(({ nth }) => (this.#reads.get(nth) ?? []).filter(isRead))
      .map(({ writer }) => writer);
    if (this.#isOlder(began.to))
      // What the call itself may come to write outside is none of what it reads.
      for (const key of declared) waiting.push(...this.#writersOf(key, began.to + 1, isExternal(key) ? own : null));
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (found.has(next.nth)) continue;
      found.add(next.nth);
      for (const { writer } of this.#reads.get(next.nth) ?? []) waiting.push(writer);
      waiting.push(...this.#readNow(next));
    }
    return found;
  }

  /** The steps whose writes a step from before a change reads by the config of now, whatever was recorded. */
  #readNow(step: PlacedStep): readonly PlacedStep[] {
    if (!this.#isOlder(step.to)) return [];
    const { registry } = this.#runState.history;
    const started = answeredBy(this.#runState, step)?.started;
    const tool = started?.src ?? '';
    return step.parties.flatMap(({ name }) => {
      const id = registry.named(name)?.id;
      const inputs = this.#config.skeletons.get(id?.skeleton ?? '')?.inputs ?? [];
      const entity = id?.entity ?? null;
      const facts = { state: '', action: '', args: {}, entity, memory: {}, event: {} };
      const keys = this.#config.tools.has(tool)
        ? readsOf(this.#config, { tool, args: started?.input, entity })
        : inputs.flatMap((template) => template.fillAll(facts));
      return keys.flatMap((key) => this.#writersOf(this.#inMemory(step.actor, key), step.act + 1));
    });
  }

  /** The steps whose writes a read of a key before an event depends on, without those of an instance. */
  #writersOf(key: Key, before: number, without: string | null = null): readonly PlacedStep[] {
    const { history, places } = this.#runState;
    return [...history.versions.writersOf(key, before)].flatMap(({ at, by }) =>
      instanceName(by.id) === without ? [] : (places.stepAt(at) ?? []),
    );
  }

  /** A declared key as a key of the machine that makes a call: of one that is invoked, keys without a scheme are its own memory's. */
  #inMemoryOf(actor: number, key: Key): Key {
    const { parent } = this.#runState.actor(actor);
    return parent === null ? key : this.#inMemory(parent, key);
  }

  #inMemory(machine: number, key: Key): Key {
    if (machine === 0 || key.segments.length === 0 || isExternal(key)) return key;
    const segments = ['actor:', String(this.#runState.actor(machine).started?.id ?? ''), ...key.segments];
    return { text: `actor:${segments.slice(1).join('/')}`, segments, pattern: key.pattern };
  }
}
