/** LC10 for flows and graphs: while a run is paused none of its tools is called, and it goes on where it stood. */
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { flow } from '../../src/flow/flow.ts';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { attachGraph, resumeGraph } from '../../src/langgraph/index.ts';
import { workClient } from '../../src/workers/index.ts';
import { TOYS } from '../langgraph/toys.ts';
import { calm, until } from '../poll.ts';
import { held } from '../sidecar/stations.ts';

const FLOW = loadConfig(
  'belay: 1\nagent: f\ntools:\n  one: { reads: [], writes: [steps/one], effect: none }\n  two: { reads: [], writes: [steps/two], effect: none }\nskeletons: {}\n',
  { file: 'f.yaml' },
).config as never;

test('a flow: the step under way comes back, and the next one waits for unpause', async () => {
  const [called, first] = [[] as string[], held()];
  const two = flow('f', async (step) => {
    const one = await step('one', {}, async () => {
      called.push('one');
      await first.promise;
      return 1;
    });
    return step('two', { one }, async () => {
      called.push('two');
      return 2;
    });
  });
  const run = await two.attach({ run: 'r', config: FLOW, journal: memoryStore(), input: undefined });
  await until(() => called.length === 1);
  await run.pause({ by: 'ann' });
  first.resolve(null);
  expect(await run.finished()).toMatchObject({ status: 'paused', by: 'ann' });
  await calm();
  expect([called, run.status]).toEqual([['one'], 'paused']);
  await run.unpause({ by: 'ann' });
  expect(await run.finished()).toMatchObject({ status: 'done', output: 2 });
  expect(called).toEqual(['one', 'two']);
  await run.close();
});

const [line] = TOYS;

test('a graph: invoke says that it is paused, and goes on in another process once it is unpaused', async () => {
  const [called, first, store] = [[] as string[], held(), memoryStore()];
  const graph = () =>
    line?.graph(async (name) => {
      called.push(name);
      if (called.length === 1) await first.promise;
      return name;
    }) as object;
  const options = { run: 'r', config: line?.config as never, input: line?.input as never, journal: store };
  const world = { undo: { undo: () => {} }, reconcilers: { world: () => ({ is: 'unknown' as const }) } };
  const run = await attachGraph(graph(), { ...options, ...world });
  const invoked = run.invoke().catch((error: unknown) => error);
  await until(() => called.length === 1);
  await run.pause({ by: 'ann' });
  first.resolve(null);
  expect(await invoked).toMatchObject({ code: 'paused', message: expect.stringContaining('"ann"') });
  await calm();
  expect(called).toEqual(['a']);
  await run.close();
  const again = () => resumeGraph(graph(), { ...options, ...world });
  await expect(again()).rejects.toMatchObject({ code: 'paused' });
  await workClient(store).unpause('r', { by: 'bob' });
  const next = await again();
  await next.invoke();
  expect(await next.finished()).toMatchObject({ status: 'done' });
  expect(called).toEqual(['a', 'b', 'c']);
  await next.close();
});
