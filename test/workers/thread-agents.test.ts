/** Threads of a graph that a worker carries (semantics.md RC6). */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { memoryStore } from '../../src/journal/memory/store.ts';
import { graphThreads, graphTool, resumeGraph } from '../../src/langgraph/index.ts';
import { workClient } from '../../src/workers/client.ts';
import type { ProgramAgent } from '../../src/workers/program-agent.ts';
import { startWorker } from '../../src/workers/worker.ts';
import { until } from '../poll.ts';

const folder = mkdtempSync(join(tmpdir(), 'belay-threads-'));

test('a thread of a graph takes its turns from a worker', async () => {
  const [store, told] = [memoryStore(), [] as string[]];
  const paid: string[] = [];
  const pay = graphTool('pay', async ({ input, key = '' }: { input: { cents: number }; key?: string | undefined }) => {
    paid.push(key);
    return `paid ${input.cents}`;
  });
  const State = Annotation.Root({
    says: Annotation<number>,
    log: Annotation<string[]>({ reducer: (a, b) => [...a, ...b], default: () => [] }),
  });
  const graph = new StateGraph(State)
    .addNode('pay', async ({ says }) => ({ log: [await pay({ cents: says })] }))
    .addEdge('__start__', 'pay')
    .compile({ name: 'teller' });
  const config = join(folder, 'teller.yaml');
  writeFileSync(
    config,
    `belay: 1
agent: teller
keys: { append: [log] }
tools:
  pay: { reads: [], writes: [], effect: irreversible, reconcile: find }
skeletons: {}
`,
  );
  const find = ({ key }: { readonly key: string }) =>
    paid.includes(key) ? ({ is: 'applied', output: 'paid' } as const) : ({ is: 'not_applied' } as const);
  const open = async () => ({ reconcilers: { find }, close: async () => {} });
  const agent: ProgramAgent = { program: graphThreads(graph), config, about: 'pays', open };
  const client = workClient(store);
  await client.start({ run: 'thread', agent: 'teller' });
  await client.send('thread', { type: 'turn', input: { says: 5 } }, { id: 'm1' });
  const worker = startWorker({
    store,
    agents: [agent],
    folderOf: () => folder,
    pollMs: 10,
    onTold: (each) => void told.push(each.is),
  });
  await until(async () => (await client.outcome('thread', 'm1'))?.turn?.isOver === true);
  await until(() => told.includes('left'));
  await client.send('thread', { type: 'turn', input: { says: 7 } }, { id: 'm2' });
  await until(async () => (await client.outcome('thread', 'm2'))?.turn?.isOver === true);
  await worker.stop();
  const run = await resumeGraph(graph, { run: 'thread', config, journal: store, thread: true, reconcilers: { find } });
  expect(await run.invoke()).toEqual({ says: 7, log: ['paid 5', 'paid 7'] });
  expect(paid.length).toBe(2);
  await run.close();
});
