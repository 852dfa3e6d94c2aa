/**
 * The versions of keys: each read and write, its instance and event, and the reads that depend on each write (semantics.md K6). Nothing is
 * paired while a history grows; the keys form a tree, and a question about one write walks the part of the tree that the write overlaps.
 * So a step costs the depth of its key, and a decision the dependencies that it follows.
 */
import type { WriteMode } from '../model/event.ts';
import type { Key } from '../model/key.ts';
import { between, countUpTo } from './ascending.ts';
import { type Access, childOf, emptyNode, type KeyNode, leafOf, pathTo } from './key-tree.ts';
import type { InstanceRecord } from './registry.ts';

/** A stretch of the reads of one key: those from index `from` until before `until`. */
export interface Stretch {
  readonly reads: readonly Access[];
  readonly from: number;
  readonly until: number;
}

const NEVER = Number.POSITIVE_INFINITY;

interface Visit {
  readonly node: KeyNode;
  readonly depth: number;
  /** The node at which the common part of two keys stands in the tree, if it was ever written or read. */
  readonly common: KeyNode | undefined;
  /** The first later write that covers all that the two keys have in common. */
  readonly coveredAt: number;
}

/** Reads and writes of one history, by key and by instance. */
export class Versions {
  readonly #root = emptyNode();
  readonly #writes = new Map<InstanceRecord, Access[]>();
  readonly #reads = new Map<InstanceRecord, Access[]>();
  readonly #written: Access[] = [];

  /** All reads and writes in event order: whether it is read, written, and covers what is below its key. */
  *all(): Generator<readonly [access: Access, isRead: boolean, isWrite: boolean, covers: boolean]> {
    const [reads, writes] = [this.#root.below, this.#written];
    for (let [read, write] = [0, 0]; read < reads.length || write < writes.length; ) {
      const at = Math.min(reads[read]?.at ?? NEVER, writes[write]?.at ?? NEVER);
      const [isRead, isWrite] = [reads[read]?.at === at, writes[write]?.at === at];
      const access = (isRead ? reads[read] : writes[write]) as Access;
      [read, write] = [read + Number(isRead), write + Number(isWrite)];
      const { covers } = leafOf(this.#root, access.key);
      yield [access, isRead, isWrite, isWrite && covers[countUpTo(covers, at - 1)] === access];
    }
  }

  /** A key as earlier accesses have it: one that comes again is held once. */
  own(key: Key): Key {
    const leaf = leafOf(this.#root, key);
    leaf.key ??= key;
    // A key and all below it have the same segments.
    return leaf.key.text === key.text ? leaf.key : key;
  }

  /** Adds a read. @returns the node of its key. */
  read(access: Access): KeyNode {
    note(this.#reads, access);
    let node = this.#root;
    for (const segment of access.key.segments) {
      node.below.push(access);
      node = childOf(node, segment);
    }
    node.below.push(access);
    node.reads.push(access);
    return node;
  }

  write(access: Access, mode: WriteMode): void {
    this.written(access, mode === 'update', mode !== 'append' && !access.key.pattern);
  }

  written(access: Access, isRead: boolean, covers: boolean): void {
    note(this.#writes, access);
    this.#written.push(access);
    const read = isRead ? this.read(access) : null;
    if (covers) (read ?? leafOf(this.#root, access.key)).covers.push(access);
  }

  /** Forgets what an instance read and wrote after event `after`, because it was undone. Costs what is forgotten, from the newest on. */
  forget(record: InstanceRecord, after: number): void {
    for (const read of drop(this.#reads.get(record), after).reverse()) {
      for (const node of pathTo(this.#root, read.key)) remove(node.below, read);
      remove(leafOf(this.#root, read.key).reads, read);
    }
    for (const write of drop(this.#writes.get(record), after).reverse()) {
      remove(this.#written, write);
      remove(leafOf(this.#root, write.key).covers, write);
    }
  }

  /** The reads that overlap a key, by any instance from event `from` on. */
  *readsAt(key: Key, from: number): Generator<Access> {
    for (const { node } of this.#overlapping(key, from - 1, NEVER))
      yield* node.reads.slice(countUpTo(node.reads, from - 1));
  }

  /** The writes of all instances after event `after`, in event order. */
  writesAfter(after: number): Access[] {
    return this.#written.slice(countUpTo(this.#written, after));
  }

  /** The reads of an instance, all of them, in event order. */
  readsBy(record: InstanceRecord): readonly Access[] {
    return this.#reads.get(record) ?? [];
  }

  /** The reads of an instance numbered above `after` and up to `upTo`, in event order. */
  readsBetween(record: InstanceRecord, after: number, upTo: number): Access[] {
    return between(this.readsBy(record), after, upTo);
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
   * The reads that depend on a write (K6): every later overlapping read, by any instance, up to the first write in
   * between that covers everything the two have in common. A stretch per key that was read; it may be empty.
   */
  *readsOf(write: Access): Generator<Stretch> {
    for (const visit of this.#overlapping(write.key, write.at, write.at)) {
      const { reads } = visit.node;
      const from = countUpTo(reads, write.at);
      if (from === reads.length) continue;
      yield { reads, from, until: countUpTo(reads, coveredAlong(write, visit)) };
    }
  }

  /**
   * The reads that overlap any key that an instance ever wrote, at any time and across any writes in between. One list
   * per key that was read and key that was written, with the first write of that.
   */
  *readsOfAnything(record: InstanceRecord): Generator<{ write: Access; reads: readonly Access[] }> {
    const asked = new Set<string>();
    for (const write of this.writesOf(record)) {
      if (asked.has(write.key.text)) continue;
      asked.add(write.key.text);
      for (const visit of this.#overlapping(write.key, 0, NEVER)) yield { write, reads: visit.node.reads };
    }
  }

  /**
   * Walks the nodes whose key overlaps `key` and that have, at or below, a read after event `after` and up to the first cover
   * after event `coversAfter`.
   */
  *#overlapping(key: Key, after: number, coversAfter: number): Generator<Visit> {
    const stack: Visit[] = [{ node: this.#root, depth: 0, common: this.#root, coveredAt: NEVER }];
    for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
      const { children, below } = visit.node;
      const from = countUpTo(below, after);
      const until = countUpTo(below, visit.coveredAt);
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
}

function note(of: Map<InstanceRecord, Access[]>, access: Access): void {
  const list = of.get(access.by);
  if (list === undefined) of.set(access.by, [access]);
  else list.push(access);
}

/** Cuts a list after event `after`, and returns the removed part. */
function drop(list: Access[] | undefined, after: number): Access[] {
  return list === undefined ? [] : list.splice(countUpTo(list, after));
}

/** Removes an access from a list that is sorted by event, if it is there. */
function remove(list: Access[], access: Access): void {
  const index = countUpTo(list, access.at - 1);
  if (list[index] === access) list.splice(index, 1);
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
  return node?.covers[countUpTo(node.covers, after)]?.at ?? NEVER;
}

/** The first cover of the common part where the read key ends above the written one: along the rest of that. */
function coveredAlong(write: Access, visit: Visit): number {
  let { common, coveredAt } = visit;
  for (const segment of write.key.segments.slice(visit.depth)) {
    common = common?.children?.get(segment);
    coveredAt = Math.min(coveredAt, firstCover(common, write.at));
  }
  return coveredAt;
}
