/**
 * The texts of objects that were written before. An object may have been changed in place since, so its members are compared with those that it
 * had, which costs their number and not their length. Only objects without code and without a class are remembered.
 */

import type { Known } from '../codec-form.ts';

/** The members of an object when it was written. */
interface Shape {
  readonly of: object;
  readonly prototype: unknown;
  readonly names: readonly string[];
  readonly members: readonly unknown[];
  /** Those of its members, where they are objects. */
  readonly inner: readonly Shape[];
  /** True where neither it nor anything in it can be changed any more. */
  readonly frozen: boolean;
}

/** The most objects that are remembered as one. */
const LIMIT = 64;

/** The objects that one run has written. */
export class ContentMemo {
  readonly #known = new WeakMap<object, Known & { readonly shape: Shape }>();
  #isUsed = false;

  /** The text of an object that is as it was when it was written. May throw where the object cannot be inspected. */
  known(value: object): Known | null {
    const known = this.#isUsed ? this.#known.get(value) : undefined;
    return known !== undefined && isAsBefore(known.shape) ? known : null;
  }

  /** Remembers the text of an object, unless too much is in it. */
  remember(value: object, known: Known): void {
    const shape = shapeOf(value, { left: LIMIT });
    if (shape === null) return;
    this.#isUsed = true;
    this.#known.set(value, { ...known, shape });
  }
}

function shapeOf(value: object, budget: { left: number }): Shape | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isList = Array.isArray(value) && prototype === Array.prototype;
  if (!isList && prototype !== Object.prototype && prototype !== null) return null;
  const names = Object.keys(value);
  budget.left -= 1 + names.length;
  if (budget.left < 0) return null;
  const members: unknown[] = [];
  const inner: Shape[] = [];
  for (const name of names) {
    const member: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
    members.push(member);
    if (typeof member !== 'object' || member === null) continue;
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
    const name = names[index] as string;
    if (now[index] !== name) return false;
    const descriptor = Object.getOwnPropertyDescriptor(of, name);
    if (descriptor === undefined || !descriptor.enumerable || !('value' in descriptor)) return false;
    if (!Object.is(descriptor.value, members[index])) return false;
  }
  for (const each of inner) if (!isAsBefore(each)) return false;
  return true;
}
