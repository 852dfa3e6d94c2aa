/** The changes of the context after the answers of tools. */
import { currentOf, learnt, lineOf, searchFor, searchOf } from './itinerary.ts';
import type { Choice, Found, Leg, Memory, Refinement, Review } from './trip.ts';

/** Something was found, or nothing. */
export function found(memory: Memory, places: Found): Partial<Memory> {
  const { stop } = currentOf(memory);
  return { ...learnt(memory, { search: searchOf(memory) }), found: { ...memory.found, [stop]: places } };
}

/** A place is taken, something else is searched for, or the stop is skipped. */
export function chosen(memory: Memory, choice: Choice): Partial<Memory> {
  switch (choice.says) {
    case 'take':
      return learnt(memory, { place: choice.place });
    case 'search':
      return searchedAgain(memory, choice.query);
    case 'skip':
      return learnt(memory, { place: null, status: 'skipped' });
  }
}

/** A place is settled, or something else is searched for. */
export function refined(memory: Memory, refinement: Refinement): Partial<Memory> {
  return refinement.says === 'settle'
    ? learnt(memory, { place: refinement.place, status: 'resolved' })
    : searchedAgain(memory, refinement.query);
}

/** A leg is planned; null where there is no way. */
export function withLeg(memory: Memory, name: string, leg: Leg | null): Partial<Memory> {
  const line = lineOf(memory);
  return leg === null ? {} : { legs: { ...memory.legs, [line]: { ...memory.legs[line], [name]: leg } } };
}

/** The reviewer asks for something: another place for a stop, something else to be searched for it, or other legs. */
export function heard(review: Review): Partial<Memory> {
  if (review.says !== 'change') return { review };
  const { wish } = review;
  return 'by' in wish ? { wish, by: wish.by } : { wish, current: wish.stop };
}

function searchedAgain(memory: Memory, query: string): Partial<Memory> {
  const { round, wished } = currentOf(memory).search;
  return learnt(memory, { search: searchFor(query, wished, round + 1) });
}
