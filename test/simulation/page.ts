/** Writes the boundary config of a generated machine, as an honest reviewer would: every read and write of every tool and unit is declared. */
import { ECHO } from './asking.ts';
import { digest } from './digest.ts';
import type { Place, Places } from './places.ts';
import type { Scenario, Step, ToolSpec, Unit } from './scenario.ts';

/** An edge between two states of one compound state. */
interface Edge {
  readonly from: string;
  readonly to: string;
}

/** A unit as it was laid out: its states, and the edges that it takes after each step. */
export interface LaidUnit {
  readonly unit: Unit;
  readonly place: Place;
  /** Before the names of its states: the machines that are invoked around it. */
  readonly prefix: string;
  readonly states: readonly string[];
  /** For each edge, which keys are surely written once it is taken, and whether it leaves the unit. */
  readonly edges: readonly (Edge & { readonly keys: readonly string[]; readonly leaves: boolean })[];
  readonly byArgs: boolean;
  /** The keys besides that its edges write: the count of a loop. */
  readonly counts: readonly string[];
}

/** A skeleton, as the config has it. */
type Skeleton = Readonly<Record<string, unknown>>;

/** Collects what the config says. */
export class Page {
  readonly #scenario: Scenario;
  readonly #reads = new Map<string, Set<string>>();
  readonly #writes = new Map<string, Set<string>>();
  readonly #skeletons: Record<string, Skeleton> = {};
  readonly #events: Record<string, { readonly reads: readonly string[] }> = {};

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
  }

  /** Declares what a call of a tool, or of a child machine, reads and writes in one place. */
  call(tool: string, places: Places, place: Place, reads: readonly string[], writes: readonly string[]): void {
    const reading = this.#reads.get(tool) ?? new Set();
    for (const key of places.identity(place)) reading.add(key);
    for (const key of reads) reading.add(places.template(key, place, '{args.entity}'));
    this.#reads.set(tool, reading);
    const writing = this.#writes.get(tool) ?? new Set();
    for (const key of writes) writing.add(places.template(key, place, '{args.entity}'));
    this.#writes.set(tool, writing);
  }

  /** Declares what the sender of an event looks at: it names the entity and the round. Of half of the events nothing is said: then it is all. */
  event(type: string, places: Places, place: Place): void {
    if (digest(type) % 2 === 0) this.#events[type] = { reads: places.identity(place) };
  }

  /** Adds the skeleton of a unit. */
  unit(laid: LaidUnit, places: Places): void {
    const { unit, place, prefix, states, edges, byArgs, counts } = laid;
    const named = (state: string): string => `${prefix}${[...place.path, state].join('.')}`;
    const keyed = (key: string): string => places.template(key, place, '{entity}');
    const boundaries = edges.flatMap(({ from, to, keys, leaves }, index) => {
      if (!leaves && keys.length === 0) return [];
      const when = keys.length === 0 ? 'true' : places.hasValue(keys.at(-1) as string, place);
      const at = `${named(from)} -> ${named(to)}`;
      const id = unit.skeleton === undefined ? `e${index}` : `${states[0]}e${index}`;
      return [{ leaves, boundary: { id, at, when, outputs: keys.map(keyed) } }];
    });
    const commit =
      unit.anchors === 'all' ? boundaries.filter(({ leaves }) => !leaves).map(({ boundary }) => boundary) : [];
    const exit = boundaries.filter(({ leaves }) => leaves).map(({ boundary }) => boundary);
    const ids = [...commit, ...exit].map(({ id }) => id);
    const entity = byArgs || unit.about === 'entity' ? 'args.entity' : places.entityExpression(place);
    this.#add(unit.skeleton ?? unit.name, {
      entity: unit.about === 'state' ? 'args.at' : entity,
      states: states.map(named),
      entry: [named(states[0] as string)],
      inputs: [...new Set([...places.identity(place), ...unit.steps.flatMap(readBy).map(keyed)])],
      outputs: [...new Set([...unit.steps.flatMap(writtenBy).map(keyed), ...counts])],
      ...(commit.length > 0 && { commit }),
      exit,
      rollback: {
        ...(unit.anchors === 'none' ? { pending: ids } : { anchors: ids }),
        ...(unit.undoes && { compensable: 'undo' }),
        ...(unit.joint === 'all' && { joint: '*' }),
        ...(unit.outcomes && { outcome_checkpoints: true }),
        ...(unit.resume && { resume: named(states[0] as string) }),
      },
    });
  }

  /** Adds a skeleton, or one more place of it. */
  #add(name: string, skeleton: Skeleton): void {
    const known = this.#skeletons[name];
    this.#skeletons[name] = known === undefined ? skeleton : (joined(known, skeleton) as Skeleton);
  }

  /** The config as YAML (of which JSON is a part). */
  text(): string {
    const tools: Record<string, object> = {};
    for (const tool of this.#scenario.tools) if (this.#reads.has(tool.name)) tools[tool.name] = this.#tool(tool);
    for (const name of [ECHO, ...this.#scenario.children.map((child) => child.name)])
      if (this.#reads.has(name))
        tools[name] = { effect: 'none', reads: this.#set(this.#reads, name), writes: this.#set(this.#writes, name) };
    const names = Object.keys(this.#skeletons);
    const isSpending = this.#scenario.tools.some(({ spends }) => spends);
    const page = {
      belay: 1,
      agent: 'm',
      tools,
      skeletons: this.#skeletons,
      ...(Object.keys(this.#events).length > 0 && { events: this.#events }),
      ...(isSpending && { budgets: { cents: 1_000_000, calls: 1000 } }),
    };
    return JSON.stringify(page, (key, value: unknown) => (key === 'joint' ? names : value));
  }

  #set(from: Map<string, Set<string>>, name: string): string[] {
    return [...(from.get(name) ?? [])];
  }

  #tool(tool: ToolSpec): object {
    return {
      effect: tool.declared ?? tool.effect,
      reads: [...this.#set(this.#reads, tool.name), ...tool.reads],
      writes: [...this.#set(this.#writes, tool.name), ...tool.writes],
      ...(tool.reconcile && { reconcile: asking(tool) }),
      ...(tool.undo && { undo: 'undo' }),
      ...(tool.buffer && { buffer: true }),
      ...(tool.gate && { gate: true }),
      ...(tool.timeout && { timeout: '400ms' }),
      ...(tool.once !== undefined && { once: identityOf(tool.once) }),
      ...(tool.spends && { spends: { cents: 'args.cents' } }),
      ...(tool.schema && { output: { type: 'integer' } }),
    };
  }
}

/** What a config says of two places, the first one's word where it takes one. */
function joined(one: unknown, other: unknown): unknown {
  if (Array.isArray(one) && Array.isArray(other)) return [...new Set([...one, ...other])];
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) return one ?? other;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  const [from, to] = [one as Skeleton, other as Skeleton];
  return Object.fromEntries([...names].map((name) => [name, joined(from[name], to[name])]));
}

function readBy(step: Step): readonly string[] {
  switch (step.step) {
    case 'call':
    case 'child':
    case 'ask':
      return step.reads;
    case 'skip':
      return [step.on];
    case 'delay':
    case 'await':
      return [];
  }
}

/** The keys that a step writes, the one by which it can be told last. */
export function writtenBy(step: Step): readonly string[] {
  switch (step.step) {
    case 'call':
      return [...(step.also === null ? [] : [step.also]), step.key];
    case 'child':
    case 'await':
    case 'ask':
      return [step.key];
    case 'delay':
    case 'skip':
      return [];
  }
}

function identityOf(once: NonNullable<ToolSpec['once']>): readonly string[] {
  const site = ['args.at', 'args.entity', 'args.round'];
  return once === 'site' ? site : [...site, 'args.cents'];
}

function asking({ refusesKey }: ToolSpec): object {
  return { ask: 'find', tries: 3, wait: '2ms', ...(refusesKey && { refuses_key: true }) };
}
