/**
 * The one codec between values and JSON text (semantics.md §3). JSON values are written as JSON; every other value becomes an object whose
 * only key is `$`, so a user's object with a `$` of its own is wrapped in one. `encode` runs on the path of every step: it makes its text
 * in one pass, runs no code of the value's (no getter, no `toJSON`) and never throws. For a value without a form it asks the codecs that
 * the caller registered (`value-codec.ts`). Not kept: that two places hold the same object, classes, symbols, named properties of arrays,
 * an error's stack and cause.
 */
import { errorParts } from './codec/error.ts';
import { listText } from './codec/list.ts';
import { BIGINT_HEX_LIMIT, Pass, TEXT_LIMIT } from './codec/pass.ts';
import {
  CODEC_DEPTH,
  type Encoded,
  type EncodeOptions,
  numberText,
  quoted,
  type Storing,
  shortOf,
  TAG,
  tag,
} from './codec-form.ts';
import { LARGEST, SHORTEST } from './contents/form.ts';
import { remember, type ValueCodec } from './value-codec.ts';

export type { Encoded, EncodeOptions, Unencodable } from './codec-form.ts';
export { revive } from './revive.ts';

/** The JSON text of a value, from which `revive` makes an equal one. */
export function encode(value: unknown, options: EncodeOptions = {}): Encoded {
  const short = shortOf(value, SHORTEST, options.reference);
  if (short !== null) return { text: short, held: 0 };
  const encoder = new Encoder(options);
  const text = encoder.value(value);
  return encoder.reason === null ? { text, held: encoder.held } : { path: encoder.path, reason: encoder.reason };
}

/** One pass over one value. After a failure every level returns at once, each adding its key to the path. */
class Encoder extends Pass {
  readonly #reference: EncodeOptions['reference'];
  readonly #codecs: readonly ValueCodec[];
  readonly #isContext: boolean;
  #contents: Storing | null;
  /** The object that a codec has made a text of last, where that follows from its members. */
  #plain: object | null = null;

  constructor({ reference, codecs = [], contents = null, isContext = false }: EncodeOptions) {
    super();
    this.#isContext = isContext;
    this.#reference = reference;
    this.#codecs = codecs;
    this.#contents = contents;
  }

  value(value: unknown): string {
    switch (typeof value) {
      case 'string':
        return value.length > TEXT_LIMIT ? this.exceeded('too_large') : this.#string(quoted(value));
      case 'number':
        return this.grown(numberText(value));
      case 'boolean':
        return this.grown(value ? 'true' : 'false');
      case 'undefined':
        return this.grown(tag('"undefined"'));
      case 'bigint':
        return this.#bigint(value);
      case 'object':
        return value === null ? this.grown('null') : this.#nested(value);
      case 'function':
      case 'symbol':
        return this.fail(typeof value as 'function' | 'symbol');
    }
  }

