/** The navigation as a graph: a node for each reviewed skeleton, over the tools of the machine. */
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { chosen, found, heard, refined, withLeg } from '../../domains/navigation/answers.ts';
import {
  before,
  currentOf,
  isLast,
  learnt,
  lineOf,
  nextLeg,
  nextStop,
  nodesOf,
  placesOf,
  routeOf,
  searchFor,
  searchOf,
  tripOf,
  unplanned,
  widened,
  wishedOf,
} from '../../domains/navigation/itinerary.ts';
import type { Tools } from '../../domains/navigation/tool-types.ts';
import type { Memory } from '../../domains/navigation/trip.ts';
import { there } from '../../domains/there.ts';
import type { ToolsOf } from './tools.ts';

const merged = <T extends object>(known: T, more: T): T => ({ ...known, ...more });

const State = Annotation.Root({
  asked: Annotation<Memory['asked']>,
  trip: Annotation<Memory['trip']>,
  agenda: Annotation<Memory['agenda']>,
  stops: Annotation<Memory['stops']>({ reducer: merged, default: () => ({}) }),
  found: Annotation<Memory['found']>({ reducer: merged, default: () => ({}) }),
  /** The stop that is to be resolved next; null where there is none. */
  current: Annotation<Memory['current']>,
  by: Annotation<Memory['by']>({ reducer: (_, by) => by, default: () => 'minutes' }),
  legs: Annotation<Memory['legs']>({ reducer: merged, default: () => ({}) }),
  review: Annotation<Memory['review']>,
  wish: Annotation<Memory['wish']>({ reducer: (_, wish) => wish, default: () => null }),
  offer: Annotation<Memory['offer']>,
  reservation: Annotation<Memory['reservation']>,
  publication: Annotation<Memory['publication']>,
  log: Annotation<Memory['log']>,
});
type Seen = typeof State.State;
type Change = typeof State.Update;

/** The graph, which is not compiled yet. */
export function navigationGraph(tools: ToolsOf<Tools>) {
  return new StateGraph(State)
    .addNode('PrepareTrip', preparing(tools))
    .addNode('ResolveStop', resolving(tools))
    .addNode('FinalizeRoute', finalizing(tools))
    .addEdge(START, 'PrepareTrip')
    .addConditionalEdges('PrepareTrip', ({ current }) => (current === null ? END : 'ResolveStop'))
    .addConditionalEdges('ResolveStop', (state) => {
      if (state.current !== null) return 'ResolveStop';
      const isOver = Object.keys(placesOf(state)).length === 0 || tripOf(state).mode === 'preview';
      return isOver ? END : 'FinalizeRoute';
    })
    .addConditionalEdges('FinalizeRoute', ({ current }) => (current === null ? END : 'ResolveStop'));
}

function preparing({ collect_trip, plan_stops }: ToolsOf<Tools>) {
  return async ({ asked }: Seen): Promise<Change> => {
    const trip = await collect_trip({ asked });
    if (trip === null) return { trip, current: null };
    const agenda = await plan_stops({ asked, trip });
    const stops = Object.fromEntries(agenda.map(({ stop, query }) => [stop, { search: searchFor(query, null) }]));
    return { trip, agenda, stops, current: agenda[0]?.stop ?? null };
  };
}

