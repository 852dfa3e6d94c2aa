/** The values of an expression and the operations on two of them, each at a cost that the question's meter counts. */
import { Failed, isList, isTable, type List, ownMember, type Table } from './own.ts';

/** The cost that one question may have: about one unit for each member that is looked at, and for each 64 characters of a text. */
const BUDGET = 10_000;
/** The deepest level of a comparison. */
const DEEPEST = 64;

/** A value that may be absent, as `memory.?a` gives it. */
export class Optional {
  readonly held: unknown;

  constructor(held: unknown) {
    this.held = held;
  }
}

/** The absent value. */
export const NONE = new Optional(undefined);

/** The text of an error of cost. */
const COSTLY = new Failed(`too_costly: the question looks at more than ${BUDGET} members`);

/** Counts what a question costs. Once it is spent, it stays spent, so that no operator can absorb that. */
export class Meter {
  #left = BUDGET;

  /** Pays a cost; an error once the budget is spent. */
  pay(units: number): Failed | null {
    this.#left -= units;
    return this.#left < 0 ? COSTLY : null;
  }

  /** Pays for reading a text; short ones come with what holds them. */
  payText(text: string): Failed | null {
    return this.pay(text.length >>> 6);
  }

  /** The error to answer with once the budget is spent; null before. */
  get spent(): Failed | null {
    return this.#left < 0 ? COSTLY : null;
  }
}

/** The name of a value's kind in a reason. */
export function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Optional) return 'an optional value';
  if (isList(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  return value === undefined ? 'nothing' : `a ${typeof value === 'bigint' ? 'number' : typeof value}`;
}

/** The keys of a map; pays for each. */
export function keysOf(table: Table, meter: Meter): readonly string[] | Failed {
  if (meter.spent !== null) return meter.spent;
  const keys = Object.keys(table);
  return meter.pay(keys.length) ?? keys;
}

/**
 * A member of a container by name or index; undefined where it is absent. A value that cannot have members is an error,
 * except null, which has none.
 */
export function memberOf(container: unknown, key: unknown, meter: Meter): unknown {
  const costly = meter.pay(1);
  if (costly !== null) return costly;
  if (isList(container)) {
    const index = typeof key === 'bigint' ? Number(key) : key;
    if (typeof index !== 'number' || !Number.isInteger(index)) return new Failed(`a list has no index ${nameOf(key)}`);
    return index < 0 || index >= container.length ? undefined : (ownMember(container, index) ?? null);
  }
  if (isTable(container)) {
    return typeof key === 'string'
      ? ownMember(container, key)
      : new Failed(`a map is keyed by text, and the index is ${nameOf(key)}: use string(...)`);
  }
  return container === null ? undefined : new Failed(`${nameOf(container)} has no members`);
}

/** True if two values are equal, all the way down. Values of different kinds are not; a number is equal to a number. */
export function equal(a: unknown, b: unknown, meter: Meter, depth = 0): boolean | Failed {
  if (a instanceof Failed) return a;
  if (b instanceof Failed) return b;
  const costly = meter.pay(1);
  if (costly !== null) return costly;
  if (typeof a === 'string' && typeof b === 'string')
    return a.length === b.length ? (meter.payText(a) ?? a === b) : false;
  // biome-ignore lint/suspicious/noDoubleEquals: 3 and 3n are the same number
  if (isNumber(a) && isNumber(b)) return a == b;
  if (a instanceof Optional || b instanceof Optional)
    return new Failed('an optional value is compared: use orValue(...)');
  if (depth > DEEPEST) return new Failed(`too_costly: the values are nested more than ${DEEPEST} deep`);
  if (isList(a) && isList(b)) return equalLists(a, b, meter, depth);
  if (isTable(a) && isTable(b)) return equalTables(a, b, meter, depth);
  return a === b;
}

function equalLists(a: List, b: List, meter: Meter, depth: number): boolean | Failed {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) {
    const same = equal(ownMember(a, index) ?? null, ownMember(b, index) ?? null, meter, depth + 1);
    if (same !== true) return same;
  }
  return true;
}

