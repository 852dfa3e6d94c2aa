/** The agent's tools on a world, who can be asked about them, and what undoes them; by the names that the config uses. */
import { createHash, randomUUID } from 'node:crypto';
import { NotApplied, type ReconcileResult, type Reconciler, type Undo } from 'belay-sidecar';
import { tool } from 'belay-sidecar/xstate';
import { ask, decided, type Planner } from '../planner/planner.ts';
import { there } from '../there.ts';
import type { Atlas } from './atlas.ts';
import type { Chargers } from './chargers.ts';
import * as questions from './planner.ts';
import type { Records } from './records.ts';
import { wayFrom } from './roads.ts';
import type { Tools } from './tool-types.ts';
import type { Choice, Publication, Refinement } from './trip.ts';
import type { Navigator } from './vehicle.ts';

/** The parts of the world that the tools act on. */
export interface World {
  readonly records: Records;
  readonly atlas: Atlas;
  readonly chargers: Chargers;
  readonly navigator: Navigator;
  readonly planner: Planner;
}

interface Call<TName extends keyof Tools> {
  readonly input: Tools[TName]['input'];
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

function made<TName extends keyof Tools>(act: (call: Call<TName>) => Promise<Tools[TName]['output']>) {
  return tool<Tools[TName]['output'], Tools[TName]['input']>(act);
}

/** The tools. */
export function toolsOn(world: World) {
  const { atlas, chargers, navigator, planner } = world;
  return {
    collect_trip: made<'collect_trip'>(async ({ input: { asked } }) => {
      const { trip, vehicle, from, to, mode } = asked;
      const range = chargers.rangeOf(vehicle);
      return range === null ? null : { trip, vehicle, range, from, to, mode };
    }),
    plan_stops: made<'plan_stops'>(({ input, signal }) => ask(planner, questions.plan, input, signal)),
    search_poi: made<'search_poi'>(async ({ input: { trip, stop, query, near, within } }) =>
      atlas.search(trip, stop, query, near, within),
    ),
    choose_poi: chooseOn(world),
    refine_stop: refineOn(world),
    plan_leg: made<'plan_leg'>(async ({ input: { from, to, by, range } }) => {
      const way = wayFrom(atlas.nodeOf(from), atlas.nodeOf(to), by);
      return way === null || way.km > range ? null : { from, to, by, ...way };
    }),
    review_route: made<'review_route'>(({ input, signal }) => ask(planner, questions.review, input, signal)),
    quote_charger: made<'quote_charger'>(async ({ input: { trip, nodes } }) =>
      chargers.offer(trip, there(nodes[Math.floor(nodes.length / 2)], 'road')),
    ),
    reserve_charger: made<'reserve_charger'>(async ({ input, key }) => chargers.reserve(input.trip, input.offer, key)),
    publish_route: made<'publish_route'>(async ({ input, key }) => {
      const { line: _, reservation, ...route } = input;
      const message = messageOf(key);
      navigator.send(message, { ...route, ...reservation });
      return { message };
    }),
    file_log: made<'file_log'>(async ({ input, key }) => chargers.file(input, key)),
  };
}

function chooseOn({ atlas, planner }: World) {
  return made<'choose_poi'>(async ({ input, key, signal }) => {
    const { trip, stop, title, query, found, instead, last } = input;
    const { places, turn } = found;
    const said = await decided(ask(planner, questions.choose, { title, query, places, last }, signal));
    signal.throwIfAborted();
    if (said.says === 'take' && !places.some(({ place }) => place === said.place))
      throw new NotApplied(`${said.place} is none of the places that were found`);
    const choice: Choice = said.says === 'search' && last ? { says: 'skip' } : said;
    if (choice.says === 'search') return atlas.hold({ trip, stop, place: null, instead: null, turn }, choice, key);
    const place = choice.says === 'take' ? choice.place : null;
    return atlas.hold({ trip, stop, place, instead, turn }, choice, key);
  });
}

function refineOn({ atlas, planner }: World) {
  return made<'refine_stop'>(async ({ input, key, signal }) => {
    const { trip, stop, ...shown } = input;
    const said = await decided(ask(planner, questions.refine, shown, signal));
    signal.throwIfAborted();
    const refinement: Refinement = said.says === 'search' && input.last ? { says: 'settle', place: input.place } : said;
    return atlas.settle(trip, stop, refinement.says === 'settle' ? refinement.place : null, refinement, key);
  });
}

/** The counterparties that can be asked whether a call happened. The chargers cannot: their books are private. */
export function reconcilersOn({ records, navigator }: World): Record<string, Reconciler> {
  return {
    // The database changes in the same moment as it is asked: what it does not know of will not happen later.
    find_hold: ({ key }): ReconcileResult => {
      const found = records.find(key);
      return found === null ? { is: 'not_applied' } : { is: 'applied', output: found.output };
    },
    find_publication: ({ key }): ReconcileResult => {
      const message = messageOf(key);
      return navigator.has(message)
        ? { is: 'applied', output: { message } satisfies Publication }
        : { is: 'not_applied' };
    },
  };
}

/** The undos of the calls. */
export function undoOn({ atlas, chargers }: World): Record<string, Undo> {
  return {
    put_back: ({ key, undoKey }) => atlas.putBack(key, undoKey),
    cancel_reservation: ({ key, undoKey }) => chargers.cancel(key, undoKey),
  };
}

/** The name of the message that a call sends: the same for the same decision, so that the navigator can tell. */
function messageOf(key: string | undefined): string {
  return key === undefined ? randomUUID() : createHash('sha256').update(key).digest('hex').slice(0, 32);
}
