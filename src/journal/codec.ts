/**
 * The one codec between values and JSON text (semantics.md §3). JSON values are written as JSON; every other value
 * becomes an object whose only key is `$`, so a user's object with a `$` of its own is wrapped in one. `encode` runs on
 * the path of every step: it makes its text in one pass, runs no code of the value's (no getter, no `toJSON`) and never
 * throws. For a value without a form it asks the codecs that the caller registered (`value-codec.ts`). Not kept: that
 * two places hold the same object, classes, symbols, named properties of arrays, an error's stack and cause.
 */
import { CODEC_DEPTH, TAG, type Unencodable } from './codec-form.ts';
import { remember, type ValueCodec } from './value-codec.ts';

export type { Unencodable } from './codec-form.ts';
export { revive } from './revive.ts';

/** The text of a value, or the place of the first part that has no text. */
export type Encoded = { readonly text: string } | { readonly path: readonly string[]; readonly reason: Unencodable };

export interface EncodeOptions {
  /** The id of an actor reference, null for any other object. Asked for every object that is no array. */
  readonly reference?: (value: object) => string | null;
  /** The caller's codecs, asked in order for objects without a form of their own. */
  readonly codecs?: readonly ValueCodec[];
}

/** The longest text of one value, in UTF-16 units. */
const TEXT_LIMIT = 4 * 1024 * 1024;
/** The limit of decimal digits, because decoding costs the square of their number. */
const BIGINT_HEX_LIMIT = 50_000;
/** Strings that equal their own JSON text, apart from the quotes. */
const PLAIN_TEXT = /^[ !#-[\]-~\u00a0-\ud7ff]*$/;

/** The JSON text of a value, from which `revive` makes an equal one. */
export function encode(value: unknown, options: EncodeOptions = {}): Encoded {
  const encoder = new Encoder(options);
  const text = encoder.value(value);
  return encoder.reason === null ? { text } : { path: encoder.path, reason: encoder.reason };
}

/** One pass over one value. After a failure every level returns at once, each adding its key to the path. */
class Encoder {
  reason: Unencodable | null = null;
  path: string[] = [];
  readonly #reference: EncodeOptions['reference'];
  readonly #codecs: readonly ValueCodec[];
  readonly #ancestors: object[] = [];
  #size = 0;

  constructor({ reference, codecs = [] }: EncodeOptions) {
    this.#reference = reference;
    this.#codecs = codecs;
  }

  value(value: unknown): string {
    switch (typeof value) {
      case 'string':
        return value.length > TEXT_LIMIT ? this.#exceeded('too_large') : this.#grown(quoted(value));
      case 'number':
        return this.#grown(numberText(value));
      case 'boolean':
        return this.#grown(value ? 'true' : 'false');
      case 'undefined':
        return this.#grown(tag('"undefined"'));
      case 'bigint':
        return this.#bigint(value);
      case 'object':
        return value === null ? this.#grown('null') : this.#nested(value);
      case 'function':
      case 'symbol':
        return this.#fail(typeof value as 'function' | 'symbol');
    }
  }

  #nested(value: object): string {
    const { length } = this.#ancestors;
    if (length >= CODEC_DEPTH) return this.#exceeded('too_deep');
    this.#ancestors.push(value);
    try {
      return this.#object(value);
    } catch {
      return this.#fail('unreadable');
    } finally {
      this.#ancestors.length = length;
    }
  }

  #object(value: object): string {
    if (Array.isArray(value))
      return Object.getPrototypeOf(value) === Array.prototype ? this.#array(value) : this.#registered(value);
    const id = this.#reference?.(value) ?? null;
    if (id !== null) return this.#grown(tag(`["ref",${quoted(id)}]`));
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.#record(value);
    if (prototype === Uint8Array.prototype || prototype === Buffer.prototype) return this.#bytes(value as Uint8Array);
    if (value instanceof Error) return this.#error(value);
    if (Reflect.ownKeys(value).length > 0) return this.#registered(value);
    if (prototype === Map.prototype) return this.#map(value as Map<unknown, unknown>);
    if (prototype === Set.prototype) return this.#set(value as Set<unknown>);
    if (prototype === Date.prototype) {
      const time = Date.prototype.getTime.call(value);
      return this.#grown(tag(`["date",${Number.isNaN(time) ? 'null' : numberText(time)}]`));
    }
    return this.#registered(value);
  }

  /**
   * Encodes an instance of a class with the first codec that accepts it. The codec's code runs under the same guard as
   * every inspection.
   */
  #registered(value: object): string {
    const codec = this.#codecs.find((each) => each.is(value));
    if (codec === undefined) return this.#fail('class');
    this.#counted(14);
    const name = this.#grown(quoted(codec.name));
    const form = this.value(codec.encode(value as never));
    if (this.reason !== null) return '';
    remember(value, codec.name, form);
    return tag(`["codec",${name},${form}]`);
  }

  #record(value: object): string {
    let text = this.#counted(2);
    for (const key of Object.keys(value)) {
      const descriptor = Object.getOwnPropertyDescriptor(value, key) as PropertyDescriptor;
      if (!('value' in descriptor)) return this.#fail('accessor', key);
      const name = this.#grown(`${text === '' ? '' : ','}${quoted(key)}:`);
      text += name + this.value(descriptor.value);
      if (this.reason !== null) return this.#under(key);
    }
    if (Object.getOwnPropertySymbols(value).length > 0) return this.#fail('symbol');
    return Object.hasOwn(value, TAG) ? this.#counted(17) + tag(`["object",{${text}}]`) : `{${text}}`;
  }

  #array(value: readonly unknown[]): string {
    let text = this.#counted(2);
    for (let index = 0; index < value.length; index += 1) {
      const descriptor = Object.getOwnPropertyDescriptor(value, index);
      if (index > 0) text += this.#grown(',');
      if (descriptor === undefined) text += this.#grown(tag('"hole"'));
      else if ('value' in descriptor) text += this.value(descriptor.value);
      else return this.#fail('accessor', String(index));
      if (this.reason !== null) return this.#under(String(index));
    }
    return `[${text}]`;
  }

  #map(value: Map<unknown, unknown>): string {
    let text = `["map"${this.#counted(13)}`;
    let index = 0;
    for (const [key, member] of Map.prototype.entries.call(value)) {
      const name = typeof key === 'string' ? key : String(index);
      text += `${this.#grown(',')}${this.value(key)}${this.#grown(',')}`;
      if (this.reason === null) text += this.value(member);
      if (this.reason !== null) return this.#under(name);
      index += 1;
    }
    return tag(`${text}]`);
  }

  #set(value: Set<unknown>): string {
    let text = `["set"${this.#counted(13)}`;
    let index = 0;
    for (const member of Set.prototype.values.call(value)) {
      text += this.#grown(',') + this.value(member);
      if (this.reason !== null) return this.#under(String(index));
      index += 1;
    }
    return tag(`${text}]`);
  }

  #bytes(value: Uint8Array): string {
    if (value.byteLength > TEXT_LIMIT) return this.#exceeded('too_large');
    const base64 = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
    return this.#grown(tag(`["bytes","${base64}"]`));
  }

  #error(value: Error): string {
    const parts: string[] = [];
    for (const key of ['name', 'message', 'code']) {
      const part = dataProperty(value, key);
      if (part === ACCESSOR) return this.#fail('accessor', key);
      if (typeof part === 'string') parts.push(quoted(part));
      else if (key !== 'code') parts.push(key === 'name' ? '"Error"' : '""');
    }
    return this.#grown(tag(`["error",${parts.join(',')}]`));
  }

  #bigint(value: bigint): string {
    if (value.toString(16).length > BIGINT_HEX_LIMIT) return this.#exceeded('too_large');
    return this.#grown(tag(`["bigint","${value}"]`));
  }

  /** Counts new text. Shared objects are written once per place, so a small value in memory may be large as text. */
  #grown(text: string): string {
    this.#size += text.length;
    return this.#size > TEXT_LIMIT ? this.#exceeded('too_large') : text;
  }

  /** Counts what a container adds to its members, which count themselves. */
  #counted(length: number): '' {
    this.#size += length;
    return '';
  }

  /** Recognises a cycle, which ends at one of the limits, and names it by the place where it closes. */
  #exceeded(reason: 'too_deep' | 'too_large'): string {
    if (this.reason !== null) return '';
    const first = this.#ancestors.findIndex((ancestor, index) => this.#ancestors.indexOf(ancestor) < index);
    this.#cutAt = first === -1 ? Number.POSITIVE_INFINITY : first;
    return this.#fail(first === -1 ? reason : 'cycle');
  }

  /** The number of keys from the root to the place where a cycle closes. */
  #cutAt = Number.POSITIVE_INFINITY;

  #fail(reason: Unencodable, key?: string): string {
    this.reason ??= reason;
    return key === undefined ? '' : this.#under(key);
  }

  #under(key: string): string {
    if (this.#ancestors.length <= this.#cutAt) this.path.unshift(key);
    return '';
  }
}

function tag(content: string): string {
  return `{"${TAG}":${content}}`;
}

function quoted(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

function numberText(value: number): string {
  if (Object.is(value, -0)) return tag('"-0"');
  return Number.isFinite(value) ? `${value}` : tag(`"${value}"`);
}

const ACCESSOR = Symbol('accessor');

/** A property of an object or of its prototypes, without running a getter, except the platform's own. */
function dataProperty(value: object, key: string): unknown {
  for (let holder: object | null = value; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const descriptor = Object.getOwnPropertyDescriptor(holder, key);
    if (descriptor === undefined) continue;
    if ('value' in descriptor) return descriptor.value;
    return holder === DOMException.prototype ? descriptor.get?.call(value) : ACCESSOR;
  }
  return undefined;
}
