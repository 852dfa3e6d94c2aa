/** What the states of the machine are made with: its memory, and its tools by their names. They refuse until a world is provided. */
import { tool } from 'belay-sidecar';
import { setup } from 'xstate';
import type { Tools } from './tool-types.ts';
import type { Memory, Request } from './trip.ts';

function unconnected<TName extends keyof Tools>() {
  return tool<Tools[TName]['output'], Tools[TName]['input']>(() =>
    Promise.reject(new Error('no world is open for this machine')),
  );
}

/** The agent without its states. */
export const navigation = setup({
  types: { context: {} as Memory, input: {} as Request },
  actors: {
    collect_trip: unconnected<'collect_trip'>(),
    plan_stops: unconnected<'plan_stops'>(),
    search_poi: unconnected<'search_poi'>(),
    choose_poi: unconnected<'choose_poi'>(),
    refine_stop: unconnected<'refine_stop'>(),
    plan_leg: unconnected<'plan_leg'>(),
    review_route: unconnected<'review_route'>(),
    quote_charger: unconnected<'quote_charger'>(),
    reserve_charger: unconnected<'reserve_charger'>(),
    publish_route: unconnected<'publish_route'>(),
    file_log: unconnected<'file_log'>(),
  },
});
