/** The words of the agent: what is asked of it, what it remembers, and what its planner decides. Times are `mon-09` to `fri-16`. */

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri'] as const;
const HOURS = ['09', '10', '11', '12', '13', '14', '15', '16'] as const;

/** Every time there is, the earliest first. */
export const TIMES: readonly string[] = DAYS.flatMap((day) => HOURS.map((hour) => `${day}-${hour}`));

/** A change that the reviewer will ask for once the first schedule lies before them. */
export interface Wish {
  readonly slot: string;
  readonly value: string;
}

/** A request to the agent. */
export interface Request {
  /** The name of the meeting; one meeting has one invitation. */
  readonly meeting: string;
  readonly title: string;
  /** True to send invitations, false to hold the slots only. */
  readonly mode: 'submit' | 'draft';
  /** The ids of the people who take part. */
  readonly people: readonly string[];
  /** The titles of the slots. */
  readonly slots: readonly string[];
  readonly wishes: readonly Wish[];
}

/** A request with the people looked up; null where it was withdrawn, or names an unknown person. */
export interface Collected {
  readonly meeting: string;
  readonly title: string;
  readonly mode: Request['mode'];
  readonly people: readonly { readonly id: string; readonly email: string }[];
}

/** A slot on the agenda. */
export interface Item {
  readonly slot: string;
  readonly title: string;
}

/** A slot as far as it is known. */
export interface Slot {
  /** When each person is free, by their id. */
  readonly free?: Readonly<Record<string, readonly string[]>>;
  /** When it takes place. */
  readonly value?: string;
  readonly status?: 'resolved' | 'deferred';
}

/** The reviewer's answer about a schedule. */
export type Review =
  | { readonly says: 'accept' }
  | { readonly says: 'withdraw' }
  | { readonly says: 'change'; readonly wish: Wish };

/** Proof that the invitations went out. */
export interface Submission {
  readonly messageId: string;
  readonly to: readonly string[];
}

/** The record that is filed at the end. */
export interface Receipt {
  readonly meeting: string;
  readonly messageId: string;
  readonly room: string;
}

/** The agent's memory. */
export interface Memory {
  readonly asked: Request;
  readonly request: Collected | null;
  readonly agenda: readonly Item[];
  readonly slots: Readonly<Record<string, Slot>>;
  /** The slot that is being resolved. */
  readonly current: string | null;
  readonly review: Review | null;
  /** The change that the reviewer asked for last. */
  readonly wish: Wish | null;
  readonly room: string | null;
  readonly submission: Submission | null;
  readonly receipt: Receipt | null;
}

/** When the slots take place that do, by their names. */
export function valuesOf(slots: Memory['slots']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(slots).flatMap(([slot, { value, status }]) =>
      value === undefined || status === 'deferred' ? [] : [[slot, value]],
    ),
  );
}
