/**
 * The port of the inspector: the functions that the command hands its server. The server reads journals and acts on
 * nothing by itself: an answer of a person, and a command that needs the agent's code, go through the same functions as
 * the verbs of the command line.
 */

import type { JournalStore } from '../journal/journal.ts';
import type { ObligationAnswer } from '../model/obligation-entries.ts';
import type { Ledgers } from '../reports/ledgers.ts';
import type { InspectedConfig, InspectedLedger, InspectedMatrix } from './files-data.ts';

/** An answer of a person to a gate; `output` and `with` are JSON text. */
export type Saying =
  | { readonly verdict: 'denied' }
  /** `with`: what changes in the arguments of the call (PE1). */
  | { readonly verdict: 'approved'; readonly with: string | null }
  | { readonly verdict: 'settled'; readonly status: 'confirmed' | 'failed'; readonly output: string | null };

/** The result of an act, in words. */
export interface Told {
  readonly ok: boolean;
  readonly text: string;
}

/** Everything that the server is handed. */
export interface Inspected {
  /** The name of the journal file, as it was typed. */
  readonly file: string;
  /** Opens the journal for reading. */
  open(): JournalStore | Promise<JournalStore>;
  /** Leaves the answer of a person, as the verbs `approve`, `deny` and `settle` do. */
  answer(gate: string, saying: Saying, by: string, why: string | null): Promise<Told>;
  /** Leaves the word of a person that a run is to stand still, or to go on, as the verbs `pause` and `unpause` do. */
  pause(run: string, pause: boolean, by: string, why: string | null): Promise<Told>;
  /** Leaves the word of a person about a call by its key, as the verb `settle` does with `--run`; `output` is JSON text. */
  settle(
    run: string,
    key: string,
    status: 'confirmed' | 'failed' | 'compensated' | 'supplied' | ObligationAnswer,
    output: string | null,
    by: string,
    why: string | null,
  ): Promise<Told>;
  /** Leaves the word of a person that a run is to end, as the verb `cancel` does. */
  cancel(run: string, by: string, why: string | null): Promise<Told>;
  /** Keeps an attempt of a group, as the verb `keep` does. */
  keep(run: string, by: string, why: string | null): Promise<Told>;
  /** Leaves the word of a person that the step which threw is to be tried again, as the verb `retry` does. */
  retry(run: string, by: string, why: string | null): Promise<Told>;
  /** True where the page only shows: it offers the commands of acts, and does none. */
  readonly readOnly: boolean;
  /** The words of a command about a run, ready to type. */
  command(verb: string, run: string, ...more: readonly string[]): string;
  /** Runs a verb that needs the agent's code; null where no module was named. */
  readonly execute: ((verb: string, run: string, ...more: readonly string[]) => Promise<Told>) | null;
  /** The configs that were named. */
  configs(): Promise<readonly InspectedConfig[]>;
  /** The rehearsals whose reports were named. */
  readonly matrices: readonly InspectedMatrix[];
  /** The ledgers of a run, in the words of the verb `ledger`. */
  ledger(run: string, ledgers: Ledgers): InspectedLedger;
}
