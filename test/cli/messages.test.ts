/** `belay send --id --seen --wait` and `belay messages`, as a person types them beside a program that has the run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sqliteStore } from '../../src/journal/sqlite/store.ts';
import { UNKNOWN } from '../inspector/serving.ts';
import { Line } from '../sidecar/stations.ts';
import { belay } from './belay.ts';

const root = mkdtempSync(join(tmpdir(), 'belay-messages-'));
const ask = (...args: string[]) => belay(args, '', {}, root);
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('an event is taken once under its id, refused where it was shown something else, and its outcome is told', async () => {
  const store = sqliteStore(join(root, 'belay.sqlite'));
  const begun = await new Line(UNKNOWN).begin({ journal: store, run: 'order-1' });
  const moved = await ask('send', 'order-1', 'skip', '--seen', '{"wanted":"y"}', '--wait', '--by', 'ada');
  expect([moved.code, moved.out]).toEqual([
    1,
    'skip, message 1: refused: moved: wanted is not what its sender was shown\n',
  ]);
  const first = await ask('send', 'order-1', 'skip', '--id', 'k1', '--seen', '{"wanted":"x"}', '--wait', '--json');
  expect([first.code, JSON.parse(first.out)]).toEqual([
    0,
    { run: 'order-1', event: 'skip', post: 2, held: true, outcome: { is: 'taken', why: null } },
  ]);
  const again = await ask('send', 'order-1', 'skip', '--id', 'k1', '--wait');
  expect([again.code, again.out]).toEqual([0, 'skip, message 2: taken\n']);
  const other = await ask('send', 'order-1', 'end', '--id', 'k1');
  expect([other.code, other.err]).toEqual([2, expect.stringContaining('message_differs')]);
  await begun.sidecar.pause({ by: 'ada' });
  const held = await ask('send', 'order-1', 'end', '--wait');
  expect([held.code, held.out]).toEqual([1, 'end, message 3: held: the run cannot take it now\n']);
  await begun.close();
  await store.close();
  const listed = await ask('messages', 'order-1', '--json');
  expect(
    listed.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { run: 'order-1', post: 1, kind: 'event', says: 'skip', by: 'ada', is: 'refused' },
    { post: 2, id: 'k1', is: 'taken', why: null },
    { post: 3, says: 'end', is: 'held' },
  ]);
  const text = (await ask('messages', 'order-1')).out;
  expect(text).toContain('skip (k1)');
  expect((await ask('messages', 'nothing')).code).toBe(2);
});

test.each([
  ['no JSON', ['--seen', '{'], /not JSON/],
  ['no object', ['--seen', '[1]'], /JSON object/],
  ['nothing seen', ['--seen', '{}'], /id that is none|keys/],
  ['an id that is none', ['--id', '#3'], /id that is none/],
])('says what is wrong with what is sent: %s', async (_, more, text) => {
  const told = await ask('send', 'order-1', 'end', ...more);
  expect([told.code, told.out]).toEqual([2, '']);
  expect(told.err).toMatch(text);
});