function equalTables(a: Table, b: Table, meter: Meter, depth: number): boolean | Failed {
  const [keys, others] = [keysOf(a, meter), keysOf(b, meter)];
  if (keys instanceof Failed) return keys;
  if (others instanceof Failed) return others;
  if (keys.length !== others.length) return false;
  for (const key of keys) {
    if (!Object.hasOwn(b, key)) return false;
    const same = equal(ownMember(a, key), ownMember(b, key), meter, depth + 1);
    if (same !== true) return same;
  }
  return true;
}

/** True if a value is a number, whole or not. */
function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Orders two numbers, two texts or two booleans. */
export function compare(op: '<' | '<=' | '>' | '>=', a: unknown, b: unknown, meter: Meter): boolean | Failed {
  const alike = typeof a === typeof b && (typeof a === 'string' || typeof a === 'boolean');
  const fits = alike || (isNumber(a) && isNumber(b));
  if (!fits) return new Failed(`${nameOf(a)} ${op} ${nameOf(b)} has no meaning`);
  const costly = typeof a === 'string' ? meter.payText(a) : null;
  if (costly !== null) return costly;
  const [x, y] = [a as number, b as number];
  switch (op) {
    case '<':
      return x < y;
    case '<=':
      return x <= y;
    case '>':
      return x > y;
    case '>=':
      return x >= y;
  }
}

const LEAST = -(2n ** 63n);
const GREATEST = 2n ** 63n - 1n;

/** Adds texts; reckons with two whole numbers (of 64 bits, division cuts off) or with two that are not whole. */
export function reckon(op: '+' | '-' | '*' | '/' | '%', a: unknown, b: unknown, meter: Meter): unknown {
  if (op === '+' && typeof a === 'string' && typeof b === 'string') {
    const text = a + b;
    return meter.payText(text) ?? text;
  }
  if (typeof a === 'bigint' && typeof b === 'bigint') return whole(op, a, b);
  if (typeof a === 'number' && typeof b === 'number' && op !== '%') return broken(op, a, b);
  return new Failed(`${nameOf(a)} ${op} ${nameOf(b)} has no meaning`);
}

function whole(op: '+' | '-' | '*' | '/' | '%', a: bigint, b: bigint): bigint | Failed {
  if ((op === '/' || op === '%') && b === 0n) return new Failed('division by zero');
  const results = { '+': () => a + b, '-': () => a - b, '*': () => a * b, '/': () => a / b, '%': () => a % b };
  return within(results[op]());
}

function broken(op: '+' | '-' | '*' | '/', a: number, b: number): number {
  const results = { '+': a + b, '-': a - b, '*': a * b, '/': a / b };
  return results[op];
}

/** A whole number, where it has at most 64 bits. */
export function within(value: bigint): bigint | Failed {
  return value >= LEAST && value <= GREATEST ? value : new Failed('a whole number has more than 64 bits');
}

/** A value as JSON holds it: plain maps and lists, and numbers that are exact. */
export function plainOf(value: unknown, depth = 0): unknown {
  if (value instanceof Failed) return value;
  if (value instanceof Optional) return new Failed('the value is optional: use orValue(...)');
  if (depth > DEEPEST) return new Failed(`too_costly: the value is nested more than ${DEEPEST} deep`);
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : new Failed('a whole number is too large for JSON');
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : new Failed('the number is not finite');
  if (isList(value)) return plainList(value, depth);
  return isTable(value) ? plainTable(value, depth) : (value ?? null);
}

function plainList(list: List, depth: number): unknown {
  const members: unknown[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const member = plainOf(ownMember(list, index), depth + 1);
    if (member instanceof Failed) return member;
    members.push(member);
  }
  return members;
}

function plainTable(table: Table, depth: number): unknown {
  const members: [string, unknown][] = [];
  for (const name of Object.keys(table)) {
    const member = plainOf(ownMember(table, name), depth + 1);
    if (member instanceof Failed) return member;
    members.push([name, member]);
  }
  return Object.fromEntries(members);
}
