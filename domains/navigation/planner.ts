/** The decisions that the agent asks its planner for, and the script that makes them. */
import { scripted as follows, line, type Question } from '../planner/planner.ts';
import type { Weight } from './roads.ts';
import type { Candidate, Choice, Item, Refinement, Request, Review, Trip, Wish } from './trip.ts';

const text = { type: 'string', minLength: 1, maxLength: 200 } as const;
const says = (word: string, more: object = {}) => ({
  type: 'object',
  additionalProperties: false,
  required: ['says', ...Object.keys(more)],
  properties: { says: { const: word }, ...more },
});

/** A wish, as the request has it and as the reviewer says it. */
export const wishSchema = {
  oneOf: [{ stop: text, place: text }, { stop: text, query: text }, { by: { enum: ['minutes', 'km'] } }].map(
    (properties) => ({
      type: 'object',
      additionalProperties: false,
      required: Object.keys(properties),
      properties,
    }),
  ),
};

/** The stops to make, in order. */
export const plan: Question<{ asked: Request; trip: Trip }, readonly Item[]> = {
  name: 'plan',
  asks: 'A trip has stops. Answer with one item for each stop of `asked.stops`, in the order in which they are made. Call the first one stop[0], the next one stop[1], and so on; its title, query and refine are those of the stop, refine being null where there is none.',
  answer: {
    type: 'array',
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['stop', 'title', 'query', 'refine'],
      properties: { stop: text, title: text, query: text, refine: { anyOf: [text, { type: 'null' }] } },
    },
  },
};

/** The decision about a place that was found for a stop. */
export const choose: Question<{ title: string; query: string; places: readonly Candidate[]; last: boolean }, Choice> = {
  name: 'choose',
  asks: 'A stop is searched for: `places` are those that were found, with the minutes to get there. Take one of them. Where there is none, search for something less particular, which is the first word of the query; skip the stop where the query has one word only, or where `last` says that nothing else may be searched for.',
  answer: { oneOf: [says('take', { place: text }), says('search', { query: text }), says('skip')] },
};

/** True if a stop stays where it is. */
export const refine: Question<
  { place: string; query: string; refine: string | null; wish: string | null; last: boolean },
  Refinement
> = {
  name: 'refine',
  asks: 'A stop is at `place`. Where the reviewer has a `wish`, settle on that place. Else, where the traveller asks to `refine` the query, and that is not the query already, search for it, unless `last` says that nothing else may be searched for. Else settle on the place.',
  answer: { oneOf: [says('settle', { place: text }), says('search', { query: text })] },
};

/** True if the routes are good. */
export const review: Question<
  {
    asked: Request;
    places: Readonly<Record<string, string>>;
    wished: Readonly<Record<string, string | null>>;
    line: string;
    by: Weight;
    legs: readonly { readonly leg: string; readonly minutes: number; readonly km: number }[];
  },
  Review
> = {
  name: 'review',
  asks: 'Review the routes of a trip. A wish of `asked.wishes` is fulfilled where `places` has its place for its stop, `wished` has its query for its stop, or `by` is what it asks for. Of two wishes of one kind for one stop only the later one counts; those for stops that `places` does not name do not count. Answer with a change and the first wish that counts and is not fulfilled; where there is none, accept.',
  answer: { oneOf: [says('accept'), says('withdraw'), says('change', { wish: wishSchema })] },
};

/** A planner that follows the request: the nearest place there is, and one change for each wish that is not yet fulfilled. */
export const scripted = follows([
  line(plan, ({ asked }) =>
    asked.stops.map(({ title, query, refine = null }, index) => ({ stop: `stop[${index}]`, title, query, refine })),
  ),
  line(choose, ({ query, places, last }): Choice => {
    const [nearest] = places;
    if (nearest !== undefined) return { says: 'take', place: nearest.place };
    const [category = '', ...features] = query.split(' ');
    return features.length === 0 || last ? { says: 'skip' } : { says: 'search', query: category };
  }),
  line(refine, ({ place, query, refine, wish, last }): Refinement => {
    if (wish !== null) return { says: 'settle', place: wish };
    return refine === null || refine === query || last ? { says: 'settle', place } : { says: 'search', query: refine };
  }),
  line(review, ({ asked, places, wished, by }): Review => {
    const open = asked.wishes.find((wish, index) => {
      if (asked.wishes.slice(index + 1).some((later) => kindOf(later) === kindOf(wish))) return false;
      if ('by' in wish) return wish.by !== by;
      if (places[wish.stop] === undefined) return false;
      return 'place' in wish ? places[wish.stop] !== wish.place : wished[wish.stop] !== wish.query;
    });
    return open === undefined ? { says: 'accept' } : { says: 'change', wish: open };
  }),
]);

/** The subject of a wish. */
function kindOf(wish: Wish): string {
  return 'by' in wish ? 'by' : `${'place' in wish ? 'place' : 'query'} ${wish.stop}`;
}
