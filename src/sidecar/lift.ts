/**
 * A microstep as an entry of the journal: which instances it enters and leaves, what they read and wrote, and which of their
 * boundaries certify (semantics.md §2-§5). Reads from the fold and from the reviewed config; changes neither.
 */
import type { Boundary, BoundaryConfig, KeyTemplate, Skeleton, Tool } from '../boundaries/config.ts';
import { type Change, diff, memoryKey, type Path } from '../history/memory.ts';
import { type Region, regionName, split } from '../history/places.ts';
import { commits } from '../model/checkpoint.ts';
import { crossing } from '../model/effect.ts';
import type { Closed, Edit, Entry, Party, Started, StepEntry } from '../model/entry.ts';
import type { HistoryEvent, WriteMode } from '../model/event.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import type { Answer, Facts } from '../predicates/predicate.ts';
import { certify, type Evidence, isCertified, TESTS } from '../recovery/certify.ts';
import { remembered } from '../xstate/structure.ts';
import type { Child, Place, Seen } from '../xstate/watch.ts';
import { editOf } from './edits.ts';
import { type Fold, type Live, ROOT } from './fold.ts';
import { lostIn, lostText } from './layout.ts';
import type { Verifier } from './verify.ts';

/** The longest entity that names an instance, in characters. */
const LONGEST_ENTITY = 1024;

/** A skeleton with the region that its states lie in. */
export interface Placed {
  readonly skeleton: Skeleton;
  /** The path of the region within its machine. */
  readonly region: string;
  /** What stands before its states' paths: `inner/` for a machine that is invoked by the name `inner`. */
  readonly prefix: string;
}

/** Lifts the microsteps of one run. */
export class Lift {
  readonly #config: BoundaryConfig;
  readonly #fold: Fold;
  readonly #placed: readonly Placed[];
  readonly #verifier: Verifier | null;

  /** `verifier` holds the changes against the memories, where that is wanted (§3). */
  constructor(config: BoundaryConfig, fold: Fold, placed: readonly Placed[], verifier: Verifier | null = null) {
    this.#config = config;
    this.#fold = fold;
    this.#placed = placed;
    this.#verifier = verifier;
  }

