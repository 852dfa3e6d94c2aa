/** The tree of the keys of a history: a node for each part of a key, with the accesses of that key and of all below it. */
import type { Key } from '../model/key.ts';
import { Paged } from './paged.ts';
import type { InstanceRecord } from './registry.ts';

/** One read or write. A write that is not blind and no append is also a read of its own key (K6). */
export interface Access {
  readonly at: number;
  readonly by: InstanceRecord;
  readonly key: Key;
}

/** A part of a key. */
export interface KeyNode {
  children: Map<string, KeyNode> | undefined;
  /** The key of its first access. */
  key: Key | undefined;
  /** The reads of exactly this key. */
  readonly reads: Paged<Access>;
  /** The reads of this key and of all below it. Where none falls between a write and its cover, nothing is walked. */
  readonly below: Paged<Access>;
  /** The writes of exactly this key that cover all below it: concrete ones, no appends (K6). */
  readonly covers: Paged<Access>;
}

/** The node below another one, made where it is not there. */
export function childOf(parent: KeyNode, segment: string): KeyNode {
  parent.children ??= new Map();
  const known = parent.children.get(segment);
  if (known !== undefined) return known;
  const child = emptyNode();
  parent.children.set(segment, child);
  return child;
}

/** A part of no key yet. */
export function emptyNode(): KeyNode {
  return { children: undefined, key: undefined, reads: new Paged(), below: new Paged(), covers: new Paged() };
}

/** The nodes that lead to a key, from the root of a tree on. */
export function pathTo(root: KeyNode, key: Key): KeyNode[] {
  const path = [root];
  for (const segment of key.segments) path.push(childOf(path.at(-1) as KeyNode, segment));
  return path;
}

/** The node of a key, made where it is not there. */
export function leafOf(root: KeyNode, key: Key): KeyNode {
  let node = root;
  for (const segment of key.segments) node = childOf(node, segment);
  return node;
}