/** One stop: it is searched for, a place is chosen, and refined until it stays. One that the reviewer moves is refined only. */
function resolving({ search_poi, choose_poi, refine_stop }: ToolsOf<Tools>) {
  return async (state: Seen): Promise<Change> => {
    let memory: Memory = {
      ...{ asked: state.asked, trip: state.trip, agenda: state.agenda, stops: state.stops, found: state.found },
      ...{ current: state.current, by: 'minutes', legs: {}, review: null, wish: state.wish },
      ...{ offer: null, reservation: null, publication: null, log: null },
    };
    const stop = there(memory.current, 'stop');
    const { trip } = tripOf(memory);
    const behind = (): Change => {
      const [known, places] = [memory.stops[stop], memory.found[stop]];
      const next = nextStop(memory);
      return {
        ...(known !== undefined && { stops: { [stop]: known } }),
        ...(places !== undefined && { found: { [stop]: places } }),
        current: next,
      };
    };
    const search = async (): Promise<void> => {
      const { query, within } = searchOf(memory);
      const places = await search_poi({ trip, stop, ...before(memory), query, within });
      const wider = widened(searchOf(memory));
      if (places.places.length > 0 || wider === null) {
        memory = { ...memory, ...found(memory, places) };
        return;
      }
      memory = { ...memory, ...learnt(memory, { search: wider }) };
      return search();
    };
    const { wish } = memory;
    const wished = wish !== null && 'place' in wish && wish.stop === stop ? wish.place : null;
    let isSettled = wished !== null;
    for (;;) {
      if (!isSettled) {
        await search();
        const { title, search: made, place } = currentOf(memory);
        const known = { trip, stop, title, query: made.query, last: isLast(made) };
        const choice = await choose_poi({
          ...known,
          found: there(memory.found[stop], 'search'),
          instead: place ?? null,
        });
        memory = { ...memory, ...chosen(memory, choice) };
        if (choice.says === 'skip') return behind();
        if (choice.says === 'search') continue;
      }
      isSettled = false;
      const { place, search: made, refine } = currentOf(memory);
      const known = { trip, stop, place: there(place, 'place'), query: made.query };
      const refinement = await refine_stop({ ...known, refine, wish: wished, last: isLast(made) });
      memory = { ...memory, ...refined(memory, refinement) };
      if (refinement.says === 'settle') return behind();
    }
  };
}

/** The legs and the review, until it is accepted or opens a stop again. Then the charger, the vehicle and the log. */
function finalizing(tools: ToolsOf<Tools>) {
  return async (state: Seen): Promise<Change> => {
    let memory: Memory = {
      ...{ asked: state.asked, trip: state.trip, agenda: state.agenda, stops: state.stops, found: {} },
      ...{ current: null, by: state.by, legs: state.legs, review: null, wish: null },
      ...{ offer: null, reservation: null, publication: null, log: null },
    };
    const { trip, vehicle, range } = tripOf(memory);
    const behind = (more: Change): Change => ({ by: memory.by, legs: memory.legs, ...more });
    for (;;) {
      do {
        const ends = nextLeg(memory);
        const leg = await tools.plan_leg({ ...ends, by: memory.by, line: lineOf(memory), range });
        if (leg === null) return behind({});
        memory = { ...memory, ...withLeg(memory, ends.leg, leg) };
      } while (unplanned(memory).length > 0);
      const [line, places, wished] = [lineOf(memory), placesOf(memory), wishedOf(memory)];
      const legs = routeOf(memory).map(({ leg, minutes, km }) => ({ leg, minutes, km }));
      const review = await tools.review_route({ line, asked: memory.asked, places, wished, by: memory.by, legs });
      memory = { ...memory, ...heard(review) };
      if (review.says === 'withdraw') return behind({ review });
      if (review.says === 'accept') break;
      if ('stop' in review.wish) return behind({ wish: review.wish, current: review.wish.stop });
    }
    const line = lineOf(memory);
    const offer = await tools.quote_charger({ line, trip, nodes: nodesOf(memory) });
    const reservation = await tools.reserve_charger({ trip, offer });
    const places = Object.values(placesOf(memory));
    const publication = await tools.publish_route({
      ...{ line, trip, vehicle, nodes: nodesOf(memory), places, reservation },
    });
    const km = routeOf(memory).reduce((sum, leg) => sum + leg.km, 0);
    const log = await tools.file_log({ line, trip, stops: places.length, km, message: publication.message });
    return behind({ review: memory.review, offer, reservation, publication, log });
  };
}
