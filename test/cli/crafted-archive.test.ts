/** Archives that were changed and signed anew, as anybody can: every verb reads them, or refuses them with a code, and none ends with a stack trace. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { archiveLines } from '../../src/journal/archive/lines.ts';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { Chance } from '../simulation/chance.ts';
import { Desk } from './agents.ts';

const desk = new Desk();
afterAll(() => desk.clear());

/** What stands where another value belongs. */
const OTHERS: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e21,
  9_007_199_254_740_991,
  '',
  'x',
  '\u0000\ud800',
  '__proto__',
  [],
  [[]],
  {},
  { length: 3 },
  { $: 'x' },
  { $: ['ref', 7] },
  { $: ['map', 1] },
  { $: 4 },
  { __proto__: null, constructor: 1 },
  'y'.repeat(100_000),
  JSON.parse('{"__proto__":{"toString":1},"toString":null}'),
  Array.from({ length: 900 }).reduce<unknown>((inner) => [inner], 1),
];

/** A copy of a value in which one place, chosen by its number, has another value or is left out. */
function changed(value: unknown, at: { left: number }, other: unknown): unknown {
  at.left -= 1;
  if (at.left === -1) return other;
  if (Array.isArray(value)) return value.map((each) => changed(each, at, other));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, changed(each, at, other)]));
}

function placesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + placesIn(each), 1);
}

type Line = Record<string, unknown>;

/** The lines of an archive with a digest that fits. */
function signed(lines: readonly Line[], end: Line): string {
  const rows = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return `${rows}${JSON.stringify({ ...end, sha256: createHash('sha256').update(rows).digest('hex') })}\n`;
}

const VERBS = [
  ['show'],
  ['ledger'],
  ['explain'],
  ['approvals'],
  ['export'],
  ['export', '--whole'],
  ['runs'],
  ['verify'],
  ['claims'],
];

test('each verb reads an archive in which anything stands anywhere, or refuses it', async () => {
  expect(
    (await desk.ask('run', 'order', '--run', 'r', '--fail-at', 'pay', '--when', 'after', '--signal', 'TIMEOUT')).code,
  ).toBe(0);
  const store = sqliteStore(join(desk.folder, 'belay.sqlite'), { readonly: true });
  const all: Line[] = [];
  for await (const line of archiveLines(store, 'r')) all.push(JSON.parse(line));
  await store.close();
  const [lines, end] = [all.slice(0, -1), all.at(-1) as Line];
  const chance = new Chance(35, 0);
  const traces: string[] = [];
  const codes = new Set<number | null>();
  for (let trial = 0; trial < 220; trial += 1) {
    const nth = chance.int(0, lines.length - 1);
    const line = lines[nth] as Line;
    const other = chance.pick(OTHERS);
    const isRow = typeof line.body === 'string' && chance.int(0, 7) > 0;
    const target: unknown = isRow ? JSON.parse(line.body as string) : line;
    const made = changed(target, { left: chance.int(0, placesIn(target) - 1) }, other);
    const mutated = isRow ? { ...line, body: JSON.stringify(made) ?? 'null' } : made;
    const text = signed(
      lines.map((each, index) => (index === nth ? (mutated as Line) : each)),
      end,
    );
    writeFileSync(join(desk.folder, 'crafted.jsonl'), text);
    const [verb = '', ...options] = VERBS[trial % VERBS.length] as string[];
    const named = ['runs', 'claims', 'approvals'].includes(verb) ? [] : verb === 'verify' ? ['crafted.jsonl'] : ['r'];
    const given = verb === 'verify' ? [] : ['--store', 'crafted.jsonl'];
    const why = `${verb} of line ${nth} as ${JSON.stringify(mutated)?.slice(0, 300)}`;
    await desk.ask(verb, ...named, ...options, ...given).then(
      ({ code, err }) => {
        codes.add(code);
        if (/\n\s+at .*:\d+/.test(err) || ![0, 1, 2].includes(code ?? -1))
          traces.push(`${why}: ${code} ${err.slice(0, 500)}`);
      },
      (error: unknown) => traces.push(`${why}: threw ${(error as Error).stack?.slice(0, 500)}`),
    );
  }
  expect(traces).toEqual([]);
  expect([...codes].sort()).toEqual(expect.arrayContaining([0, 2]));
});
