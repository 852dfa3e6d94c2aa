/**
 * The reading half of the codec: from the result of JSON.parse to the value. It trusts nothing: a tag that `encode`
 * does not write is `journal_corrupt`, and so is a nesting that `encode` refuses. Own keys named `__proto__` stay own
 * keys.
 */
import { CODEC_DEPTH, TAG } from './codec-form.ts';
import { JournalError } from './journal.ts';
import { Coded, remember } from './value-codec.ts';

export interface ReviveOptions {
  /** Makes the value of an actor reference; by default an object that holds its id and nothing else. */
  readonly resolve?: (id: string) => unknown;
  /** Makes the value that a named codec has written; by default an object that holds the codec's name and the form. */
  readonly decode?: (codec: string, form: unknown) => unknown;
  /** A content by its number; by default there is none. */
  readonly content?: (number: unknown) => ReadContent;
  /** The number of containers that enclose the encoded values; none by default. */
  readonly around?: number;
}

/**
 * A content of a journal: its value, the depth of its containers, and the length of its text with all references
 * written out.
 */
export interface ReadContent {
  readonly value: unknown;
  readonly height: number;
  readonly size: number;
}

/** A value, the depth of its containers, and the size of the contents that it refers to. */
export interface Measured {
  readonly value: unknown;
  readonly height: number;
  readonly held: number;
}

type Parsed = Record<string, unknown>;
interface Hooks extends Required<Omit<ReviveOptions, 'around'>> {
  /** The deepest place of a container so far. */
  deepest: number;
  held: number;
}

const SCALARS: ReadonlyMap<unknown, unknown> = new Map<string, unknown>([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);
const DIGITS = /^(0|-?[1-9][0-9]{0,62000})$/;
const DATE_LIMIT = 8.64e15;

/**
 * The value that was encoded. `parsed` is used up: its containers become containers of the value.
 * @throws JournalError `journal_corrupt`, and whatever `resolve` throws.
 */
export function revive(parsed: unknown, options: ReviveOptions = {}): unknown {
  return reviveMeasured(parsed, options).value;
}

/**
 * The value that was encoded, and its measures.
 * @throws JournalError `journal_corrupt`, and whatever `resolve` throws.
 */
export function reviveMeasured(parsed: unknown, options: ReviveOptions = {}): Measured {
  const { resolve = (id) => ({ id }), decode = (codec, form) => new Coded(codec, form), around = 0 } = options;
  const { content = noContent } = options;
  const hooks: Hooks = { resolve, decode, content, deepest: -1 - around, held: 0 };
  const value = revived(parsed, -around, hooks);
  return { value, height: hooks.deepest + around + 1, held: hooks.held };
}

function noContent(number: unknown): never {
  throw corrupt(`refers to content ${String(number)}, and there is none`);
}

function revived(parsed: unknown, depth: number, hooks: Hooks): unknown {
  if (typeof parsed !== 'object' || parsed === null) return parsed;
  // One level more than in `encode`, for the tag of a scalar in the innermost container.
  if (depth > CODEC_DEPTH) throw tooDeep();
  if (depth > hooks.deepest) hooks.deepest = depth;
  if (Array.isArray(parsed)) return members(parsed, depth, hooks);
  return Object.hasOwn(parsed, TAG) ? tagged(parsed as Parsed, depth, hooks) : record(parsed as Parsed, depth, hooks);
}

function record(parsed: Parsed, depth: number, hooks: Hooks): Parsed {
  for (const key of Object.keys(parsed)) {
    const before = parsed[key];
    const after = revived(before, depth + 1, hooks);
    // The assignment finds an own property named __proto__ too: JSON.parse made it an own property.
    if (!Object.is(after, before)) parsed[key] = after;
  }
  return parsed;
}

function members(parsed: unknown[], depth: number, hooks: Hooks): unknown[] {
  for (let index = 0; index < parsed.length; index += 1) {
    const before = parsed[index];
    if (isHole(before)) {
      delete parsed[index];
      continue;
    }
    const after = revived(before, depth + 1, hooks);
    if (!Object.is(after, before)) parsed[index] = after;
  }
  return parsed;
}

function isHole(parsed: unknown): boolean {
  if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, TAG)) return false;
  return (parsed as Parsed)[TAG] === 'hole' && Object.keys(parsed).length === 1;
}

