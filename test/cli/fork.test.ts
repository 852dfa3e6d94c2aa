/** `belay fork`, as a person types it: where it is refused, where it is made, and how the fork goes on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { Desk, widest } from './agents.ts';

const RECEIPT = fileURLToPath(new URL('fixtures/receipt/agents.mjs', import.meta.url));
const desks: Desk[] = [];
afterEach(() => {
  for (const desk of desks.splice(0)) desk.clear();
});

test('a parked run is refused with the nearest row, forked there, and its fork goes on without a second payment', async () => {
  const desk = new Desk(RECEIPT);
  desks.push(desk);
  const world = (run: string, name: string) => join(desk.folder, 'belay.sqlite.world', run, name);
  const payments = () => readFileSync(world('receipt-1', 'payments'), 'utf8').trim().split('\n').length;
  await desk.ask('run', 'receipt', '--version', '1');
  const refused = await desk.ask('fork', 'receipt-1', '--as', 'receipt-2', '--by', 'ada');
  expect([refused.code, refused.out]).toEqual([
    1,
    expect.stringMatching(
      /^fork_refused: receipt-1 cannot be forked at row \d+: the run is in question there\. The nearest row .* is \d+\.\n$/,
    ),
  ]);
  const row = /is (\d+)\.\n$/.exec(refused.out)?.[1] as string;
  const made = await desk.ask('fork', 'receipt-1', '--as', 'receipt-2', '--by', 'ada', '--at', row, '--json');
  expect([made.code, JSON.parse(made.out)]).toEqual([
    0,
    { run: 'receipt-2', of: 'receipt-1', at: Number(row), next: 'belay resume receipt-2', queue: null },
  ]);
  const again = await desk.ask('fork', 'receipt-1', '--as', 'receipt-2', '--by', 'ada', '--at', row);
  expect([again.code, again.err]).toEqual([2, expect.stringContaining('There is a run "receipt-2" already')]);
  // The parent has paid behind that row: a person is asked, and the question names its call.
  const resumed = await desk.ask('resume', 'receipt-2', '--version', '1');
  expect([resumed.code, resumed.out]).toEqual([1, expect.stringMatching(/^receipt-2: at rest, in the state paying/)]);
  expect(await desk.json('approvals')).toMatchObject([
    { run: 'receipt-2', tool: 'pay', kin: { run: 'receipt-1', key: expect.stringMatching(/^belay-/) } },
  ]);
  const [asked] = (await desk.json('approvals')) as { kin: { key: string } }[];
  expect((await desk.ask('approvals')).out.replace(/\s+/g, '')).toContain(asked?.kin.key);
  expect((await desk.ask('show', 'receipt-1', '--json')).out).toContain(asked?.kin.key);
  expect(payments()).toBe(1);
});

test('bad input is told, and the help fits a terminal', async () => {
  const desk = new Desk(RECEIPT);
  desks.push(desk);
  expect(await desk.ask('fork', 'none', '--as', 'other')).toMatchObject({ code: 2 });
  expect(await desk.ask('fork', 'none', '--as', 'other', '--by', 'ada', '--at', 'x')).toMatchObject({ code: 2 });
  expect(await desk.ask('fork', 'none', '--as', 'other', '--by', 'ada')).toMatchObject({ code: 2 });
  const help = await desk.ask('fork', '--help');
  expect(widest(help.out)).toBeLessThanOrEqual(80);
});

test('attempts are made, listed with what they wait for, explained, and one of them is kept', async () => {
  const desk = new Desk(RECEIPT);
  desks.push(desk);
  await desk.ask('run', 'receipt', '--version', '1');
  const refused = await desk.ask('fork', 'receipt-1', '--as', 'try', '--attempts', '2', '--by', 'ada');
  expect([refused.code, refused.out]).toEqual([1, expect.stringMatching(/^fork_refused: /)]);
  const row = /is (\d+)\.\n$/.exec(refused.out)?.[1] as string;
  const fork = ['fork', 'receipt-1', '--at', row, '--as', 'try', '--by', 'ada'];
  expect(await desk.ask(...fork, '--score', 'event.output')).toMatchObject({ code: 2 });
  expect(await desk.ask(...fork, '--attempts', '2', '--score', 'event.')).toMatchObject({ code: 2 });
  const made = await desk.ask(...fork, '--attempts', '2', '--json');
  expect([made.code, JSON.parse(made.out)]).toEqual([
    0,
    {
      ...{ of: 'receipt-1', group: 'try', at: Number(row), runs: ['try-1', 'try-2'], queue: null },
      next: ['belay resume try-1', 'belay resume try-2'],
    },
  ]);
  for (const run of ['try-1', 'try-2']) {
    const resumed = await desk.ask('resume', run, '--version', '1');
    expect([resumed.code, resumed.out]).toEqual([1, expect.stringContaining('until one of its attempts is kept')]);
    expect(resumed.out).toContain(`belay keep ${run} --by NAME`);
  }
  const listed = (await desk.ask('runs')).out;
  expect(listed).toMatch(/try-1 .*the choice among try/);
  expect((await desk.ask('explain', 'try-2')).out).toContain('belay keep try-2 --by NAME');
  const group = (await desk.ask('attempts', 'try-2')).out;
  expect(group).toContain('try: a person keeps one of them.');
  expect(group).toMatch(/try-1 +waits +before pay +0 calls[^\n]*\n +try-2 +waits +before pay/);
  expect(await desk.json('attempts', 'try-1')).toMatchObject([
    { of: 'try', kept: null, attempts: [{ run: 'try-1', is: 'waits', cost: { calls: 0 } }, { run: 'try-2' }] },
  ]);
  expect(await desk.ask('attempts', 'receipt-1')).toMatchObject({
    code: 1,
    out: expect.stringContaining('keep_refused'),
  });
  expect(await desk.ask('keep', 'try-2')).toMatchObject({ code: 2 });
  const kept = await desk.ask('keep', 'try-2', '--by', 'ada', '--json');
  expect([kept.code, JSON.parse(kept.out)]).toEqual([
    0,
    { run: 'try-2', of: 'try', before: false, aborted: ['try-1'] },
  ]);
  const second = await desk.ask('keep', 'try-1', '--by', 'bob');
  expect([second.code, second.out]).toEqual([1, 'keep_refused: try-1 cannot be kept: try-2 was kept, by "ada".\n']);
  expect((await desk.ask('resume', 'try-1', '--version', '1')).out).toMatch(/^try-1: aborted by "ada"/);
  for (const verb of ['attempts', 'keep', 'fork'])
    expect(widest((await desk.ask(verb, '--help')).out)).toBeLessThanOrEqual(80);
});
