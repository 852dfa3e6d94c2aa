/**
 * The context of a machine as a fold of changes (semantics.md §3, R1). Comparing references between two consecutive
 * contexts finds a change, so it costs the width of the containers on the changed path and not the size of the context.
 * Folding changes copies those containers and nothing else. A context that is changed in place cannot be seen this way.
 */
import { escapeSegment, type Key } from '../model/key.ts';

/** A path into a context: names of members, and indices of arrays as texts. */
export type Path = readonly string[];

/**
 * A change of a step at one place of the context. `append` adds to the end of an array and says nothing of the earlier
 * members.
 */
export type Change =
  | { readonly op: 'set'; readonly path: Path; readonly value: unknown }
  | { readonly op: 'delete'; readonly path: Path }
  | { readonly op: 'append'; readonly path: Path; readonly values: readonly unknown[] };

/** Containers deeper than this are compared and replaced as a whole. */
const DEEPEST = 64;

type Container = Record<string, unknown>;

/** The most paths that are known as one. A context with more of them has data for names. */
const PATHS = 16_384;

/** A place in a context: equal paths are one, so that what follows from a path is found by it. */
class PathNode {
  readonly path: Path;
  readonly #below = new Map<string, PathNode>();

  constructor(path: Path) {
    this.path = path;
  }

  /** The place of a member; `made` is told where it is new. */
  below(name: string, made: () => void): PathNode {
    const known = this.#below.get(name);
    if (known !== undefined) return known;
    const node = new PathNode([...this.path, name]);
    this.#below.set(name, node);
    made();
    return node;
  }
}

/** The paths of the contexts of one run: while there are not too many, equal ones are the same object. */
export class Paths {
  #root = new PathNode([]);
  #count = 0;
  readonly #made = () => {
    this.#count += 1;
  };

  /** The place of the whole context. */
  get root(): PathNode {
    if (this.#count > PATHS) {
      this.#root = new PathNode([]);
      this.#count = 0;
    }
    return this.#root;
  }

  /** The place of a member. */
  below(node: PathNode, name: string): PathNode {
    return node.below(name, this.#made);
  }
}

/** A comparison of two contexts. */
interface Comparison {
  readonly appendOnly: (path: Path) => boolean;
  readonly paths: Paths;
  readonly changes: Change[];
}

/**
 * Finds the changes that lead from one context to the next.
 * @param appendOnly true if the array at a path only ever grows at its end.
 * @param paths gives the paths of the changes.
 */
export function diff(
  before: unknown,
  after: unknown,
  appendOnly: (path: Path) => boolean,
  paths: Paths = new Paths(),
): Change[] {
  const changes: Change[] = [];
  if (!Object.is(before, after)) compare(before, after, paths.root, { appendOnly, paths, changes });
  return changes;
}

function compare(before: unknown, after: unknown, at: PathNode, to: Comparison): void {
  const { path } = at;
  const lists = Array.isArray(before) && Array.isArray(after);
  const isSearched = lists ? before.length <= after.length : isRecord(before) && isRecord(after);
  if (!isSearched || path.length >= DEEPEST) to.changes.push({ op: 'set', path, value: after });
  else if (lists && before.length < after.length && to.appendOnly(path) && isBeginning(before, after))
    to.changes.push({ op: 'append', path, values: after.slice(before.length) });
  else if (lists || !compareAlike(before as Container, after as Container, at, to))
    compareMembers(before as Container, after as Container, at, to);
}

function isBeginning(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.every((value, index) => Object.is(value, after[index]));
}

/**
 * Compares two records with the same names in the same order, as most steps leave them, by their places: twice to four times as fast as by
 * names. Answers false, and has found nothing, where the names differ.
 */
function compareAlike(old: Container, now: Container, at: PathNode, to: Comparison): boolean {
  const { changes, paths } = to;
  const found = changes.length;
  const names = Object.keys(old);
  const values = Object.values(old);
  let index = 0;
  for (const name in now) {
    if (name !== names[index]) {
      changes.length = found;
      return false;
    }
    const [was, value] = [values[index], now[name]];
    index += 1;
    // The sign of a zero is part of it.
    if ((was !== value || value === 0) && !Object.is(was, value)) compare(was, value, paths.below(at, name), to);
  }
  if (index === names.length) return true;
  changes.length = found;
  return false;
}

