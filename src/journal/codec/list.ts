/**
 * The texts of lists. A list that continues a stored list is encoded from its first new member on
 * (`contents/lists.ts`).
 */
import { CODEC_DEPTH, type Storing, tag } from '../codec-form.ts';
import { FEWEST, LARGEST, SHORTEST } from '../contents/form.ts';
import { type Begun, Ends } from '../contents/lists.ts';
import type { Pass } from './pass.ts';

/** Writes values. */
interface ValuePass extends Pass {
  value(value: unknown): string;
}

/** The text of a list, or the reference to it. */
export function listText(
  pass: ValuePass,
  value: readonly unknown[],
  contents: Storing | null,
  isContext: boolean,
): string {
  pass.counted(2);
  if (contents === null || value.length < FEWEST) {
    if (isContext) contents?.parts.add(value);
    return textOf(pass, value)?.text ?? '';
  }
  if (isContext) contents.parts.add(value);
  const writing = new Writing(pass, contents);
  const from = contents.begun(value);
  if (from !== null) writing.take(value, from);
  return writing.rest(value);
}

/** The text of a list that is not stored by its members. */
function textOf(pass: ValuePass, value: readonly unknown[]): { readonly text: string } | null {
  let text = '';
  for (let index = 0; index < value.length; index += 1) {
    if (index > 0) text += pass.grown(',');
    text += memberText(pass, value, index);
    if (pass.reason !== null) return null;
  }
  return { text: `[${text}]` };
}

/** The text of one member, which is no getter's. */
function memberText(pass: ValuePass, value: readonly unknown[], index: number): string {
  const descriptor = Object.getOwnPropertyDescriptor(value, index);
  if (descriptor !== undefined && !('value' in descriptor)) return pass.fail('accessor', String(index));
  const text = descriptor === undefined ? pass.grown(tag('"hole"')) : pass.value(descriptor.value);
  return pass.reason === null ? text : pass.under(String(index));
}

/** One list that is written. */
class Writing {
  readonly #pass: ValuePass;
  readonly #contents: Storing;
  readonly #depth: number;
  #texts: string[] = [];
  #ends = new Ends();
  #from: { readonly list: object; readonly kept: number } | null = null;

  constructor(pass: ValuePass, contents: Storing) {
    this.#pass = pass;
    this.#contents = contents;
    this.#depth = pass.ancestors.length - 1;
  }

  /** Takes over the unchanged beginning of the list that this list continues. */
  take(value: readonly unknown[], { list, kept, again, texts, ends }: Begun): void {
    const pass = this.#pass;
    const sure = new Set<number>();
    let count = kept;
    for (const index of again) {
      const { text, isSure } = pass.aside(() => this.#member(value, index));
      if (pass.reason !== null) return;
      if (isSure) sure.add(index);
      if (text !== texts[index]) {
        count = index;
        break;
      }
    }
    const { length, held, height } = ends.upTo(count);
    // The way to what is too deep is told by going it.
    if (count === 0 || this.#depth + height >= CODEC_DEPTH) return;
    this.#texts = texts.slice(0, count);
    this.#ends = ends.first(count);
    this.#ends.know(
      again.filter((place) => place < count),
      (place) => sure.has(place),
    );
    this.#from = { list, kept: count };
    pass.counted(length - 1);
    pass.held += held;
    pass.deepest = Math.max(pass.deepest, this.#depth + height);
  }

  /** Writes the members that are left. */
  rest(value: readonly unknown[]): string {
    const pass = this.#pass;
    let isWhole = true;
    if (pass.reason !== null) return '';
    for (let index = this.#texts.length; index < value.length; index += 1) {
      if (index > 0) pass.grown(',');
      const { text, held, height, isSure } = this.#member(value, index);
      if (pass.reason !== null) return '';
      isWhole &&= Object.hasOwn(value, index);
      this.#texts.push(text);
      this.#ends.add(text.length + 1, held, height, isSure);
    }
    const length = this.#ends.upTo(value.length).length + 2;
    if (length < SHORTEST || !isWhole) return `[${this.#texts.join(',')}]`;
    pass.held += length;
    if (pass.held > LARGEST) return pass.exceeded('too_large');
    const measures = { height: pass.deepest - this.#depth + 1, size: pass.held };
    const met = { values: value.slice(), ends: this.#ends, from: this.#from };
    return pass.grown(this.#contents.list(this.#texts, measures, met));
  }

  #member(value: readonly unknown[], index: number) {
    const pass = this.#pass;
    const [held, deepest, opaque] = [pass.held, pass.deepest, pass.opaque];
    pass.held = 0;
    pass.deepest = this.#depth;
    const text = memberText(pass, value, index);
    const own = { text, height: pass.deepest - this.#depth, held: pass.held };
    pass.held += held;
    pass.deepest = Math.max(deepest, pass.deepest);
    if (pass.reason !== null) return { ...own, isSure: false };
    const member = value[index];
    const isObject = typeof member === 'object' && member !== null;
    return { ...own, isSure: !isObject || (pass.opaque === opaque && this.#contents.parts.has(member)) };
  }
}
