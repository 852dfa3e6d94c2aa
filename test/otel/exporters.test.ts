/** What becomes of telemetry is no business of the run: processors and exporters that throw, hang or call back change nothing of it. */

import type { SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { withTelemetry } from '../../src/otel/otel.ts';
import { Line, type Station } from '../sidecar/stations.ts';
import { Collected } from './collected.ts';

const SHOP: readonly Station[] = [
  { name: 'quote', reads: ['wanted'] },
  { name: 'pay', reads: ['quote'], tool: 'effect: idempotent' },
];
const fails = (): never => {
  throw new Error('the collector is gone');
};
const processor: SpanProcessor = {
  onStart: () => {},
  onEnd: () => {},
  forceFlush: async () => {},
  shutdown: async () => {},
};

/** The kinds of rows, the calls and the context that a run comes to. */
async function ran(options: (line: Line) => object) {
  const journal = memoryStore();
  const line = new Line(SHOP);
  const run = await line.begin({ ...options(line), journal } as never);
  run.send('go');
  await run.at('rest');
  run.send('end');
  const { status } = await run.finished();
  await run.close();
  const rows = [...journal.read('r')].map(({ kind }) => kind);
  return { status, rows, calls: line.calls.map(({ tool }) => tool), context: run.context };
}

test.each<[string, Partial<SpanProcessor>]>([
  ['throws when a span starts', { onStart: fails }],
  ['throws when a span ends', { onEnd: fails }],
  ['throws at both', { onStart: fails, onEnd: fails }],
])('a processor that %s changes nothing of the run', async (_, broken) => {
  const plain = await ran((line) => line.options());
  expect(plain).toMatchObject({ status: 'done', calls: ['quote', 'pay'] });
  const process = new Collected([{ ...processor, ...broken }]);
  expect(await ran((line) => process.telemetry(line.options() as never))).toEqual(plain);
});

test('a tracer and a meter that throw change nothing of the run', async () => {
  const tracer = { startSpan: fails, startActiveSpan: fails };
  const meter = { createCounter: () => ({ add: fails }), createHistogram: () => ({ record: fails }) };
  const broken = await ran((line) => withTelemetry(line.options() as never, { tracer, meter: meter as never }));
  expect(broken).toEqual(await ran((line) => line.options()));
});

test('without a provider a run goes on as without telemetry, and its journal names no trace', async () => {
  const journal = memoryStore();
  const line = new Line(SHOP);
  const run = await line.begin(withTelemetry({ ...line.options(), journal } as never));
  await run.close();
  expect(JSON.parse([...journal.read('r')][0]?.body ?? '')).not.toHaveProperty('trace');
  expect(await ran((each) => withTelemetry(each.options() as never))).toEqual(await ran((each) => each.options()));
});