function tagged(parsed: Parsed, depth: number, hooks: Hooks): unknown {
  if (Object.keys(parsed).length !== 1) throw corrupt(`has keys beside the tag "${TAG}"`);
  const content = parsed[TAG];
  if (SCALARS.has(content)) return SCALARS.get(content);
  if (typeof content === 'number') return revivedContent(content, depth, hooks);
  if (!Array.isArray(content)) throw corrupt('has an empty tag');
  const [kind, ...rest] = content as unknown[];
  const form = typeof kind === 'string' ? FORMS.get(kind) : undefined;
  if (form === undefined) throw corrupt(`has a tag of unknown kind`);
  return form(rest, depth, hooks);
}

type Form = (rest: unknown[], depth: number, hooks: Hooks) => unknown;

const FORMS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['bigint', ([digits, ...more]) => BigInt(matching('bigint', digits, more, (text) => DIGITS.test(text)))],
  ['date', revivedDate],
  ['bytes', revivedBytes],
  ['error', revivedError],
  ['map', revivedMap],
  ['set', revivedSet],
  ['ref', ([id, ...more], _depth, hooks) => hooks.resolve(matching('ref', id, more, () => true))],
  ['object', revivedObject],
  ['codec', revivedCoded],
]);

function revivedDate([time, ...more]: unknown[]): Date {
  const valid = time === null || (Number.isInteger(time) && Math.abs(time as number) <= DATE_LIMIT);
  if (!valid || more.length > 0) throw malformed('date');
  return new Date(time === null ? Number.NaN : (time as number));
}

function revivedBytes([base64, ...more]: unknown[]): Uint8Array {
  let bytes = Buffer.alloc(0);
  matching('bytes', base64, more, (text) => {
    bytes = Buffer.from(text, 'base64');
    return bytes.toString('base64') === text;
  });
  return new Uint8Array(bytes);
}

function revivedError(rest: unknown[]): Error {
  const [name, message, code] = rest;
  const strings = rest.every((part) => typeof part === 'string');
  if (!strings || rest.length < 2 || rest.length > 3) throw malformed('error');
  const error = new Error(message as string);
  // The stack of this reader would say nothing about the written error.
  Object.defineProperty(error, 'stack', { value: `${name}: ${message}`, writable: true, configurable: true });
  if (name !== 'Error') Object.defineProperty(error, 'name', { value: name, writable: true, configurable: true });
  return code === undefined ? error : Object.assign(error, { code });
}

function revivedMap(rest: unknown[], depth: number, hooks: Hooks): unknown {
  if (rest.length % 2 !== 0) throw malformed('map');
  const map = new Map<unknown, unknown>();
  for (let index = 0; index < rest.length; index += 2) {
    map.set(revived(rest[index], depth + 1, hooks), revived(rest[index + 1], depth + 1, hooks));
  }
  if (map.size !== rest.length / 2) throw malformed('map');
  return map;
}

function revivedSet(rest: unknown[], depth: number, hooks: Hooks): unknown {
  const set = new Set(rest.map((member) => revived(member, depth + 1, hooks)));
  if (set.size !== rest.length) throw malformed('set');
  return set;
}

/** Reads a reference to a content. The content is shared by all that refer to it. */
function revivedContent(number: number, depth: number, hooks: Hooks): unknown {
  const { value, height, size } = hooks.content(number);
  const deepest = depth + height - 1;
  if (deepest > CODEC_DEPTH) throw tooDeep();
  if (deepest > hooks.deepest) hooks.deepest = deepest;
  hooks.held += size;
  return value;
}

/** An object with an own key named like the tag, which is a key like any other. */
function revivedObject([inner, ...more]: unknown[], depth: number, hooks: Hooks): unknown {
  const valid = typeof inner === 'object' && inner !== null && !Array.isArray(inner) && Object.hasOwn(inner, TAG);
  if (!valid || more.length > 0) throw malformed('object');
  return record(inner as Parsed, depth, hooks);
}

/** Revives a value that a codec of the caller wrote; its form is read first. */
function revivedCoded([name, form, ...more]: unknown[], depth: number, hooks: Hooks): unknown {
  if (typeof name !== 'string' || form === undefined || more.length > 0) throw malformed('codec');
  const text = JSON.stringify(form);
  const value = hooks.decode(name, revived(form, depth + 1, hooks));
  remember(value, name, text);
  return value;
}

function matching(kind: string, text: unknown, more: readonly unknown[], valid: (text: string) => boolean): string {
  if (typeof text !== 'string' || more.length > 0 || !valid(text)) throw malformed(kind);
  return text;
}

function tooDeep(): JournalError {
  return corrupt(`is nested deeper than ${CODEC_DEPTH}`);
}

function malformed(kind: string): JournalError {
  return corrupt(`has a malformed ${kind}`);
}

function corrupt(what: string): JournalError {
  return new JournalError('journal_corrupt', `A value in the journal ${what}. Restore the journal from a backup.`);
}
