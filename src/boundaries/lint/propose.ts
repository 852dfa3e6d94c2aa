/**
 * Proposes skeletons for the states that belong to no skeleton: where the work would begin, where it would end, and
 * which of the keys that its tools write could tell its boundaries. A proposal is for a person to read; no run uses it.
 */
import type { AssignShape, MachineShape, StateShape } from '../../model/machine.ts';
import type { BoundaryConfig, KeyTemplate } from '../config.ts';
import { isWithin } from '../sections/skeleton.ts';
import { isOf } from './edges.ts';
import type { Reach } from './reach.ts';

/** A boundary that a group of states could have: on an edge, with a condition that holds once its outputs are there. */
interface ProposedBoundary {
  readonly kind: 'commit' | 'exit';
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Null where no tool says what it writes, so that no condition can be proposed. */
  readonly when: string | null;
  readonly outputs: readonly string[];
}

/** A skeleton that a group of states could be. */
export interface Proposal {
  /** The states of the group; a state whose inner states are all in the group stands for them. */
  readonly states: readonly string[];
  /** States that control enters from outside the group. */
  readonly entry: readonly string[];
  /** The keys that its tools write, and those that the machine assigns in its states; `**` where code assigns what cannot be known. */
  readonly outputs: readonly string[];
  readonly boundaries: readonly ProposedBoundary[];
}

/** The knowledge of what the machine itself assigns. */
interface Assigned {
  /** The keys that have a value once an answer has taken an edge; null where that is not known. */
  on(from: string, to: string): readonly string[] | null;
  /** The keys that the actions of some states assign. */
  by(isMeant: (path: string) => boolean): AssignShape;
}

const NOT_KNOWN: Assigned = { on: () => null, by: () => ({ keys: [], all: true }) };

/**
 * Proposals for every group of states that hang together, belong to no skeleton and can be entered.
 * @param assigned left out, an answer is taken to write on each edge what its tool writes.
 */
export function propose(config: BoundaryConfig, reach: Reach, assigned = NOT_KNOWN): readonly Proposal[] {
  const skeletons = [...config.skeletons.values()];
  const free = reach.shape.states.filter(({ path, type }) => {
    return type === 'atomic' && !skeletons.some((skeleton) => isOf(path, skeleton));
  });
  const groups = new Map<string, Set<string>>(free.map(({ path }) => [path, new Set([path])]));
  for (const { from, to } of reach.shape.edges) {
    const ends = [from, ...reach.entered(to)].flatMap((path) => groups.get(path) ?? []);
    const [first, ...others] = new Set(ends);
    if (first === undefined || !groups.has(from)) continue;
    for (const other of others) {
      for (const path of other) {
        first.add(path);
        groups.set(path, first);
      }
    }
  }
  const proposals = [...new Set(groups.values())].map((group) => proposal([...group], config, reach, assigned));
  return proposals.filter(({ entry }) => entry.length > 0);
}

function proposal(group: readonly string[], config: BoundaryConfig, reach: Reach, assigned: Assigned): Proposal {
  const states = gathered(group, reach.shape);
  const owned = (path: string) => states.some((outer) => isWithin(path, outer));
  const entry = new Set<string>();
  const roots = reach.shape.states.filter(({ path }) => path === '' || path.endsWith('/'));
  for (const { from, to } of [...roots.map(({ path }) => ({ from: null, to: path })), ...reach.shape.edges]) {
    if (from !== null && owned(from)) continue;
    for (const path of reach.entered(to)) if (group.includes(path)) entry.add(path);
  }
  const calling = reach.shape.states.filter(({ path }) => owned(path));
  const tools = new Set(calling.flatMap(({ invokes }) => invokes.map(({ tool }) => tool ?? '')));
  const writes = [...tools].flatMap((tool) => config.tools.get(tool)?.writes ?? []);
  // Also those of the states around them: their transitions are taken while the group works.
  const { keys, all } = assigned.by((path) => states.some((state) => isWithin(path, state) || isWithin(state, path)));
  const isPlain = all && keys.every((key) => /^[A-Za-z0-9_-]+$/.test(key));
  const outputs = isPlain ? [...new Set([...writes.map(({ text }) => text), ...keys])] : ['**'];
  return { states, entry: [...entry], outputs, boundaries: boundariesOf(calling, owned, { config, reach, assigned }) };
}

