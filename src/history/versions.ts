/**
 * The versions of keys: each read and write, its instance and event, and the reads that depend on each write (semantics.md K6). Nothing is
 * paired while a history grows; the keys form a tree, and a question about one write walks the part of the tree that the write overlaps.
 * So a step costs the depth of its key, and a decision the dependencies that it follows.
 */
import type { WriteMode } from '../model/event.ts';
import { type Key, overlaps } from '../model/key.ts';
import { FirstAccesses, type Told } from './first-accesses.ts';
import { type Access, childOf, emptyNode, type KeyNode, leafOf, pathTo } from './key-tree.ts';
import { coveredAlong, overlapping } from './overlapping.ts';
import { Paged, type Pager } from './paged.ts';
import type { InstanceRecord } from './registry.ts';

/** A stretch of the reads of one key: those from index `from` until before `until`. */
export interface Stretch {
  readonly reads: Paged<Access>;
  readonly from: number;
  readonly until: number;
}

const NEVER = Number.POSITIVE_INFINITY;

/** Reads and writes of one history, by key and by instance. */
export class Versions {
  readonly #root = emptyNode();
  readonly #writes = new Map<InstanceRecord, Paged<Access>>();
  readonly #reads = new Map<InstanceRecord, Paged<Access>>();
  readonly #written = new Paged<Access>();
  /** The first access of each instance to each key, among the paged-out accesses. */
  readonly #firsts = new FirstAccesses();

