/** docs/otel.md says what is told: every metric of the list, every span and every attribute. */
import { expect, test } from 'vitest';
import { METRICS } from '../../src/otel/otel.ts';
import type { Metric } from '../../src/reports/metrics.ts';
import { read } from '../pages.ts';

const page = read('docs/otel.md');
const spans = read('src/otel/spans.ts');
const [telling = '', counting = ''] = page.split('\n## Metrics\n');

test('the page has the metrics of the list, with their units, descriptions and attributes', () => {
  const rows = [...counting.matchAll(/^\| `(belay\.[^`]+)` \| `([^`]+)` \| (.+?) \|(.*)\|$/gm)].map(
    ([, name, unit, description, attributes = '']) => [
      name,
      unit,
      description,
      [...attributes.matchAll(/`([^`]+)`/g)].map(([, each]) => each),
    ],
  );
  expect(rows).toEqual(
    Object.values<Metric>(METRICS).map(({ name, unit, description, attributes }) => [
      name,
      unit,
      description,
      attributes.slice(1),
    ]),
  );
});

test('the page has every attribute that a span can have, and no other', () => {
  const used = new Set([...spans.matchAll(/'(belay\.[a-z.]+)'/g)].map(([, name]) => name));
  const told = new Set([...telling.matchAll(/`(belay\.[a-z.]+)`/g)].map(([, name]) => name));
  expect(used.size).toBeGreaterThan(15);
  expect([...told].sort()).toEqual([...used].sort());
});

test('the page has every span by the first word of its name, and no other', () => {
  const made = [...spans.matchAll(/name: [`'](?:\$\{OPERATIONS\.(\w+)\}|([a-z_]+))/g)].map(([, constant, word]) =>
    constant === 'executeTool' ? 'execute_tool' : word,
  );
  const table = telling.slice(telling.indexOf('| span |'), telling.indexOf('\n## Attributes'));
  const told = [...table.matchAll(/^\| `([a-z_]+)/gm)].map(([, word]) => word);
  expect(made.length).toBeGreaterThan(10);
  expect(told.sort()).toEqual([...new Set(made)].sort());
});
