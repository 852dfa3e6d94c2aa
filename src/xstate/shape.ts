/**
 * Reads the shape of an xstate v5 machine: its states, edges and tools as plain data, also of the machines that it
 * invokes by name. Looks at the structure only, so that machines from another copy of xstate are read as well; runs no
 * guard and no action.
 */
import { createHash } from 'node:crypto';
import type { AnyActorLogic, AnyStateMachine, AnyStateNode } from 'xstate';
import type { EdgeShape, MachineShape, StateShape } from '../model/machine.ts';
import type { ToolVersion } from '../model/tool-version.ts';
import { COMPLETED, isInline, RESOLVED } from './events.ts';
import { mayTakeKey, takesKey, versionOf } from './tool.ts';
import { toolsIn } from './toolbox.ts';

type ActorShape = MachineShape['actors'][number];

/** The depth to which machines that invoke machines are followed. */
const DEEPEST = 8;

/**
 * A machine as far as its type matters here: xstate's own `AnyStateMachine` refuses many machines under
 * `exactOptionalPropertyTypes`.
 */
export interface MachineLike {
  readonly id: string;
  readonly root: object;
  readonly implementations: object;
  readonly getInitialSnapshot: unknown;
}

/** True where a value is an xstate v5 machine, from whichever copy of xstate. */
export function isMachine(value: unknown): value is MachineLike {
  if (typeof value !== 'object' || value === null) return false;
  const { id, root, implementations, getInitialSnapshot } = value as Partial<MachineLike>;
  return (
    typeof id === 'string' &&
    typeof root === 'object' &&
    typeof implementations === 'object' &&
    typeof getInitialSnapshot === 'function'
  );
}

/**
 * The shape of a machine. Nested machines are followed once on each path, so the walk of a machine that invokes itself
 * ends.
 */
export function machineShape(machine: MachineLike): MachineShape {
  const states: StateShape[] = [];
  const edges: EdgeShape[] = [];
  const actors = new Map<string, ActorShape>();
  for (const { machine: each, prefix } of machinesIn(machine as AnyStateMachine)) {
    readNode(each.root, prefix, { states, edges, actors });
    readActors(each, { states, edges, actors });
  }
  const digest = createHash('sha256')
    .update(JSON.stringify([states, edges]))
    .digest('hex');
  return { id: machine.id, states, edges, actors: [...actors.values()], digest };
}

interface Found {
  readonly states: StateShape[];
  readonly edges: EdgeShape[];
  readonly actors: Map<string, ActorShape>;
}

/** A machine and the machines that it invokes by name, each with the prefix of its states' names in a config. */
function* machinesIn(
  machine: AnyStateMachine,
  prefix = '',
  above: readonly AnyStateMachine[] = [],
): Generator<{ readonly machine: AnyStateMachine; readonly prefix: string }> {
  yield { machine, prefix };
  const within = [...above, machine];
  if (within.length >= DEEPEST) return;
  for (const [name, logic] of Object.entries(machine.implementations.actors as Record<string, AnyActorLogic>)) {
    if (isInline(name) || kindOf(logic) !== 'machine') continue;
    const nested = logic as AnyStateMachine;
    if (within.some((other) => other.root.config === nested.root.config)) continue;
    yield* machinesIn(nested, `${prefix}${name}/`, within);
  }
}

/** The named versions of the tools of a machine, and of the machines that it invokes by name. */
export function toolVersions(machine: MachineLike): ReadonlyMap<string, ToolVersion> {
  const found = new Map<string, ToolVersion>();
  for (const { machine: each } of machinesIn(machine as AnyStateMachine))
    for (const [name, logic] of Object.entries(each.implementations.actors as Record<string, AnyActorLogic>)) {
      const version = versionOf(logic);
      if (version !== undefined && !found.has(name)) found.set(name, version);
    }
  return found;
}

/** A state, its path in a config, and the paths of the other states of its machine. */
interface Node {
  readonly node: AnyStateNode;
  readonly path: string;
  pathOf(other: AnyStateNode): string;
}

