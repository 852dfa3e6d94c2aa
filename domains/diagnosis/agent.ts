/** The agent as the command runs it: it opens a service in the folder of the run, with the faults that the input asks for. */
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import type { Agent } from 'belay-sidecar';
import type { Planner } from '../planner/planner.ts';
import { FAULTS, type Request } from './incident.ts';
import { machine } from './machine.ts';
import { Service } from './service.ts';
import { reconcilersOn, toolsOn, undoOn } from './tools.ts';

const text = { type: 'string', minLength: 1, maxLength: 200 } as const;

const isRequest = new Ajv({ allErrors: true }).compile<Request>({
  type: 'object',
  additionalProperties: false,
  required: ['service', 'faults', 'used', 'customers'],
  properties: {
    service: text,
    faults: { type: 'array', items: { enum: FAULTS }, uniqueItems: true },
    used: { type: 'integer', minimum: 100, maximum: 1000 },
    customers: { type: 'array', items: text, uniqueItems: true, maxItems: 20 },
  },
});

/** What is asked of the agent where nobody says otherwise: a service with three things wrong with it. */
const REQUEST: Request = {
  service: 'shop',
  faults: ['lock', 'quota', 'queue'],
  used: 120,
  customers: ['north', 'south'],
};

/** The agent with a planner. */
export function diagnosis(planner: Planner): Agent {
  return {
    machine,
    config: fileURLToPath(new URL(`${ROOT}boundaries/diagnosis.yaml`, import.meta.url)),
    about: 'finds out what is wrong with a service, repairs it, and tells the customers',
    async open({ folder, input }) {
      const request = input === undefined ? REQUEST : { ...REQUEST, ...(input as object) };
      if (!isRequest(request)) {
        const problems = isRequest.errors?.map(({ instancePath, message }) => `${instancePath || 'it'} ${message}`);
        throw new Error(`the input is no request: ${problems?.join('; ')}`);
      }
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

/** Where the repository begins, from here: a level deeper once compiled. */
const ROOT = import.meta.url.endsWith('.js') ? '../../../' : '../../';
