/** A node with a retry policy: LangGraph tries it again, and what it has called is not called again. */
import { Annotation, StateGraph } from '@langchain/langgraph';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/boundaries/load.ts';
import { attachGraph } from '../../src/langgraph/graph.ts';
import { graphTool } from '../../src/langgraph/tools/tool.ts';

const { config } = loadConfig(
  'belay: 1\nagent: till\ntools:\n  pay: { effect: irreversible, timeout: 5s }\nskeletons: {}\n',
  { file: 'till.yaml' },
);
const State = Annotation.Root({ paid: Annotation<string> });

/** A graph whose node pays and then throws so many times. */
async function till(throws: number) {
  const keys: (string | undefined)[] = [];
  let tries = 0;
  const pay = graphTool('pay', async ({ key }: { input: string; key: string | undefined }) => {
    keys.push(key);
    return `receipt ${keys.length}`;
  });
  const graph = new StateGraph(State)
    .addNode(
      'till',
      async () => {
        tries += 1;
        const paid = await pay('tea');
        if (tries <= throws) throw new Error('the printer is out of paper');
        return { paid };
      },
      { retryPolicy: { maxAttempts: 3, initialInterval: 1, logWarning: false } },
    )
    .addEdge('__start__', 'till')
    .compile({ name: 'till' });
  const run = await attachGraph(graph, { run: 'r', config: config as NonNullable<typeof config>, input: {} });
  return { run, keys, tries: () => tries };
}

test('a node that LangGraph tries again pays once, and gets the receipt of the first time', async () => {
  const { run, keys, tries } = await till(2);
  expect(await run.invoke()).toEqual({ paid: 'receipt 1' });
  expect([tries(), keys.length, typeof keys[0]]).toEqual([3, 1, 'string']);
  await run.close();
});

test('a node whose tries are spent is a failure of the run, which has paid once', async () => {
  const { run, keys, tries } = await till(Number.POSITIVE_INFINITY);
  const ended = run.invoke().catch((error: unknown) => error);
  await expect(run.finished()).resolves.toMatchObject({ status: 'parked' });
  expect([tries() % 3, keys.length]).toEqual([0, 1]);
  await run.close();
  await ended;
});
