/** `belay mandate` and `belay revoke`, as a person types them, and the views that show the mandate of a run. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { belay } from './belay.ts';

const AGENTS = fileURLToPath(new URL('../../docs/workers/agents.mjs', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'belay-mandate-'));
let folders = 0;
afterAll(() => rmSync(root, { recursive: true, force: true }));

function desk() {
  folders += 1;
  const folder = join(root, String(folders));
  mkdirSync(folder);
  return (...args: string[]) => belay(args, '', {}, folder);
}

const CASH = '{"id":"cash-12","by":"cfo","cents":500}';

test('MD1, MD4, MD5: a run whose mandate is withdrawn is parked, says what sets it going, and goes on under another one', async () => {
  const ask = desk();
  await ask('start', 'order-1', '--agent', 'order');
  const given = await ask('mandate', 'order-1', CASH);
  expect([given.code, given.err]).toEqual([0, '']);
  expect(given.out).toContain('order-1: the mandate is left for the process that takes the run next, as message 1');
  const revoked = await ask('revoke', 'cash-12', '--by', 'ada', '--why', 'the policy has changed', '--json');
  expect([revoked.code, JSON.parse(revoked.out)]).toMatchObject([0, { run: 'order-1', post: 2, held: false }]);
  const run = await ask('run', 'order', '--run', 'order-1', '--machines', AGENTS);
  expect(run.code).toBe(1);
  expect(run.out).toContain('parked (escalate)');
  expect(run.out).toContain(`belay mandate order-1 '{"by":"NAME"}'`);
  expect(JSON.parse((await ask('runs', '--json')).out)).toMatchObject({ standing: 'parked' });
  const shown = await ask('show', 'order-1');
  expect(shown.out.replace(/\s+/g, ' ')).toContain(
    'mandate cash-12, given by "cfo": withdrawn by "ada", "the policy has changed"',
  );
  expect(JSON.parse((await ask('show', 'order-1', '--json')).out)).toMatchObject({
    mandate: { id: 'cash-12', by: 'cfo', until: null, is: 'wanted', why: 'revoked' },
    waits: [{ code: 'mandate_over' }, {}],
  });
  const why = (await ask('explain', 'order-1')).out;
  expect(why).toContain('another mandate, for');
  expect(why).toContain(`belay mandate order-1 '{"by":"NAME"}'`);
  expect((await ask('mandate', 'order-1', '{"by":"cfo"}', '--why', 'the new policy')).code).toBe(0);
  const resumed = await ask('resume', 'order-1', '--machines', AGENTS);
  expect(resumed.out).toContain('done');
  const audit = await ask('ledger', 'order-1', '--mandate');
  expect(audit.code).toBe(0);
  for (const text of ['withdrawn', 'wanted', 'cash-12']) expect(audit.out).toContain(text);
  const { mandate: lines } = JSON.parse((await ask('ledger', 'order-1', '--mandate', '--json')).out);
  const said = lines.map(({ is, what }: { is: string; what: string }) => `${is} ${what}`);
  expect(said.slice(0, 4)).toEqual(['mandate given', 'mandate withdrawn', 'mandate wanted', 'mandate given']);
  expect(said).toContain('act leaves');
  expect(lines[0]).toMatchObject({ is: 'mandate', what: 'given', under: 'cash-12', by: 'cfo', terms: { cents: 500 } });
  expect((await ask('messages', 'order-1')).out).toContain('cash-12');
});

test.each([
  ['no such run or mandate', ['revoke', 'nothing', '--by', 'a'], 1, /none is under a mandate of that name/],
  ['no name', ['revoke', 'order-1', '--by', ' '], 2, /--by needs a name/],
  ['no such run', ['mandate', 'nothing', '{"by":"a"}'], 2, /There is no run/],
  ['no JSON', ['mandate', 'order-1', '{by}'], 2, /is not JSON/],
  ['nobody gives it', ['mandate', 'order-1', '{}'], 2, /a mandate is plain JSON/],
  ['a time that is none', ['mandate', 'order-1', '{"by":"a","until":"soon"}'], 2, /a mandate is plain JSON/],
])('a mandate: %s', async (_, args, code, text) => {
  const ask = desk();
  await ask('start', 'order-1', '--agent', 'order');
  const told = await ask(...args);
  expect([told.code, told.err]).toEqual([code, expect.stringMatching(text)]);
});
