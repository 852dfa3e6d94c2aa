/**
 * Entries and values as a base holds them: as the rows of the journal have them, with the names of those rows and with contents of the base's own.
 * A base defines no name: what has none stands as its text.
 */
import type { Entry } from '../../model/entry.ts';
import { type Encoded, encode } from '../codec.ts';
import type { RowWriter } from '../entry-forms.ts';
import { kindNumbered, TABLE } from '../entry-table.ts';
import { JournalError } from '../journal.ts';
import { encodingWith, LOSSES, textInstead, type ValuePlace } from '../lost.ts';
import { type Names, RowNames } from '../names.ts';
import type { ValueCodec } from '../value-codec.ts';
import type { BaseContents } from './contents.ts';

/** The number that stands for the kind of an entry. */
export function kindNumberOf(entry: Entry): number {
  return TABLE[entry.do].number;
}

/** The kind that a number stands for. @throws RangeError where it stands for none. */
export function kindOfNumber(number: number): Entry['do'] {
  const kind = kindNumbered(number);
  if (kind === null) throw new RangeError(`there is no kind ${number}`);
  return kind;
}

/** Thrown where something has no text, so that there can be no base. */
export class NoBase extends Error {
  override readonly name = 'NoBase';
}

/** Finds names and defines none. */
class KnownNames {
  readonly #names: Names;

  constructor(names: Names) {
    this.#names = names;
  }

  id(text: string): number {
    const known = this.#names.known(text);
    if (known === undefined) throw new JournalError('journal_cannot_write', 'a base defines no name');
    return known;
  }
}

/** Writes the entries and values of one base. */
export class BaseEncoder extends RowNames implements RowWriter {
  readonly #contents: BaseContents;
  readonly #codecs: readonly ValueCodec[];
  /** The number of times that something stood in the place of what has no text. */
  losses = 0;

  constructor(names: Names, codecs: readonly ValueCodec[], contents: BaseContents) {
    super(new KnownNames(names));
    this.#codecs = codecs;
    this.#contents = contents;
  }

  /** The text of an entry. @throws NoBase */
  entry(entry: Entry): string {
    return TABLE[entry.do].write(entry, this);
  }

  /** The text of a value. What no journal holds is in the rows by its place alone, and a run that has such is not taken up. @throws NoBase */
  value(value: unknown, standing: ValuePlace, at: readonly string[] = []): string {
    const options = { ...encodingWith(this.#codecs), contents: this.#contents, isContext: standing === 'memory' };
    const encoded: Encoded = encode(value, options);
    if ('text' in encoded) return encoded.text;
    const { of, instead } = LOSSES[standing];
    const rest = of === 'event' || of === null ? textInstead(value, encoded, instead, options) : encoded;
    if ('text' in rest) {
      this.losses += 1;
      return rest.text;
    }
    throw new NoBase(`${standing} ${[...at, ...encoded.path].join('/')} has no text: ${encoded.reason}`);
  }
}
