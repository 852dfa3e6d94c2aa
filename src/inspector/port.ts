/**
 * The port of the inspector: what its server is handed by the command. The server reads journals and acts on nothing by itself: an answer of a
 * person, and a command that needs the agent's code, go through the same functions as the verbs of the command line.
 */
import type { JournalStore } from '../journal/journal.ts';

/** An answer of a person to a gate; `output` is JSON text. */
export type Saying =
  | { readonly verdict: 'approved' | 'denied' }
  | { readonly verdict: 'settled'; readonly status: 'confirmed' | 'failed'; readonly output: string | null };

/** The result of an act, in words. */
export interface Told {
  readonly ok: boolean;
  readonly text: string;
}

/** The facts of one config and of its review. */
export interface InspectedConfig {
  readonly file: string;
  readonly agent: string | null;
  readonly digest: string | null;
  /** The review of exactly this content; null where there is none. */
  readonly review: { readonly by: string; readonly when: string } | null;
  /** The reason why it cannot be used; null where it can. */
  readonly problem: string | null;
  readonly boundaries: readonly InspectedBoundary[];
}

/** One boundary of a config. */
export interface InspectedBoundary {
  readonly skeleton: string;
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly when: string;
}

/** The matrix of a rehearsal: rows of places, and the letters of their runs. */
export interface InspectedMatrix {
  readonly file: string;
  readonly agent: string;
  readonly totals: Readonly<Record<'same' | 'parked' | 'harm' | 'unreached', number>>;
  readonly tables: readonly {
    readonly title: string;
    readonly columns: readonly string[];
    readonly rows: readonly {
      readonly place: string;
      readonly cells: readonly (readonly { readonly is: string; readonly text: string }[])[];
    }[];
  }[];
}

/** What the server is handed. */
export interface Inspected {
  /** The name of the journal file, as it was typed. */
  readonly file: string;
  /** Opens the journal for reading. */
  open(): JournalStore;
  /** Leaves the answer of a person, as the verbs `approve`, `deny` and `settle` do. */
  answer(gate: string, saying: Saying, by: string, why: string | null): Promise<Told>;
  /** The words of a command about a run, ready to type. */
  command(verb: string, run: string, ...more: readonly string[]): string;
  /** Runs a verb that needs the agent's code; null where no module was named. */
  readonly execute: ((verb: string, run: string, ...more: readonly string[]) => Promise<Told>) | null;
  /** The configs that were named. */
  configs(): readonly InspectedConfig[];
  /** The rehearsals whose reports were named. */
  readonly matrices: readonly InspectedMatrix[];
}
