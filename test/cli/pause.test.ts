/** `belay pause` and `belay unpause`, as a person types them: one run, an agent, all. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { belay } from './belay.ts';

const AGENTS = fileURLToPath(new URL('../../docs/workers/agents.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'belay-pause-'));
let folders = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

function desk() {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  return (...args: string[]) => belay(args, '', {}, folder);
}

test('a run is paused, is not resumed, says by whom, and goes on once it is unpaused', async () => {
  const ask = desk();
  await ask('start', 'order-1', '--agent', 'order');
  const paused = await ask('pause', 'order-1', '--by', 'ada', '--why', 'the price is odd');
  expect([paused.code, paused.err]).toEqual([0, '']);
  expect(paused.out).toContain('left: no process has it, and the next one obeys');
  expect((await ask('runs')).out).toContain('pause not heard yet');
  const run = await ask('run', 'order', '--run', 'order-1', '--machines', AGENTS);
  expect([run.code, run.err]).toEqual([1, expect.stringMatching(/paused by "ada" \(the price is odd\)/)]);
  expect((await ask('runs')).out).toContain('paused by ada');
  expect(JSON.parse((await ask('runs', '--json')).out)).toMatchObject({ standing: 'paused', held: false });
  const why = (await ask('explain', 'order-1')).out;
  expect(why).toContain('paused by ada');
  expect(why).toContain('belay unpause order-1 --by NAME');
  const twice = await ask('pause', 'order-1', '--by', 'bob');
  expect([twice.code, twice.out]).toEqual([1, expect.stringContaining('it is paused already, by "ada"')]);
  const refused = await ask('resume', 'order-1', '--machines', AGENTS);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('belay unpause order-1 --by NAME')]);
  expect((await ask('unpause', 'order-1', '--by', 'bob')).code).toBe(0);
  const resumed = await ask('resume', 'order-1', '--machines', AGENTS);
  expect(resumed.err).not.toContain('paused');
  expect((await ask('runs')).out).not.toContain('paused');
});

test('many are paused at once, and go on only by the digest of the list that was shown', async () => {
  const ask = desk();
  expect(await ask('pause', '--all', '--by', 'ada')).toMatchObject({ code: 1, out: 'there is no run to pause\n' });
  for (const run of ['order-1', 'order-2']) await ask('start', run, '--agent', 'order');
  await ask('start', 'other-1', '--agent', 'other');
  const some = await ask('pause', '--agent', 'order', '--by', 'ada', '--json');
  const told = some.out.trim().split('\n');
  expect(told.map((line) => JSON.parse(line).run)).toEqual(['order-1', 'order-2']);
  const all = await ask('pause', '--all', '--by', 'ada', '--json');
  expect([all.code, JSON.parse(all.out)]).toMatchObject([0, { run: 'other-1', is: 'left', post: 1 }]);
  const none = await ask('pause', '--all', '--by', 'ada');
  expect([none.code, none.out]).toEqual([1, 'there is no run to pause\n']);
  const list = await ask('unpause', '--all', '--by', 'ada');
  expect([list.code, list.out]).toEqual([0, expect.stringContaining('3 runs would go on')]);
  const [, digest = ''] = /--of ([0-9a-f]{8})/.exec(list.out) ?? [];
  const wrong = await ask('unpause', '--all', '--by', 'ada', '--of', '00000000');
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining('the list has changed')]);
  const done = await ask('unpause', '--all', '--by', 'ada', '--of', digest, '--json');
  expect([done.code, done.out.trim().split('\n')]).toEqual([0, expect.objectContaining({ length: 3 })]);
  expect(await ask('unpause', '--all', '--by', 'ada')).toMatchObject({
    code: 1,
    out: 'there is no run that is paused\n',
  });
});

test.each([
  ['nothing named', ['pause', '--by', 'a'], /name one of/],
  ['two things named', ['pause', 'order-1', '--all', '--by', 'a'], /name one of/],
  ['no name', ['pause', '--all', '--by', ' '], /needs a name/],
  ['no such run', ['unpause', 'nothing', '--by', 'a'], /There is no run/],
  ['no person', ['pause', '--all'], /--by/],
])('says what is wrong: %s', async (_, args, text) => {
  const ask = desk();
  await ask('start', 'order-1', '--agent', 'order');
  const told = await ask(...args);
  expect([told.code, told.out]).toEqual([2, '']);
  expect(told.err).toMatch(text);
});
