/** AL11, AL12, AL14: what happens while a person looks at branches: ends, deadlines, deaths, and whatever was drawn. */
import { expect, test } from 'vitest';
import { resume } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { agent, asked } from './asking.ts';
import { noneTried, tryCase } from './run.ts';
import { chosenPairs } from './scenario.ts';

test('AL14: from the deadline on those that are over are shown; one that comes to its end is shown as well', async () => {
  let comes = () => {};
  const late = new Promise<void>((resolve) => {
    comes = resolve;
  });
  const { open, wonBy } = agent({
    branches: { rome: [], oslo: ['look'] },
    choose: 'rule: gate, deadline: 50ms',
    act: ({ branch }) => (branch === 'oslo' ? late : branch),
  });
  const sidecar = await open();
  const first = await asked(sidecar);
  expect(first.candidates?.map(({ branch, is }) => [branch, is])).toEqual([
    ['rome', 'over'],
    ['oslo', 'unfinished'],
  ]);
  expect(await sidecar.answer(first.gate, 'approved', { by: 'ada', with: 'oslo' })).toContain('may be chosen: rome');
  comes();
  const next = await asked(sidecar, first.gate);
  expect(await sidecar.answer(first.gate, 'approved', { by: 'ada', with: 'rome' })).toContain('void');
  expect(await sidecar.answer(next.gate, 'approved', { by: 'ada', with: 'oslo' })).toBeNull();
  await sidecar.finished();
  expect(wonBy(sidecar)).toBe('oslo');
  await sidecar.close();
});

test('AL11: a request outlives its process, and an end of the run by hand voids it', async () => {
  const { open, wonBy, client, store } = agent();
  const first = await open();
  const { gate } = await asked(first);
  await first.close();
  await client.approve('trip', gate, { by: 'ada', with: 'rome' });
  const second = await open(resume);
  expect((await second.finished()).status).toBe('done');
  expect([wonBy(second), store.run('trip')?.head]).toEqual(['rome', expect.any(Number)]);
  await second.close();
  const other = agent();
  const sidecar = await other.open();
  const request = await asked(sidecar);
  await sidecar.cancel({ by: 'bob', undo: true });
  expect(await sidecar.answer(request.gate, 'approved', { by: 'ada', with: 'rome' })).toContain('undone');
  expect([(await sidecar.finished()).status, [...other.undone].sort()]).toEqual(['compensated', ['oslo', 'rome']]);
  await sidecar.close();
});

test('AL14: a run whose branches have a deadline to come is not given back, and one that only waits for the person is', async () => {
  const branches = { rome: [], oslo: ['wait'] };
  const timed = agent({ branches, choose: 'rule: gate, deadline: 10m' });
  const running = await timed.open();
  await running.durable();
  // The time in which no process has the run is none of the branches (AL4): given back, the deadline would never come.
  expect(running.rest().idle).toBe(false);
  const { open } = agent({ branches, choose: 'rule: gate, deadline: 50ms, expires: 1h' });
  const sidecar = await open();
  const { expires } = await asked(sidecar);
  await until(() => sidecar.rest().idle);
  expect(sidecar.rest()).toEqual({ idle: true, due: expires });
  await Promise.all([running.close(), sidecar.close()]);
});

test('AL11 to AL14: whatever a person does, the world is that of a run in which only the winner was tried', async () => {
  const tally = noneTried();
  for (const [index, of] of chosenPairs().entries())
    if (index % 307 === 11) await tryCase(of, tally, (nth) => nth % 17 === index % 17);
  expect(tally.wrong.map(({ why, scenario }) => `${why}: ${JSON.stringify(scenario)}`)).toEqual([]);
  expect(tally.scenarios).toBeGreaterThan(40);
});
