/**
 * Names by number: a small integer stands for a text that a run's rows repeat (states, tools, instances, keys). The
 * dictionary is journaled too, as rows of kind 0 with the JSON text of the name, numbered from 0 in their order.
 */
import { JournalError, type Row } from './journal.ts';

/** The kind of the rows that define a name. */
export const NAME_KIND = 0;

/** The limit of names: names that come from data instead of from the agent's design would grow without end. */
const LIMIT = 65_536;

/** The names of one run, for its writer and for its reader. */
export class Names {
  readonly #texts: string[] = [];
  readonly #ids = new Map<string, number>();
  #queued: Row[] = [];

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
  take(): Row[] {
    const rows = this.#queued;
    this.#queued = [];
    return rows;
  }

  /** @throws JournalError `journal_corrupt` when no name has that number. */
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
