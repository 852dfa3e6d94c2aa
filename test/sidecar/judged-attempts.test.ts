/** JU6: attempts of a run are judged, and the choice among them waits for the verdicts. */
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { workClient } from '../../src/workers/index.ts';
import { attach, resume, type Sidecar } from '../../src/xstate/index.ts';
import { until } from '../poll.ts';
import { judgedConfig, Office } from './judged-agent.ts';

test('JU6: the best attempt is not chosen before a person has let its work stand', async () => {
  const store = memoryStore();
  const office = new Office(({ outputs }) => ({ ok: true, sure: outputs.draft !== 'draft1' }));
  const config = judgedConfig();
  const of = (run: string) => ({ run, config, journal: store, undo: office.undo }) as never;
  const parent = (await attach(office.machine('idle'), of('parent'))) as unknown as Sidecar;
  parent.actor.start();
  await until(() => parent.status === 'running');
  await parent.close();
  const group = workClient(store);
  // The later draft has the higher score, and its judge is not sure.
  const score = 'memory.draft == "draft1" ? 2 : 1';
  const { runs } = await group.forkAttempts('parent', { as: 'try', attempts: 2, by: 'ann', score });
  const tries: Sidecar[] = [];
  for (const [nth, run] of runs.entries()) {
    const own = (await resume(office.machine('idle'), of(run))) as unknown as Sidecar;
    own.actor.start();
    own.actor.send({ type: 'GO' } as never);
    await until(
      () => (nth === 0 ? own.status === 'tried' : own.requests().length === 1),
      () => own.status,
    );
    tries.push(own);
  }
  const [first, second] = tries as [Sidecar, Sidecar];
  const states = async () => (await group.attempts('try-1')).attempts.map(({ is }) => is);
  expect(await states()).toEqual(['waits', 'trying']);
  expect(first.status).toBe('tried');
  await second.answer((second.requests()[0] as { gate: string }).gate, 'approved', { by: 'ada' });
  await until(
    () => second.status === 'done' && first.status === 'compensated',
    () => `${first.status}, ${second.status}`,
  );
  expect([office.mailed, office.told]).toEqual([['draft1'], ['draft1']]);
  for (const own of tries) await own.close();
});
