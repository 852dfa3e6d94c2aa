/**
 * The versions of keys: who wrote and who read what, when, and which reads depend on which writes (semantics.md K6).
 * Nothing is paired up while a history grows; the keys form a tree, and a question about one write walks the part of the
 * tree that the write overlaps. So a step costs the depth of its key, and a decision the dependencies it follows.
 */
import type { WriteMode } from '../model/event.ts';
import type { Key } from '../model/key.ts';
import type { Dependence } from '../model/veto.ts';
import { between, countUpTo } from './ascending.ts';
import type { InstanceRecord } from './registry.ts';

/** One read or write. A write that is not blind and no append is also a read of its own key (K6). */
export interface Access {
  readonly at: number;
  readonly by: InstanceRecord;
  readonly key: Key;
}

interface Node {
  readonly children: Map<string, Node>;
  /** The reads of exactly this key. */
  readonly reads: Access[];
  /** The writes of exactly this key that cover all below it: concrete ones, no appends (K6). */
  readonly covers: Access[];
  /** The number of the last read at or below this node: what is older than a write need not be walked for it. */
  lastRead: number;
}

/** A stretch of the reads of one key: those from index `from` until before `until`. */
export interface Stretch {
  readonly reads: readonly Access[];
  readonly from: number;
  readonly until: number;
}

interface Visit {
  readonly node: Node;
  readonly depth: number;
  /** Where what the two keys have in common stands in the tree, if it was ever written or read. */
  readonly common: Node | undefined;
  /** The first later write that covers all that the two keys have in common. */
  readonly coveredAt: number;
}

/** Reads and writes of one history, by key and by instance. Grows by `read` and `write` only. */
export class Versions {
  readonly #root = emptyNode();
  readonly #writes = new Map<InstanceRecord, Access[]>();

  read(access: Access): void {
    const path = this.#path(access.key);
    for (const node of path) node.lastRead = access.at;
    (path.at(-1) as Node).reads.push(access);
  }

  write(access: Access, mode: WriteMode): void {
    const writes = this.#writes.get(access.by);
    if (writes === undefined) this.#writes.set(access.by, [access]);
    else writes.push(access);
    if (mode === 'update') this.read(access);
    if (mode !== 'append' && !access.key.pattern) (this.#path(access.key).at(-1) as Node).covers.push(access);
  }

  /** The writes of an instance, all of them, in event order. */
  writesOf(record: InstanceRecord): readonly Access[] {
    return this.#writes.get(record) ?? [];
  }

  /** The writes of an instance numbered above `after` and up to `upTo`, in event order. */
  writesBetween(record: InstanceRecord, after: number, upTo: number): Access[] {
    return between(this.writesOf(record), after, upTo);
  }

  /**
   * The reads that depend on a write (K6): every later overlapping read, by whomever, up to the first write in between
   * that covers everything the two have in common. A stretch per key that was read; it may be empty.
   */
  *readsOf(write: Access): Generator<Stretch> {
    for (const visit of this.#overlapping(write.key, write.at)) {
      const { reads } = visit.node;
      const from = countUpTo(reads, write.at);
      if (from === reads.length) continue;
      yield { reads, from, until: countUpTo(reads, coveredAlong(write, visit)) };
    }
  }

  /** The reads that overlap a key, whenever they happened and whatever was written in between. One list per key that was read. */
  *readsOverlapping(key: Key): Generator<readonly Access[]> {
    for (const visit of this.#overlapping(key, 0)) yield visit.node.reads;
  }

  /** Walks the nodes whose key overlaps `key` and that have, at or below, a read after event `after`. */
  *#overlapping(key: Key, after: number): Generator<Visit> {
    const stack: Visit[] = [{ node: this.#root, depth: 0, common: this.#root, coveredAt: Number.POSITIVE_INFINITY }];
    for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
      if (visit.node.lastRead <= after) continue;
      yield visit;
      const wanted = key.segments[visit.depth] ?? '*';
      if (wanted === '*') {
        for (const [segment, child] of visit.node.children) stack.push(step(visit, child, segment, after));
      } else {
        const exact = visit.node.children.get(wanted);
        if (exact !== undefined) stack.push(step(visit, exact, wanted, after));
        const any = visit.node.children.get('*');
        if (any !== undefined) stack.push(step(visit, any, wanted, after));
      }
    }
  }

  #path(key: Key): Node[] {
    const path = [this.#root];
    for (const segment of key.segments) {
      const { children } = path.at(-1) as Node;
      let child = children.get(segment);
      if (child === undefined) {
        child = emptyNode();
        children.set(segment, child);
      }
      path.push(child);
    }
    return path;
  }
}

function emptyNode(): Node {
  return { children: new Map(), reads: [], covers: [], lastRead: 0 };
}

/** One segment further down. Below a `*` the tree holds patterns only, which cover nothing, so `common` may follow it. */
function step(from: Visit, node: Node, segment: string, after: number): Visit {
  const common = from.common?.children.get(segment);
  return { node, depth: from.depth + 1, common, coveredAt: Math.min(from.coveredAt, firstCover(common, after)) };
}

function firstCover(node: Node | undefined, after: number): number {
  return node?.covers[countUpTo(node.covers, after)]?.at ?? Number.POSITIVE_INFINITY;
}

/** Where the first cover of the common part lies when the read key ends above the written one: along the rest of that. */
function coveredAlong(write: Access, visit: Visit): number {
  let { common, coveredAt } = visit;
  for (const segment of write.key.segments.slice(visit.depth)) {
    common = common?.children.get(segment);
    coveredAt = Math.min(coveredAt, firstCover(common, write.at));
  }
  return coveredAt;
}

/** The witness that a read depends on a write (K6). */
export function readDependence(write: Access, read: Access): Dependence {
  return {
    kind: 'read',
    producer: write.by.id,
    wrote: write.key.text,
    write: write.at,
    consumer: read.by.id,
    key: read.key.text,
    step: read.at,
  };
}