  /**
   * The entries of a microstep: the step itself, then what a person should know of it.
   * @param actor the number of the actor that took it.
   * @param endedBy the numbers of the actors that were there before and are not after it.
   */
  step(actor: number, seen: Seen, endedBy: readonly number[]): Entry[] {
    const step = new StepLift(this.#config, this.#fold, this.#placed, actor, seen, endedBy, this.#verifier);
    return step.entries();
  }

  /** A required input of an instance that nothing kept has written; null where it has all that it requires (F1). */
  lacks(id: InstanceId): string | null {
    const place = this.#fold.places.of(instanceName(id));
    if (place === undefined) return null;
    const { memory } = this.#fold.actor(split(place.region)[0]);
    const facts: Facts = { state: '', action: '', args: {}, entity: id.entity, memory, event: {} };
    const required = this.#config.skeletons.get(id.skeleton)?.required ?? [];
    return required.map((template) => template.fill(facts)).find((key) => !hasVersion(memory, key))?.text ?? null;
  }

  /**
   * The calls that a restore starts again read, and may write, once more: a step of the machine that takes it nowhere.
   * @param made the numbers and inputs of the actors that were made anew.
   */
  restarts(actor: number, made: readonly (readonly [number, unknown])[]): Entry[] {
    const fold = this.#fold;
    const { value } = fold.actor(actor);
    return made.flatMap(([number, input]): Entry[] => {
      const { started, region } = fold.actor(number);
      const owner = region === null ? undefined : fold.ownerOf(region, this.#placed);
      const tool = started?.src === null || started === null ? undefined : this.#config.tools.get(started.src);
      if (owner === undefined || started === null || started.kind === 'machine') return [];
      const facts: Facts = {
        state: '',
        action: started.src ?? '',
        args: input,
        entity: owner.id.entity,
        memory: fold.actor(actor).memory,
        event: {},
      };
      const skeleton = this.#config.skeletons.get(owner.id.skeleton);
      const reads = (tool?.reads ?? skeleton?.inputs ?? []).map((template) => template.fill(facts));
      const writes = (tool?.writes ?? []).map((template) => template.fill(facts)).filter(isOutside);
      const marks: HistoryEvent[] = [
        ...reads.map((key): HistoryEvent => ({ do: 'read', in: owner.id, key })),
        ...writes.map((key): HistoryEvent => ({ do: 'write', in: owner.id, key, mode: 'append' })),
      ];
      if (marks.length === 0) return [];
      return [
        {
          do: 'step',
          actor,
          event: { type: '@belay.restart' },
          outside: false,
          value,
          remembered: null,
          done: false,
          parties: [{ instance: owner.id, region: owner.region }],
          edits: [],
          started: [],
          marks,
          regions: [],
          again: [],
          boundaries: [],
          closed: [],
          ended: [],
        },
      ];
    });
  }
}

/** A tool that takes part in a step: one that it starts, or the one that it hears from. */
interface Acting {
  readonly tool: Tool | undefined;
  readonly args: unknown;
  readonly starts: boolean;
}

class StepLift {
  readonly #config: BoundaryConfig;
  readonly #fold: Fold;
  readonly #placed: readonly Placed[];
  readonly #actor: number;
  readonly #seen: Seen;
  readonly #endedBy: readonly number[];
  readonly #findings: Entry[] = [];
  readonly #enters: HistoryEvent[] = [];
  readonly #regions: Region[] = [];
  readonly #again: InstanceId[] = [];
  readonly #entered: Live[] = [];
  readonly #tools = new Map<InstanceId, Acting[]>();
  /** The facts for the templates of one instance, kept for the next of them. */
  #filling: Facts | null = null;
  #args: { action: string; args: unknown } | null = null;
  #edits: readonly Edit[] = [];
  readonly #verifier: Verifier | null;
  readonly #news: Started | null;
  readonly #here: readonly { readonly live: Live; readonly placed: Placed }[];

  constructor(
    config: BoundaryConfig,
    fold: Fold,
    placed: readonly Placed[],
    actor: number,
    seen: Seen,
    endedBy: readonly number[],
    verifier: Verifier | null,
  ) {
    this.#verifier = verifier;
    this.#config = config;
    this.#fold = fold;
    this.#placed = placed;
    this.#actor = actor;
    this.#seen = seen;
    this.#endedBy = endedBy;
    this.#news = this.#heardFrom();
    this.#here = this.#liveHere();
  }

  entries(): Entry[] {
    const { snapshot, event } = this.#seen;
    const leaving = new Set<string>();
    const parties = this.#parties();
    this.#enterAll(parties, leaving);
    const changes = diff(this.#seen.memoryBefore, this.#seen.memory, (path) => this.#isAppend(this.#keyOf(path)));
    const edits = changes.map((change) => editOf(change, this.#authors(change, parties)));
    this.#edits = edits;
    const accesses = [...this.#reads(parties), ...this.#writes(edits, parties), ...this.#ties(edits, parties)];
    const boundaries = this.#boundaries(parties, accesses, leaving);
    const entry: StepEntry = {
      do: 'step',
      actor: this.#actor,
      event,
      outside: this.#seen.outside,
      value: snapshot.value as StepEntry['value'],
      remembered: this.#seen.rememberedChanged ? remembered(snapshot) : null,
      done: snapshot.status === 'done',
      parties,
      edits,
      started: this.#seen.started.map(startedOf),
      marks: [...this.#enters, ...accesses, ...boundaries.map(({ mark }) => mark), ...this.#calls(parties)],
      regions: this.#regions,
      again: this.#again,
      boundaries: boundaries.map(({ id }) => id),
      closed: this.#closed(leaving, boundaries),
      ended: this.#endedBy,
    };
    this.#verifier?.advance(this.#actor, edits);
    return [entry, ...this.#findings];
  }

  /** Who takes part: the live instances whose states the transitions leave from or leave behind, else the roots of the regions. */
  #parties(): Party[] {
    const { before, sources, entered } = this.#seen;
    const parties = new Map<string, Party>();
    const add = (instance: InstanceId, region: Region) => parties.set(instanceName(instance), { instance, region });
    if (before === null) {
      const region = regionName(this.#actor, '');
      add(this.#root(region), region);
      return [...parties.values()];
    }
    for (const source of sources) {
      const owners = this.#here.filter(({ live, placed }) => {
        const touched = [
          source,
          ...before.filter((place) => isWithin(place.path, source.path) && leftBy(place, this.#seen, entered)),
        ];
        return live.region !== '' && touched.some((place) => covers(placed.skeleton.states, place.path));
      });
      for (const { live } of owners) add(live.id, live.region);
      if (owners.length > 0) continue;
      const region = regionName(this.#actor, source.region);
      add(this.#root(region), region);
    }
    if (parties.size === 0) {
      const region = regionName(this.#actor, '');
      add(this.#root(region), region);
    }
    return [...parties.values()];
  }

  /** The root of a region, entered the first time that it has a part in a step. */
  #root(region: Region): InstanceId {
    const id = { skeleton: ROOT, entity: region, ordinal: 0 };
    const known = this.#fold.history.registry.get(id) !== undefined || this.#regions.includes(region);
    if (!known) {
      this.#enters.push({ do: 'enter', in: id, by: null });
      this.#regions.push(region);
    }
    return id;
  }

  #liveHere(): { live: Live; placed: Placed }[] {
    const here: { live: Live; placed: Placed }[] = [];
    for (const live of this.#fold.live.values()) {
      if (Number(live.region.slice(0, live.region.indexOf(':'))) !== this.#actor) continue;
      const placed = this.#placed.find(({ skeleton }) => skeleton.name === live.id.skeleton);
      if (placed !== undefined) here.push({ live, placed });
    }
    return here;
  }

  #enterAll(parties: readonly Party[], leaving: Set<string>): void {
    const { entered, after } = this.#seen;
    const here = this.#here;
    for (const { live, placed } of here) {
      if (!after.some(({ path }) => covers(placed.skeleton.states, path))) leaving.add(instanceName(live.id));
    }
    for (const placed of this.#placed) {
      const { skeleton } = placed;
      const at = entered.find(({ path }) => skeleton.entry.includes(path));
      if (at === undefined || !sameMachine(placed, at.path)) continue;
      const value = skeleton.entity.evaluate(this.#facts(at.path, null));
      if ('reason' in value || value.value.length > LONGEST_ENTITY) {
        const reason = 'reason' in value ? value.reason : `it has more than ${LONGEST_ENTITY} characters`;
        this.#find(
          'entity_unknown',
          null,
          `${skeleton.name} begins at ${at.path}, and whose work it is is not known: ${reason}`,
        );
        continue;
      }
      const same = here.find(({ live }) => live.id.skeleton === skeleton.name && !leaving.has(instanceName(live.id)));
      if (same !== undefined && same.live.id.entity === value.value) continue;
      if (same !== undefined) leaving.add(instanceName(same.live.id));
      this.#enter(placed, value.value, parties, leaving);
    }
  }

  #enter(placed: Placed, entity: string, parties: readonly Party[], leaving: ReadonlySet<string>): void {
    const skeleton = placed.skeleton.name;
    const region = regionName(this.#actor, placed.region);
    for (const name of this.#fold.dormant) {
      const place = this.#fold.places.of(name);
      if (
        place === undefined ||
        place.id.skeleton !== skeleton ||
        place.id.entity !== entity ||
        place.region !== region
      )
        continue;
      this.#again.push(place.id);
      this.#entered.push({ id: place.id, region, certified: new Set(), stray: null });
      return;
    }
    const id = { skeleton, entity, ordinal: this.#fold.nextOrdinal(skeleton, entity) };
    this.#enters.push({ do: 'enter', in: id, by: this.#starter(parties, leaving) });
    this.#regions.push(region);
    this.#entered.push({ id, region, certified: new Set(), stray: null });
    this.#missingInputs(placed.skeleton, id);
  }

  /** The live instance whose act the start is: it took part and goes on, or it invoked the machine whose first step this is (K6). */
  #starter(parties: readonly Party[], leaving: ReadonlySet<string>): InstanceId | null {
    const stays = parties.find(({ instance }) => instance.skeleton !== ROOT && !leaving.has(instanceName(instance)));
    if (stays !== undefined) return stays.instance;
    if (this.#seen.before !== null) return null;
    const { region } = this.#fold.actor(this.#actor);
    if (region === null) return null;
    return this.#fold.ownerOf(region, this.#placed)?.id ?? null;
  }

  #missingInputs(skeleton: Skeleton, id: InstanceId): void {
    for (const template of skeleton.required) {
      const key = template.fill(this.#facts('', id.entity));
      if (!hasVersion(this.#seen.memory, key)) {
        this.#find(
          'missing_input',
          id,
          `nothing that is kept has written ${key.text}, which ${skeleton.name} requires`,
        );
      }
    }
  }

  /** The facts of the step, for predicates, templates and entities. */
  #facts(state: string, entity: string | null): Facts {
    this.#args ??= this.#argsOf();
    const { event, memory } = this.#seen;
    return { state, action: this.#args.action, args: this.#args.args, entity, memory, event };
  }

  #argsOf(): { action: string; args: unknown } {
    const { event, started } = this.#seen;
    const child = started[0];
    const action = child?.src ?? this.#news?.src ?? event.type;
    return { action, args: child === undefined ? payload(event) : child.input };
  }

  /** The actor that the event is news from. */
  #heardFrom(): Started | null {
    const { type } = this.#seen.event;
    if (!type.startsWith('xstate.')) return null;
    const match = /^xstate\.(?:done|error)\.actor\.(.*)$/s.exec(type);
    if (match === null) return null;
    return (
      this.#fold.actors.findLast((actor) => actor.parent === this.#actor && actor.started?.id === match[1])?.started ??
      null
    );
  }

  #keyOf(path: Path): Key {
    return this.#actor === 0
      ? memoryKey(path)
      : memoryKey(path, ['actor:', String(this.#fold.actor(this.#actor).started?.id ?? '')]);
  }

  /** A template of a config as a key: in a machine that is invoked, keys without a scheme are its own memory's. */
  #fill(template: KeyTemplate, entity: string | null, args?: unknown): Key {
    if (this.#filling === null || this.#filling.entity !== entity) this.#filling = this.#facts('', entity);
    return this.#own(template.fill(args === undefined ? this.#filling : { ...this.#filling, args }));
  }

  #own(key: Key): Key {
    if (this.#actor === 0 || key.segments.length === 0 || /^[a-z][a-z0-9+.-]*:$/.test(key.segments[0] as string))
      return key;
    const segments = ['actor:', String(this.#fold.actor(this.#actor).started?.id ?? ''), ...key.segments];
    return { text: `actor:${segments.slice(1).join('/')}`, segments, pattern: key.pattern };
  }

  #isAppend(key: Key): boolean {
    return this.#config.append.some((declared) => isUnder(key, declared));
  }

  #mode(key: Key, op: Edit['op']): WriteMode {
    if (op === 'append') return 'append';
    return this.#config.blind.some((declared) => isUnder(key, declared)) ? 'blind' : 'update';
  }

  /** Which parties made a change: the one, or those whose declared outputs it lies under, or all of them (tied together). */
  #authors({ path }: Change, parties: readonly Party[]): number[] {
    const all = parties.map((_, index) => index);
    if (all.length <= 1) return all;
    const key = this.#keyOf(path);
    const owners = all.filter((index) =>
      this.#outputs(parties[index] as Party).some((output) => overlaps(output, key)),
    );
    return owners.length === 1 ? owners : all;
  }

  #outputs({ instance }: Party): Key[] {
    const skeleton = this.#config.skeletons.get(instance.skeleton);
    if (skeleton === undefined) return [];
    const tools = this.#toolsOf(instance).flatMap(({ tool, args }) =>
      (tool?.writes ?? []).map((template) => this.#fill(template, instance.entity, args)),
    );
    return [...skeleton.outputs.map((template) => this.#fill(template, instance.entity)), ...tools];
  }

  /** The tools of a step that are an instance's: those that it starts in the instance's states, and the one it hears from. */
  #toolsOf(instance: InstanceId): readonly Acting[] {
    const known = this.#tools.get(instance);
    if (known !== undefined) return known;
    const tools = this.#findTools(instance);
    this.#tools.set(instance, tools);
    return tools;
  }

  #findTools(instance: InstanceId): Acting[] {
    const tools: Acting[] = [];
    for (const child of this.#seen.started) {
      if (child.kind === 'machine' || !this.#owns(instance, child.place)) continue;
      tools.push({
        tool: child.src === null ? undefined : this.#config.tools.get(child.src),
        args: child.input,
        starts: true,
      });
    }
    const heard = this.#news;
    if (heard !== null && heard.kind !== 'machine') {
      const args = heard.input ?? payload(this.#seen.event);
      tools.push({ tool: heard.src === null ? undefined : this.#config.tools.get(heard.src), args, starts: false });
    }
    return tools;
  }

  #owns(instance: InstanceId, place: Place | null): boolean {
    const skeleton = this.#config.skeletons.get(instance.skeleton);
    if (place === null) return true;
    if (skeleton !== undefined) return covers(skeleton.states, place.path);
    return !this.#placed.some((other) => covers(other.skeleton.states, place.path));
  }

  /** What those who take part read (K5). A step that ran no code of the machine's reads nothing. */
  *#reads(parties: readonly Party[]): Generator<HistoryEvent> {
    for (const { instance } of parties) {
      const heard = this.#toolsOf(instance).filter(({ starts }) => !starts);
      const undeclared = heard.length === 0 ? !this.#seen.bare : heard.some(({ tool }) => tool === undefined);
      yield* this.#readsOf(instance, heard, undeclared);
    }
  }

  /** What the calls that the step starts read, and may come to write: after the step, so that its checkpoints precede them. */
  *#calls(parties: readonly Party[]): Generator<HistoryEvent> {
    const acting = [...parties.map(({ instance }) => instance), ...this.#entered.map(({ id }) => id)];
    for (const instance of acting) {
      const starting = this.#toolsOf(instance).filter(({ starts }) => starts);
      if (starting.length === 0) continue;
      const undeclared = starting.some(({ tool }) => tool === undefined);
      yield* this.#readsOf(instance, starting, undeclared);
      // The world changes at some point between the start and the answer: from the start on for its readers, and it hides what
      // was there only once the answer has come.
      for (const key of this.#declaredWrites(instance, starting))
        yield { do: 'write', in: instance, key, mode: 'append' };
    }
  }

  *#readsOf(instance: InstanceId, tools: readonly Acting[], undeclared: boolean): Generator<HistoryEvent> {
    const keys = tools.flatMap(
      ({ tool, args }) => tool?.reads.map((template) => this.#fill(template, instance.entity, args)) ?? [],
    );
    if (undeclared) keys.push(...this.#inputs(instance));
    const told = new Set<string>();
    for (const key of keys) {
      if (told.has(key.text)) continue;
      told.add(key.text);
      yield { do: 'read', in: instance, key };
    }
  }

  /** What tools are declared to write outside of the memory, where no change can be observed. */
  #declaredWrites(instance: InstanceId, tools: readonly Acting[]): Key[] {
    return tools
      .flatMap(({ tool, args }) => (tool?.writes ?? []).map((template) => this.#fill(template, instance.entity, args)))
      .filter(isOutside);
  }

  #inputs(instance: InstanceId): Key[] {
    const skeleton = this.#config.skeletons.get(instance.skeleton);
    if (skeleton === undefined) return [EVERYTHING];
    return skeleton.inputs.map((template) => this.#fill(template, instance.entity));
  }

  /** What they wrote: the changes of the memory, and what their tools are declared to write outside of it. */
  *#writes(edits: readonly Edit[], parties: readonly Party[]): Generator<HistoryEvent> {
    for (const { path, op, by } of edits) {
      const key = this.#keyOf(path);
      for (const index of by) {
        const { instance } = parties[index] as Party;
        yield { do: 'write', in: instance, key, mode: this.#mode(key, op) };
        this.#outside(instance, key, parties[index] as Party);
      }
    }
    for (const { instance } of parties) {
      const heard = this.#toolsOf(instance).filter(({ starts }) => !starts);
      for (const key of this.#declaredWrites(instance, heard)) {
        yield { do: 'write', in: instance, key, mode: this.#mode(key, 'set') };
      }
    }
  }

  /** A write outside the declared outputs is a finding, and nothing certifies meanwhile (K5). */
  #outside(instance: InstanceId, key: Key, party: Party): void {
    if (instance.skeleton === ROOT || this.#outputs(party).some((output) => overlaps(output, key))) return;
    this.#find(
      'write_outside_outputs',
      instance,
      `${instanceName(instance)} wrote ${key.text}, which is none of its outputs`,
    );
  }

  /** Changes that several instances made in one step tie them together: neither is undone without the others. */
  *#ties(edits: readonly Edit[], parties: readonly Party[]): Generator<HistoryEvent> {
    for (const { path, by } of edits) {
      if (by.length <= 1) continue;
      const key = this.#keyOf(path);
      for (const index of by) yield { do: 'read', in: (parties[index] as Party).instance, key };
    }
  }

  /** The boundaries that certify at this step, and those of the roots, whose every step is a position. */
  #boundaries(
    parties: readonly Party[],
    accesses: readonly HistoryEvent[],
    leaving: ReadonlySet<string>,
  ): { mark: HistoryEvent; id: string }[] {
    const found: { mark: HistoryEvent; id: string }[] = [];
    const { history } = this.#fold;
    const taking = new Set(parties.map(({ instance }) => instanceName(instance)));
    const present = [...this.#here.map(({ live }) => live), ...this.#entered];
    for (const live of present) {
      const isNew = this.#entered.includes(live);
      if (!isNew && !taking.has(instanceName(live.id))) continue;
      const skeleton = this.#config.skeletons.get(live.id.skeleton);
      for (const boundary of skeleton?.boundaries ?? []) {
        if (!this.#isAt(boundary, live, isNew)) continue;
        if (this.#judge(boundary, skeleton as Skeleton, live, present, accesses, leaving)) {
          found.push({ mark: { do: 'boundary', in: live.id, kind: boundary.kind }, id: boundary.id });
        }
      }
      if (skeleton?.rollback.outcomeCheckpoints === true && !isNew && this.#closesUncrossable(live.id)) {
        found.push({ mark: { do: 'boundary', in: live.id, kind: 'outcome' }, id: '' });
      }
    }
    for (const { instance } of parties) {
      if (instance.skeleton !== ROOT) continue;
      const record = history.registry.get(instance);
      if (record !== undefined && history.effects.hasOpen(record)) continue;
      found.push({ mark: { do: 'boundary', in: instance, kind: 'outcome' }, id: '' });
    }
    return found;
  }

  /** Whether the step is the answer to a call that no rollback may cross (§5). */
  #closesUncrossable(id: InstanceId): boolean {
    const record = this.#fold.history.registry.get(id);
    if (record === undefined || this.#fold.history.effects.hasOpen(record)) return false;
    const heard = this.#news;
    const actor = this.#fold.actors.findLast((other) => other.started === heard && heard !== null);
    const call = actor === undefined ? undefined : this.#fold.ledger.ofActor(actor.number);
    if (call === undefined || call.status !== 'confirmed') return false;
    const { class: kind, undo } = call.intent;
    return (
      crossing({ class: kind, status: 'confirmed', undo }) !== 'cross' &&
      instanceName(call.intent.instance) === instanceName(id)
    );
  }

  #isAt({ site, id }: Boundary, live: Live, isNew: boolean): boolean {
    const { before, after, entered, sources } = this.#seen;
    if ('from' in site) {
      const left = before?.some(({ path }) => path === site.from) ?? false;
      const taken = sources.some(({ path }) => isWithin(path, site.from) || isWithin(site.from, path));
      return !isNew && left && taken && entered.some(({ path }) => path === site.to);
    }
    if (!after.some(({ path }) => path === site.at)) return false;
    return entered.some(({ path }) => path === site.at) || !live.certified.has(id);
  }

  #judge(
    boundary: Boundary,
    skeleton: Skeleton,
    live: Live,
    present: readonly Live[],
    accesses: readonly HistoryEvent[],
    leaving: ReadonlySet<string>,
  ): boolean {
    const state = 'at' in boundary.site ? boundary.site.at : boundary.site.to;
    // A reviewed no settles it, and is no finding: the work is not there yet.
    const predicate = boundary.when.ask(this.#facts(state, live.id.entity));
    if (predicate.is === 'no') return false;
    const verdicts = certify(this.#evidence(boundary, skeleton, live, predicate, present, accesses, leaving));
    if (isCertified(verdicts)) return true;
    const name = instanceName(live.id);
    const told = TESTS.flatMap((test) => {
      const answer = verdicts[test];
      return answer.is === 'yes' ? [] : [`${test}: ${answer.is === 'no' ? 'no' : answer.reason}`];
    });
    this.#find(
      'not_certified',
      live.id,
      `${boundary.kind} ${boundary.id} of ${name} does not certify: ${told.join('; ')}`,
    );
    return false;
  }

  #evidence(
    boundary: Boundary,
    skeleton: Skeleton,
    live: Live,
    predicate: Answer,
    present: readonly Live[],
    accesses: readonly HistoryEvent[],
    leaving: ReadonlySet<string>,
  ): Evidence {
    const { entity } = live.id;
    const record = this.#fold.history.registry.get(live.id);
    const isOther = (other: Live) => other !== live && other.region === live.region;
    const sharing = present.filter((other) => isOther(other) && !this.#entered.includes(other));
    const after = this.#seen.after.filter(({ region }) => region === live.region.slice(live.region.indexOf(':') + 1));
    const inside = after.some(({ path }) => covers(skeleton.states, path));
    const stray = live.stray ?? this.#straysNow(live.id);
    const owners = present.filter(
      (other) =>
        other.region === live.region &&
        (this.#config.skeletons.get(other.id.skeleton)?.boundaries.includes(boundary) ?? false),
    );
    return {
      owners: owners.filter((other) => other === live || !leaving.has(instanceName(other.id))).length,
      predicate,
      missing: boundary.outputs
        .map((template) => this.#fill(template, entity))
        .filter((key) => !this.#hasWritten(live.id, key, accesses))
        .map((key) => key.text),
      stray,
      neighbours: sharing.length,
      resumable: inside || skeleton.rollback.resume !== null,
      anchored: skeleton.rollback.anchors.includes(boundary.id),
      open: record === undefined || !this.#fold.history.effects.hasOpen(record) ? [] : this.#openKeys(live.id),
      orphans: this.#fold.ledger.orphans(live.id).map(({ key }) => key),
    };
  }

  /** Why this very step keeps its boundaries from certifying: a write outside the outputs, or a value that has no codec. */
  #straysNow(id: InstanceId): string | null {
    for (const finding of this.#findings) {
      if (finding.do !== 'finding' || finding.instance === null || instanceName(finding.instance) !== instanceName(id))
        continue;
      if (finding.code === 'write_outside_outputs') return finding.text;
    }
    for (const edit of this.#edits) {
      const lost = edit.op === 'delete' ? null : lostIn(edit.value, edit.path);
      if (lost !== null) return lostText({ of: 'memory', ...lost });
    }
    const place = this.#verifier?.differs(this.#actor, this.#edits, this.#seen.memory) ?? null;
    return place === null ? null : `the memory was changed in place at ${place}: no step shows it`;
  }

  #openKeys(id: InstanceId): string[] {
    return this.#fold.ledger
      .open()
      .filter((call) => instanceName(call.intent.instance) === instanceName(id))
      .map(({ key }) => key);
  }

  /** Whether a key has a version of an instance's own, or of an earlier ordinal's of the same entity that it read (§4, Closed). */
  #hasWritten(id: InstanceId, key: Key, accesses: readonly HistoryEvent[]): boolean {
    if (
      accesses.some(
        (mark) => mark.do === 'write' && instanceName(mark.in) === instanceName(id) && overlaps(mark.key, key),
      )
    )
      return true;
    const { registry, versions } = this.#fold.history;
    const record = registry.get(id);
    if (record === undefined) return false;
    if (versions.writesOf(record).some((write) => overlaps(write.key, key))) return true;
    const reads =
      versions.readsBy(record).some((read) => overlaps(read.key, key)) ||
      accesses.some(
        (mark) => mark.do === 'read' && instanceName(mark.in) === instanceName(id) && overlaps(mark.key, key),
      );
    for (let ordinal = id.ordinal - 1; reads && ordinal >= 0; ordinal -= 1) {
      const earlier = registry.get({ ...id, ordinal });
      if (earlier !== undefined && versions.writesOf(earlier).some((write) => overlaps(write.key, key))) return true;
    }
    return false;
  }

  #closed(leaving: ReadonlySet<string>, boundaries: readonly { mark: HistoryEvent }[]): Closed[] {
    const certified = new Set(
      boundaries.flatMap(({ mark }) => (mark.do === 'boundary' && commits(mark.kind) ? [instanceName(mark.in)] : [])),
    );
    return [...leaving].flatMap((name) => {
      const live = this.#fold.live.get(name);
      return live === undefined ? [] : [{ instance: live.id, gate: certified.has(name) }];
    });
  }

  #find(code: string, instance: InstanceId | null, text: string): void {
    this.#findings.push({ do: 'finding', code, instance, text });
  }
}

const EVERYTHING: Key = { text: '**', segments: [], pattern: true };

/** Whether a state lies at or below one of the named states. */
export function covers(states: readonly string[], path: string): boolean {
  return states.some((state) => isWithin(path, state));
}

function isWithin(path: string, above: string): boolean {
  return path === above || above === '' || path.startsWith(`${above}.`);
}

function leftBy(place: Place, seen: Seen, entered: readonly Place[]): boolean {
  return !seen.after.includes(place) || entered.includes(place);
}

function sameMachine({ prefix }: Placed, path: string): boolean {
  return prefix === path.slice(0, path.lastIndexOf('/') + 1);
}

/** Whether a key lies at or below a declared one. */
function isUnder(key: Key, declared: Key): boolean {
  return key.segments.length >= declared.segments.length && overlaps(key, declared);
}

export function isOutside(key: Key): boolean {
  const scheme = key.segments[0];
  return scheme?.endsWith(':') === true && scheme !== 'actor:' && key.text.startsWith(scheme);
}

/** Whether a memory has something at a key, so far as a key can tell. */
function hasVersion(memory: unknown, key: Key): boolean {
  if (isOutside(key)) return true;
  let at = memory;
  for (const segment of key.segments) {
    if (segment === '*') return true;
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, segment)) return false;
    at = (at as Record<string, unknown>)[segment];
  }
  return at !== undefined;
}

/** An event without its type: what it brought. */
function payload(event: { type: string }): Record<string, unknown> {
  const { type, ...rest } = event;
  return rest;
}

function startedOf({ id, src, place, kind, input }: Child): Started {
  const at = place === null ? null : place.path.slice(place.path.lastIndexOf('/') + 1);
  return { id, src, at, kind, input };
}
