/**
 * A microstep as the recorder sees it: the facts for predicates and templates, the tools that take part, the keys of
 * the context, and the live instances before the step. Oddities of the step are gathered here as findings.
 */
import type { BoundaryConfig, KeyTemplate, Tool } from '../boundaries/config.ts';
import { isExact } from '../boundaries/keys/scopes.ts';
import { contextKey, type Path } from '../history/context.ts';
import type { Entry } from '../model/entry.ts';
import type { WriteMode } from '../model/event.ts';
import { type InstanceId, instanceName } from '../model/instance.ts';
import { type Key, overlaps } from '../model/key.ts';
import { split } from '../model/region.ts';
import { endedChild } from '../model/reply-event.ts';
import type { Edit, Started } from '../model/step-entry.ts';
import type { Facts } from '../predicates/predicate.ts';
import type { RunState } from '../projection/run-state.ts';
import type { ActorState, Live } from '../projection/state-types.ts';
import type { Child, Microstep, Place } from '../runtime/microstep.ts';
import { covers, isWithin, type Placed } from './entry-states.ts';

/** A tool that takes part in a step: the step starts it, or receives its answer. */
export interface Acting {
  readonly tool: Tool | undefined;
  readonly args: unknown;
  readonly starts: boolean;
}

/** The action of a step, as its facts say it, and what that was given. */
interface Called {
  readonly action: string;
  readonly args: unknown;
}

const NO_TOOLS: readonly Acting[] = [];

/** A microstep, with the facts about it. */
export class StepView {
  readonly config: BoundaryConfig;
  readonly runState: RunState;
  readonly placed: readonly Placed[];
  /** The number of the actor that took it. */
  readonly actor: number;
  readonly seen: Microstep;
  /** The actor that its event is news from. */
  readonly news: Started | null;
  /** The region, within its machine, that invoked that actor; null if unknown, or if there is no such actor. */
  readonly #heardIn: string | null;
  /** The instances of the actor that were live before it. */
  readonly here: readonly { readonly live: Live; readonly placed: Placed }[];
  readonly findings: Entry[] = [];
  readonly #tools = new Map<InstanceId, Acting[]>();
  /** The facts for the templates of one instance, kept for the next of them. */
  #filling: { readonly of: InstanceId; readonly facts: Facts } | null = null;
  readonly #args = new Map<string, Called>();
  /** The regions of the instances that begin with the step, by their names. */
  readonly #begun = new Map<string, string>();

  /** The numbers of the actors that the step ends. */
  readonly #ended: readonly number[];

  constructor(
    { config, runState, placed }: Pick<StepView, 'config' | 'runState' | 'placed'>,
    actor: number,
    seen: Microstep,
    ended: readonly number[],
  ) {
    this.#ended = ended;
    this.config = config;
    this.runState = runState;
    this.placed = placed;
    this.actor = actor;
    this.seen = seen;
    const heard = this.#heardFrom();
    this.news = heard?.started ?? null;
    this.#heardIn = heard?.region == null ? null : split(heard.region)[1];
    this.here = this.#liveHere();
  }

  /** Notes the region in which an instance begins with the step. */
  begins({ id, region }: Pick<Live, 'id' | 'region'>): void {
    this.#begun.set(instanceName(id), region);
  }