/** A group in as few names as say it: a state whose atomic states all belong to the group takes their place. */
function gathered(group: readonly string[], { states }: MachineShape): readonly string[] {
  const whole = states.filter(({ path, type }) => {
    if (path === '' || path.endsWith('/') || (type !== 'compound' && type !== 'parallel')) return false;
    const atomic = states.filter((state) => state.type === 'atomic' && isWithin(state.path, path));
    return atomic.length > 0 && atomic.every((state) => group.includes(state.path));
  });
  const named = [...group, ...whole.map(({ path }) => path)];
  const outermost = new Set(named.filter((path) => !named.some((outer) => outer !== path && isWithin(path, outer))));
  return states.flatMap(({ path }) => (outermost.has(path) ? [path] : []));
}

/** A boundary for each edge that a tool's answer takes, and for each other edge that leaves the group without an error. */
function boundariesOf(
  states: readonly StateShape[],
  owned: (path: string) => boolean,
  { config, reach: { shape }, assigned }: { config: BoundaryConfig; reach: Reach; assigned: Assigned },
): readonly ProposedBoundary[] {
  const found = new Map<string, ProposedBoundary>();
  for (const state of states) {
    const sites = new Map<string, ProposedBoundary>();
    for (const { from, to, event } of shape.edges) {
      if (from !== state.path || to === from || event.startsWith('xstate.error.')) continue;
      const boundary = boundaryOn(
        { from, to },
        owned(to),
        written(writesOn(state, event, config), assigned.on(from, to)),
      );
      if (boundary === null || sites.has(to)) continue;
      sites.set(to, sites.size === 0 ? boundary : { ...boundary, id: `${boundary.id}-${sites.size + 1}` });
    }
    for (const boundary of sites.values()) found.set(`${boundary.from} -> ${boundary.to}`, boundary);
  }
  return [...found.values()];
}

/** The keys that a call writes and that a condition can ask for; `event` is the answer of the call. */
function writesOn({ invokes }: StateShape, event: string, config: BoundaryConfig): readonly KeyTemplate[] {
  const call = invokes.find(({ id }) => event === `xstate.done.actor.${id}`);
  return (config.tools.get(call?.tool ?? '')?.writes ?? []).filter((key) => conditionOf(key) !== null);
}

/** The keys of a tool's writes that an edge has given a value. */
function written(writes: readonly KeyTemplate[], assigned: readonly string[] | null): readonly KeyTemplate[] {
  return assigned === null ? writes : writes.filter(({ text }) => assigned.includes(text.split('/')[0] as string));
}

function boundaryOn(
  { from, to }: { readonly from: string; readonly to: string },
  isOwned: boolean,
  writes: readonly KeyTemplate[],
): ProposedBoundary | null {
  if (isOwned && writes.length === 0) return null;
  const when = writes.length === 0 ? null : writes.flatMap((key) => conditionOf(key) ?? []).join(' && ');
  const outputs = writes.map(({ text }) => text);
  return { kind: isOwned ? 'commit' : 'exit', id: `${from}-done`, from, to, when, outputs };
}

/** A condition that a key has a value other than null; null for what lies outside memory, or for a whole collection. */
function conditionOf({ text }: KeyTemplate): string | null {
  if (/^[a-z][a-z0-9+.-]*:/.test(text) || text === '**') return null;
  const segments = text.split('/').filter((segment) => segment !== '**');
  if (segments.includes('*')) return null;
  const [first = '', ...rest] = segments;
  const path =
    rest.length === 0
      ? member(first, '.?')
      : `${member(first, '.')}${rest.map((segment) => member(segment, '.?')).join('')}`;
  return `memory${path}.orValue(null) != null`;
}

function member(segment: string, dot: '.' | '.?'): string {
  if (/^\{[^{}]*\}$/.test(segment)) return '[?entity]';
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(segment)) return `${dot}${segment}`;
  return dot === '.' ? `[${JSON.stringify(segment)}]` : `[?${JSON.stringify(segment)}]`;
}
