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

/**
 * Finds the changes that lead from one context to the next.
 * @param appendOnly true if the array at a path only ever grows at its end.
 */
export function diff(before: unknown, after: unknown, appendOnly: (path: Path) => boolean): Change[] {
  const changes: Change[] = [];
  if (!Object.is(before, after)) compare(before, after, [], appendOnly, changes);
  return changes;
}

function compare(
  before: unknown,
  after: unknown,
  path: Path,
  appendOnly: (path: Path) => boolean,
  changes: Change[],
): void {
  const lists = Array.isArray(before) && Array.isArray(after);
  const isSearched = lists ? before.length <= after.length : isRecord(before) && isRecord(after);
  if (!isSearched || path.length >= DEEPEST) changes.push({ op: 'set', path, value: after });
  else if (lists && before.length < after.length && appendOnly(path) && isBeginning(before, after))
    changes.push({ op: 'append', path, values: after.slice(before.length) });
  else compareMembers(before as Container, after as Container, path, appendOnly, changes);
}

function isBeginning(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.every((value, index) => Object.is(value, after[index]));
}

function compareMembers(
  old: Container,
  now: Container,
  path: Path,
  appendOnly: (path: Path) => boolean,
  changes: Change[],
): void {
  const names = Object.keys(now);
  let stayed = 0;
  for (const name of names) {
    const [was, value] = [old[name], now[name]];
    // A defined equal value was there before; only the others must be checked.
    const equal = Object.is(was, value);
    if (equal && value !== undefined) stayed += 1;
    else if (!Object.hasOwn(old, name)) changes.push({ op: 'set', path: [...path, name], value });
    else {
      stayed += 1;
      if (!equal) compare(was, value, [...path, name], appendOnly, changes);
    }
  }
  const gone = Object.keys(old);
  if (stayed === gone.length) return;
  for (const name of gone) {
    if (!Object.hasOwn(now, name)) changes.push({ op: 'delete', path: [...path, name] });
  }
}

/** True if a value is an object without a class of its own: only those are searched for changes. */
function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Folds changes into a context; the result shares with it what they do not touch. */
export function fold(context: unknown, changes: Iterable<Change>): unknown {
  let result = context;
  for (const change of changes) result = place(result, change, 0);
  return result;
}

function place(at: unknown, change: Change, depth: number): unknown {
  const name = change.path[depth];
  if (name === undefined) return ending(at, change);
  const copy: Container = Array.isArray(at) ? ([...at] as unknown as Container) : isRecord(at) ? { ...at } : {};
  if (change.op === 'delete' && depth === change.path.length - 1) delete copy[name];
  else define(copy, name, place(Object.hasOwn(copy, name) ? copy[name] : undefined, change, depth + 1));
  return copy;
}

function ending(at: unknown, change: Change): unknown {
  if (change.op === 'append') return [...(Array.isArray(at) ? at : []), ...change.values];
  return change.op === 'set' ? change.value : undefined;
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
  if (escaped.length === 0) return { text: '**', segments: [], pattern: true };
  // A member whose name looks like a scheme is still a member.
  const [first = '', ...rest] = escaped;
  const segments = [SCHEME.test(first) ? first.replace(':', '%3A') : first, ...rest];
  return { text: segments.join('/'), segments, pattern: false };
}