/** Every state of a machine and of the machines that it invokes by name. */
export function* nodesOf(machine: MachineLike): Generator<Node> {
  for (const { machine: each, prefix } of machinesIn(machine as AnyStateMachine)) {
    const inPage = (node: AnyStateNode) => pathOf(node, prefix);
    const waiting: AnyStateNode[] = [each.root];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      yield { node, path: inPage(node), pathOf: inPage };
      waiting.push(...Object.values(node.states));
    }
  }
}

function readActors({ implementations }: AnyStateMachine, found: Found): void {
  for (const [name, logic] of Object.entries(implementations.actors as Record<string, AnyActorLogic>)) {
    if (isInline(name)) continue;
    for (const actor of actorsOf(name, logic, kindOf(logic)))
      if (!found.actors.has(actor.name)) found.actors.set(actor.name, actor);
  }
}

function readNode(node: AnyStateNode, prefix: string, found: Found): void {
  const path = pathOf(node, prefix);
  const first = node.type === 'compound' ? node.initial.target?.[0] : undefined;
  found.states.push({
    path,
    type: node.type,
    initial: first === undefined ? null : pathOf(first, prefix),
    invokes: node.invoke.flatMap(({ id, src }): StateShape['invokes'] =>
      typeof src === 'string' && !isInline(src)
        ? toolNames(src, node.machine).map((tool) => ({ id, tool }))
        : [{ id, tool: null }],
    ),
    delayed: node.after.length > 0,
  });
  const eventless = (node.always ?? []).map((transition) => ['', transition] as const);
  const others = [...node.transitions].flatMap(([event, list]) =>
    list.map((transition) => [event, transition] as const),
  );
  for (const [event, { target, guard }] of [...eventless, ...others]) {
    for (const to of target ?? [node]) {
      found.edges.push({ from: path, to: pathOf(to, prefix), event, guarded: guard !== undefined });
    }
  }
  for (const child of Object.values(node.states)) readNode(child, prefix, found);
}

/** The actor of a name; each tool of a toolbox is one of its own. */
function actorsOf(name: string, logic: AnyActorLogic, kind: ActorShape['kind']): readonly ActorShape[] {
  const tools = toolsIn(logic);
  if (tools !== null)
    return Object.entries(tools).map(([tool, act]) => ({ name: `${name}/${tool}`, kind, takesKey: mayTakeKey(act) }));
  return [{ name, kind, takesKey: kind !== 'promise' || takesKey(logic) }];
}

/** The tools that a state may call which invokes an actor by its name. */
function toolNames(src: string, { implementations }: AnyStateMachine): readonly string[] {
  const tools = toolsIn((implementations.actors as Record<string, AnyActorLogic>)[src]);
  return tools === null ? [src] : Object.keys(tools).map((tool) => `${src}/${tool}`);
}

function pathOf(node: AnyStateNode, prefix: string): string {
  return prefix + node.path.join('.');
}

/**
 * The creator of an actor's logic. Promises and observables tell by how they answer their own private events, which are pure;
 * logic that no creator made is not asked anything.
 */
export function kindOf(logic: AnyActorLogic): ActorShape['kind'] {
  if (isMachine(logic)) return 'machine';
  const { config, start, transition } = logic as { config?: unknown; start?: unknown; transition?: unknown };
  if (typeof config !== 'function' || typeof transition !== 'function') return 'other';
  if (typeof start !== 'function') return 'transition';
  if (endsOn(logic, RESOLVED)) return 'promise';
  return endsOn(logic, COMPLETED) ? 'observable' : 'callback';
}

function endsOn(logic: AnyActorLogic, type: string): boolean {
  const active = { status: 'active', output: undefined, error: undefined, input: undefined, context: undefined };
  try {
    const next = logic.transition(active, { type, data: null } as never, { self: {} } as never);
    return (next as { status?: unknown }).status === 'done';
  } catch {
    return false;
  }
}
