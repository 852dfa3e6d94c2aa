/**
 * The forms that rows are made of. A form writes the text of a member and reads back the result of `JSON.parse`, so
 * that writing and reading cannot come apart. Only entry-table.ts says which member of which entry has which form.
 */
import type { InstanceId } from '../model/instance.ts';
import type { Key } from '../model/key.ts';
import type { ValuePlace } from './lost.ts';

/** Writes what a row calls by number, and the values that go through the codec. Each answers with JSON text. */
export interface RowWriter {
  name(text: string): string;
  /** Plain data whose JSON text is a name; it never changes. */
  named(value: unknown): string;
  /** A path into a context, whose JSON text is a name. */
  path(path: readonly string[]): string;
  instance(id: InstanceId): string;
  /** The text of a part that comes again as it is, once it was written; null for any other. */
  kept(part: object): string | null;
  /** Keeps the text of a part if it is one that comes again. @returns the text. */
  keep(part: object, text: string): string;
  /** `at` is the place of the value, for a report about a value without a text. */
  value(value: unknown, standing: ValuePlace, at: readonly string[]): string;
}

/** Reads back what a row calls by number. */
export interface RowReader {
  text(name: unknown): string;
  instance(name: unknown): InstanceId;
  /** @throws KeyError where the text is no key. */
  key(name: unknown): Key;
}

/** A member's text and how it is read. */
export interface Form<T> {
  write(value: T, to: RowWriter): string;
  read(stored: unknown, from: RowReader): T;
}

/** A whole number. */
export const count: Form<number> = { write: (value) => `${value}`, read: whole };

/** Numbers, texts and lists of them, as JSON has them. */
export function plain<T>(): Form<T> {
  return { write: (value) => JSON.stringify(value), read: (stored) => stored as T };
}

/** A value of the machine's or of a tool's, through the codec. */
export function value(standing: ValuePlace): Form<unknown> {
  return { write: (value, to) => to.value(value, standing, []), read: (stored) => stored };
}

/** A text that repeats. */
export const name: Form<string> = { write: (text, to) => to.name(text), read: (stored, from) => from.text(stored) };

/** An instance, whose name repeats. */
export const instance: Form<InstanceId> = {
  write: (id, to) => to.instance(id),
  read: (stored, from) => from.instance(stored),
};

/** A part that may come again as it is. */
export function kept<T extends object>(of: Form<T>): Form<T> {
  return { write: (part, to) => to.kept(part) ?? to.keep(part, of.write(part, to)), read: of.read };
}

/** Plain data that repeats: its JSON text is a name. */
export function named<T>(): Form<T> {
  return {
    write: (value, to) => to.named(value),
    read: (stored, from) => JSON.parse(from.text(stored)) as T,
  };
}

/** A path into a context: its JSON text is a name. */
export const path: Form<readonly string[]> = {
  write: (segments, to) => to.path(segments),
  read: (stored, from) => JSON.parse(from.text(stored)) as readonly string[],
};

/** One of some words, by its place among them. A place is never given another word. */
export function oneOf<T extends string>(words: readonly T[]): Form<T> {
  return { write: (word) => `${words.indexOf(word)}`, read: (stored) => words[stored as number] as T };
}

/** A list. */
export function list<T>(of: Form<T>): Form<readonly T[]> {
  return {
    write: (items, to) => {
      if (items.length === 0) return '[]';
      let text = '';
      for (const item of items) text += text === '' ? of.write(item, to) : `,${of.write(item, to)}`;
      return `[${text}]`;
    },
    read: (stored, from) => (stored as unknown[]).map((item) => of.read(item, from)),
  };
}

/** A list whose items lie in it one after the other, each as its two parts. */
export function flat<T, A, B>(
  a: Form<A>,
  b: Form<B>,
  parts: (item: T) => [A, B],
  item: (a: A, b: B) => T,
): Form<readonly T[]> {
  return {
    write: (items, to) => {
      let text = '';
      for (const each of items) {
        const [first, second] = parts(each);
        text += `${text === '' ? '' : ','}${a.write(first, to)},${b.write(second, to)}`;
      }
      return `[${text}]`;
    },
    read: (stored, from) => {
      const found: T[] = [];
      const all = stored as unknown[];
      for (let index = 0; index < all.length; index += 2)
        found.push(item(a.read(all[index], from), b.read(all[index + 1], from)));
      return found;
    },
  };
}

/** A form for a value that may be null. */
export function orNull<T>(of: Form<T>): Form<T | null> {
  return {
    write: (value, to) => (value === null ? 'null' : of.write(value, to)),
    read: (stored, from) => (stored === null ? null : of.read(stored, from)),
  };
}

/** A form for a value that may be null: 0, or a list of one. */
export function orZero<T>(of: Form<T>): Form<T | null> {
  return {
    write: (value, to) => (value === null ? '0' : `[${of.write(value, to)}]`),
    read: (stored, from) => (stored === 0 ? null : of.read((stored as unknown[])[0], from)),
  };
}

/** A form for a value that may be null: an empty list, or a list of one. */
export function orEmpty<T>(of: Form<T>): Form<T | null> {
  return {
    write: (value, to) => (value === null ? '[]' : `[${of.write(value, to)}]`),
    read: (stored, from) => ((stored as unknown[]).length === 0 ? null : of.read((stored as unknown[])[0], from)),
  };
}

/** True or false: a list of one, or an empty list. */
export const flag: Form<boolean> = {
  write: (is) => (is ? '[1]' : '[]'),
  read: (stored) => (stored as unknown[]).length > 0,
};

function whole(stored: unknown): number {
  if (Number.isSafeInteger(stored)) return stored as number;
  throw new TypeError('has something else where a whole number belongs');
}
