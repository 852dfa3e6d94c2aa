/**
 * Who decides: a port, since it may be a script, a recording or a language model. It sees what it is shown and nothing else,
 * and is asked again where its answer was lost, so it must not count how often it was asked.
 */
import type { Collected, Item, Request, Review, Wish } from './schedule.ts';

/** The decisions of the agent. */
export interface Planner {
  /** Which slots to resolve, in which order. */
  plan(shown: { readonly asked: Request; readonly request: Collected }): Promise<readonly Item[]>;
  /** One of the times at which everybody is free; null puts the slot off. */
  choose(shown: { readonly slot: string; readonly times: readonly string[] }): Promise<string | null>;
  /** When the slot takes place after all, given what the reviewer wished. */
  refine(shown: { readonly slot: string; readonly value: string; readonly wish: Wish | null }): Promise<string>;
  /** Whether the schedule is good as it is. */
  review(shown: { readonly asked: Request; readonly values: Readonly<Record<string, string>> }): Promise<Review>;
}

/** A planner that follows the request: the earliest time there is, and one change for each wish that is not yet fulfilled. */
export const scripted: Planner = {
  plan: async ({ asked }) => asked.slots.map((title, index) => ({ slot: `slot[${index}]`, title })),
  choose: async ({ times }) => times[0] ?? null,
  refine: async ({ value, wish }) => wish?.value ?? value,
  review: async ({ asked, values }) => {
    const wish = asked.wishes.find(({ slot, value }) => values[slot] !== undefined && values[slot] !== value);
    return wish === undefined ? { says: 'accept' } : { says: 'change', wish };
  },
};
