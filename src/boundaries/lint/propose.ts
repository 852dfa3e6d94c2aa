/**
 * Proposes skeletons for the states that belong to none: the likely begin and end of the work, and a sign of its end
 * among the keys that its tools write. A proposal is for a person to read; no run uses one.
 */
import type { EdgeShape } from '../../model/machine.ts';
import type { BoundaryConfig, KeyTemplate } from '../config.ts';
import { isWithin } from '../sections/skeleton.ts';
import { isOf } from './edges.ts';
import type { Reach } from './reach.ts';

/** A candidate for a skeleton: a group of states. */
export interface Proposal {
  readonly states: readonly string[];
  /** States that control enters from outside the group. */
  readonly entry: readonly string[];
  /** Edges that leave the group: where a boundary could lie. */
  readonly leaves: readonly Pick<EdgeShape, 'from' | 'to' | 'event'>[];
  /** The keys of the context that the group's tools write. */
  readonly outputs: readonly string[];
  /** Conditions that hold once those keys have values. */
  readonly when: readonly string[];
}

/** Proposals for every group of connected states that belong to no skeleton. */
export function propose(config: BoundaryConfig, reach: Reach): readonly Proposal[] {
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
  return [...new Set(groups.values())].map((group) => proposal([...group], config, reach));
}

function proposal(states: readonly string[], config: BoundaryConfig, reach: Reach): Proposal {
  const within = (path: string) => states.includes(path);
  const entry = new Set<string>();
  for (const { from, to } of [...reach.shape.edges, { from: null, to: '' }]) {
    if (from !== null && within(from)) continue;
    for (const path of reach.entered(to)) if (within(path)) entry.add(path);
  }
  const leaves = reach.shape.edges.filter(({ from, to }) => {
    const arrives = [...reach.entered(to)].some(within);
    return !arrives && states.some((path) => isWithin(path, from));
  });
  const tools = reach.shape.states
    .filter(({ path }) => within(path))
    .flatMap(({ invokes }) => invokes.map(({ tool }) => tool));
  const writes = [...new Set(tools)].flatMap((tool) => config.tools.get(tool ?? '')?.writes ?? []);
  const when = writes.flatMap((key) => conditionOf(key) ?? []);
  return { states, entry: [...entry], leaves, outputs: writes.map(({ text }) => text), when: [...new Set(when)] };
}

/** A condition that a key has a value; null for a key outside the context, or for a whole collection. */
function conditionOf({ text }: KeyTemplate): string | null {
  if (/^[a-z][a-z0-9+.-]*:/.test(text) || text === '**') return null;
  const segments = text.split('/').filter((segment) => segment !== '**');
  if (segments.includes('*')) return null;
  const [first = '', ...rest] = segments;
  if (rest.length === 0) return `memory${member(first, '.?')}.hasValue()`;
  return `memory${member(first, '.')}${rest.map((segment) => member(segment, '.?')).join('')}.hasValue()`;
}

function member(segment: string, dot: '.' | '.?'): string {
  if (/^\{[^{}]*\}$/.test(segment)) return '[?entity]';
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(segment)) return `${dot}${segment}`;
  return dot === '.' ? `[${JSON.stringify(segment)}]` : `[?${JSON.stringify(segment)}]`;
}
