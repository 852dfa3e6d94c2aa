/** Names and texts that both halves of the codec share. */
import type { ContextParts } from './contents/context-parts.ts';
import type { Begun, Met } from './contents/lists.ts';
import type { ValueCodec } from './value-codec.ts';

/** The only key of an object that stands for something else. */
export const TAG = '$';

/**
 * The number of containers that may enclose a value, in both directions: input may be hostile, and the codec walks it
 * recursively.
 */
export const CODEC_DEPTH = 256;

/** The reasons why a value has no text. */
export type Unencodable =
  | 'function'
  | 'symbol'
  /** A property with a getter or setter: its value depends on code. */
  | 'accessor'
  /** An instance of a class without a form of its own, or a Map, Set or Date with properties of its own. */
  | 'class'
  | 'cycle'
  | 'too_deep'
  | 'too_large'
  /** A value that cannot be inspected: a revoked proxy, a trap that throws. */
  | 'unreadable';

/** The text of a value and the size of the contents that it refers to, or the place of the first part that has no text. */
export type Encoded =
  | { readonly text: string; readonly held: number }
  | { readonly path: readonly string[]; readonly reason: Unencodable };

/** The number of containers that enclose the innermost value of a text, and its length with all that it refers to. */
export interface Measures {
  readonly height: number;
  readonly size: number;
}

/** The text of an object, as it was written. */
export interface Known {
  readonly text: string;
  readonly height: number;
  /** The size of what the text refers to. */
  readonly held: number;
}

/** Where long texts are stored. Answers with the references that stand for them. */
export interface Storing {
  put(text: string, measures: Measures): string;
  /** A list of which a part may be stored already. */
  list(members: readonly string[], measures: Measures, met: Met): string;
  /** The stored list that a list goes on from. */
  begun(value: readonly unknown[]): Begun | null;
  /** The text of an object that is as it was when it was written. */
  known(value: object): Known | null;
  /** @param hasClass its text came of a codec. */
  remember(value: object, known: Known, hasClass: boolean): void;
  readonly parts: ContextParts;
}

export interface EncodeOptions {
  /** The id of an actor reference, null for any other object. Asked for every object that is no array. */
  readonly reference?: (value: object) => string | null;
  /** The caller's codecs, asked in order for objects without a form of their own. */
  readonly codecs?: readonly ValueCodec[];
  /** Where long texts are stored, to be referred to; every text stands in its place without it. */
  readonly contents?: Storing | null;
  /** True for what a context is made of, which is never changed in place. */
  readonly isContext?: boolean;
}

/** Strings that equal their own JSON text, apart from the quotes. */
const PLAIN_TEXT = /^[ !#-[\]-~\u00a0-\ud7ff]*$/;

/** The text of a value that is no JSON value. */
export function tag(content: string): string {
  return `{"${TAG}":${content}}`;
}

/** The text of a string. */
export function quoted(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The text of a number. */
export function numberText(value: number): string {
  if (Object.is(value, -0)) return tag('"-0"');
  return Number.isFinite(value) ? `${value}` : tag(`"${value}"`);
}

/** The text of a value without members that is shorter than a limit: most of the changes of a step are such. Null for any other. */
function shortText(value: unknown, limit: number): string | null {
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean' || value === null) return `${value}`;
  if (typeof value !== 'string' || value.length >= limit) return null;
  const text = quoted(value);
  return text.length < limit ? text : null;
}

/** The text of a value that is shorter than a limit, where it is found without a pass over it; null for any other. */
export function shortOf(value: unknown, limit: number, reference: EncodeOptions['reference']): string | null {
  return shortText(value, limit) ?? shortRecord(value, limit, reference);
}

/** The most members of a record that is written at once. */
const FEW = 8;

/**
 * The text of a plain record with a few short members, shorter than a limit: most events are such. Null for any other
 * value, among them a value with code and a value that cannot be inspected.
 */
function shortRecord(value: unknown, limit: number, reference: EncodeOptions['reference']): string | null {
  if (typeof value !== 'object' || value === null) return null;
  try {
    if (Object.getPrototypeOf(value) !== Object.prototype || (reference?.(value) ?? null) !== null) return null;
    const names = Reflect.ownKeys(value);
    if (names.length > FEW) return null;
    let text = '';
    for (const name of names) {
      const descriptor = Object.getOwnPropertyDescriptor(value, name);
      if (typeof name !== 'string' || name === TAG || descriptor?.enumerable !== true || !('value' in descriptor))
        return null;
      const member = shortText(descriptor.value, limit);
      if (member === null) return null;
      text += `${text === '' ? '' : ','}${quoted(name)}:${member}`;
    }
    return text.length + 2 < limit ? `{${text}}` : null;
  } catch {
    return null;
  }
}
