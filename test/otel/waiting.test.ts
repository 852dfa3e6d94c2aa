/** The gauges of a store: the runs that need a person, and the age of the oldest wait. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { GAUGES, observeWaiting } from '../../src/otel/otel.ts';
import { Line } from '../sidecar/stations.ts';

test('count the runs that need a person, until they are told no more', async () => {
  const store = memoryStore();
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
  const end = observeWaiting(store, { meter });
  const values = async () => {
    exporter.reset();
    await reader.forceFlush();
    const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
    return Object.fromEntries(all.map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0]?.value]));
  };
  const none = { [GAUGES.open.name]: 0, [GAUGES.overdue.name]: 0, [GAUGES.broken.name]: 0 };
  const run = await new Line([{ name: 'a', tool: 'effect: irreversible' }]).begin({ journal: store });
  expect(await values()).toEqual({ [GAUGES.waiting.name]: 0, [GAUGES.oldest.name]: 0, ...none });
  await run.sidecar.pause({ by: 'ada' });
  expect(await values()).toEqual({ [GAUGES.waiting.name]: 1, [GAUGES.oldest.name]: expect.any(Number), ...none });
  await run.sidecar.unpause({ by: 'ada' });
  expect(await values()).toEqual({ [GAUGES.waiting.name]: 0, [GAUGES.oldest.name]: 0, ...none });
  end();
  await run.sidecar.pause({ by: 'ada' });
  expect((await values())[GAUGES.waiting.name] ?? 0).toBe(0);
  await run.close();
});
