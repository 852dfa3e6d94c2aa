/**
 * Codecs of the caller's, for values that the journal's codec has no form for: a URL, a decimal, an id of a class. Such
 * a value is journaled under the codec's name, and the codec makes the value again from its form. Two such values are
 * equal if their forms are: their own state may be hidden.
 */
import { isDeepStrictEqual } from 'node:util';

/** A codec for the values of one kind. */
export interface ValueCodec {
  /** The codec's name in the journal; a name is never given to another form. */
  readonly name: string;
  /** True for the values that the codec handles. Asked only for objects that have no form of their own. */
  is(value: object): boolean;
  /** Returns the journaled form: plain values, or values that another codec handles. */
  encode(value: never): unknown;
  /** The value that was encoded. */
  decode(form: never): unknown;
  /**
   * True for a value whose form follows from its own members and their contents alone: while the members are unchanged,
   * the value is not encoded again. Left out, the value is always encoded again.
   */
  isPlain?(value: never): boolean;
}

/** Stands for a value whose codec is not registered: a reader without the codec sees the form. */
export class Coded {
  readonly codec: string;
  readonly form: unknown;

  constructor(codec: string, form: unknown) {
    this.codec = codec;
    this.form = form;
  }
}

/** The forms of the values that went through a codec. */
const forms = new WeakMap<object, string>();
let isUsed = false;

/** Remembers the form of a value. */
export function remember(value: unknown, codec: string, form: string): void {
  if (typeof value !== 'object' || value === null) return;
  isUsed = true;
  forms.set(value, JSON.stringify([codec, form]));
}

/** True if two values are the same, those that went through a codec by their forms. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isDeepStrictEqual(a, b)) return isUsed && known(a) !== undefined && known(a) === known(b);
  return !isUsed || formsIn(a) === formsIn(b);
}

function known(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? forms.get(value) : undefined;
}

/** The forms in a value, in the order of its members. */
function formsIn(value: unknown): string {
  const found: string[] = [];
  const seen = new Set<object>();
  const walk = (member: unknown): void => {
    if (typeof member !== 'object' || member === null || seen.has(member)) return;
    const form = forms.get(member);
    if (form !== undefined) {
      found.push(form);
      return;
    }
    seen.add(member);
    if (member instanceof Map) for (const [name, inner] of member) [name, inner].forEach(walk);
    else if (member instanceof Set) for (const inner of member) walk(inner);
    else if (!ArrayBuffer.isView(member)) for (const name of Object.keys(member).sort()) walk((member as never)[name]);
  };
  walk(value);
  return found.join();
}
