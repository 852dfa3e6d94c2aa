/** The agent as the command runs it: it opens a service in the folder of the run, with the faults that the input asks for. */
import type { Agent } from 'belay-sidecar/xstate';
import { configOf, requests, text } from '../opening.ts';
import type { Planner } from '../planner/planner.ts';
import { FAULTS, type Request } from './incident.ts';
import { machine } from './machine.ts';
import { Service } from './service.ts';
import { reconcilersOn, toolsOn, undoOn } from './tools.ts';

/** The default request: a service with three things wrong with it. */
const REQUEST: Request = {
  service: 'shop',
  faults: ['lock', 'quota', 'queue'],
  used: 120,
  customers: ['north', 'south'],
};

const requestFrom = requests(REQUEST, {
  service: text,
  faults: { type: 'array', items: { enum: FAULTS }, uniqueItems: true },
  used: { type: 'integer', minimum: 100, maximum: 1000 },
  customers: { type: 'array', items: text, uniqueItems: true, maxItems: 20 },
});

/** The agent with a planner. */
export function diagnosis(planner: Planner): Agent {
  return {
    machine,
    config: configOf('diagnosis'),
    about: 'finds out what is wrong with a service, repairs it, and tells the customers',
    rehearsal: { ignore: ['repairs/*/now', 'verification/after/*/now'], outlives: true },
    async open({ folder, input }) {
      const request = requestFrom(input);
      const service = await Service.open(folder, request);
      const world = { service, planner };
      return {
        machine: machine.provide({ actors: toolsOn(world) }),
        input: request,
        reconcilers: reconcilersOn(world),
        undo: undoOn(world),
        world: async () => service.rows(),
        close: () => service.close(),
      };
    },
  };
}