  /** The reads and writes that are not paged out, in event order. */
  *here(): Generator<Told> {
    const [reads, writes] = [this.#root.below.here, this.#written.here];
    for (let [read, write] = [0, 0]; read < reads.length || write < writes.length; ) {
      const at = Math.min(reads[read]?.at ?? NEVER, writes[write]?.at ?? NEVER);
      const [isRead, isWrite] = [reads[read]?.at === at, writes[write]?.at === at];
      const access = (isRead ? reads[read] : writes[write]) as Access;
      [read, write] = [read + Number(isRead), write + Number(isWrite)];
      yield [access, isRead, isWrite, isWrite && this.#isCover(access)];
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
    listOf(this.#reads, access.by).push(access);
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
    listOf(this.#writes, access.by).push(access);
    this.#written.push(access);
    const read = isRead ? this.read(access) : null;
    if (covers) (read ?? leafOf(this.#root, access.key)).covers.push(access);
  }

  /**
   * Forgets the reads and writes of instances after given events, because they were undone: a pair for each instance.
   * Costs the forgotten accesses, and one pass through each shared list from its first forgotten access on.
   */
  forget(undone: Iterable<readonly [record: InstanceRecord, after: number]>): void {
    const lost = new Map<Paged<Access>, Access[]>();
    const lose = (list: Paged<Access>, access: Access) => {
      const own = lost.get(list);
      if (own === undefined) lost.set(list, [access]);
      else own.push(access);
    };
    for (const [record, after] of undone) {
      for (const read of drop(this.#reads.get(record), after)) {
        const path = pathTo(this.#root, read.key);
        for (const node of path) lose(node.below, read);
        lose((path.at(-1) as KeyNode).reads, read);
      }
      for (const write of drop(this.#writes.get(record), after)) {
        lose(this.#written, write);
        lose(leafOf(this.#root, write.key).covers, write);
      }
    }
    for (const [list, accesses] of lost) removeAll(list, accesses);
  }

  /** The reads that overlap a key, by any instance from event `from` on. */
  *readsAt(key: Key, from: number): Generator<Access> {
    for (const { node } of overlapping(this.#root, key, from - 1, NEVER)) yield* node.reads.between(from - 1, NEVER);
  }

  /** The writes of all instances up to an event, in event order. */
  writesUpTo(upTo: number): Access[] {
    return this.#written.between(-1, upTo);
  }

  /** The writes of all instances after event `after`, in event order. */
  writesAfter(after: number): Access[] {
    return this.#written.between(after, NEVER);
  }

  /** The reads of an instance, all of them, in event order. */
  readsBy(record: InstanceRecord): readonly Access[] {
    return this.#reads.get(record)?.all ?? [];
  }

  /** The reads of an instance numbered above `after` and up to `upTo`, in event order. */
  readsBetween(record: InstanceRecord, after: number, upTo: number): Access[] {
    return this.#reads.get(record)?.between(after, upTo) ?? [];
  }

  /** The writes of an instance, all of them, in event order. */
  writesOf(record: InstanceRecord): readonly Access[] {
    return this.#writes.get(record)?.all ?? [];
  }

  /** The writes of an instance numbered above `after` and up to `upTo`, in event order. */
  writesBetween(record: InstanceRecord, after: number, upTo: number): Access[] {
    return this.#writes.get(record)?.between(after, upTo) ?? [];
  }

  /** The first write of an instance to a key that is asked for. Pages nothing in. */
  firstWrite(record: InstanceRecord, isAsked: (key: Key) => boolean): Access | undefined {
    return this.#firsts.of(record, 'write', isAsked) ?? this.#writes.get(record)?.here.find(({ key }) => isAsked(key));
  }

  /** True where an instance has written a key that is asked for. Pages nothing in. */
  hasWritten(record: InstanceRecord, isAsked: (key: Key) => boolean): boolean {
    return this.#firsts.has(record, 'write', isAsked) || isAmong(this.#writes.get(record), isAsked);
  }

  /** True where an instance has read a key that is asked for. Pages nothing in. */
  hasRead(record: InstanceRecord, isAsked: (key: Key) => boolean): boolean {
    return this.#firsts.has(record, 'read', isAsked) || isAmong(this.#reads.get(record), isAsked);
  }

  /** True where an instance has written a key that is asked for, and read it by that write. Pages nothing in. */
  hasUpdated(record: InstanceRecord, isAsked: (key: Key) => boolean): boolean {
    if (this.#firsts.has(record, 'update', isAsked)) return true;
    const reads = this.#reads.get(record);
    const isRead = (write: Access) => reads?.at(reads.countUpTo(write.at - 1)) === write;
    return this.#writes.get(record)?.here.some((write) => isAsked(write.key) && isRead(write)) === true;
  }

  /** True where an instance has read or written anything after an event. */
  hasActedAfter(record: InstanceRecord, after: number): boolean {
    return [this.#reads, this.#writes].some((of) => (of.get(record)?.newest ?? 0) > after);
  }

  /**
   * The reads that depend on a write (K6): every later overlapping read, by any instance, up to the first write in
   * between that covers everything the two have in common. A stretch per key that was read; it may be empty.
   */
  *readsOf(write: Access): Generator<Stretch> {
    for (const visit of overlapping(this.#root, write.key, write.at, write.at)) {
      const { reads } = visit.node;
      const from = reads.countUpTo(write.at);
      if (from === reads.end) continue;
      yield { reads, from, until: reads.countUpTo(coveredAlong(write, visit)) };
    }
  }

  /**
   * The writes that a read of a key before an event depends on (K6), the newest first: {@link readsOf} read backward. Costs the writes behind the
   * newest one that covers the whole key.
   */
  *writersOf(key: Key, before: number): Generator<Access> {
    const covers: Key[] = [];
    for (let index = this.#written.countUpTo(before - 1) - 1; index >= 0; index -= 1) {
      const write = this.#written.at(index) as Access;
      if (!overlaps(write.key, key)) continue;
      const common = commonPart(write.key, key);
      if (covers.some(({ segments }) => isAbove(segments, common))) continue;
      yield write;
      if (!this.#isCover(write)) continue;
      if (isAbove(write.key.segments, key.segments)) return;
      covers.push(write.key);
    }
  }

  #isCover(write: Access): boolean {
    const { covers } = leafOf(this.#root, write.key);
    return covers.at(covers.countUpTo(write.at - 1)) === write;
  }

  /**
   * The reads that overlap any key that an instance ever wrote, whatever was written in between: a list for each key,
   * with the key's first write.
   */
  *readsOfAnything(record: InstanceRecord): Generator<{ write: Access; reads: readonly Access[] }> {
    const asked = new Set<string>();
    for (const write of this.writesOf(record)) {
      if (asked.has(write.key.text)) continue;
      asked.add(write.key.text);
      for (const visit of overlapping(this.#root, write.key, 0, NEVER)) yield { write, reads: visit.node.reads.all };
    }
  }

  /** Lets go of the oldest accesses in memory; each list pages them in again on demand. */
  pageOut(accesses: readonly Told[], pager: Pager): void {
    const counts = new Map<Paged<Access>, number>();
    const out = (list: Paged<Access>) => counts.set(list, (counts.get(list) ?? 0) + 1);
    for (const told of accesses) {
      this.#listsOf(told).forEach(out);
      this.#firsts.add(told);
    }
    for (const [list, count] of counts) list.pageOut(count, pager);
  }

  /** Puts accesses back in their places, before the ones in memory. */
  pageIn(accesses: readonly Told[], upTo: number): void {
    const lists = new Map<Paged<Access>, Access[]>();
    for (const told of accesses)
      for (const list of this.#listsOf(told)) {
        const own = lists.get(list);
        if (own === undefined) lists.set(list, [told[0]]);
        else own.push(told[0]);
      }
    for (const [list, own] of lists) list.pageIn(own);
    this.#firsts.forget(upTo);
  }

  #listsOf([access, isRead, isWrite, covers]: Told): Paged<Access>[] {
    const lists: Paged<Access>[] = [];
    const path = pathTo(this.#root, access.key);
    const leaf = path.at(-1) as KeyNode;
    if (isRead) lists.push(listOf(this.#reads, access.by), leaf.reads, ...path.map(({ below }) => below));
    if (isWrite) lists.push(listOf(this.#writes, access.by), this.#written);
    if (covers) lists.push(leaf.covers);
    return lists;
  }

  /** The first paged-out access of each kind to each key by each instance, in event order. */
  get firsts(): readonly Told[] {
    return this.#firsts.all();
  }

  /** The newest read and write of an instance that are paged out; -1 where there are none, or they are not known. */
  newestOut(record: InstanceRecord): readonly [read: number, write: number] {
    const newest = (of: Map<InstanceRecord, Paged<Access>>) => of.get(record)?.newestOut?.at ?? -1;
    return [newest(this.#reads), newest(this.#writes)];
  }

  /** Says which is the newest read and write of an instance that are paged out, where that is known. */
  isNewestOut(record: InstanceRecord, [read, write]: readonly [read: number, write: number], pager: Pager): void {
    if (read >= 0) this.#reads.get(record)?.isBehind(pager, { at: read });
    if (write >= 0) this.#writes.get(record)?.isBehind(pager, { at: write });
  }

  /** Has accesses be paged out that were so before: at least one to each key by each instance, of each kind. */
  arePagedOut(accesses: Iterable<Told>, pager: Pager): void {
    for (const told of accesses) {
      for (const list of this.#listsOf(told)) list.isBehind(pager);
      this.#firsts.add(told);
    }
  }
}

function listOf(of: Map<InstanceRecord, Paged<Access>>, record: InstanceRecord): Paged<Access> {
  const list = of.get(record) ?? new Paged<Access>();
  if (list.end === 0) of.set(record, list);
  return list;
}

function isAmong(list: Paged<Access> | undefined, isAsked: (key: Key) => boolean): boolean {
  return list?.here.some(({ key }) => isAsked(key)) === true;
}

/** Cuts a list after event `after`, and returns the removed part. */
function drop(list: Paged<Access> | undefined, after: number): Access[] {
  return list === undefined ? [] : list.cut(list.countUpTo(after));
}

/** The most accesses that are removed from a list one after the other. */
const FEW = 8;

/** Removes accesses from a list that is sorted by event, if they are there. */
function removeAll(list: Paged<Access>, accesses: readonly Access[]): void {
  if (accesses.length > FEW) {
    const gone = new Set(accesses);
    const first = accesses.reduce((least, { at }) => Math.min(least, at), NEVER);
    list.sweep(list.countUpTo(first - 1), (access) => gone.has(access));
    return;
  }
  for (const access of [...accesses].sort((a, b) => b.at - a.at)) list.remove(list.countUpTo(access.at - 1), access);
}

/** The segments of what two overlapping keys have in common: of each pair the one that is concrete. */
function commonPart(a: Key, b: Key): readonly string[] {
  const longer = a.segments.length > b.segments.length ? a : b;
  const shorter = longer === a ? b : a;
  return longer.segments.map((segment, index) => (segment === '*' ? (shorter.segments[index] ?? segment) : segment));
}

/** True where a key without wildcards is another one, or lies above it. */
function isAbove(segments: readonly string[], below: readonly string[]): boolean {
  return segments.length <= below.length && segments.every((segment, index) => segment === below[index]);
}
