/**
 * Names by number: a small integer stands for a text that a run's rows repeat (states, tools, instances, keys). The
 * dictionary is journaled too, as rows of kind 0 with the JSON text of the name, numbered from 0 in their order.
 */
import type { InstanceId } from '../model/instance.ts';
import { JournalError, type Row } from './journal.ts';

/** The kind of the rows that define a name. */
export const NAME_KIND = 0;

/** The limit of names: names that come from data instead of from the agent's design would grow without end. */
const LIMIT = 65_536;

const NO_ROWS: readonly Row[] = [];

/** The names of one run, for its writer and for its reader. */
export class Names {
  readonly #texts: string[] = [];
  readonly #ids = new Map<string, number>();
  #queued: Row[] = [];

  /** @param texts the names that are defined already, in the order of their numbers. */
  constructor(texts: Iterable<string> = []) {
    for (const text of texts) this.#add(text);
  }

  /** The names that are defined, in the order of their numbers. */
  get all(): readonly string[] {
    return this.#texts;
  }

  /** The number of a name that is defined. */
  known(text: string): number | undefined {
    return this.#ids.get(text);
  }

  /**
   * The number of a name; a new one is queued for `take`.
   * @throws JournalError `journal_cannot_write` at the 65,537th name.
   */
  id(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    if (this.#texts.length >= LIMIT) {
      const reason = `The run has ${LIMIT} names already. Keep data that never repeats in values, not in names.`;
      throw new JournalError('journal_cannot_write', reason);
    }
    this.#queued.push({ kind: NAME_KIND, body: JSON.stringify(text) });
    return this.#add(text);
  }

  /** The rows of the names that are new since the last call. They must be appended before the rows that use them. */
  take(): readonly Row[] {
    if (this.#queued.length === 0) return NO_ROWS;
    const rows = this.#queued;
    this.#queued = [];
    return rows;
  }

  /** The name of a number. @throws JournalError `journal_corrupt` if no name has the number. */
  text(id: number): string {
    const text = this.#texts[id];
    if (text === undefined) throw corrupt(`name ${id} is used, and only ${this.#texts.length} are defined`);
    return text;
  }

  /**
   * Reads a row of kind 0.
   * @throws JournalError `journal_corrupt` when it defines no new name.
   */
  learn(row: Row): void {
    if (row.kind !== NAME_KIND) throw corrupt(`a row of kind ${row.kind} defines no name`);
    const text = parsed(row.body);
    if (typeof text !== 'string') throw corrupt(`name ${this.#texts.length} is no string`);
    if (this.#ids.has(text)) throw corrupt(`name ${this.#ids.get(text)} is defined again`);
    if (this.#texts.length >= LIMIT) throw corrupt(`there are more than ${LIMIT} names`);
    this.#add(text);
  }

  #add(text: string): number {
    const id = this.#texts.push(text) - 1;
    this.#ids.set(text, id);
    return id;
  }
}

/** The longest name that is worth a number. */
const LONGEST_NAME = 200;

/** A tree of paths by their segments; each node has the text that stands for its path in a row. */
interface PathNode {
  is: string | null;
  readonly below: Map<string, PathNode>;
}

/**
 * Names as they stand in the rows of one run: by number, or as their text if they have no number. Names used at every
 * step are found without their text.
 */
export class RowNames {
  readonly #names: Pick<Names, 'id'>;
  readonly #instances = new WeakMap<InstanceId, string>();
  readonly #data = new WeakMap<object, string>();
  readonly #paths: PathNode = { is: null, below: new Map() };
  /** The texts of announced parts; '' until a part is first written. */
  readonly #kept = new WeakMap<object, string>();

  constructor(names: Pick<Names, 'id'>) {
    this.#names = names;
  }

  /** Announces a part that will be written again and never changes, so that its text is made once. */
  expect(part: object): void {
    if (!this.#kept.has(part)) this.#kept.set(part, '');
  }

  /** The text of an announced part that was written before; null for any other part. */
  kept(part: object): string | null {
    return this.#kept.get(part) || null;
  }

  /** Keeps the text of an announced part. @returns the text. */
  keep(part: object, text: string): string {
    if (this.#kept.has(part)) this.#kept.set(part, text);
    return text;
  }

  name(text: string): string {
    if (text.length > LONGEST_NAME) return JSON.stringify(text);
    try {
      return `${this.#names.id(text)}`;
    } catch (error) {
      if (error instanceof JournalError) return JSON.stringify(text);
      throw error;
    }
  }

  /** An instance, by its parts. */
  instance(id: InstanceId): string {
    const known = this.#instances.get(id);
    if (known !== undefined) return known;
    const { skeleton, entity, ordinal } = id;
    const name = this.name(JSON.stringify([skeleton, entity, ordinal]));
    this.#instances.set(id, name);
    return name;
  }

  /** Plain data by its JSON text; it never changes. */
  named(data: unknown): string {
    if (typeof data !== 'object' || data === null) return this.name(JSON.stringify(data));
    const known = this.#data.get(data);
    if (known !== undefined) return known;
    const name = this.name(JSON.stringify(data));
    this.#data.set(data, name);
    return name;
  }

  /** A path by its JSON text. */
  path(path: readonly string[]): string {
    let node: PathNode | undefined = this.#paths;
    for (const segment of path) node = node?.below.get(segment);
    return node?.is ?? this.#newPath(path);
  }

  #newPath(path: readonly string[]): string {
    const name = this.name(JSON.stringify(path));
    // A text without a number is not cached: there may be any number of them.
    if (name.startsWith('"')) return name;
    let node = this.#paths;
    for (const segment of path) {
      const next: PathNode = node.below.get(segment) ?? { is: null, below: new Map() };
      node.below.set(segment, next);
      node = next;
    }
    node.is = name;
    return name;
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function corrupt(what: string): JournalError {
  return new JournalError('journal_corrupt', `The journal's dictionary is damaged: ${what}.`);
}
