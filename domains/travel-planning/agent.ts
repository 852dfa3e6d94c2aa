/** The agent as the command runs it: it opens a world in the folder of the run, and refuses what is no request. */
import { join } from 'node:path';
import type { Agent } from 'belay-sidecar/xstate';
import { configOf, requests, text } from '../opening.ts';
import { Agency } from './agency.ts';
import { machine } from './machine.ts';
import { reconcilersOn, toolsOn, undoOn } from './tools.ts';
import type { Request } from './trip.ts';

/** The default request: three cities, and money enough. */
const REQUEST: Request = {
  trip: 'autumn',
  traveller: 'ada',
  home: 'bergen',
  start: 10,
  budget: 400_000,
  cities: [
    { name: 'lisbon', nights: 2 },
    { name: 'porto', nights: 3 },
    { name: 'oslo', nights: 2 },
  ],
  outing: false,
};

const requestFrom = requests(REQUEST, {
  trip: text,
  traveller: text,
  home: text,
  start: { type: 'integer', minimum: 1, maximum: 365 },
  budget: { type: 'integer', minimum: 0 },
  cities: {
    type: 'array',
    minItems: 3,
    maxItems: 3,
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'nights'],
      properties: { name: text, nights: { type: 'integer', minimum: 1, maximum: 30 } },
    },
  },
  outing: { type: 'boolean' },
});

/** The agent. */
export const travelPlanning: Agent = {
  machine,
  config: configOf('travel-planning'),
  about:
    'plans three cities at the same time within a budget, books flights, rooms and tables, and files the itinerary',
  rehearsal: { ignore: ['cities/*/room/*/locator', 'cities/*/flight/*/locator'], outlives: true },
  async open({ folder, input }) {
    const request = requestFrom(input);
    if (new Set(request.cities.map(({ name }) => name)).size < request.cities.length)
      throw new Error('the input is no request: /cities has to be three different ones');
    const agency = new Agency(join(folder, 'agency.sqlite'));
    return {
      machine: machine.provide({ actors: toolsOn(agency) }),
      input: request,
      reconcilers: reconcilersOn(agency),
      undo: undoOn(agency),
      world: async () => agency.rows(),
      close: async () => agency.close(),
    };
  },
};
