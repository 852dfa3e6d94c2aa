/**
 * The setup of the machine's states: its context, and its tools by their names. The tools refuse until a world is
 * provided.
 */
import { setup } from 'xstate';
import { unconnected } from '../opening.ts';
import { typed } from '../there.ts';
import type { Tools } from './tool-types.ts';
import type { Memory, Request } from './trip.ts';

/** The agent without its states. */
export const navigation = setup({
  types: typed<Memory, Request>(),
  actors: {
    collect_trip: unconnected<Tools['collect_trip']>(),
    plan_stops: unconnected<Tools['plan_stops']>(),
    search_poi: unconnected<Tools['search_poi']>(),
    choose_poi: unconnected<Tools['choose_poi']>(),
    refine_stop: unconnected<Tools['refine_stop']>(),
    plan_leg: unconnected<Tools['plan_leg']>(),
    review_route: unconnected<Tools['review_route']>(),
    quote_charger: unconnected<Tools['quote_charger']>(),
    reserve_charger: unconnected<Tools['reserve_charger']>(),
    publish_route: unconnected<Tools['publish_route']>(),
    file_log: unconnected<Tools['file_log']>(),
  },
});
