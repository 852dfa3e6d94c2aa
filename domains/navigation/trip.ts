/** The words of the agent: what is asked of it, what it remembers, and what its tools answer. */
import type { Way, Weight } from './roads.ts';

/** A stop as it is asked for. A query is a category and, after it, features: `food vegan`. */
interface Wanted {
  readonly title: string;
  readonly query: string;
  /** The traveller's next wish after they have seen the results of the query. */
  readonly refine?: string;
}

/** The reviewer's wish once they see the routes. */
export type Wish =
  | { readonly stop: string; readonly place: string }
  | { readonly stop: string; readonly query: string }
  | { readonly by: Weight };

/** A request to the agent. */
export interface Request {
  /** The name of the trip; one trip has one published route. */
  readonly trip: string;
  readonly vehicle: string;
  readonly from: string;
  readonly to: string;
  /** True if the route goes to the vehicle, false if the stops are only found. */
  readonly mode: 'publish' | 'preview';
  readonly stops: readonly Wanted[];
  readonly wishes: readonly Wish[];
}

/** A request with its vehicle looked up; `range` is in kilometres. */
export interface Trip {
  readonly trip: string;
  readonly vehicle: string;
  readonly range: number;
  readonly from: string;
  readonly to: string;
  readonly mode: Request['mode'];
}

/** A stop on the agenda. */
export interface Item {
  readonly stop: string;
  readonly title: string;
  readonly query: string;
  readonly refine: string | null;
}

/** A search: for what, within how many minutes, and the how many-th for the stop it is, from 0. */
export interface Search {
  readonly query: string;
  readonly within: number;
  readonly round: number;
  /** The reviewer's last wish for a search. */
  readonly wished: string | null;
}

/** A place that was found, and how many minutes away it is. */
export interface Candidate {
  readonly place: string;
  readonly minutes: number;
}

/**
 * The result of a search. `turn` is the number of holds that the stop had had by then: a holder that knows an older
 * turn waits in line.
 */
export interface Found {
  readonly places: readonly Candidate[];
  readonly turn: number;
}

/** A stop as far as it is known. */
export interface Stop {
  readonly search: Search;
  /** Where it is; null once it was skipped. */
  readonly place?: string | null;
  readonly status?: 'resolved' | 'skipped';
}

/** The decision about a result: a place is taken, a further search is made, or the stop is skipped. */
export type Choice =
  | { readonly says: 'take'; readonly place: string }
  | { readonly says: 'search'; readonly query: string }
  | { readonly says: 'skip' };

/** The decision about a taken place: it is settled (or another one in its stead), or a further search is made. */
export type Refinement =
  | { readonly says: 'settle'; readonly place: string }
  | { readonly says: 'search'; readonly query: string };

/** The way to a stop, or to the end of the trip. */
export interface Leg extends Way {
  readonly from: string;
  readonly to: string;
  readonly by: Weight;
}

/** The reviewer's answer about the routes. */
export type Review =
  | { readonly says: 'accept' }
  | { readonly says: 'withdraw' }
  | { readonly says: 'change'; readonly wish: Wish };

/** A charger's offer. A firm one may be taken up again; an open one is used up, which is what its `turn` tells. */
export interface Offer {
  readonly charger: string;
  readonly turn: number;
  readonly firm: boolean;
}

/** A charger that is reserved. */
export interface Reservation {
  readonly charger: string;
  readonly standing: 'first' | 'waiting';
}

/** Proof that the vehicle has the route. */
export interface Publication {
  readonly message: string;
}

/** The record that is filed at the end. */
export interface Log {
  readonly trip: string;
  readonly stops: number;
  readonly km: number;
}

/** The agent's memory. */
export interface Memory {
  readonly asked: Request;
  readonly trip: Trip | null;
  readonly agenda: readonly Item[];
  readonly stops: Readonly<Record<string, Stop>>;
  /** The results for the stops: a note for one choice, which is no part of the trip's outcome. */
  readonly found: Readonly<Record<string, Found>>;
  /** The stop that is being resolved. */
  readonly current: string | null;
  /** The criteria of the routes. */
  readonly by: Weight;
  /**
   * The legs by the line that they are of, which is where the stops are and what it is planned by, and the name of the stop that they
   * lead to; the last one is `arrival`. So a line relies on no leg of another one.
   */
  readonly legs: Readonly<Record<string, Readonly<Record<string, Leg>>>>;
  readonly review: Review | null;
  /** The reviewer's last wish. */
  readonly wish: Wish | null;
  readonly offer: Offer | null;
  readonly reservation: Reservation | null;
  readonly publication: Publication | null;
  readonly log: Log | null;
}