  #nested(value: object): string {
    const { length } = this.ancestors;
    if (length >= CODEC_DEPTH) return this.exceeded('too_deep');
    if (length > this.deepest) this.deepest = length;
    this.ancestors.push(value);
    try {
      return this.#contents === null ? this.#object(value) : this.#container(value, this.#contents);
    } catch {
      return this.fail('unreadable');
    } finally {
      this.ancestors.length = length;
    }
  }

  /** A container that may have been written before, or whose text may be long. */
  #container(value: object, contents: Storing): string {
    const depth = this.ancestors.length - 1;
    const [held, deepest] = [this.held, this.deepest];
    const known = contents.known(value);
    if (known !== null) {
      if (depth + known.height > CODEC_DEPTH) return this.exceeded('too_deep');
      this.held += known.held;
      this.deepest = Math.max(deepest, depth + known.height - 1);
      return this.grown(known.text);
    }
    this.held = 0;
    this.deepest = depth;
    let text = this.#object(value);
    const height = this.deepest - depth + 1;
    if (this.reason === null && text.length >= SHORTEST) text = this.#put(contents, text, height);
    const hasClass = this.#plain === value;
    if (this.reason === null && (this.held > 0 || hasClass))
      contents.remember(value, { text, height, held: this.held }, hasClass);
    this.held += held;
    this.deepest = Math.max(deepest, this.deepest);
    return text;
  }

  #string(text: string): string {
    if (this.#contents === null || text.length < SHORTEST) return this.grown(text);
    const { held } = this;
    this.held = 0;
    const reference = this.#put(this.#contents, text, 0);
    this.held += held;
    return reference;
  }

  /** Has a text stand elsewhere, and a reference in its place. */
  #put(contents: Storing, text: string, height: number): string {
    const size = text.length + this.held;
    this.moved += text.length;
    if (size > LARGEST || this.moved > LARGEST) return this.exceeded('too_large');
    this.held = size;
    return this.grown(contents.put(text, { height, size }));
  }

  #object(value: object): string {
    if (Array.isArray(value))
      return Object.getPrototypeOf(value) === Array.prototype
        ? listText(this, value, this.#contents, this.#isContext)
        : this.#registered(value);
    const id = this.#reference?.(value) ?? null;
    if (id !== null) return this.grown(tag(`["ref",${quoted(id)}]`));
    const prototype = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.#record(value);
    if (prototype === Uint8Array.prototype || prototype === Buffer.prototype) return this.#bytes(value as Uint8Array);
    if (value instanceof Error) return this.#error(value);
    if (Reflect.ownKeys(value).length > 0) return this.#registered(value);
    if (prototype === Map.prototype) return this.#map(value as Map<unknown, unknown>);
    if (prototype === Set.prototype) return this.#set(value as Set<unknown>);
    if (prototype === Date.prototype) {
      const time = Date.prototype.getTime.call(value);
      return this.grown(tag(`["date",${Number.isNaN(time) ? 'null' : numberText(time)}]`));
    }
    return this.#registered(value);
  }

  /**
   * Encodes an instance of a class with the first codec that accepts it. The codec's code runs under the same guard as
   * every inspection.
   */
  #registered(value: object): string {
    const codec = this.#codecs.find((each) => each.is(value));
    if (codec === undefined) return this.fail('class');
    this.counted(14);
    const name = this.grown(quoted(codec.name));
    // Two forms are compared by their texts: each stands in its place.
    const contents = this.#contents;
    this.#contents = null;
    const form = this.value(codec.encode(value as never));
    this.#contents = contents;
    if (this.reason !== null) return '';
    remember(value, codec.name, form);
    const isPlain = codec.isPlain?.(value as never) === true;
    this.#plain = isPlain ? value : null;
    if (!isPlain) this.opaque += 1;
    return tag(`["codec",${name},${form}]`);
  }

  #record(value: object): string {
    let text = this.counted(2);
    for (const key of Object.keys(value)) {
      const descriptor = Object.getOwnPropertyDescriptor(value, key) as PropertyDescriptor;
      if (!('value' in descriptor)) return this.fail('accessor', key);
      const name = this.grown(`${text === '' ? '' : ','}${quoted(key)}:`);
      text += name + this.value(descriptor.value);
      if (this.reason !== null) return this.under(key);
    }
    if (Object.getOwnPropertySymbols(value).length > 0) return this.fail('symbol');
    return Object.hasOwn(value, TAG) ? this.counted(17) + tag(`["object",{${text}}]`) : `{${text}}`;
  }

  #map(value: Map<unknown, unknown>): string {
    let [text, index] = [`["map"${this.counted(13)}`, 0];
    for (const [key, member] of Map.prototype.entries.call(value)) {
      const name = typeof key === 'string' ? key : String(index);
      text += `${this.grown(',')}${this.value(key)}${this.grown(',')}`;
      if (this.reason === null) text += this.value(member);
      if (this.reason !== null) return this.under(name);
      index += 1;
    }
    return tag(`${text}]`);
  }

  #set(value: Set<unknown>): string {
    let [text, index] = [`["set"${this.counted(13)}`, 0];
    for (const member of Set.prototype.values.call(value)) {
      text += this.grown(',') + this.value(member);
      if (this.reason !== null) return this.under(String(index));
      index += 1;
    }
    return tag(`${text}]`);
  }

  #bytes(value: Uint8Array): string {
    if (value.byteLength > TEXT_LIMIT) return this.exceeded('too_large');
    const { buffer, byteOffset, byteLength } = value;
    return this.grown(tag(`["bytes","${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}"]`));
  }

  #error(value: Error): string {
    const parts = errorParts(value);
    if ('accessor' in parts) return this.fail('accessor', parts.accessor);
    return this.grown(tag(`["error",${parts.texts.join(',')}]`));
  }

  #bigint(value: bigint): string {
    if (value.toString(16).length > BIGINT_HEX_LIMIT) return this.exceeded('too_large');
    return this.grown(tag(`["bigint","${value}"]`));
  }
}
