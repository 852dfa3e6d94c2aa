/**
 * Reads facts without ever running them: own data properties of plain objects and arrays, and nothing else. A getter, a
 * proxy, a function, a Map, a Date or an instance of a class is no data, and a question about it is an error, never an
 * absence.
 */
import { types } from 'node:util';

/** The reason why an expression has no value. */
export class Failed {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** A list of facts. */
export type List = readonly unknown[];
/** A map of facts, keyed by text. */
export type Table = Readonly<Record<string, unknown>>;

/** True if a value is a list. Only for values that `admit` let through. */
export function isList(value: unknown): value is List {
  return Array.isArray(value);
}

/** True if a value is a map. Only for values that `admit` let through. */
export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isPlain(value);
}

/** Lets data through and turns everything else into an error that names it. */
export function admit(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'bigint':
    case 'undefined':
      return value;
    case 'object':
      if (value === null) return value;
      if (types.isProxy(value)) return new Failed('no_data: a proxy');
      if (Array.isArray(value) || isPlain(value)) return value;
      return new Failed(`no_data: ${kindOf(value)}`);
    default:
      return new Failed(`no_data: a ${typeof value}`);
  }
}

/** The own member of a list or a map by its name; undefined where there is none. */
export function ownMember(of: object, name: string | number): unknown {
  const property = Object.getOwnPropertyDescriptor(of, name);
  if (property === undefined) return undefined;
  if (!('value' in property)) return new Failed('no_data: a getter');
  return admit(property.value);
}

/** Follows names from a value down; undefined where the path ends early, a `Failed` where it leaves the data. */
export function ownPath(from: unknown, names: readonly string[]): unknown {
  let value = admit(from);
  for (const name of names) {
    if (value === undefined || value === null || value instanceof Failed) break;
    if (isList(value)) value = /^(0|[1-9]\d{0,15})$/.test(name) ? ownMember(value, name) : undefined;
    else value = isTable(value) ? ownMember(value, name) : undefined;
  }
  return value;
}

/** Plain objects of other realms have a prototype of their own, and nothing above it. */
function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return (
    !types.isProxy(prototype) && Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
  );
}

function kindOf(value: object): string {
  if (types.isMap(value)) return 'a Map';
  if (types.isSet(value)) return 'a Set';
  if (types.isDate(value)) return 'a Date';
  return 'an instance of a class';
}
