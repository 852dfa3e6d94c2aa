/** The metrics of a run: those of the one list, and no other. */
import { expect, test } from 'vitest';
import { METRICS } from '../../src/otel/otel.ts';
import type { Metric } from '../../src/reports/metrics.ts';
import { Line } from '../sidecar/stations.ts';
import { Collected } from './collected.ts';

const LIST = Object.values<Metric>(METRICS);

test('every metric of the list has a name of its own, a unit, a description and attributes', () => {
  expect(LIST.length).toBeGreaterThan(8);
  expect(new Set(LIST.map(({ name }) => name)).size).toBe(LIST.length);
  for (const { name, unit, description, attributes, instrument } of LIST) {
    expect(name).toMatch(/^belay(\.[a-z]+)+$/);
    expect(unit).toMatch(instrument === 'counter' ? /^\{[a-z]+\}$/ : /^s$/);
    expect(description).toMatch(/^[A-Z][^.]+[^.]$/);
    expect(attributes[0]).toBe('gen_ai.agent.name');
  }
});

test('a run that fails, is restored and is parked measures what the list says, with the attributes of the list', async () => {
  const process = new Collected();
  const stations = [{ name: 'quote' }, { name: 'pay', tool: 'effect: irreversible' }];
  const line = new Line(stations, {
    quote: ({ nth }) => (nth === 0 ? Promise.reject(new Error('reset')) : 'it'),
    pay: () => Promise.reject(new Error('reset')),
  });
  const run = await line.begin(process.telemetry(line.options() as never));
  run.send('go');
  await run.finished();
  await run.close();
  const measured = await process.metrics();
  const points = (metric: Metric) =>
    (measured.get(metric.name)?.points ?? []).map(({ attributes, value }) => [attributes, value]);
  const of = { 'gen_ai.agent.name': 'line' };
  const quote = { ...of, 'gen_ai.tool.name': 'quote', 'belay.effect.class': 'none' };
  expect(points(METRICS.runs)).toEqual([[{ ...of, 'belay.run.event': 'begun' }, 1]]);
  expect(points(METRICS.calls)).toEqual([
    [{ ...quote, 'belay.call.outcome': 'failed' }, 1],
    [{ ...quote, 'belay.call.outcome': 'answered' }, 1],
    [{ ...of, 'gen_ai.tool.name': 'pay', 'belay.effect.class': 'irreversible', 'belay.call.outcome': 'unknown' }, 1],
  ]);
  expect(points(METRICS.decisions)).toEqual([
    [{ ...of, 'belay.decision.verdict': 'restore', 'belay.signal': 'TOOL_EXCEPTION' }, 1],
    [{ ...of, 'belay.decision.verdict': 'escalate', 'belay.signal': 'TOOL_EXCEPTION' }, 1],
  ]);
  expect(points(METRICS.restores)).toEqual([[of, 1]]);
  expect(points(METRICS.duration).map(([, count]) => count)).toEqual([1, 1, 1]);
  for (const [name, { unit, description, points: all }] of measured) {
    const metric = LIST.find((each) => each.name === name);
    expect(metric).toMatchObject({ unit, description });
    for (const { attributes } of all)
      expect(Object.keys(attributes).sort()).toEqual([...(metric?.attributes ?? [])].sort());
  }
});
