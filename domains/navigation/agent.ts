/** The agent as the command runs it: it opens a world in the folder of the run, and refuses what is no request. */
import { join } from 'node:path';
import type { Agent } from 'belay-sidecar/xstate';
import { configOf, requests, text } from '../opening.ts';
import type { Planner } from '../planner/planner.ts';
import { Atlas } from './atlas.ts';
import { Chargers } from './chargers.ts';
import { machine } from './machine.ts';
import { wishSchema } from './planner.ts';
import { Records } from './records.ts';
import { NODES } from './roads.ts';
import { reconcilersOn, toolsOn, undoOn } from './tools.ts';
import type { Request } from './trip.ts';
import { Navigator } from './vehicle.ts';

/** The default request: three stops on the way to the castle. */
const REQUEST: Request = {
  trip: 'castle-tour',
  vehicle: 'wren',
  from: 'harbour',
  to: 'castle',
  mode: 'publish',
  stops: [
    { title: 'Lunch', query: 'food' },
    { title: 'View', query: 'view' },
    { title: 'Coffee', query: 'cafe' },
  ],
  wishes: [],
};

const requestFrom = requests(REQUEST, {
  trip: text,
  vehicle: text,
  from: { enum: NODES },
  to: { enum: NODES },
  mode: { enum: ['publish', 'preview'] },
  stops: {
    type: 'array',
    maxItems: 12,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['title', 'query'],
      properties: { title: text, query: text, refine: text },
    },
  },
  wishes: { type: 'array', items: wishSchema, maxItems: 12 },
});

/** The agent with a planner. */
export function navigation(planner: Planner): Agent {
  return {
    machine,
    config: configOf('navigation'),
    about: 'finds a place for each stop of a trip, plans the route, reserves a charger, and tells the vehicle',
    rehearsal: { ignore: ['found/*/turn', 'offer/turn'], outlives: true },
    async open({ folder, input }) {
      const request = requestFrom(input);
      const records = new Records(join(folder, 'district.sqlite'), (empty) => {
        Atlas.fill(empty);
        Chargers.fill(empty);
      });
      const [atlas, chargers] = [new Atlas(records), new Chargers(records)];
      const world = { records, atlas, chargers, navigator: new Navigator(join(folder, 'navigator')), planner };
      return {
        machine: machine.provide({ actors: toolsOn(world) }),
        input: request,
        reconcilers: reconcilersOn(world),
        undo: undoOn(world),
        world: async () => ({ hold: atlas.rows(), ...chargers.rows(), route: world.navigator.all() }),
        close: async () => records.close(),
      };
    },
  };
}
