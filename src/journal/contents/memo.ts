/**
 * The texts of objects that were written before. An object may have been changed in place since, so its members are
 * compared with the members at the writing; that costs their number and not their length. Only objects without code are
 * remembered, and objects of a class only if the codec says that the form follows from the members.
 */

import type { Known } from '../codec-form.ts';

/** The members of an object when it was written. */
interface Shape {
  readonly of: object;
  readonly prototype: unknown;
  readonly names: readonly PropertyKey[];
  readonly members: readonly unknown[];
  /** Those of its members, where they are objects. */
  readonly inner: readonly Shape[];
  /** True where neither it nor anything in it can be changed any more. */
  readonly frozen: boolean;
}

/** The most objects that are remembered as one, and the most of one with a class: a message has each of its parts twice. */
const LIMIT = 64;
const LIMIT_OF_CLASS = 256;

/** The objects that one run has written. */
export class ContentMemo {
  readonly #known = new WeakMap<object, Known & { readonly shape: Shape }>();
  #isUsed = false;
  /** The objects that were held against their members in the group of rows that is being written; null outside of one. */
  #seen: Set<object> | null = null;
  #isGroup = false;

  /** Begins or ends a group of rows: no value is changed in the middle of one. */
  group(isOpen: boolean): void {
    this.#isGroup = isOpen;
    this.#seen = null;
  }

  /** The text of an object that is as it was when it was written. May throw where the object cannot be inspected. */
  known(value: object): Known | null {
    const known = this.#isUsed ? this.#known.get(value) : undefined;
    if (known === undefined || this.#seen?.has(value)) return known ?? null;
    if (!isAsBefore(known.shape)) return null;
    if (this.#isGroup) this.#seen = (this.#seen ?? new Set()).add(value);
    return known;
  }

  /** Remembers the text of an object, unless too much is in it. */
  remember(value: object, known: Known, hasClass: boolean): void {
    const shape = hasClass ? shapeOfClass(value) : shapeOf(value, { left: LIMIT, of: new Set() });
    if (shape === null) return;
    this.#isUsed = true;
    this.#known.set(value, { ...known, shape });
  }
}

/** The room that is left for a shape, and the objects that are in it already. */
interface Budget {
  left: number;
  readonly of: Set<object>;
}

function shapeOf(value: object, budget: Budget): Shape | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isList = Array.isArray(value) && prototype === Array.prototype;
  if (isList && value.length > budget.left) return null;
  if (!isList && prototype !== Object.prototype && prototype !== null) return null;
  return shapeWith(value, prototype, Object.keys(value), budget);
}

function shapeOfClass(value: object): Shape | null {
  const budget = { left: LIMIT_OF_CLASS, of: new Set<object>() };
  return shapeWith(value, Object.getPrototypeOf(value), Reflect.ownKeys(value), budget);
}

function shapeWith(value: object, prototype: unknown, names: readonly PropertyKey[], budget: Budget): Shape | null {
  budget.left -= 1 + names.length;
  if (budget.left < 0) return null;
  budget.of.add(value);
  const members: unknown[] = [];
  const inner: Shape[] = [];
  for (const name of names) {
    const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
    members.push(member);
    if (typeof member !== 'object' || member === null || budget.of.has(member)) continue;
    const shape = shapeOf(member, budget);
    if (shape === null) return null;
    inner.push(shape);
  }
  const frozen = Object.isFrozen(value) && inner.every((each) => each.frozen);
  return { of: value, prototype, names, members, inner, frozen };
}

function isAsBefore(shape: Shape): boolean {
  if (shape.frozen) return true;
  const { of, prototype, names, members, inner } = shape;
  if (Object.getPrototypeOf(of) !== prototype) return false;
  const now = Reflect.ownKeys(of);
  // Of an array, its length is a key of its own.
  if (now.length !== names.length + (Array.isArray(of) ? 1 : 0)) return false;
  if (Array.isArray(of) && of.length !== names.length) return false;
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as PropertyKey;
    if (now[index] !== name) return false;
    const descriptor = Object.getOwnPropertyDescriptor(of, name);
    if (descriptor === undefined || !descriptor.enumerable || !('value' in descriptor)) return false;
    if (!Object.is(descriptor.value, members[index])) return false;
  }
  for (const each of inner) if (!isAsBefore(each)) return false;
  return true;
}
