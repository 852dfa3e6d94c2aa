/** What each tool of the agent is called with, and what it answers. */
import type { Weight } from './roads.ts';
import type {
  Choice,
  Found,
  Item,
  Leg,
  Log,
  Offer,
  Publication,
  Refinement,
  Request,
  Reservation,
  Review,
  Trip,
} from './trip.ts';

/** What is needed to search for a stop. */
interface Searching {
  readonly trip: string;
  readonly stop: string;
  /** The stop before it on the agenda, or `none`, and where it is searched from. */
  readonly previous: string;
  readonly near: string;
  readonly query: string;
  readonly within: number;
}

/** What is needed to take one of the places that were found, instead of the one that was taken before, if there is one. */
interface Choosing {
  readonly trip: string;
  readonly stop: string;
  readonly title: string;
  readonly query: string;
  readonly found: Found;
  readonly instead: string | null;
  readonly last: boolean;
}

/** What is needed to settle where a stop is. */
interface Refining {
  readonly trip: string;
  readonly stop: string;
  readonly place: string;
  readonly query: string;
  readonly refine: string | null;
  readonly wish: string | null;
  readonly last: boolean;
}

/** What is needed to plan a leg. */
interface Planning {
  readonly leg: string;
  readonly from: string;
  readonly to: string;
  readonly by: Weight;
  readonly line: string;
  readonly range: number;
}

/** What lies before the reviewer. */
interface Reviewing {
  readonly line: string;
  readonly asked: Request;
  readonly places: Readonly<Record<string, string>>;
  readonly wished: Readonly<Record<string, string | null>>;
  readonly by: Weight;
  readonly legs: readonly { readonly leg: string; readonly minutes: number; readonly km: number }[];
}

/** What goes to the vehicle. */
interface Publishing {
  readonly line: string;
  readonly trip: string;
  readonly vehicle: string;
  readonly nodes: readonly string[];
  readonly places: readonly string[];
  readonly reservation: Reservation;
}

/** The tools, by the names that the machine calls them by. */
export interface Tools {
  collect_trip: { input: { asked: Request }; output: Trip | null };
  plan_stops: { input: { asked: Request; trip: Trip }; output: readonly Item[] };
  search_poi: { input: Searching; output: Found };
  choose_poi: { input: Choosing; output: Choice };
  refine_stop: { input: Refining; output: Refinement };
  plan_leg: { input: Planning; output: Leg | null };
  review_route: { input: Reviewing; output: Review };
  quote_charger: { input: { line: string; trip: string; nodes: readonly string[] }; output: Offer };
  reserve_charger: { input: { trip: string; offer: Offer }; output: Reservation };
  publish_route: { input: Publishing; output: Publication };
  file_log: { input: Log & { readonly line: string; readonly message: string }; output: Log };
}
