/** The words of the agent: what is asked of it, what moves through it, and what it remembers. Rows are named by their `id`. */

/** The tables, in the order in which they are loaded: each refers to rows of the one before it. */
export const TABLES = ['customers', 'orders', 'payments'] as const;

/** One of them. */
export type Table = (typeof TABLES)[number];

/** The possible oddities of a source's delivery. */
export const ODDITIES = ['late', 'uploading', 'overstated', 'clean', 'spoiled', 'clashing', 'absent'] as const;

/** One of these; deliveries.ts says what each of them is. */
export type Oddity = (typeof ODDITIES)[number];

/** A request to the agent. */
export interface Request {
  /** The name of the batch; one batch has one report. */
  readonly batch: string;
  /** True to publish a report, false to load the tables only. */
  readonly mode: 'publish' | 'load';
  readonly tables: readonly Table[];
  /** The oddities of the sources. */
  readonly source: Readonly<Partial<Record<Table, readonly Oddity[]>>>;
}

/** A batch that is open. */
export interface Opened {
  /** Drawn from a sequence. */
  readonly number: number;
  readonly tables: readonly Table[];
}

/** A row as it was delivered: every value is a text, and one that is missing is empty. */
export type Raw = Readonly<Record<string, string>>;

/** A row as it is loaded. */
export type Clean = Readonly<Record<string, string | number | null>>;

/** The content of one delivery of a table; null where there is none. */
export interface Extract {
  /** The number of the delivery of the table, from 1. */
  readonly delivery: number;
  /** The position of the source: this delivery held its rows up to here. */
  readonly upTo: number;
  /** The number of rows that the source announces. */
  readonly announced: number;
  readonly rows: readonly Raw[];
}

/** A row that cannot be loaded, and why. */
export interface Bad {
  readonly id: string;
  readonly reason: string;
}

/** The profile of a delivery's rows. */
export interface Check {
  readonly delivery: number;
  /** True if all announced rows are there. */
  readonly complete: boolean;
  readonly bad: readonly Bad[];
}

/** The rows of a delivery that are in quarantine. */
export interface Aside {
  readonly delivery: number;
  readonly ids: readonly string[];
}

/** The rows of a delivery in the form in which they are loaded. */
export interface Ready {
  readonly delivery: number;
  readonly rows: readonly Clean[];
}

/** The answer of the database to a delivery. It takes all of its rows, or none. */
export interface Loaded {
  readonly delivery: number;
  readonly rows: number;
  /** The rows that it does not take, with the constraint that each breaks. */
  readonly refused: readonly Bad[];
}

/** The position up to which a table is loaded. */
export interface Watermark {
  readonly delivery: number;
  readonly upTo: number;
}

/** A table as far as it has come. */
export interface Progress {
  readonly extract?: Extract;
  readonly check?: Check;
  readonly aside?: Aside;
  readonly ready?: Ready;
  readonly loaded?: Loaded;
  /** The rows that the database refused last. */
  readonly refused?: Loaded;
  readonly watermark?: Watermark;
  readonly status?: 'loaded' | 'absent';
}

/** One line of the report. */
export interface Line {
  readonly country: string;
  readonly customers: number;
  readonly orders: number;
  readonly ordered: number;
  readonly paid: number;
}

/** Proof that a report was published. */
export interface Publication {
  readonly id: string;
  readonly lines: number;
}

/** The record that is filed at the end. */
export interface Filed {
  readonly batch: string;
  readonly publication: string;
}

/** The agent's memory. */
export interface Memory {
  readonly asked: Request;
  readonly opened: Opened | null;
  readonly tables: Readonly<Record<Table, Progress>>;
  /** The table that is being loaded. */
  readonly current: Table | null;
  /** The last table that was opened again, because a source had delivered more. */
  readonly late: { readonly table: Table; readonly since: number } | null;
  readonly report: readonly Line[] | null;
  readonly publication: Publication | null;
  readonly filed: Filed | null;
}
