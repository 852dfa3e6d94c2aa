/**
 * The arguments of exported functions, checked against the kinds that each function takes: a caller without types
 * receives the name of the missing argument.
 */
import { CodedError } from './coded-error.ts';

/** An argument that an exported function cannot take. The message names it, and says what the function takes there. */
export class ArgumentError extends CodedError<'bad_argument'> {
  override readonly name = 'ArgumentError';

  constructor(message: string) {
    super('bad_argument', message);
  }
}

/** The values that a place takes: in words, and as a test. `fields` are looked at in a value that passes the test. */
export interface Taken {
  readonly words: string;
  takes(value: unknown): boolean;
  readonly fields?: Readonly<Record<string, Taken>>;
  /** Each element of a list, or each value of an object. */
  readonly each?: Taken;
}

/** The kinds of values of an object's fields, each of them. */
export type Fields<T> = { readonly [K in keyof Required<T>]: Taken };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const TEXT = kind('a text', (value) => typeof value === 'string');
export const NAME = kind('a text that is not empty', (value) => typeof value === 'string' && value !== '');
export const NUMBER = kind('a number', (value) => typeof value === 'number' && !Number.isNaN(value));
export const FLAG = kind('true or false', (value) => typeof value === 'boolean');
export const CODE = kind('a function', (value) => typeof value === 'function');
export const OBJECT = kind('an object', isObject);
export const ANYTHING = kind('anything', () => true);
export const LIST = kind('a list', Array.isArray);
export const ROWS = kind('the rows of a run, in their order', (value) => isObject(value) && Symbol.iterator in value);

/** A kind of values of its own. */
export function kind(words: string, takes: (value: unknown) => boolean): Taken {
  return { words, takes };
}

/** One of some texts. */
export function oneOf(...texts: readonly string[]): Taken {
  return kind(`one of ${texts.join(', ')}`, (value) => texts.includes(value as string));
}

/** The values of another kind, or none. */
export function optional(taken: Taken): Taken {
  return { ...taken, takes: (value) => value === undefined || taken.takes(value) };
}

/** The values of another kind, or null. */
export function nullable(taken: Taken): Taken {
  return { ...taken, words: `${taken.words}, or null`, takes: (value) => value === null || taken.takes(value) };
}

/** An object whose fields are looked at. */
export function shape<T extends object>(words: string, fields: Fields<T>): Taken {
  return { words, takes: isObject, fields };
}

/** An object that has functions of these names. */
export function having(words: string, ...names: readonly string[]): Taken {
  return kind(
    words,
    (value) => isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function'),
  );
}

/** A list whose elements are of a kind. */
export function listOf(each: Taken): Taken {
  return { words: `a list, each ${each.words}`, takes: Array.isArray, each };
}

/** An object whose values are of a kind. */
export function namedBy(each: Taken): Taken {
  return { words: `an object, each value ${each.words}`, takes: isObject, each };
}

/** Refuses arguments of a function that it cannot take, the first by their order. @throws ArgumentError */
export function refuseOther(
  called: string,
  args: Readonly<Record<string, readonly [value: unknown, taken: Taken]>>,
): void {
  for (const [name, [value, taken]] of Object.entries(args)) {
    const found = wrongIn(value, taken, name);
    if (found !== null) throw new ArgumentError(`${called}: ${found}`);
  }
}

/** Says what is wrong with a value, at a place; null where nothing is. */
function wrongIn(value: unknown, taken: Taken, at: string): string | null {
  if (!taken.takes(value)) return `${at} ${stateOf(value)}. It takes ${taken.words}.`;
  if (!isObject(value)) return null;
  const inside = Object.entries(taken.fields ?? {}).map(([field, of]) => [field, of] as const);
  const each = taken.each;
  if (each !== undefined) inside.push(...Object.keys(value).map((field) => [field, each] as const));
  for (const [field, of] of inside) {
    const found = wrongIn(Reflect.get(value, field), of, Array.isArray(value) ? `${at}[${field}]` : `${at}.${field}`);
    if (found !== null) return found;
  }
  return null;
}

/** The kind of a value that is refused; never the value, which may be a secret. */
function stateOf(value: unknown): string {
  if (value === undefined) return 'is missing';
  if (value === null || value === '') return value === null ? 'is null' : 'is empty';
  return Array.isArray(value) ? 'is a list' : `is ${typeof value === 'object' ? 'an object' : `a ${typeof value}`}`;
}
