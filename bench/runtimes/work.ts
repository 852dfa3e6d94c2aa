/** The work that every runtime is measured with: a chain of steps over a state of ten fields, each of which changes two of them. */

/** The state of a chain. */
export type State = Readonly<Record<Field, number | string>>;

/** What a step changes. */
export type Update = Partial<State>;

export type Field = (typeof FIELDS)[number];

const TEXTS = ['who', 'what', 'where', 'when', 'why', 'how', 'price', 'note', 'next'] as const;

/** The names of the fields: a count and nine texts. */
export const FIELDS = ['count', ...TEXTS] as const;

/** The state in which a chain begins. */
export const FIRST: State = Object.fromEntries(
  FIELDS.map((name) => [name, name === 'count' ? 0 : `the first ${name}`]),
) as State;

/** The whole work of a step: the count goes up, and one of the texts is another one. */
export function updateOf(count: number): Update {
  return { count: count + 1, [TEXTS[count % TEXTS.length] as Field]: `changed by step ${count}` };
}

/** How far the chains of a process go. Its runtime tells it of each step, and asks it before the next one. */
export interface Pace {
  /** Does the work of a step that has begun. */
  step(count: number): Update;
  /** True while another step is to follow. */
  more(): boolean;
}

/** A runtime that is ready to take chains. */
export interface Runtime {
  /** Runs one chain to its end; each under a name of its own. */
  chain(run: string): Promise<void>;
  /** The bytes on the disk of all chains so far; absent where a runtime writes nothing. */
  bytes?(): Promise<number>;
  /** The processes beside this one that work for it: a server's. */
  servers?(): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Where a runtime may keep what it writes. */
export interface Place {
  /** A folder of its own. */
  readonly folder: string;
  /** The address of a PostgreSQL database, and the name of a schema of its own there; null where there is no server. */
  readonly postgres: { readonly address: string; readonly schema: string } | null;
}

/** Makes a runtime ready, its machine or graph included: all chains of a process are of the same one. */
export type Opener = (place: Place, pace: Pace) => Promise<Runtime>;