function compareMembers(old: Container, now: Container, at: PathNode, to: Comparison): void {
  const { changes, paths } = to;
  const names = Object.keys(now);
  let stayed = 0;
  for (const name of names) {
    const [was, value] = [old[name], now[name]];
    // A defined equal value was there before; only the others must be checked.
    const equal = Object.is(was, value);
    if (equal && value !== undefined) stayed += 1;
    else if (!Object.hasOwn(old, name)) changes.push({ op: 'set', path: paths.below(at, name).path, value });
    else {
      stayed += 1;
      if (!equal) compare(was, value, paths.below(at, name), to);
    }
  }
  const gone = Object.keys(old);
  if (stayed === gone.length) return;
  for (const name of gone) {
    if (!Object.hasOwn(now, name)) changes.push({ op: 'delete', path: paths.below(at, name).path });
  }
}

/** True if a value is an object without a class of its own: only those are searched for changes. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Folds changes into a context; the result shares every untouched container with it. */
export function fold(context: unknown, changes: Iterable<Change>): unknown {
  const folding = new Folding(context);
  folding.apply(changes);
  return folding.share();
}

/** A fold that goes on: a container is copied once, however many changes are folded into it before the context is shared. */
export class Folding {
  #context: unknown;
  /** The containers that this fold alone has made. */
  #own = new Set<unknown>();
  /** The number of containers that were copied. */
  copied = 0;

  constructor(context: unknown) {
    this.#context = context;
  }

  /** The context as it is until the next change. A caller keeps only plain values of it, or calls `share` first. */
  get context(): unknown {
    return this.#context;
  }

  /** The context for good: what it is made of is not changed any more. */
  share(): unknown {
    this.#own = new Set();
    return this.#context;
  }

  apply(changes: Iterable<Change>): void {
    for (const change of changes) this.#context = this.#place(this.#context, change, 0);
  }

  #place(at: unknown, change: Change, depth: number): unknown {
    const name = change.path[depth];
    if (name === undefined) return this.#ending(at, change);
    const own = this.#ownOf(at);
    if (change.op === 'delete' && depth === change.path.length - 1) delete own[name];
    else define(own, name, this.#place(Object.hasOwn(own, name) ? own[name] : undefined, change, depth + 1));
    return own;
  }

  #ownOf(at: unknown): Container {
    if (this.#own.has(at)) return at as Container;
    this.copied += 1;
    const copy: Container = Array.isArray(at) ? ([...at] as unknown as Container) : isRecord(at) ? copyOf(at) : {};
    this.#own.add(copy);
    return copy;
  }

  #ending(at: unknown, change: Change): unknown {
    if (change.op !== 'append') return change.op === 'set' ? change.value : undefined;
    const list = this.#ownOf(Array.isArray(at) ? at : []) as unknown as unknown[];
    for (const value of change.values) list.push(value);
    return list;
  }
}

/** The number of members from which on a record has data for names, and is a table to the engine. */
const TABLE = 256;

/** A record with the members of another one. */
function copyOf(record: Container): Container {
  const names = Object.keys(record);
  if (names.length < TABLE) return { ...record };
  // A record that lost members is a table from the start: to spread one makes a form for each member first, and takes four times as long.
  const copy: Container = { a: 0, b: 0 };
  delete copy.a;
  delete copy.b;
  for (const name of names) define(copy, name, record[name]);
  for (const symbol of Object.getOwnPropertySymbols(record)) Object.assign(copy, { [symbol]: record[symbol as never] });
  return copy;
}

/** Assigns a member without ever meeting a setter: `__proto__` is a name like any other. */
function define(record: Container, name: string, value: unknown): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, enumerable: true, configurable: true, writable: true });
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/;

/**
 * The key of a place in the context: `slots/0/value` (K4). `scheme` names the owner of the context where that is not
 * the machine itself.
 */
export function contextKey(path: Path, scheme?: readonly [string, string]): Key {
  return path.length === 1 && scheme === undefined ? memberKey(path[0] as string) : keyAt(path, scheme);
}

/** The keys of members of a context: nearly every step asks for one of the same few. */
const members = new Map<string, Key>();
/** The most names that are known. A context with more members has data for names. */
const MEMBERS = 1_024;

function memberKey(name: string): Key {
  const known = members.get(name);
  if (known !== undefined) return known;
  const key = keyAt([name]);
  if (members.size < MEMBERS) members.set(name, key);
  return key;
}

function keyAt(path: Path, scheme?: readonly [string, string]): Key {
  const escaped = path.map(escapeSegment);
  if (scheme !== undefined) {
    const [name, actor] = scheme;
    return { text: `${name}${[actor, ...escaped].join('/')}`, segments: [name, actor, ...escaped], pattern: false };
  }
  const [first] = escaped;
  if (first === undefined) return { text: '**', segments: [], pattern: true };
  // A member whose name looks like a scheme is still a member.
  if (SCHEME.test(first)) escaped[0] = first.replace(':', '%3A');
  return { text: escaped.join('/'), segments: escaped, pattern: false };
}
