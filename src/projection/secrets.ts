/**
 * Values that are not to be shown, and texts without them. A value is found as it is, as JSON writes it and as a URL
 * has it; a value of two or three characters only as a word of its own, and a single character not at all, as every
 * text has it. Bytes and dates are found in each of their usual texts.
 */
import { bytesOf, SecretLists, textsOfBytes } from './secret-bytes.ts';

/** The length from which a value is removed anywhere; a shorter value only as a word. */
const ANYWHERE = 4;
const AS_WORD = 2;

/** The values that one run keeps to itself. */
export class Secrets {
  readonly #instead: string;
  readonly #texts = new Set<string>();
  #sorted: readonly string[] | null = null;
  #lists: SecretLists | null = null;

  /** @param instead stands where a value is taken out. */
  constructor(instead: string) {
    this.#instead = instead;
  }

  /** The parts that a base holds. */
  get parts(): Set<string> {
    return this.#texts;
  }

  /** Takes a value in: its texts and numbers, and those of all its members. */
  learn(value: unknown, seen = new Set<unknown>()): void {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') this.#add(String(value));
    else if (isText(value)) for (const text of textsOf(value)) this.#add(text);
    else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value);
      const bytes = bytesOf(value);
      if (bytes !== null) this.#addBytes(value, bytes);
      if (isError(value)) this.learn(value.message);
      for (const [, member] of ownMembers(value)) this.learn(member, seen);
    }
  }

  /** The text without the secret values. */
  hidden(text: string): string {
    if (this.#texts.size === 0) return text;
    this.#lists ??= new SecretLists(this.#texts);
    let hidden = this.#lists.hidden(text, this.#instead);
    for (const secret of this.#longestFirst()) {
      if (secret.length >= ANYWHERE) hidden = hidden.replaceAll(secret, this.#instead);
      else if (hidden.includes(secret)) hidden = hidden.replace(asWord(secret), this.#instead);
    }
    return this.#withoutCut(hidden);
  }

  /** The value without secrets, a copy if it has any. @param within the containers around it, to stop at a cycle. */
  without(value: unknown, within: readonly object[] = []): unknown {
    if (this.#texts.size === 0) return value;
    switch (typeof value) {
      case 'string':
        return this.hidden(value);
      case 'number':
      case 'bigint':
        return this.#texts.has(String(value)) && String(value).length >= AS_WORD ? this.#instead : value;
      case 'object':
        if (value === null) return null;
        return within.includes(value) ? this.#instead : this.#container(value, [...within, value]);
      default:
        return value;
    }
  }

  #container(value: object, within: readonly object[]): unknown {
    const kept = (member: unknown) => this.without(member, within);
    const bytes = bytesOf(value);
    if (bytes !== null) return this.#hasBytes(bytes) ? this.#instead : value;
    if (Array.isArray(value))
      return isList(value) && this.#hasBytes(Buffer.from(value)) ? this.#instead : value.map(kept);
    if (value instanceof Map) return new Map([...value].map(([name, member]) => [kept(name), kept(member)]));
    if (value instanceof Set) return new Set([...value].map(kept));
    if (isText(value)) return this.#texts.has(textOf(value)) ? this.#instead : value;
    if (value instanceof Error) return new Error(this.hidden(value.message));
    return Object.fromEntries(ownMembers(value).map(([name, member]) => [this.hidden(name), kept(member)]));
  }

  /** A text that was cut may end with the beginning of a value. */
  #withoutCut(text: string): string {
    if (!text.endsWith('...')) return text;
    const kept = text.slice(0, -3);
    for (const secret of this.#longestFirst()) {
      for (let length = Math.min(secret.length - 1, kept.length); length >= ANYWHERE; length -= 1) {
        if (kept.endsWith(secret.slice(0, length))) return `${kept.slice(0, -length)}${this.#instead}...`;
      }
    }
    return text;
  }

  #addBytes(value: object, bytes: Buffer): void {
    if (this.#texts.has(bytes.join(','))) return;
    for (const text of textsOfBytes(value, bytes)) this.#add(text);
  }

  /** True for bytes that are not to be shown, alone, among others, or as a text of theirs. */
  #hasBytes(bytes: Buffer): boolean {
    return [bytes.toString('utf8'), bytes.toString('latin1')].some((text) => this.hidden(text) !== text);
  }

  #add(text: string): void {
    if (text.length < AS_WORD || this.#texts.has(text)) return;
    this.#texts.add(text);
    if (text.isWellFormed()) {
      this.#texts.add(JSON.stringify(text).slice(1, -1));
      this.#texts.add(encodeURIComponent(text));
    }
    this.#sorted = null;
    this.#lists = null;
  }

  /** The longest first: one may be a part of another. */
  #longestFirst(): readonly string[] {
    this.#sorted ??= [...this.#texts].sort((a, b) => b.length - a.length);
    return this.#sorted;
  }
}

/**
 * The members of a container, with their names; runs no getter. None of what resists being looked at, or is no
 * container.
 */
export function ownMembers(value: unknown): [name: string, member: unknown][] {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  try {
    if (value instanceof Map) return [...value].map(([name, member]) => [String(name), member]);
    if (value instanceof Set) return [...value].map((member, index) => [String(index), member]);
    return Object.keys(value).flatMap((name) => {
      const descriptor = Object.getOwnPropertyDescriptor(value, name);
      return descriptor !== undefined && 'value' in descriptor ? [[name, descriptor.value]] : [];
    });
  } catch {
    return [];
  }
}

/** True for texts that read the same. */
function isText(value: unknown): value is Date | URL {
  try {
    return value instanceof Date || value instanceof URL;
  } catch {
    return false; // a proxy that is revoked
  }
}

/** The text of a value that reads like it, and for a date its other usual texts. */
function textsOf(value: Date | URL): string[] {
  const text = textOf(value);
  if (value instanceof URL || text === '') return [text];
  const ofDay = text.endsWith('T00:00:00.000Z') ? [text.slice(0, -14)] : [];
  const toSecond = text.replace(/\.\d{3}Z$/, '');
  return [text, toSecond, value.toUTCString(), value.toString(), String(value.getTime()), ...ofDay];
}

/** True for numbers that could be bytes. */
function isList(value: readonly unknown[]): value is readonly number[] {
  return (
    value.length > 1 && value.every((each) => Number.isInteger(each) && (each as number) >= 0 && (each as number) < 256)
  );
}

function isError(value: object): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false; // a proxy that is revoked
  }
}

function textOf(value: Date | URL): string {
  if (value instanceof URL) return value.href;
  return Number.isNaN(value.getTime()) ? '' : value.toISOString();
}

function asWord(text: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}])${text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu');
}
