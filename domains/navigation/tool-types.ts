/** The inputs and the answers of the agent's tools. */
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

/** The input of a search for a stop. */
interface Searching {
  readonly trip: string;
  readonly stop: string;
  /** The stop before it on the agenda, or `none`, and where it is searched from. */
  readonly previous: string;
  readonly near: string;
  readonly query: string;
  readonly within: number;
}

/** The input for taking one of the found places, in place of the earlier one, if there is one. */
interface Choosing {
  readonly trip: string;
  readonly stop: string;
  readonly title: string;
  readonly query: string;
  readonly found: Found;
  readonly instead: string | null;
  readonly last: boolean;
}

/** The input for settling the place of a stop. */
interface Refining {
  readonly trip: string;
  readonly stop: string;
  readonly place: string;
  readonly query: string;
  readonly refine: string | null;
  readonly wish: string | null;
  readonly last: boolean;
}

/** The input for planning a leg. */
interface Planning {
  readonly leg: string;
  readonly from: string;
  readonly to: string;
  readonly by: Weight;
  readonly line: string;
  readonly range: number;
}

/** The view of the reviewer. */
interface Reviewing {
  readonly line: string;
  readonly asked: Request;
  readonly places: Readonly<Record<string, string>>;
  readonly wished: Readonly<Record<string, string | null>>;
  readonly by: Weight;
  readonly legs: readonly { readonly leg: string; readonly minutes: number; readonly km: number }[];
}

/** The message to the vehicle. */
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
