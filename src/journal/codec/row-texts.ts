/** The names and values of rows as texts: a value that has none is left out, and said to be (semantics.md §3). */
import { type Encoded, type EncodeOptions, encode } from '../codec.ts';
import { LARGEST_ROW } from '../contents/form.ts';
import type { ContentWriter } from '../contents/writer.ts';
import type { RowWriter } from '../entry-forms.ts';
import { JournalError } from '../journal.ts';
import { encodingWith, LOSSES, type Lost, textInstead, type ValuePlace } from '../lost.ts';
import { type Names, RowNames } from '../names.ts';
import type { ValueCodec } from '../value-codec.ts';

/** Writes the names and values of one run. */
export class RowTexts extends RowNames implements RowWriter {
  #lost: (what: Lost) => void = () => {};
  #held = 0;
  readonly #options: EncodeOptions;
  /** For what many readers read alone, without the contents. */
  readonly #whole: EncodeOptions;
  readonly #ofContext: EncodeOptions;
  readonly #contents: ContentWriter;
  /**
   * Encodes values of rows that are not written yet: contents already stored are referred to, and nothing new is
   * stored.
   */
  readonly #tried: EncodeOptions;

  constructor(names: Names, codecs: readonly ValueCodec[], contents: ContentWriter) {
    super(names);
    this.#whole = encodingWith(codecs);
    this.#contents = contents;
    this.#options = { ...this.#whole, contents };
    this.#ofContext = { ...this.#options, isContext: true };
    this.#tried = { ...this.#whole, contents: contents.unwritten };
  }

  /** Begins a row. */
  begin(lost: (what: Lost) => void): void {
    this.#lost = lost;
    this.#held = 0;
  }

  value(value: unknown, standing: ValuePlace, at: readonly string[]): string {
    const encoded = this.#within(encode(value, this.#optionsFor(standing)));
    // A member that is added to a list of the context.
    if (standing === 'memory' && isIndex(at.at(-1))) this.#contents.parts.add([value]);
    if ('text' in encoded) return encoded.text;
    const { of, instead } = LOSSES[standing];
    const path = [...at, ...encoded.path];
    if (of !== null) this.#lost({ of, path, reason: encoded.reason });
    const rest = textInstead(
      value,
      standing === 'computed' ? encoded : { path, reason: encoded.reason },
      instead,
      this.#whole,
    );
    if ('text' in rest) return rest.text;
    const what = `${standing} has no text: ${rest.reason} at ${rest.path.join('.')}`;
    throw new JournalError('journal_cannot_write', what);
  }

  #optionsFor(standing: ValuePlace): EncodeOptions {
    if (standing === 'entry' || standing === 'timer') return this.#whole;
    return standing === 'memory' ? this.#ofContext : this.#options;
  }

  lostIn(value: unknown, at: readonly string[]): Omit<Lost, 'of'> | null {
    const encoded = encode(value, this.#tried);
    return 'text' in encoded ? null : { path: [...at, ...encoded.path], reason: encoded.reason };
  }

  /** Refuses a value with which its row would stand for more than a reader takes. */
  #within(encoded: Encoded): Encoded {
    if (!('text' in encoded)) return encoded;
    this.#held += encoded.held;
    return this.#held > LARGEST_ROW ? { path: [], reason: 'too_large' } : encoded;
  }
}

function isIndex(segment: string | undefined): boolean {
  return segment !== undefined && /^\d+$/.test(segment);
}
