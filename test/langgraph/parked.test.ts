/** A graph that is parked says in its error what it is parked over. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import type { BoundaryConfig } from '../../src/boundaries/config.ts';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';

const { config } = loadConfig('belay: 1\nagent: little\ntools: {}\nskeletons: {}\nredact: [secret]\n', {
  file: 'little.yaml',
});
const State = Annotation.Root({ n: Annotation<number>, secret: Annotation<string> });

/** The error of a graph, and of what its user was told. */
async function parkedOver(graph: object): Promise<{ readonly text: string; readonly told: readonly string[] }> {
  const told: string[] = [];
  const run = await attachGraph(graph, {
    run: 'r',
    config: config as BoundaryConfig,
    input: { n: 0, secret: 'the password' },
    settings: { recursionLimit: 5 },
    onDecision: ({ error }) => void told.push(error),
  });
  const error = await run.invoke().catch((error: unknown) => error);
  await run.close();
  expect(error).toMatchObject({ name: 'GraphError', code: 'run_parked' });
  return { text: (error as Error).message, told };
}

test('by the error of a node, without what the config redacts', async () => {
  const graph = new StateGraph(State)
    .addNode('a', ({ secret }) => {
      throw new Error(`no door opens to ${secret}\nand more`);
    })
    .addEdge('__start__', 'a')
    .compile({ name: 'little' });
  const { text, told } = await parkedOver(graph);
  expect(text).toContain('(rerun) over "no door opens to [redacted]", and stands still');
  expect(told).toEqual(['no door opens to [redacted]\nand more']);
});

test('by what LangGraph says of tasks that write the same, and of a graph that never ends', async () => {
  const same = new StateGraph(State)
    .addNode('a', () => ({ n: 1 }))
    .addNode('b', () => ({ n: 2 }))
    .addEdge('__start__', 'a')
    .addEdge('__start__', 'b')
    .compile({ name: 'little' });
  expect((await parkedOver(same)).text).toContain('over "Invalid update for channel "n" with values [1,2]');
  const endless = new StateGraph(State)
    .addNode('a', ({ n }) => ({ n: n + 1 }))
    .addEdge('__start__', 'a')
    .addEdge('a', 'a')
    .compile({ name: 'little' });
  expect((await parkedOver(endless)).text).toContain('over "Recursion limit of 5 reached');
});
