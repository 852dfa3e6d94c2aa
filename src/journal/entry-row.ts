/** Rows by their columns: the members of an entry, or of a part of an entry, in their stored order. */
import type { Form, RowReader, RowWriter } from './entry-forms.ts';

/** A place in a row. */
export interface Column<E> {
  /** Null where there is nothing to write. */
  write(entry: E, to: RowWriter): string | null;
  /** Adds to an entry what is stored; the columns before have been read. */
  read(stored: unknown, from: RowReader, entry: Writable<E>): void;
  /** The text that says nothing: at the end of a row it is left out. */
  readonly absent: string | null;
  /** True if its new names are numbered before the new names of the other columns. */
  readonly isFirst?: true;
}

type Writable<E> = { -readonly [K in keyof E]?: E[K] };

/** A member that is always there; `absent` is its text where it says nothing. */
export function member<E, K extends keyof E>(key: K, form: Form<E[K]>, absent: string | null = null): Column<E> {
  return {
    absent,
    write: (entry, to) => form.write(entry[key], to),
    read: (stored, from, entry) => {
      entry[key] = form.read(stored, from);
    },
  };
}

/** A member that may be left out; `absent` stands for it, where others follow. */
export function optional<E, K extends keyof E>(
  key: K,
  form: Form<Exclude<E[K], undefined>>,
  absent: string | null = null,
): Column<E> {
  const nothing: unknown = absent === null ? undefined : JSON.parse(absent);
  return {
    absent,
    write: (entry, to) => {
      const value = entry[key];
      return value === undefined ? absent : form.write(value as Exclude<E[K], undefined>, to);
    },
    read: (stored, from, entry) => {
      if (stored !== nothing && !(isEmpty(stored) && isEmpty(nothing))) entry[key] = form.read(stored, from);
    },
  };
}

function isEmpty(stored: unknown): boolean {
  return Array.isArray(stored) && stored.length === 0;
}

/** A member that may be left out, and may be undefined where it is not. */
export function given<E extends object, K extends keyof E>(key: K, form: Form<E[K]>): Column<E> {
  return { ...member<E, K>(key, form), write: (entry, to) => (key in entry ? form.write(entry[key], to) : null) };
}

function joined(text: string, more: string): string {
  return text === '' ? more : `${text},${more}`;
}

/** A row of columns. */
export class RowForm<E> implements Form<E> {
  readonly #columns: readonly Column<E>[];
  readonly #least: number;
  readonly #missing: readonly unknown[];
  readonly #first: number;
  readonly #hasGaps: boolean;

  /**
   * @param least the number of columns that are written even where they say nothing.
   * @param hasGaps true where a number stands for so many columns in a row that say nothing: no column behind the least is stored as a number.
   */
  constructor(least: number, columns: readonly Column<E>[], hasGaps = false) {
    this.#columns = columns;
    this.#least = least;
    this.#hasGaps = hasGaps;
    this.#first = columns.findIndex(({ isFirst }) => isFirst === true);
    this.#missing = columns.map(({ absent }) => (absent === null ? undefined : JSON.parse(absent)));
  }

  /**
   * The text of a row. It is made several times for every step of a run.
   * @param head what stands before the first column.
   */
  write(entry: E, to: RowWriter, head = ''): string {
    const first = this.#columns[this.#first]?.write(entry, to) ?? null;
    let text = head;
    // What says nothing is written once something follows it.
    let [held, count] = ['', 0];
    for (let index = 0; index < this.#columns.length; index += 1) {
      const column = this.#columns[index] as Column<E>;
      const own = index === this.#first ? first : column.write(entry, to);
      if (own === null) continue;
      if (own === column.absent && index >= this.#least) {
        held = joined(held, own);
        count += 1;
        continue;
      }
      if (count > 0) text = joined(text, this.#hasGaps ? `${count}` : held);
      text = joined(text, own);
      held = '';
      count = 0;
    }
    return `[${text}]`;
  }

  read(stored: unknown, from: RowReader): E {
    return this.readInto({}, stored as unknown[], from);
  }

  /**
   * Adds the members of a row to an entry.
   * @param skipped how much of the row stands before its first column.
   */
  readInto(entry: Writable<E>, stored: readonly unknown[], from: RowReader, skipped = 0): E {
    const row = this.#hasGaps ? this.#filled(stored) : stored;
    for (let index = 0; index < this.#columns.length; index += 1) {
      const isThere = index + skipped < row.length;
      const value = isThere ? row[index + skipped] : this.#missing[index];
      if (isThere || value !== undefined) (this.#columns[index] as Column<E>).read(value, from, entry);
    }
    return entry as E;
  }

  /** A row with the members that its gaps stand for. @throws Error where a gap is none. */
  #filled(stored: readonly unknown[]): readonly unknown[] {
    if (!stored.some((value, index) => index >= this.#least && typeof value === 'number')) return stored;
    const row = stored.slice(0, this.#least);
    for (const value of stored.slice(this.#least)) {
      const left = this.#columns.length - row.length;
      if (typeof value !== 'number') row.push(value);
      else if (Number.isSafeInteger(value) && value > 0 && value < left)
        row.push(...this.#missing.slice(row.length, row.length + value));
      else throw new Error(`has a gap of ${value} members, and ${left} follow`);
    }
    return row;
  }
}

/** One kind of a part that has several, as a row of its own. */
export interface Variant {
  readonly kind: string;
  write(part: unknown, to: RowWriter, number: number): string;
  read(stored: readonly unknown[], from: RowReader): unknown;
}

/** A kind, by its row. */
export function variant<E extends { readonly do: string }>(kind: E['do'], row: RowForm<E>): Variant {
  return {
    kind,
    write: (part, to, number) => row.write(part as E, to, `${number}`),
    read: (stored, from) => row.readInto({ do: kind } as Partial<E>, stored, from, 1),
  };
}

/** Parts of several kinds: each row begins with the number of its kind, which is its place in the list. */
export function variants<E extends { readonly do: string }>(all: readonly Variant[]): Form<E> {
  return {
    write: (part, to) => {
      const number = all.findIndex(({ kind }) => kind === part.do);
      if (number === -1) throw new Error(`a part of the kind "${part.do}" has no row`);
      return (all[number] as Variant).write(part, to, number);
    },
    read: (stored, from) => {
      const [number] = stored as number[];
      const known = all[number as number];
      if (known === undefined) throw new Error(`has a part of kind ${number}, which this version does not know`);
      return known.read(stored as unknown[], from) as E;
    },
  };
}
