/** The agent as the command runs it: it opens a world in the folder of the run, and refuses what is no request. */
import { join } from 'node:path';
import type { Agent } from 'belay-sidecar/xstate';
import { configOf, requests, text } from '../opening.ts';
import { ODDITIES, type Request, TABLES } from './batch.ts';
import { machine } from './machine.ts';
import { Sink } from './sink.ts';
import { Source } from './source.ts';
import { reconcilersOn, toolsOn, undoOn } from './tools.ts';
import { Warehouse } from './warehouse.ts';

const oddities = { type: 'array', items: { enum: ODDITIES }, uniqueItems: true } as const;

/** The default request: every table, and a report. */
const REQUEST: Request = { batch: 'nightly', mode: 'publish', tables: TABLES, source: {} };

const requestFrom = requests(REQUEST, {
  batch: text,
  mode: { enum: ['publish', 'load'] },
  tables: { type: 'array', items: { enum: TABLES }, uniqueItems: true, minItems: 1 },
  source: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(TABLES.map((table) => [table, oddities])),
  },
});

export const etlPipeline: Agent = {
  machine,
  config: configOf('etl-pipeline'),
  about: 'loads what the sources have delivered, table after table, and publishes a report of it',
  rehearsal: { outlives: true },
  async open({ folder, input }) {
    const request = requestFrom(input);
    const source = new Source(join(folder, 'source'), request);
    const warehouse = new Warehouse(join(folder, 'warehouse.sqlite'));
    const sink = new Sink(join(folder, 'published'));
    const world = { source, warehouse, sink };
    return {
      machine: machine.provide({ actors: toolsOn(world) }),
      input: request,
      reconcilers: reconcilersOn(world),
      undo: undoOn(world),
      async world() {
        const publication = sink.all().map(({ batch, lines }) => ({ batch, lines: JSON.stringify(lines) }));
        return { ...warehouse.rows(), confirmed: source.confirmed(), publication };
      },
      async close() {
        warehouse.close();
      },
    };
  },
};
