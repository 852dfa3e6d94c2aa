/** The parts of the tree of keys that a key overlaps, and how far a write is read there (semantics.md K6). */
import type { Key } from '../model/key.ts';
import type { Access, KeyNode } from './key-tree.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** A node whose key overlaps another. */
export interface Visit {
  readonly node: KeyNode;
  readonly depth: number;
  /** The node of the common part of two keys in the tree, if that key was ever written or read. */
  readonly common: KeyNode | undefined;
  /** The first later write that covers all that the two keys have in common. */
  readonly coveredAt: number;
}

/**
 * Walks the nodes whose key overlaps `key` and that have, at or below, a read after event `after` and up to the first cover
 * after event `coversAfter`.
 */
export function* overlapping(root: KeyNode, key: Key, after: number, coversAfter: number): Generator<Visit> {
  const stack: Visit[] = [{ node: root, depth: 0, common: root, coveredAt: NEVER }];
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { children, below } = visit.node;
    const from = below.countUpTo(after);
    const until = below.countUpTo(visit.coveredAt);
    if (from === until) continue;
    yield visit;
    const wanted = key.segments[visit.depth] ?? '*';
    if (wanted === '*') {
      for (const segment of segmentsRead(visit, from, until)) {
        stack.push(step(visit, children?.get(segment) as KeyNode, segment, coversAfter));
      }
    } else {
      const exact = children?.get(wanted);
      if (exact !== undefined) stack.push(step(visit, exact, wanted, coversAfter));
      const any = children?.get('*');
      if (any !== undefined) stack.push(step(visit, any, wanted, coversAfter));
    }
  }
}

/**
 * The children of a node under which a stretch of its reads can lie: the children that have reads, or all, whichever
 * are fewer.
 */
function segmentsRead({ node, depth }: Visit, from: number, until: number): Iterable<string> {
  const { children, below } = node;
  if (until - from >= (children?.size ?? 0)) return children?.keys() ?? [];
  return new Set(below.slice(from, until).flatMap((read) => read.key.segments[depth] ?? []));
}

/** One segment further down. Below a `*` the tree holds patterns only, which cover nothing, so `common` may follow it. */
function step(from: Visit, node: KeyNode, segment: string, coversAfter: number): Visit {
  const common = from.common?.children?.get(segment);
  return { node, depth: from.depth + 1, common, coveredAt: Math.min(from.coveredAt, firstCover(common, coversAfter)) };
}

function firstCover(node: KeyNode | undefined, after: number): number {
  return node === undefined ? NEVER : (node.covers.at(node.covers.countUpTo(after))?.at ?? NEVER);
}

/** The first cover of the common part where the read key ends above the written one: along the rest of that. */
export function coveredAlong(write: Access, visit: Visit): number {
  let { common, coveredAt } = visit;
  for (const segment of write.key.segments.slice(visit.depth)) {
    common = common?.children?.get(segment);
    coveredAt = Math.min(coveredAt, firstCover(common, write.at));
  }
  return coveredAt;
}