  /** The region, within its machine, of an instance that was live before the step, or begins with it; null for any other. */
  #regionOf(instance: InstanceId): string | null {
    const name = instanceName(instance);
    const region = this.#begun.get(name) ?? this.here.find(({ live }) => instanceName(live.id) === name)?.live.region;
    return region === undefined ? null : split(region)[1];
  }

  #liveHere(): { live: Live; placed: Placed }[] {
    const here: { live: Live; placed: Placed }[] = [];
    for (const live of this.runState.live.values()) {
      if (Number(live.region.slice(0, live.region.indexOf(':'))) !== this.actor) continue;
      const placed = this.placed.find(({ skeleton }) => skeleton.name === live.id.skeleton);
      if (placed !== undefined) here.push({ live, placed });
    }
    return here;
  }

  /** True where it is the first step of a child machine: its start. */
  get isStart(): boolean {
    return this.seen.before === null && this.actor !== 0;
  }

  /** The facts of the step at a state, for predicates and entities. */
  facts(state: string, entity: string | null): Facts {
    const known = this.#args.get(state) ?? this.#called(this.#callAt(state));
    this.#args.set(state, known);
    return this.#factsOf(state, entity, known);
  }

  /** The facts of the step for the templates of an instance: `args` are those of its own call. */
  factsFor(instance: InstanceId): Facts {
    if (this.#filling?.of === instance) return this.#filling.facts;
    const facts = this.#factsOf('', instance.entity, this.#called(this.#callOf(instance)));
    this.#filling = { of: instance, facts };
    return facts;
  }

  #factsOf(state: string, entity: string | null, { action, args }: Called): Facts {
    const { event, context } = this.seen;
    return { state, action, args, entity, memory: context, event };
  }

  #called(child: Child | undefined): Called {
    const { event } = this.seen;
    const action = child?.src ?? this.news?.src ?? event.type;
    return { action, args: child === undefined ? payload(event) : child.input };
  }

  /** The call that starts in a state or below it, else around it; never one of a region beside it. */
  #callAt(state: string): Child | undefined {
    const { started, entered, after } = this.seen;
    if (state === '' || started.length === 0) return started[0];
    const own = [...entered, ...after].find(({ path }) => path === state)?.region;
    const below = started.filter(({ place }) => place !== null && isWithin(place.path, state));
    const around = started.filter(({ place }) => place !== null && isWithin(state, place.path));
    return (
      below.findLast(({ place }) => place?.path === state) ??
      below.find(({ place }) => place?.region === own) ??
      below[0] ??
      around.at(-1) ??
      started.find(({ place }) => place === null || (own !== undefined && holds(own, place.region)))
    );
  }

  /** The call that an instance starts, else the first in its region or around it; never one of a region beside it. */
  #callOf(instance: InstanceId): Child | undefined {
    const { started } = this.seen;
    if (started.length === 0) return undefined;
    const own = this.#regionOf(instance);
    if (own === null) return started[0];
    return (
      started.find(({ place }) => place !== null && this.#owns(instance, place)) ??
      started.find(({ place }) => place === null || holds(own, place.region)) ??
      started.findLast(({ place }) => place !== null && holds(place.region, own))
    );
  }

  /** The actor that the event is news from. */
  #heardFrom(): ActorState | null {
    const id = endedChild(this.seen.event.type);
    if (id === null) return null;
    const isMeant = (other: ActorState) => other.parent === this.actor && other.started?.id === id;
    // After a restore it is not always the last one that was started under its id.
    const ended = this.#ended.map((number) => this.runState.actor(number)).findLast(isMeant);
    return ended ?? this.runState.actors.findLast(isMeant) ?? null;
  }

  /** The key of a place in the actor's memory. */
  keyOf(path: Path): Key {
    return keyIn(this.runState, this.actor, path);
  }

  /** The whole memory of an actor, by the id that it was started with; of the root, with null: everything. */
  memoryOf(id: string | null): Key {
    if (id === null) return { text: '**', segments: [], pattern: true };
    const { text, segments } = contextKey([], ['actor:', id]);
    return { text: `${text}/**`, segments, pattern: true };
  }

  /** Every key that a template names in the context of another actor. */
  fillOf(actor: number, template: KeyTemplate, args: unknown, entity: string | null = null): Key[] {
    return template.fillAll({ ...this.facts('', entity), args }).map((key) => this.#in(actor, key));
  }

  /** A template of an instance as a key: in a machine that is invoked, keys without a scheme are its own memory's. */
  fill(template: KeyTemplate, instance: InstanceId): Key {
    return this.fillAll(template, instance)[0] as Key;
  }

  /** Every key that a template of an instance names. @param args those of another call than its own. */
  fillAll(template: KeyTemplate, instance: InstanceId, args?: unknown): readonly Key[] {
    const facts = this.factsFor(instance);
    const keys = template.fillAll(args === undefined ? facts : { ...facts, args });
    return this.actor === 0 ? keys : keys.map((key) => this.#in(this.actor, key));
  }

  #in(actor: number, key: Key): Key {
    if (actor === 0 || key.segments.length === 0 || /^[a-z][a-z0-9+.-]*:$/.test(key.segments[0] as string)) return key;
    const segments = ['actor:', String(this.runState.actor(actor).started?.id ?? ''), ...key.segments];
    return { text: `actor:${segments.slice(1).join('/')}`, segments, pattern: key.pattern };
  }

  /** True where a key is only ever added to. */
  isAppend(key: Key): boolean {
    return this.config.append.some((declared) => isUnder(key, declared));
  }

  /**
   * The tools of a step that belong to an instance: the tools started in the instance's states, and the tool whose
   * answer the step receives.
   */
  toolsOf(instance: InstanceId): readonly Acting[] {
    if (this.news === null && this.seen.started.length === 0) return NO_TOOLS;
    const known = this.#tools.get(instance);
    if (known !== undefined) return known;
    const tools = this.#findTools(instance);
    this.#tools.set(instance, tools);
    return tools;
  }

  #findTools(instance: InstanceId): Acting[] {
    const tools: Acting[] = [];
    for (const child of this.seen.started) {
      if (child.kind === 'machine' || !this.#owns(instance, child.place)) continue;
      tools.push({
        tool: child.src === null ? undefined : this.config.tools.get(child.src),
        args: child.input,
        starts: true,
      });
    }
    const heard = this.news;
    if (heard !== null && this.#hears(instance)) {
      const args = heard.input ?? payload(this.seen.event);
      tools.push({ tool: heard.src === null ? undefined : this.config.tools.get(heard.src), args, starts: false });
    }
    return tools;
  }

  /** True where an instance hears the answer to a call: it is its own, or was made around it, and not in a region beside it. */
  #hears({ skeleton: name }: InstanceId): boolean {
    const skeleton = this.config.skeletons.get(name);
    if (skeleton === undefined || this.#heardIn === null) return true;
    const region = this.#heardIn;
    return [...(this.seen.before ?? []), ...this.seen.after].some((place) => {
      return covers(skeleton.states, place.path) && (holds(place.region, region) || holds(region, place.region));
    });
  }

  #owns(instance: InstanceId, place: Place | null): boolean {
    const skeleton = this.config.skeletons.get(instance.skeleton);
    if (place === null) return true;
    if (skeleton !== undefined) {
      if (!covers(skeleton.states, place.path)) return false;
      const own = this.#regionOf(instance);
      return own === null || isWithin(place.region, own);
    }
    return !this.placed.some((other) => covers(other.skeleton.states, place.path));
  }

  /** Notes something that a person should know. */
  find(code: string, instance: InstanceId | null, text: string, boundary?: string): void {
    this.findings.push({ do: 'finding', code, instance, text, ...(boundary !== undefined && { boundary }) });
  }
}

/** The key of a place in the context of an actor. */
export function keyIn(runState: RunState, actor: number, path: Path): Key {
  return actor === 0 ? contextKey(path) : contextKey(path, ['actor:', String(runState.actor(actor).started?.id ?? '')]);
}

/** True where a key lies at or below a declared one. */
export function isUnder(key: Key, declared: Key): boolean {
  return key.segments.length >= declared.segments.length && overlaps(key, declared);
}

/** The mode of a write, by its key and the change that it makes. */
export function modeOf({ blind, scopes }: BoundaryConfig, key: Key, op: Edit['op']): WriteMode {
  if (op === 'append') return 'append';
  return blind.some((declared) => isUnder(key, declared)) && isExact(key.text, scopes) ? 'blind' : 'update';
}

/** True for a template whose keys hang on nothing but the entity. */
export function isOfEntity({ text }: { readonly text: string }): boolean {
  return !/\{(?!entity\})/.test(text);
}

/** True where a region is another one, or lies around it. */
function holds(outer: string, inner: string): boolean {
  return outer === '' || outer === inner || inner.startsWith(`${outer}.`);
}

/** An event without its type: what it brought. */
export function payload(event: { type: string }): Record<string, unknown> {
  const { type, ...rest } = event;
  return rest;
}
